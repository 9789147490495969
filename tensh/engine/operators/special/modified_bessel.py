"""Modified Bessel functions, by interpolation of their smooth factors, as in the Cephes library (S. L. Moshier, 1989)."""

import functools
import math

import numpy as np

from tensh.engine.codegen.table import pointwise
from tensh.engine.codegen.vocabulary import word
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.operators.precision import is_half
from tensh.engine.operators.special.shared import (
    EULER,
    LONG_PI,
    REAL,
    compute_in_float64,
    extend,
    fit_chebyshev,
    piecewise,
    polynomial,
    special,
    wide,
)

NEAR_I, NEAR_K = 3.0, 2.0
ASYMPTOTIC = 40  # from here on the asymptotic series have all digits of longdouble
TERMS = range(40, 0, -1)
TINY = 1e-300  # half of it is a normal number


# ── exact values to interpolate ──────────────────────────────────────────────
def power_series(order, x):
    """I(x) / (x / 2)**order (DLMF 10.25.2), all terms of one sign."""
    square = x * x / 4
    return functools.reduce(lambda sum, k: 1 + sum * square / (k * (k + order)), range(80, 0, -1), 1)


def asymptotic_series(order, x, sign):
    """I(x) e**-x sqrt(2 pi x) by sign -1, K(x) e**x sqrt(2 x / pi) by sign 1 (DLMF 10.40)."""
    factors = ((4 * order - (2 * k - 1) ** 2) * sign / (8 * k) for k in TERMS)
    return functools.reduce(lambda sum, factor: 1 + sum * factor / x, factors, 1)


def scaled_far(order, inverse):
    """I(x) e**-x sqrt(x) at the reciprocal of x."""
    return piecewise(
        inverse * ASYMPTOTIC > 1,
        lambda x: power_series(order, x) * (x / 2) ** order * np.exp(-x) * np.sqrt(x),
        lambda x: asymptotic_series(order, x, -1) / np.sqrt(2 * LONG_PI),
        1 / inverse,
    )


def scaled_second(order, inverse):
    """K(x) e**x sqrt(x) at the reciprocal of x: the integral of exp(-x cosh t) cosh(order t) (DLMF 10.32.9)."""

    def integral(x):
        t = np.arange(96, dtype=LONG_PI.dtype)[:, None] / 16
        heights = np.exp(-x * (np.cosh(t) - 1)) * np.cosh(order * t)
        return (heights.sum(0) - heights[0] / 2) / 16 * np.sqrt(x)

    return piecewise(
        inverse * ASYMPTOTIC > 1,
        integral,
        lambda x: asymptotic_series(order, x, 1) * np.sqrt(LONG_PI / 2),
        1 / inverse,
    )


def rest(order, square):
    """K0(x) + log(x / 2) I0(x), or (K1(x) - log(x / 2) I1(x)) x, at the square of x (DLMF 10.31)."""
    out, term, harmonic = np.zeros_like(square), np.ones_like(square), -EULER
    for k in range(1, 30):
        after = harmonic + 1 / extend(str(k))
        out = out + term * (harmonic if order == 0 else (harmonic + after))
        term = term * square / (4 * k * (k + order))
        harmonic = after
    return out if order == 0 else 1 - square / 4 * out


def compute_orders(function, low, high, count):
    return [fit_chebyshev(functools.partial(function, order), low, high, count) for order in (0, 1)]


FAR, REST = compute_orders(scaled_far, 0, 1 / NEAR_I, 44), compute_orders(rest, 0, NEAR_K**2, 12)
SECOND = compute_orders(scaled_second, 0, 1 / NEAR_K, 27)


# enough for float32, to 5e-12
NARROW_FAR = compute_orders(scaled_far, 0, 1 / NEAR_I, 24)


# ── the first kind ───────────────────────────────────────────────────────────
NUMBERS = [[1 / (4**k * math.factorial(k) * math.factorial(k + order)) for k in range(22, -1, -1)] for order in (0, 1)]


NARROW_TERMS = 14  # enough for float32


def near_i(order, x, terms=0):
    """The power series, or as many of its ``terms``, to NEAR_I."""
    out = polynomial(x * x, *NUMBERS[order][-terms:])
    return out * (x / 2) if order else out


def grow(x, values):
    """Values times e**x, which may be finite where e**x is not."""
    low = np.minimum(x, 700.0)
    return np.exp(low) * values * np.exp(x - low)


def far_i(order, x, fits=FAR):
    """I(x) e**-x from NEAR_I on."""
    return fits[order](1 / x) / np.sqrt(x)


def parts_of(order, narrow):
    """The functions of small and of large numbers; ``narrow`` for results in float32."""
    near, far = functools.partial(near_i, order), functools.partial(far_i, order)
    return (
        (functools.partial(near, terms=NARROW_TERMS), functools.partial(far, fits=NARROW_FAR))
        if narrow
        else (near, far)
    )


