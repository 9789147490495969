"""torch.signal.windows: window functions."""

from tensh.engine.functional.fourier.signal import WINDOWS


def __getattr__(name):
    if name in WINDOWS:
        return WINDOWS[name]
    raise AttributeError(f"module 'torch.signal.windows' has no attribute '{name}'")


def __dir__():
    return sorted(WINDOWS)
