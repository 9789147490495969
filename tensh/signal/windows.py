"""torch.signal.windows: window functions."""

from tensh.engine.signal import WINDOWS

globals().update(WINDOWS)
__all__ = [*WINDOWS]  # noqa: PLE0605
