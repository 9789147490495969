"""The functions of torch.linalg, torch.fft and torch.special."""

from tensh.engine.arguments.binding import asks_late
from tensh.engine.codegen.composites import add_out
from tensh.engine.codegen.registry import METHODS, PUBLIC, Registry

LINALG, FFT = Registry("LINALG"), Registry("FFT")
SPECIAL = Registry("SPECIAL")  # functions other than operators, which torch.special has, too


def linalg(fn=None, *, out=True, apart=False):
    """Publish a function called ``NAME`` or ``linalg_NAME`` as ``torch.linalg.NAME``, with ``out=`` unless it is False.

    ``apart`` is that of ``add_out``.
    """
    if fn is None:
        return lambda fn: linalg(fn, out=out, apart=apart)
    fn.__name__ = fn.__qualname__ = name = fn.__name__.removeprefix("linalg_")
    function = LINALG[name] = add_out(fn, apart, f"linalg_{name}") if out else fn
    function.__module__ = "torch.linalg"
    return function


def fft(fn):
    """Make a function public as ``torch.fft.NAME``."""
    fn.__module__ = "torch.fft"
    FFT[fn.__name__] = asks_late(fn)
    return fn


def special(fn):
    """Make a function public as ``torch.special.NAME``, with ``out=``."""
    function = SPECIAL[fn.__name__] = add_out(fn)
    function.__module__ = "torch.special"
    return function


def everywhere(fn):
    """Make a function of a namespace public as ``torch.NAME`` and as a method, too."""
    PUBLIC[fn.__name__] = METHODS[fn.__name__] = fn
    return fn
