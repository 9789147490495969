"""Special functions of one variable: the error functions and the gamma functions, with NumPy and the C library alone."""

import functools
import math

import numpy as np

from tensh.engine.ops.precision import F4, F8
from tensh.engine.table import pointwise
from tensh.engine.tensor import Tensor
from tensh.engine.vocabulary import ARRAYS, TENSORS, recorded, word

for vocabulary in (ARRAYS, TENSORS):
    vocabulary |= {"ROOT_PI": math.sqrt(math.pi)}


def in_float64(kernel):
    """A kernel of float64 whose result takes the dtype of its input."""

    @functools.wraps(kernel)
    def narrow(input, *args):
        return kernel(input.astype(F8, copy=False), *args).astype(input.dtype, copy=False)

    return narrow


def by_element(function, array):
    """``function`` of every element of a float64 array: 0.1 us each, exact to the last place."""
    return np.fromiter(map(function, array.ravel().tolist()), F8, array.size).reshape(array.shape)


# ── error functions ──────────────────────────────────────────────────────────
FEW = 256  # elements; from here on the series around tabulated points is faster than one call of the library for each
END = 6.5  # beyond it erf is 1 to the last place
STEPS = 64  # tabulated points in an interval of length 1


@functools.cache
def tabulated(dtype):
    """erf at the points, and its slope there."""
    points = np.arange(-END * STEPS, END * STEPS + 1) / STEPS
    slopes = 2 / math.sqrt(math.pi) * np.exp(-points * points)
    return by_element(math.erf, points).astype(dtype), slopes.astype(dtype)


def erf(input):
    """2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x.

    Many elements at once: the Taylor series around the nearest tabulated point p.  Its coefficients are the Hermite
    polynomials of p; at a distance d of at most 1/128 four terms are enough for float32, seven for float64.
    """
    if input.size < FEW:
        return by_element(math.erf, input.astype(F8, copy=False)).astype(input.dtype, copy=False)
    wide = F8 if input.dtype is F8 else F4
    x = np.minimum(np.maximum(input.astype(wide, copy=False), -END), END)
    number = np.rint(x * STEPS)
    p = number / STEPS
    d = x - p
    q = p * p
    if wide is F4:
        series = 1 + d * (-p + d * ((2 * q - 1) / 3 + d * (p * (0.5 - q / 3))))
    else:
        series = d * p * (-1 / 6 + q * (2 / 9 - 2 / 45 * q)) + d * d * (
            -1 / 42 + q * (1 / 7 + q * (-2 / 21 + 4 / 315 * q))
        )
        series = p * (0.5 - q / 3) + d * (1 / 10 + q * (-2 / 5 + 2 / 15 * q) + series)
        series = 1 + d * (-p + d * ((2 * q - 1) / 3 + d * series))
    index = np.nan_to_num(number + END * STEPS).astype(np.intp)
    values, slopes = tabulated(wide)
    return (values[index] + slopes[index] * d * series).astype(input.dtype, copy=False)


@in_float64
def erfc(input):
    """1 - erf(x), exact where erf is nearly 1."""
    return by_element(math.erfc, input)


@in_float64
def erfinv(input):
    """The number whose erf is x: a first guess good to 0.2 %, improved by Halley's method until exact."""
    y = np.empty_like(input)
    size = np.abs(input)
    high = size > 0.5
    for part, distance in ((high, from_above), (~high, from_below)):
        y[part] = inverted(size[part], distance)
    y = np.where(size == 1, np.inf, np.where(size == 0, 0, y))
    return np.copysign(y, input)


def from_above(y, size):
    """erf(y) - size by the complements, which near 1 keep all digits."""
    return (1 - size) - erfc(y)


def from_below(y, size):
    return erf(y) - size


def inverted(size, distance):
    """Where erf is ``size``, between 0 and 1."""
    log = np.log((1 - size) * (1 + size))
    half = 2 / (math.pi * 0.147) + log / 2
    y = np.sqrt(np.sqrt(half * half - log / 0.147) - half)
    for _ in range(3):
        off = distance(y, size)
        y = y - off / (2 / math.sqrt(math.pi) * np.exp(-y * y) + y * off)
    return y


# ── gamma functions ──────────────────────────────────────────────────────────
def library_lgamma(x):
    """The C library's logarithm of |gamma(x)|, infinite at the poles."""
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):
        return math.inf


@in_float64
def lgamma(input):
    return by_element(library_lgamma, input)


