"""torch.signal: signal processing."""

from tensh.engine.methods.unsupported import lacking
from tensh.signal import windows  # noqa: F401

__getattr__ = lacking("torch.signal")
