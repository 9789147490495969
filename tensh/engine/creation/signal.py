"""torch.signal.windows: windows of ``M`` points, symmetric, or one turn of a periodic signal (``sym=False``)."""

import functools
import inspect
import math
from collections.abc import Iterable

import numpy as np

from tensh.engine.creation.spaces import evenly
from tensh.engine.device import strided
from tensh.engine.dtype import float32, float64, get_default_dtype
from tensh.engine.making import leaf, place
from tensh.engine.signatures import Later

WINDOWS: dict = {}
PLACE = {"dtype": None, "layout": strided, "device": None, "requires_grad": False}


def window(fn):
    """Declare a window: ``fn(M, sym, dtype, …)`` computes its array; keywords of its own have no other place."""
    name = fn.__name__

    @functools.wraps(fn)
    def function(M, *, sym=True, dtype=None, layout=strided, device=None, requires_grad=False, **given):
        dtype = get_default_dtype() if dtype is None else dtype
        unknown = given.keys() - own
        if unknown:
            raise TypeError(f"{name}() got an unexpected keyword argument '{sorted(unknown)[0]}'")
        require(FAMILY.get(name, name), M, dtype, layout)
        place(device)
        array = fn(M, sym, dtype.numpy, **given)
        return leaf(array if M > 1 else np.ones(M, dtype.numpy), requires_grad)

    parameters = inspect.signature(fn).parameters
    own = {p for p in parameters if parameters[p].kind is inspect.Parameter.KEYWORD_ONLY}
    function.__signature__ = Later(lambda: shown(parameters))
    function.__module__ = "torch.signal.windows.windows"
    WINDOWS[name] = function
    return function


def shown(parameters):
    """The public parameters of a window."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [p for p in parameters.values() if p.kind is keyword]
    rest = [inspect.Parameter(n, keyword, default=v) for n, v in {"sym": True, **PLACE}.items()]
    return inspect.Signature([parameters["M"], *own, *rest])


FAMILY = dict.fromkeys("hann hamming blackman nuttall general_hamming".split(), "general_cosine")


def require(name, M, dtype, layout):
    """Refuse what no window can be."""
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if dtype not in (float32, float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")


def counted(start, M, constant, dtype):
    """``M`` numbers in steps of ``constant``, from ``start`` steps on."""
    return evenly(start * constant, (start + (M - 1)) * constant, M, dtype)


def steps(M, sym):
    """The steps of one turn: a periodic window would end with one more point."""
    return max(M - 1 if sym else M, 1)


# ── sums of cosines ──────────────────────────────────────────────────────────
@window
def general_cosine(M, sym, dtype, *, a):
    """A sum of cosines with the coefficients ``a``, whose signs alternate."""
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    k = counted(0, M, 2 * math.pi / steps(M, sym), dtype)
    signed = np.array([(-1) ** i * w for i, w in enumerate(a)], dtype)[:, None]
    return (signed * np.cos(np.arange(len(a), dtype=dtype)[:, None] * k)).sum(0)


@window
def general_hamming(M, sym, dtype, *, alpha=0.54):
    """``alpha - (1 - alpha) * cos(x)`` over one turn."""
    return cosines(M, sym, dtype, [alpha, 1.0 - alpha])


@window
def hamming(M, sym, dtype):
    """The Hamming window."""
    return cosines(M, sym, dtype, [0.54, 0.46])


@window
def hann(M, sym, dtype):
    """The Hann window: a cosine raised to [0, 1].

    >>> import tensh as torch
    >>> torch.signal.windows.hann(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return cosines(M, sym, dtype, [0.5, 0.5])


@window
def blackman(M, sym, dtype):
    """The Blackman window: two cosines."""
    return cosines(M, sym, dtype, [0.42, 0.5, 0.08])


@window
def nuttall(M, sym, dtype):
    """The Nuttall window: the least side lobes that three cosines can have."""
    return cosines(M, sym, dtype, [0.3635819, 0.4891775, 0.1365995, 0.0106411])


def cosines(M, sym, dtype, a):
    return general_cosine.__wrapped__(M, sym, dtype, a=a)


# ── other shapes ─────────────────────────────────────────────────────────────
@window
def cosine(M, sym, dtype):
    """Half a turn of a sine."""
    return np.sin(counted(0.5, M, math.pi / (M + 1 if not sym and M > 1 else max(M, 1)), dtype))


@window
def bartlett(M, sym, dtype):
    """A triangle."""
    constant = 2 / steps(M, sym)
    return 1 - np.abs(evenly(-1, -1 + (M - 1) * constant, M, dtype))


@window
def exponential(M, sym, dtype, *, center=None, tau=1.0):
    """An exponential decay by ``tau`` to both sides of ``center``."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    center = (M if not sym and M > 1 else M - 1) / 2.0 if center is None else center
    return np.exp(-np.abs(counted(-center, M, 1 / tau, dtype)))


@window
def gaussian(M, sym, dtype, *, std=1.0):
    """The bell curve of standard deviation ``std``."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    start = -(M if not sym and M > 1 else M - 1) / 2.0
    return np.exp(-(counted(start, M, 1 / (std * math.sqrt(2)), dtype) ** 2))


@window
def kaiser(M, sym, dtype, *, beta=12.0):
    """A Bessel function of an arc: near to the best concentration of energy."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    beta = dtype.type(beta)
    constant = dtype.type(2.0) * beta / dtype.type(steps(M, sym))
    k = evenly(float(-beta), float(min(beta, -beta + dtype.type(M - 1) * constant)), M, dtype)
    return (np.i0(np.sqrt(beta * beta - k * k)) / np.i0(beta)).astype(dtype)
