"""torch.signal: signal processing."""

from tensh.signal import windows  # noqa: F401
