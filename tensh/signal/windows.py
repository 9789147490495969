"""torch.signal.windows: window functions."""

from tensh.engine.methods.unsupported import absent
from tensh.engine.operators.fourier.composites.signal import WINDOWS


def __getattr__(name):
    if name in WINDOWS:
        return WINDOWS[name]
    raise absent("torch.signal.windows", name)


def __dir__():
    return sorted(WINDOWS)