def first_kind(order, x, narrow=False):
    """I(x) for x >= 0."""
    near, far = parts_of(order, narrow)
    return piecewise(x <= NEAR_I, near, lambda x: grow(x, far(x)), x)


def scaled_first(order, x, narrow=False):
    """I(x) e**-x for x >= 0."""
    near, far = parts_of(order, narrow)
    return piecewise(x <= NEAR_I, lambda x: np.exp(-x) * near(x), far, x)


def give_sign(x, values):
    return values * np.where(x < 0, -1, 1)


@compute_in_float64(exact=lambda x: scaled_first(0, np.abs(x)))
def i0e(input):
    return scaled_first(0, np.abs(input), narrow=True)


@compute_in_float64(exact=lambda x: give_sign(x, scaled_first(1, np.abs(x))))
def i1e(input):
    return give_sign(input, scaled_first(1, np.abs(input), narrow=True))


@compute_in_float64(exact=lambda x: first_kind(0, np.abs(x)))
def i0(input):
    return first_kind(0, np.abs(input), narrow=True)


@compute_in_float64(exact=lambda x: give_sign(x, first_kind(1, np.abs(x))))
def i1(input):
    return give_sign(input, first_kind(1, np.abs(input), narrow=True))


@wide
def modified_bessel_i0(input):
    return first_kind(0, np.abs(input))


@wide
def modified_bessel_i1(input):
    return give_sign(input, first_kind(1, np.abs(input)))


# ── the second kind ──────────────────────────────────────────────────────────
def logarithm(x):
    """log(x / 2)."""
    tiny = x < TINY
    return np.log(np.where(tiny, x, x / 2)) - math.log(2) * tiny


def near_k0(x):
    return REST[0](x * x) - logarithm(x) * near_i(0, x)


def near_k1(x):
    return np.where(x == 0, np.inf, REST[1](x * x) / x + logarithm(x) * near_i(1, x))


def far_k(order, x):
    """K(x) e**x from 2 on."""
    return SECOND[order](1 / x) / np.sqrt(x)


@wide
def modified_bessel_k0(input):
    return piecewise(input <= NEAR_K, near_k0, lambda x: np.exp(-x) * far_k(0, x), input)


@wide
def modified_bessel_k1(input):
    return piecewise(input <= NEAR_K, near_k1, lambda x: np.exp(-x) * far_k(1, x), input)


@wide
def scaled_modified_bessel_k0(x):
    return piecewise(x <= NEAR_K, lambda x: np.exp(x) * near_k0(x), functools.partial(far_k, 0), x)


@wide
def scaled_modified_bessel_k1(x):
    return piecewise(x <= NEAR_K, lambda x: np.exp(x) * near_k1(x), functools.partial(far_k, 1), x)


# ── the table ────────────────────────────────────────────────────────────────
@word
def epsilon(input, name):
    """The distance from 1 to the next number of the dtype, below which PyTorch takes the slope at 0.

    Raise NotImplementedError for 16 bit numbers, whose slopes PyTorch lacks.
    """
    dtype = (input.array if isinstance(input, Tensor) else input).dtype
    if is_half(dtype):
        raise NotImplementedError(f"\"{name}_backward\" not implemented for '{BY_NUMPY[dtype].title}'")
    return float(np.finfo(dtype).eps)


def safely(name):
    """The parts of a derivative that divides by the input: where it is large enough, and a number to divide by."""
    return {"let": {"large": f"abs(input) > epsilon(input, '{name}')", "safe": "where_else(input, large, 1)"}}


i0_op = pointwise(i0, "Modified Bessel function of the first kind, order 0.", kernel_name="i0_vml_cpu",
          input="g * special_i1(input)", **REAL)  # fmt: skip
special(i1, "Modified Bessel function of the first kind, order 1.", **safely("i1"),
        input="g * where_else(i0(safe) - out * reciprocal(safe), large, 0.5)")  # fmt: skip
special(i0e, "Modified Bessel function of the first kind, order 0, times exp(-|input|).",
        input="g * (special_i1e(input) - sgn(input) * out)")  # fmt: skip
special(i1e, "Modified Bessel function of the first kind, order 1, times exp(-|input|).", **safely("i1e"),
        input="g * where_else(special_i0e(safe) - out * (sgn(safe) + reciprocal(safe)), large, 0.5)")  # fmt: skip
special(modified_bessel_i0, "Modified Bessel function of the first kind, order 0, as i0.", input=None)
special(modified_bessel_i1, "Modified Bessel function of the first kind, order 1, as i1.", input=None)
special(modified_bessel_k0, "Modified Bessel function of the second kind, order 0.", input=None)
special(modified_bessel_k1, "Modified Bessel function of the second kind, order 1.", input=None)
special(scaled_modified_bessel_k0, "modified_bessel_k0(x) * exp(x).", x=None)
special(scaled_modified_bessel_k1, "modified_bessel_k1(x) * exp(x).", x=None)
