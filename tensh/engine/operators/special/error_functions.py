"""The error functions, the normal distribution's, and their inverses."""

import functools
import math

import numpy as np

from tensh.engine.codegen.chain_writer import horner
from tensh.engine.codegen.chains import Chain
from tensh.engine.codegen.table import pointwise
from tensh.engine.operators.precision import F8
from tensh.engine.operators.special.shared import (
    BLOCK,
    LONG_PI,
    REAL,
    compute_by_element,
    compute_in_blocks,
    compute_in_float64,
    extend,
    piecewise,
    polynomial,
    shape_like,
    special,
    wide,
)

# ── erf ──────────────────────────────────────────────────────────────────────
FEW = 256  # elements; from here on the series around tabulated points is faster than one call of the library for each
END = 6.5  # beyond it erf is 1 to the last place
STEPS = 64  # tabulated points in an interval of length 1


@functools.cache
def tabulate():
    """erf at the points as a float64 and what is left, and its slope there.  From 1 on both follow from the complement."""
    points = np.arange(-END * STEPS, END * STEPS + 1) / STEPS
    square = extend(points) ** 2
    bell = 2 / np.sqrt(LONG_PI) * np.exp(-square)
    series = functools.reduce(lambda sum, k: 1 + sum * square * (2 / extend(str(2 * k + 1))), range(160, 0, -1), 1)
    exact = points * bell * series  # DLMF 7.6.2, all terms of one sign
    values = exact.astype(F8)
    rests = exact - values
    outer = np.abs(points) >= 1
    size, sign = extend(np.abs(points[outer])), np.sign(points[outer])
    rests[outer] = sign * (1 - extend(np.abs(values[outer])) - np.exp(-size * size) * scaled_complement(size))
    return values, rests.astype(F8), bell.astype(F8)


def erf(input):
    """2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x."""
    if input.size < FEW:
        return compute_by_element(math.erf, input.astype(F8, copy=False)).astype(input.dtype, copy=False)
    if input.dtype is F8:
        return shape_like(compute_in_blocks(near_points, [input.ravel()], block=4 * BLOCK), input)
    return erf_by_exponential(input)


# In float32 erf(x) is x + x P(x**2) up to 1, and 1 - exp(Q(|x| - 1)) beyond, where an error of NumPy's exponential is an eighth of
# one of the result.  The largest errors of the polynomials, 0.07 and 0.02 units in the last place of erf, are the least possible.
INNER = 7.853236406e-5, -8.010022218e-4, 0.005188310272, -0.02685380393, 0.1128358499, -0.3761262581, 0.1283791657
OUTER = 1.863795363e-4, -1.829384554e-3, 9.895462431e-3, -0.04150349908, -0.8431176072, -2.63896688, -1.849605516
LAST = 4  # from here on erf is 1
erf_by_exponential = Chain(
    "erf", "x", f"where(size < 1, {horner('square', INNER)} * x + x, give_sign(1 - library_exp({horner('beyond', OUTER)}), x))",
    let={"size": f"minimum(abs(x), {LAST})", "square": "size * size", "beyond": "size - 1"},
    doc="erf of float32, to 1.3 units in the last place: a tenth of the time of looking up tabulated points.",
)  # fmt: skip


def write_erf(out, input):
    if input.size < FEW or input.dtype is F8:
        out[...] = erf(input)
    else:
        erf_by_exponential.write_into(out, input)


erf.write_into = write_erf


def beside_points(x):
    """erf(x) as the value at the nearest tabulated point p and the rise from there; the mean slope between, and that at p.

    The Taylor series around p, whose coefficients are the Hermite polynomials of p: at a distance d of at most 1/128 seven
    terms are enough for float64.
    """
    x = np.minimum(np.maximum(x, -END), END)
    number = np.rint(x * STEPS)
    p = number / STEPS
    d = x - p
    q = p * p
    last = d * p * (-1 / 6 + q * (2 / 9 - 2 / 45 * q))
    last = last + d * d * (-1 / 42 + q * (1 / 7 + q * (-2 / 21 + 4 / 315 * q)))
    series = p * (0.5 - q / 3) + d * (1 / 10 + q * (-2 / 5 + 2 / 15 * q) + last)
    series = 1 + d * (-p + d * ((2 * q - 1) / 3 + d * series))
    index = np.nan_to_num(number + END * STEPS).astype(np.intp)
    values, rests, slopes = (each[index] for each in tabulate())
    slope = slopes * series
    return values, rests + d * slope, slope, slopes


def near_points(x):
    """erf of float64."""
    value, rise, slope, _ = beside_points(x)
    return np.where(value == 0, x + x * (slope - 1), value + rise)


# ── its complement ───────────────────────────────────────────────────────────
STEP = 7 / 16
OUT = 1e12  # beyond it the first term of the asymptotic series is enough
NARROW = 1 / 64  # below it 1 - erf(x) has more digits than the sum


