"""The inverses of the error function and of the normal distribution function."""

import math

import numpy as np

from tensh.engine.codegen.chain_writer import horner
from tensh.engine.codegen.chains import Chain
from tensh.engine.codegen.table import pointwise
from tensh.engine.operators.precision import F8
from tensh.engine.operators.special.error_functions import beside_points, scaled_complement
from tensh.engine.operators.special.shared import (
    LONG_PI,
    REAL,
    compute_in_float64,
    extend,
    piecewise,
    polynomial,
    special,
    wide,
)


def pairs(above, below):
    """The coefficients of two polynomials for one run of Horner's rule."""
    return list(np.array((above, below)).T[:, :, None])


# Wichura's algorithm AS 241, Applied Statistics 37 (1988), exact to 16 digits: the quantiles of the normal distribution
# as quotients of polynomials, in the middle, in the tails and far out.
MIDDLE = pairs(
    (2.50908092873012267270e3, 3.34305755835881281050e4, 6.72657709270087008530e4, 4.59219539315498714570e4,
     1.37316937655094611250e4, 1.97159095030655144270e3, 1.33141667891784377450e2, 3.38713287279636660800e0),
    (5.22649527885285456100e3, 2.87290857357219426740e4, 3.93078958000927106100e4, 2.12137943015865958670e4,
     5.39419602142475110770e3, 6.87187007492057908300e2, 4.23133307016009112520e1, 1.0),
)  # fmt: skip
TAIL = pairs(
    (7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e0,
     3.64784832476320460504e0, 5.76949722146069140550e0, 4.63033784615654529590e0, 1.42343711074968357734e0),
    (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
     6.89767334985100004550e-1, 1.67638483018380384940e0, 2.05319162663775882187e0, 1.0),
)  # fmt: skip
FAR = pairs(
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
     2.96560571828504891230e-1, 1.78482653991729133580e0, 5.46378491116411436990e0, 6.65790464350110377720e0),
    (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
     1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0),
)  # fmt: skip


def quotient(x, coefficients):
    above, below = polynomial(x, *coefficients)
    return above / below


def quantile(distance, rest):
    """The number that a normal random variable exceeds with the probability ``rest`` = 1/2 - ``distance``."""
    return piecewise(distance <= 0.425, lambda q, p: q * quotient(0.180625 - q * q, MIDDLE), in_tail, distance, rest)


def in_tail(distance, rest):
    r = np.sqrt(-np.log(rest))
    out = piecewise(r <= 5, lambda r: quotient(r - 1.6, TAIL), lambda r: quotient(r - 5, FAR), r)
    return np.where(rest == 0, np.inf, out)


def polish_root(start, rest):
    """The z with erfc(z) = rest from one that is nearly right: a step of Newton's in longdouble.

    The square of the start's error is beyond all digits.
    """
    z = extend(start)
    out = z + np.sqrt(LONG_PI) / 2 * (scaled_complement(z) - extend(rest) * np.exp(z * z))
    return np.where(rest == 0, np.inf, out)


MACLAURIN = 34807 / 178200, 4369 / 22680, 127 / 630, 7 / 30
FLAT = 1 / 32  # below it they are enough


def near_zero(x):
    """The Maclaurin series of erfinv (DLMF 7.17.2)."""
    x = extend(x)
    w = LONG_PI * x * x / 4
    return np.sqrt(LONG_PI) / 2 * x * polynomial(w, *MACLAURIN, 1 / extend("3"), 1)


NEAR = 3  # up to it the Taylor series has digits enough to correct a quantile


def correct_inverse(z, size):
    """The number whose erf is ``size``, by one Newton step from a number near it, where erf(z) - size loses no digits."""
    value, rise, slope, before = beside_points(z)
    return z - (value - size + rise) / (slope * slope / before)


def inverse(size):
    """erfinv of numbers from 0 to 1."""

    def far(size):
        start = quantile(size / 2, (1 - size) / 2) / math.sqrt(2)
        return piecewise(start < NEAR, correct_inverse, lambda z, size: polish_root(z, 1 - extend(size)), start, size)

    return piecewise(size < FLAT, near_zero, far, size)


# With w = log(1 - x * x) the quotient of erfinv(x) by x is one of polynomials: for all float32 numbers to 4e-10 of itself,
# fitted by C. L. Lawson's weighted least squares.  The bound keeps their quotient a number where x is 1: it overflows float32.
ABOVE = (
    0.007212992995926437, 1.1048904903019634, 147.9500346352328, -3745.9215551043812, 45605.554958528344, -352893.0675380007,
    1838416.0849059953, -5489419.855564626,
)  # fmt: skip
BELOW = 1.0, -1155.3783402024949, 9801.487696212003, -198929.8611343406, 452806.60261645063, -6194147.002072189
inverse_by_logarithm = Chain(
    "erfinv", "input", f"input * ({horner('w', ABOVE)} / {horner('w', BELOW)})",
    let={"w": "maximum(library_log(1 - input * input), -1e30)"}, wide=True,
)  # fmt: skip


def erfinv(input):
    """The number whose erf is x: the quantile of (1 + x) / 2, over sqrt(2)."""
    return inverse_by_logarithm.quick(input) if input.dtype is not F8 else exact_erfinv(input)


@compute_in_float64
def exact_erfinv(input):
    return np.copysign(inverse(np.abs(input)), input)


def exact_ndtri(p):
    low = p < 0.5
    distance, rest = np.abs(p - 0.5), np.where(low, p, 1 - p)

    def far(distance, rest):
        return polish_root(quantile(distance, rest) / math.sqrt(2), 2 * rest)

    out = piecewise(distance < FLAT / 2, lambda distance, rest: near_zero(2 * distance), far, distance, rest)
    return out * np.sqrt(extend("2")) * np.where(low, -1, 1)


def ndtri_of_any(input):
    low = input < 0.5
    return quantile(np.abs(input - 0.5), np.where(low, input, 1 - input)) * np.where(low, -1, 1)


# sqrt(2) erfinv(2 p - 1), where w is log(4 p (1 - p))
ndtri_by_logarithm = Chain(
    "ndtri", "p",
    f"pick(~((p > 1e-7) & (p < 0.9999999)), otherwise(p), (2 * p - 1) * {math.sqrt(2)} * ({horner('w', ABOVE)} / {horner('w', BELOW)}))",
    let={"w": "library_log(4 * p * (1 - p))"}, words={"otherwise": ndtri_of_any}, wide=True,
)  # fmt: skip


@wide(exact=exact_ndtri)
def ndtri(input):
    """The quantile of the normal distribution."""
    return ndtri_by_logarithm(input)


# ── the table ────────────────────────────────────────────────────────────────
pointwise(erfinv, "The inverse error function of input.", kernel_name="erfinv_vml_cpu", inplace="method",
          input="ROOT_PI / 2 * exp(squared(out)) * g", **REAL)  # fmt: skip
special(ndtri, "The inverse of the standard normal distribution function ``ndtr``.",
        input="g * ROOT_TWO_PI * exp(squared(out) / 2)")  # fmt: skip
