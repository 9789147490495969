"""torch.signal: signal processing."""

from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.signal import windows  # noqa: F401

__getattr__ = unsupported_lookup("torch.signal")
