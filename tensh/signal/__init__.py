"""torch.signal: signal processing."""

from tensh.engine.absent import lacking
from tensh.signal import windows  # noqa: F401

__getattr__ = lacking("torch.signal")