@functools.cache
def heights(dtype):
    """exp(-t**2) at the multiples of the step that count, as numbers of the dtype, and their squares."""
    squares = (np.arange(1, 17) * STEP) ** 2
    return list(zip(np.exp(-squares.astype(dtype)), squares, strict=True))[::-1]


def scaled_complement(x):
    """exp(x**2) erfc(x) for x >= NARROW: the integral of x exp(-t**2) / (x**2 + t**2) / pi by the rule of the trapezoid.

    What the rule misses is the residue at the pole, for which a correction is known, and less than 1e-22 (C. Chiarella and
    A. Reichel, "On the evaluation of integrals related to the error function", Mathematics of Computation 22, 1968).
    """
    t = x * x
    coarse = t.astype(F8)
    tail = middle = 0.0
    for height, square in heights(F8)[:10]:  # less than 1/500 of the sum: float64 is enough
        tail = tail + height / (coarse + square)
    for height, square in heights(t.dtype)[10:]:
        middle = middle + height / (t + square)
    out = STEP / LONG_PI.astype(t.dtype) * x * (1 / t + 2 * (middle + tail))
    close = x < 8
    out[close] -= 2 * np.exp(t[close]) / np.expm1(x[close] * (LONG_PI * 2 / STEP).astype(x.dtype))
    return out


def complement(x):
    """erfc in longdouble."""

    def near(x):
        return 1 - near_points(x.astype(F8))

    def far(x):
        x = np.minimum(extend(x), 120)  # where nothing is left even in longdouble
        return np.exp(-x * x) * scaled_complement(x)

    return piecewise(x < NARROW, near, far, x)


def near_complement(x):
    """1 - erf(x), rounded once: what the difference from 1 loses is added to the small part."""
    value, rise, *_ = beside_points(x)
    high = 1 - value
    return high + ((1 - high) - value - rise)


def exact_complement(x):
    return piecewise(x < 2, near_complement, complement, x)


@compute_in_float64(exact=exact_complement)
def erfc(input):
    """1 - erf(x), exact where erf is nearly 1."""
    return compute_by_element(math.erfc, input)


def scaled_erfc(x):
    """exp(x**2) erfc(x); to the left of 0 twice the exponential minus the value at -x."""

    def left(x):
        return 2 * np.exp(x * x) - right(-x)

    def right(x):
        return piecewise(x < NARROW, lambda x: np.exp(x * x) * (1 - near_points(x.astype(F8))), far, x)

    def far(x):
        return np.where(x > OUT, 1 / (np.sqrt(LONG_PI).astype(x.dtype) * x), scaled_complement(np.minimum(x, OUT)))

    return piecewise(x < 0, left, right, x)


@wide(exact=lambda x: scaled_erfc(extend(x)))
def erfcx(input):
    """exp(x**2) erfc(x)."""
    return scaled_erfc(input)


BEYOND = 12  # from here on the asymptotic series of derivatives is exact


def derivative(x, n):
    """Derivative number n of exp(x**2) erfc(x): (-2)**n 2 / sqrt(pi) times the integral of u**n exp(-u**2 - 2 u x), u > 0.

    The recurrence (DLMF 7.18(iii)) cancels n times to a share of 1 / (2 x**2); far to the right the integral is a series.
    """

    def near(x):
        before, last = 2 / np.sqrt(LONG_PI).astype(x.dtype), scaled_erfc(x)
        for k in range(n):
            before, last = last, 2 * x * last + (2 * k * before if k else -before)
        return last

    def far(x):
        y = 1 / (x * x)
        ratios = [math.factorial(n + 2 * k) / (math.factorial(k) * (-4) ** k) for k in range(13)]
        return (-1) ** n / np.sqrt(LONG_PI).astype(x.dtype) * polynomial(y, *ratios[::-1]) / x / x**n

    return piecewise(x < BEYOND, near, far, x)


@compute_in_float64(exact=lambda x, n: derivative(extend(x), n))
def erfcx_derivative(input, n):
    return derivative(input, n)


def hazard(x):
    return np.sqrt(2 / LONG_PI).astype(x.dtype) / scaled_erfc(x * -np.sqrt(LONG_PI.dtype.type(0.5)).astype(x.dtype))


def hazard_slope(x):
    """-h (h + x), where h is the hazard; to the left of 0, where that cancels, by derivatives of the scaled complement."""

    def left(x):
        t = x * -np.sqrt(LONG_PI.dtype.type(0.5)).astype(x.dtype)
        return derivative(t, 1) / scaled_erfc(t) ** 2 / np.sqrt(LONG_PI).astype(x.dtype)

    def right(x):
        h = hazard(x)
        return -h * (h + x)

    return piecewise(x < 0, left, right, x)


@compute_in_float64(exact=lambda x: hazard(extend(x)))
def normal_hazard(input):
    return hazard(input)