@in_float64
def mvlgamma(input, p):
    """p * (p - 1) / 4 * log(pi) plus the sum of lgamma(x - j / 2) for j < p."""
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    return p * (p - 1) / 4 * math.log(math.pi) + sum(by_element(library_lgamma, input - j / 2) for j in range(p))


BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)  # B2, B4, ...
FAR = 10.0  # from here on the asymptotic series are exact
LADDER = np.arange(FAR)


@in_float64
def digamma(input):
    """The slope of lgamma: the asymptotic series beyond 10, reached by psi(x) = psi(x + 1) - 1 / x."""
    y = np.where(input < 0, 1 - input, input)
    near = y < FAR
    below = np.add.reduce(1 / (y[..., None] + LADDER), -1)  # psi(y + 10) - psi(y)
    y = y + FAR * near
    square = y * y
    tail = 0.0
    for k in range(len(BERNOULLI), 0, -1):
        tail = (tail + BERNOULLI[k - 1] / (2 * k)) / square
    out = np.log(y) - 0.5 / y - tail - below * near
    turned = np.where(input < 0, out - math.pi / np.tan(math.pi * (input - np.rint(input))), out)
    pole = np.where(input == 0, np.copysign(np.inf, -input), np.nan)
    return np.where((input <= 0) & (input == np.rint(input)), pole, turned)


@in_float64
def polygamma(input, n):
    """Derivative number n of digamma: (-1)**(n + 1) n! times the sum of (x + k)**-(n + 1), k from 0."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n == 0:
        return digamma(input)
    if n == 1:  # the sum over all integers is known in closed form: what lies below x is the rest of it
        above = zeta(2, np.where(input < 0.5, 1 - input, input))
        return np.where(input < 0.5, (math.pi / np.sin(math.pi * (input - np.rint(input)))) ** 2 - above, above)
    return (-1) ** (n + 1) * math.gamma(n + 1) * zeta(n + 1, input)


def zeta(s, x):
    """The sum of (x + k)**-s, k from 0: term by term up to 10 + s, the rest by Euler and Maclaurin."""
    out = np.zeros_like(x)
    while (near := x < FAR + s).any():
        out += np.where(near, x**-s, 0)
        x = x + near
    out += x ** (1 - s) / (s - 1) + 0.5 * x**-s
    factor = s * x ** (-s - 1)
    for k, b in enumerate(BERNOULLI, 1):
        out += b / math.factorial(2 * k) * factor
        factor = factor * (s + 2 * k - 1) * (s + 2 * k) / (x * x)
    return out


# ── the table ────────────────────────────────────────────────────────────────
REAL = {"floats": True, "types": "biuf"}
BELL = "exp(-input * input) * (2 / ROOT_PI)"

pointwise(erf, "The error function of input.", called="erf_vml_cpu", input=f"g * ({BELL})", **REAL)
pointwise(erfc, "1 - erf(input), exact where erf is nearly 1.", called="erfc_vml_cpu", input=f"-g * ({BELL})", **REAL)
pointwise(erfinv, "The number whose error function is input.", called="erfinv_vml_cpu", inplace="method",
          input="g * exp(out * out) * (ROOT_PI / 2)", **REAL)  # fmt: skip
pointwise(lgamma, "Logarithm of the absolute value of the gamma function of input.", called="lgamma_vml_cpu",
          inplace="method", input="g * digamma(input)", **REAL)  # fmt: skip
pointwise(digamma, "Slope of lgamma at input.", called="digamma", inplace="method", input="g * polygamma_of(input, 1)",
          **REAL)  # fmt: skip
pointwise(polygamma, "Derivative number n of digamma at input.", name="polygamma_of", node="PolygammaBackward0",
          called="polygamma", public=False, inplace=False, input="g * polygamma_of(input, n + 1)", **REAL)  # fmt: skip
pointwise(mvlgamma, "Logarithm of the multivariate gamma function of dimension p.", called="mvlgamma",
          floats=True, types="iuf", refusal={"b": RuntimeError("The input tensor may not be a boolean tensor.")},
          inplace="method", input="g * mvdigamma(input, p)")  # fmt: skip


@word
def mvdigamma(input, p):
    """The slope of :func:`mvlgamma`."""
    slope = recorded("digamma") if isinstance(input, Tensor) else ARRAYS["digamma"]
    return sum(slope(input - j / 2) for j in range(p))
