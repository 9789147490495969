"""torch.signal.windows: windows of ``M`` points, symmetric, or one period of a signal (``sym=False``).

They are composed of other functions, so ``requires_grad`` applies to the numbers that they start from, as in PyTorch.
"""

import functools
import inspect
import math
from collections.abc import Iterable

from tensh.engine.arguments.lazy_signatures import Later
from tensh.engine.dtypes.device import device as Device
from tensh.engine.dtypes.device import strided
from tensh.engine.dtypes.dtype import float32, float64, get_default_dtype
from tensh.engine.methods.creation.data import tensor
from tensh.engine.methods.creation.fill import empty, ones
from tensh.engine.methods.creation.ranges import arange
from tensh.engine.methods.creation.spaces import linspace
from tensh.engine.operators.special.modified_bessel import i0_op

WINDOWS: dict = {}
PLACE = {"dtype": None, "layout": strided, "device": None, "requires_grad": False}

FACTS = "Shape: [M]. Raise ValueError for a negative ``M``, or a dtype other than float32 and float64."


def window(fn):
    """Declare a window: ``fn(M, sym, place, …)`` computes it; its other parameters are keyword-only."""
    name = fn.__name__

    def compute(M, sym, dtype, layout, device, requires_grad, **own):
        dtype = get_default_dtype() if dtype is None else dtype
        require(SPOKEN.get(name, name), M, dtype, layout)
        device = Device(device) if isinstance(device, str) else device  # an unknown one is refused before a huge length
        return fn(M, sym, dict(zip(PLACE, (dtype, layout, device, requires_grad))), **own)

    parameters = inspect.signature(fn).parameters
    own = {p: each.default for p, each in parameters.items() if each.kind is each.KEYWORD_ONLY}
    header = "".join(f"{p}, " if v is inspect.Parameter.empty else f"{p}={v!r}, " for p, v in own.items())
    environment = {"compute": compute, "strided": strided}
    # so that Python's errors count the keywords
    exec(
        f"def {name}(M, *, {header}sym=True, dtype=None, layout=strided, device=None, requires_grad=False):\n"
        f"    return compute(M, sym, dtype, layout, device, requires_grad, {', '.join(f'{p}={p}' for p in own)})",
        environment,
    )
    function = functools.update_wrapper(environment[name], fn)
    function.__signature__ = Later(lambda: window_signature(parameters))
    function.__module__ = "torch.signal.windows.windows"
    first, gap, rest = (fn.__doc__ or "").partition("\n\n")
    function.__doc__ = f"{first}\n\n    {FACTS}{gap}{rest}"
    WINDOWS[name] = function
    return function


def window_signature(parameters):
    """The public parameters of a window."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [p for p in parameters.values() if p.kind is keyword]
    rest = [inspect.Parameter(n, keyword, default=v) for n, v in {"sym": True, **PLACE}.items()]
    return inspect.Signature([parameters["M"], *own, *rest])


SPOKEN = dict.fromkeys("hann hamming nuttall general_hamming".split(), "general_cosine")
"""Window -> its name in errors, where that differs."""


def require(name, M, dtype, layout):
    """Raise for arguments that are invalid for any window."""
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if dtype not in (float32, float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")


def step_numbers(start, M, constant, place):
    """Return ``M`` numbers in steps of ``constant``, beginning at ``start`` steps."""
    return linspace(start=start * constant, end=(start + (M - 1)) * constant, steps=M, **place)


def make_short(M, place):
    """Return the window of one point or none; ``M`` may be a number of any kind."""
    return ones((1,), **place) if M == 1 else empty((0,), **place)


def steps(M, sym):
    """The number of steps in one period; a periodic window leaves out the last point."""
    return M - 1 if sym else M


# ── sums of cosines ──────────────────────────────────────────────────────────
@window
def general_cosine(M, sym, place, *, a):
    """A sum of cosines with the coefficients ``a`` and alternating signs."""
    if M < 2:
        return make_short(M, place)
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    k = linspace(start=0, end=(M - 1) * (2 * math.pi / steps(M, sym)), steps=M, **place)
    kept = {keyword: value for keyword, value in place.items() if keyword != "layout"}
    signed = tensor([(-1) ** i * w for i, w in enumerate(a)], **kept)
    i = arange(len(a), **place)
    return (signed.unsqueeze(-1) * (i.unsqueeze(-1) * k).cos()).sum((0,))  # a plain sum: BLAS rounds differently at 0


def cosines(M, sym, place, *a):
    return general_cosine.__wrapped__(M, sym, place, a=a)


@window
def general_hamming(M, sym, place, *, alpha=0.54):
    """``alpha - (1 - alpha) * cos(x)`` over one turn."""
    return cosines(M, sym, place, alpha, 1.0 - alpha)


@window
def hamming(M, sym, place):
    """The Hamming window."""
    return cosines(M, sym, place, 0.54, 1.0 - 0.54)


@window
def hann(M, sym, place):
    """The Hann window: a cosine raised to [0, 1].

    >>> import tensh as torch
    >>> torch.signal.windows.hann(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return cosines(M, sym, place, 0.5, 0.5)


@window
def blackman(M, sym, place):
    """The Blackman window: two cosines."""
    return cosines(M, sym, place, 0.42, 0.5, 0.08)


@window
def nuttall(M, sym, place):
    """The Nuttall window: the lowest side lobes of any sum of three cosines."""
    return cosines(M, sym, place, 0.3635819, 0.4891775, 0.1365995, 0.0106411)


# ── other shapes ─────────────────────────────────────────────────────────────
@window
def cosine(M, sym, place):
    """Half a turn of a sine."""
    if not M:
        return make_short(M, place)
    return step_numbers(0.5, M, math.pi / (M + 1 if not sym and M > 1 else M), place).sin()


@window
def bartlett(M, sym, place):
    """A triangle."""
    if M < 2:
        return make_short(M, place)
    constant = 2 / steps(M, sym)
    return 1 - linspace(start=-1, end=-1 + (M - 1) * constant, steps=M, **place).abs()


@window
def exponential(M, sym, place, *, center=None, tau=1.0):
    """An exponential decay with time constant ``tau`` on both sides of ``center``."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if not M:
        return make_short(M, place)
    center = middle(M, sym) if center is None else center
    return (-step_numbers(-center, M, 1 / tau, place).abs()).exp()


@window
def gaussian(M, sym, place, *, std=1.0):
    """The bell curve of standard deviation ``std``."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if not M:
        return make_short(M, place)
    return (-(step_numbers(-middle(M, sym), M, 1 / (std * math.sqrt(2)), place) ** 2)).exp()


def middle(M, sym):
    return (M if not sym and M > 1 else M - 1) / 2.0


@window
def kaiser(M, sym, place, *, beta=12.0):
    """The Kaiser window: a Bessel function over half a circle; a larger ``beta`` gives lower side lobes."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M < 2:
        return make_short(M, place)
    i0, limit = i0_op.fn, tensor(beta, dtype=place["dtype"])
    end = limit.minimum(-limit + (M - 1) * (2.0 * limit / steps(M, sym)))
    k = linspace(start=-limit, end=end, steps=M, **place)
    return i0((limit * limit - k**2).sqrt()) / i0(limit)