@compute_in_float64(exact=lambda x: hazard_slope(extend(x)))
def normal_hazard_slope(input):
    return hazard_slope(input)


def exact_log_ndtr(x):
    """log((1 + erf(x / sqrt(2))) / 2) in longdouble."""
    return piecewise(
        x < -1,
        lambda t: np.log(scaled_erfc(-t) / 2) - t * t,
        lambda t: np.log1p(complement(t) / -2),
        extend(x) / np.sqrt(extend("2")),
    )


@wide(exact=exact_log_ndtr)
def log_ndtr(input):
    """log((1 + erf(x / sqrt(2))) / 2), by the scaled complement where that is small."""
    return piecewise(
        input < -1,
        lambda t: np.log(scaled_erfc(-t) / 2) - t * t,
        lambda t: np.log1p(compute_by_element(math.erfc, t) / -2),
        input / math.sqrt(2),
    )


# ── inverses ─────────────────────────────────────────────────────────────────
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
    """The number whose erf is ``size`` from one that is nearly it: a step of Newton's, where erf(z) - size loses no digits."""
    value, rise, slope, before = beside_points(z)
    return z - (value - size + rise) / (slope * slope / before)


def inverse(size):
    """erfinv of numbers from 0 to 1."""

    def far(size):
        start = quantile(size / 2, (1 - size) / 2) / math.sqrt(2)
        return piecewise(start < NEAR, correct_inverse, lambda z, size: polish_root(z, 1 - extend(size)), start, size)

    return piecewise(size < FLAT, near_zero, far, size)


def write_quotient(x, coefficients):
    """The text of ``quotient``."""
    above, below = np.stack(coefficients)[..., 0].T.tolist()
    return f"{horner(x, above)} / {horner(x, below)}"


quantile_in_tail = Chain(
    "quantile_in_tail", "rest",
    f"where(rest == 0, INFINITY, where(r <= 5, {write_quotient('near', TAIL)}, {write_quotient('far', FAR)}))",
    let={"r": "sqrt(-log(rest))", "near": "r - 1.6", "far": "r - 5"},
)  # fmt: skip
inverse_by_quantile = Chain(
    "erfinv", "input",
    f"give_sign(pick(~(half <= 0.425), in_tail(rest), half * ({write_quotient('left', MIDDLE)})) / {math.sqrt(2)}, input)",
    let={"half": "abs(input) * 0.5", "rest": "0.5 - half", "left": "0.180625 - half * half"}, words={"in_tail": quantile_in_tail},
    wide=True,
)  # fmt: skip


def erfinv(input):
    """The number whose erf is x: the quantile of (1 + x) / 2, over sqrt(2)."""
    return inverse_by_quantile(input) if input.dtype is not F8 else exact_erfinv(input)


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


@wide(exact=exact_ndtri)
def ndtri(input):
    """The quantile of the normal distribution."""
    low = input < 0.5
    return quantile(np.abs(input - 0.5), np.where(low, input, 1 - input)) * np.where(low, -1, 1)


# ── the table ────────────────────────────────────────────────────────────────
BELL = "2 / ROOT_PI * exp(-squared(input))"

erf_op = pointwise(erf, "The error function of input.", kernel_name="erf_vml_cpu", input=f"{BELL} * g", **REAL)
pointwise(
    erfc, "1 - erf(input), exact where erf is nearly 1.", kernel_name="erfc_vml_cpu", input=f"-{BELL} * g", **REAL
)
pointwise(erfinv, "The number whose error function is input.", kernel_name="erfinv_vml_cpu", inplace="method",
          input="ROOT_PI / 2 * exp(squared(out)) * g", **REAL)  # fmt: skip
special(erfcx, "exp(input ** 2) * erfc(input): finite where erfc is zero to the last place.",
        input="g * erfcx_derivative(input, 1)")  # fmt: skip
pointwise(erfcx_derivative, "Derivative number n of erfcx at input.", public=False, inplace=False,
          input="g * erfcx_derivative(input, n + 1)", **REAL)  # fmt: skip
special(log_ndtr, "Logarithm of the standard normal distribution function ``ndtr`` of input.",
        input="g * normal_hazard(input)")  # fmt: skip
pointwise(normal_hazard, "Slope of log_ndtr: the density of the normal distribution over the area up to input.", public=False,
          inplace=False, input="g * normal_hazard_slope(input)", **REAL)  # fmt: skip
pointwise(normal_hazard_slope, "Slope of the hazard.", public=False, inplace=False,
          input="-g * (out * (2 * normal_hazard(input) + input) + normal_hazard(input))", **REAL)  # fmt: skip
special(ndtri, "The number whose standard normal distribution function is input: the inverse of ``ndtr``.",
        input="g * ROOT_TWO_PI * exp(squared(out) / 2)")  # fmt: skip
