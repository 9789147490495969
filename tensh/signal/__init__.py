"""torch.signal: signal processing."""

from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.signal import windows

__all__ = ["windows"]

__getattr__ = unsupported_lookup("torch.signal")
