"""torch.signal.windows: window functions."""

from tensh.engine.methods.unsupported import unsupported_name
from tensh.engine.operators.fourier.composites.signal import WINDOWS


def __getattr__(name):
    if name in WINDOWS:
        return WINDOWS[name]
    raise unsupported_name("torch.signal.windows", name)


def __dir__():
    return sorted(WINDOWS)
