"""Windows for signal processing, such as ``torch.hann_window``; torch.signal is in fourier/composites/signal.py."""

import math

import numpy as np

from tensh.engine.arguments.binding import KEYWORDS, bind, finish
from tensh.engine.arguments.lazy_signatures import PLACED, shows
from tensh.engine.codegen.table import public
from tensh.engine.dtypes.dtype import BY_NUMPY, of_scalar


def window(name, numbers, compute, doc):
    """Declare ``torch.NAME_window(window_length, periodic=True, …)``.

    ``numbers`` are further parameters, such as "float beta = 12.0"; ``compute(length, dtype, …)`` returns the symmetric
    window. A periodic window is the symmetric one with one more point, without its last point.
    """
    name = f"{name}_window"
    parameters = ["int window_length", "bool periodic", *(number.partition(" =")[0] for number in numbers)]
    texts = tuple(f"({', '.join(parameters[:n])}, *, {KEYWORDS})" for n in range(1, len(parameters) + 1))
    defaults = {number.split()[1]: float(number.split()[-1]) for number in numbers}

    @shows(", ".join(["window_length", "periodic=True", *(f"{n}={v}" for n, v in defaults.items()), "*"]), PLACED)
    def function(*args, **given):
        given = bind(name, texts, args, given)
        length = given["window_length"]
        values = [given.get(n, default) for n, default in defaults.items()]
        dtype = given["dtype"]
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise RuntimeError(
                f"{name} expects floating point dtypes, got: TensorOptions(dtype={dtype.spoken}, device=cpu, "
                "layout=Strided (default), requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))"
            )
        if length < 0:
            raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
        periodic = given.get("periodic", True)
        if length + periodic >= 2**63:
            raise RuntimeError("upper bound and lower bound inconsistent with step sign")

        def make(numpy):
            if length < 2:
                return np.ones(length, numpy)
            if numpy.kind == "c":
                raise NotImplementedError(f"\"arange_cpu\" not implemented for '{BY_NUMPY[numpy].title}'")
            return compute(length + periodic, RoundedArithmetic(numpy), *values)[:length].copy()

        return finish(name, make, of_scalar[float].numpy, {**given, "size": (length,)})

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return public(function)


class RoundedArithmetic:
    """Arithmetic in which every result is rounded to a dtype; 16-bit types are computed in float32."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.wide = np.dtype(np.float64 if dtype.itemsize == 8 else np.float32)

    def __call__(self, values):
        return values.astype(self.dtype)

    def number(self, value):
        return self.wide.type(value)

    def round(self, value):
        return self.wide.type(self.dtype.type(value))

    def count(self, number):
        return np.arange(number).astype(self.dtype)

    def times(self, values, factor):
        return self(values.astype(self.wide) * self.round(factor))

    def plus(self, values, other):
        return self(values.astype(self.wide) + self.round(other))

    def cos(self, values):
        return self(np.cos(values.astype(self.wide)))


def raised_cosine(length, r, alpha, beta):
    """Return ``alpha - beta * cos(x)`` over one period."""
    return r.plus(r.times(r.cos(r.times(r.count(length), math.pi * 2 / (length - 1))), -beta), alpha)


def bartlett(length, r):
    """Return a triangle: rising to 1 in the middle, then falling."""
    values = r.times(r.count(length), 2 / (length - 1))
    middle = ((length - 1) >> 1) + 1
    values[middle:] = r.plus(r.times(values[middle:], -1), 2)
    return values


def blackman(length, r):
    """Return a sum of two cosines and a constant."""
    values = r.times(r.count(length), math.pi / (length - 1))
    fast, slow = r.times(r.cos(r.times(values, 4)), 0.08), r.times(r.cos(r.times(values, 2)), 0.5)
    return r.plus(r(fast.astype(r.wide) - slow.astype(r.wide)), 0.42)


def kaiser(length, r, beta):
    """Return the Bessel function of a semicircle."""
    x = r.count(length).astype(r.wide) * r.number(2 / (length - 1)) - r.number(1)
    arc = np.sqrt(np.maximum(r.number(0), r.number(1) - x * x))
    return r(np.i0(r.number(beta) * arc) / np.i0(r.number(beta)))


window(
    "hann",
    (),
    lambda length, r: raised_cosine(length, r, 0.5, 0.5),
    "The Hann window: a cosine raised to [0, 1].  "
    "Shape: [window_length]. Raise RuntimeError for a negative length or an integer dtype.",
)
window(
    "hamming", ("float alpha = 0.54", "float beta = 0.46"), raised_cosine,
    "The Hamming window: ``alpha - beta * cos(x)`` over one turn.  "
    "Shape: [window_length]. Raise RuntimeError for a negative length or an integer dtype.",
)  # fmt: skip
window(
    "bartlett",
    (),
    bartlett,
    "The Bartlett window: a triangle.  Shape: [window_length]. Raise RuntimeError for a negative length or an integer dtype.",
)
window(
    "blackman",
    (),
    blackman,
    "The Blackman window: the sum of two cosines.  "
    "Shape: [window_length]. Raise RuntimeError for a negative length or an integer dtype.",
)
window(
    "kaiser",
    ("float beta = 12.0",),
    kaiser,
    "The Kaiser window: the larger ``beta``, the lower are its side lobes.  "
    "Shape: [window_length]. Raise RuntimeError for a negative length or an integer dtype.",
)
