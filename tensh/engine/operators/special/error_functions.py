"""The error functions and the normal distribution function; ``inverse_error_functions`` has their inverses."""

import functools
import math

import numpy as np

from tensh.engine.codegen.chain_writer import exp_of_polynomial, horner
from tensh.engine.codegen.chains import Chain
from tensh.engine.codegen.table import pointwise
from tensh.engine.operators.kernels import ONE
from tensh.engine.operators.precision import F4, F8, is_half
from tensh.engine.operators.special.shared import (
    BLOCK,
    LONG_PI,
    REAL,
    compute_by_element,
    compute_in_blocks,
    compute_in_float64,
    extend,
    fit_chebyshev,
    fit_pieces,
    piecewise,
    polynomial,
    shape_like,
    special,
    wide,
)

# ── erf ──────────────────────────────────────────────────────────────────────
FEW = 256  # elements from which the series around tabulated points is faster than one library call per element
PART = 1 << 14  # elements of 16 bits that are computed at a time
END = 6.5  # beyond, erf is 1 to the last place
STEPS = 64  # tabulated points in an interval of length 1


@functools.cache
def tabulate():
    """Return erf at the points as a float64 plus remainder, and its slope.

    From 1 on both follow from the complement.
    """
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
    if is_half(input.dtype):
        return in_parts(erf_of_halves, input)
    if input.size < FEW:
        return compute_by_element(math.erf, input)
    if input.dtype is F8:
        return shape_like(compute_in_blocks(near_points, [input.ravel()], block=4 * BLOCK), input)
    return erf_by_exponential(input)


# In float32 erf(x) is x + x P(x**2) up to 1, and 1 - exp(Q(|x| - 1)) beyond, where errors of NumPy's exponential count
# one eighth.  The polynomials are minimax, with errors of up to 0.07 and 0.02 units in the last place of erf.
INNER = 7.853236406e-5, -8.010022218e-4, 0.005188310272, -0.02685380393, 0.1128358499, -0.3761262581, 0.1283791657
OUTER = 1.863795363e-4, -1.829384554e-3, 9.895462431e-3, -0.04150349908, -0.8431176072, -2.63896688, -1.849605516
LITTLE = 128  # elements up to which one library call per element is faster than a chain of steps in float64
LAST = 4  # from here on erf is 1
erf_by_exponential = Chain(
    "erf", "x", f"where(size < 1, {horner('square', INNER)} * x + x, give_sign(1 - {exp_of_polynomial('beyond', OUTER)}, x))",
    let={"size": f"minimum(abs(x), {LAST})", "square": "size * size", "beyond": "size - 1"},
    doc="erf of float32, to 1.3 units in the last place: a tenth of the time of looking up tabulated points.",
)  # fmt: skip


def write_erf(out, input):
    if input.size < FEW or input.dtype is F8 or is_half(input.dtype):
        out[...] = erf(input)
    else:
        erf_by_exponential.write_into(out, input)


erf.write_into = write_erf

# PyTorch's erf of 16 bit numbers, by formula 7.1.26 of Abramowitz and Stegun (1964): near zero it loses digits.
RATE = F4.type(0.3275911)
SERIES = np.array([1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592], F4).tolist()


def erf_of_halves(input):
    """1 - t P(t) exp(-x**2) with t = 1 / (1 + p |x|), in fused steps of float32."""
    x = input.astype(F4)
    t = ONE[F4] / (np.abs(x).astype(F8) * float(RATE) + 1).astype(F4)
    wide, sums = t.astype(F8), F4.type(SERIES[0])
    for coefficient in SERIES[1:]:
        sums = (sums * wide + coefficient).astype(F4)
    bell = np.exp(-(x * x).astype(F8)).astype(F4) * t
    return np.copysign((1 - bell.astype(F8) * sums).astype(F4), x).astype(input.dtype)


def in_parts(function, input):
    """The results of a function of elements, of many elements some thousand at a time, which stay in the cache."""
    if input.size <= PART:
        return function(np.atleast_1d(input)).reshape(input.shape)
    line = np.ascontiguousarray(input).reshape(-1)
    parts = [function(line[start : start + PART]) for start in range(0, line.size, PART)]
    return np.concatenate(parts).reshape(input.shape)


def beside_points(x):
    """Return erf(x) as the value at the nearest tabulated point p plus a difference, the mean slope between, and that at p.

    The Taylor series around p has Hermite polynomials of p as coefficients: at a distance d of at most 1/128 seven
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
    index = np.fmax(number + END * STEPS, 0).astype(np.intp)  # 0 for nan
    values, rests, slopes = (each[index] for each in tabulate())
    slope = slopes * series
    return values, rests + d * slope, slope, slopes


def near_points(x):
    """erf of float64."""
    value, rise, slope, _ = beside_points(x)
    return np.where(value == 0, x + x * (slope - 1), value + rise)


# ── its complement ───────────────────────────────────────────────────────────
STEP = 7 / 16
NARROW = 2 / 63  # below, 1 - erf(x) is more accurate than the sum


@functools.cache
def heights(dtype):
    """Return exp(-t**2) at the relevant multiples of the step, in the dtype, and the squares of these multiples."""
    squares = (np.arange(1, 17) * STEP) ** 2
    return list(zip(np.exp(-squares.astype(dtype)), squares, strict=True))[::-1]


def integrate_complement(x):
    """exp(x**2) erfc(x) for x >= NARROW, in longdouble: the integral of x exp(-t**2) / (x**2 + t**2) / pi by trapezoids.

    Its error is the residue at the pole, which is corrected, and less than 1e-22 (C. Chiarella and A. Reichel, "On the
    evaluation of integrals related to the error function", Mathematics of Computation 22, 1968).
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


# With t = 2 / (2 + x), exp(x**2) erfc(x) / t is smooth from t = 0, where x is infinite, to 63 / 64, where it is NARROW.
scaled_over_t = fit_pieces(lambda t: integrate_complement(2 / t - 2) / t, 0.0, 63 / 64)


def scaled_complement(x):
    """exp(x**2) erfc(x) for x >= NARROW."""
    t = 2 / (2 + x)
    return (t * scaled_over_t(t)).astype(x.dtype, copy=False)


def complement(x):
    """erfc in longdouble."""

    def near(x):
        return 1 - extend(near_points(x.astype(F8)))

    def far(x):
        x = np.minimum(extend(x), 120)  # zero even in longdouble
        return np.exp(-x * x) * scaled_complement(x)

    return piecewise(x < NARROW, near, far, x)


def near_complement(x):
    """1 - erf(x), rounded once: the rounding error of the difference from 1 is added to the small part."""
    value, rise, *_ = beside_points(x)
    high = 1 - value
    return high + ((1 - high) - value - rise)


def exact_complement(x):
    return piecewise(x < 2, near_complement, complement, x)


# For x >= 0, exp(x**2) erfc(x) = t P(s) with t = 1 / (1 + RISE x) and s from -1 to 1, which t becomes.  P was fitted by
# C. L. Lawson's weighted least squares, with errors of up to 4.8e-10 of erfc: a result of float32 is rounded once.
RISE, CENTRE, RADIUS = 0.3, 0.6231527093596059, 0.3768472906403941
SCALED = (
    3.162660372800185e-06, 2.193575131148595e-06, -6.032761416765928e-05, -0.0001776332979081265, 0.0005720111489977062,
    0.006363446617355989, 0.02769352760270531, 0.08069056028085464, 0.1763928548268807, 0.3013686669209672, 0.4071515368011204,
)  # fmt: skip
VANISHED = 10.2  # from here on erfc is 0 in float32
erfc_by_exponential = Chain(
    "erfc", "x", "where(x < 0, 2 - tail, tail)", wide=True,
    let={
        "size": f"minimum(abs(x), {VANISHED})", "t": f"1 / (1 + {RISE} * size)", "s": f"(t - {CENTRE}) * {1 / RADIUS}",
        "tail": f"library_exp(-size * size) * t * {horner('s', SCALED)}",
    },
)  # fmt: skip


def erfc(input):
    """1 - erf(x), accurate where erf is nearly 1."""
    if input.dtype is not F8 and input.size > LITTLE:
        return erfc_by_exponential.quick(input)
    return erfc_of_few(input)


@compute_in_float64(exact=exact_complement)
def erfc_of_few(input):
    return compute_by_element(math.erfc, input)


def scaled_erfc(x):
    """exp(x**2) erfc(x); for negative x twice the exponential minus the value at -x."""

    def left(x):
        return 2 * np.exp(x * x) - right(-x)

    def right(x):
        return piecewise(x < NARROW, near, scaled_complement, x)

    def near(x):
        return np.exp(x * x) * (1 - extend(near_points(x.astype(F8)))).astype(x.dtype, copy=False)

    return piecewise(x < 0, left, right, x)


# To 2e-14, enough for float32, it is one polynomial of t.
over_t = fit_chebyshev(lambda t: scaled_erfc(2 / extend(t) - 2) / extend(t), 0.0, 1.0, 22)


def quick_complement(x):
    """exp(x**2) erfc(x) for x >= 0."""
    t = 2 / (2 + x)
    return t * over_t(t)


def quick_erfcx(x):
    values = quick_complement(np.abs(x))
    left = x < 0
    return np.where(left, 2 * np.exp(np.where(left, x * x, 0)) - values, values) if left.any() else values


@wide(exact=lambda x: scaled_erfc(extend(x)))
def erfcx(input):
    """exp(x**2) erfc(x)."""
    return quick_erfcx(input)


BEYOND = 12  # from here on the asymptotic series of derivatives is exact


def derivative(x, n, complement=scaled_erfc):
    """Derivative number n of exp(x**2) erfc(x): (-2)**n 2 / sqrt(pi) times the integral of u**n exp(-u**2 - 2 u x), u > 0.

    The recurrence (DLMF 7.18(iii)) loses a factor of 2 x**2 in each of n steps; for large x the integral is a series.
    """

    def near(x):
        before, last = 2 / np.sqrt(LONG_PI).astype(x.dtype), complement(x)
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
    return derivative(input, n, quick_erfcx)


def hazard(x, complement=scaled_erfc):
    return np.sqrt(2 / LONG_PI).astype(x.dtype) / complement(x * -np.sqrt(LONG_PI.dtype.type(0.5)).astype(x.dtype))


def hazard_slope(x, complement=scaled_erfc):
    """-h (h + x), where h is the hazard; for negative x, where that cancels, by derivatives of the scaled complement."""

    def left(x):
        t = x * -np.sqrt(LONG_PI.dtype.type(0.5)).astype(x.dtype)
        return derivative(t, 1, complement) / complement(t) ** 2 / np.sqrt(LONG_PI).astype(x.dtype)

    def right(x):
        h = hazard(x, complement)
        return -h * (h + x)

    return piecewise(x < 0, left, right, x)


@compute_in_float64(exact=lambda x: hazard(extend(x)))
def normal_hazard(input):
    return hazard(input, quick_erfcx)


@compute_in_float64(exact=lambda x: hazard_slope(extend(x)))
def normal_hazard_slope(input):
    return hazard_slope(input, quick_erfcx)


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
    t = input / math.sqrt(2)
    size = np.abs(t)
    values, square = quick_complement(size), t * t
    below = np.exp(-square) * values  # erfc(|t|)
    out = np.log1p(np.where(t < 0, 2 - below, below) / -2)
    far = input < -1
    return np.where(far, np.log(values / 2) - square, out) if far.any() else out


# ── the table ────────────────────────────────────────────────────────────────
BELL = "2 / ROOT_PI * exp(-squared(input))"

erf_op = pointwise(erf, "The error function of input.", kernel_name="erf_vml_cpu", input=f"{BELL} * g", **REAL)
pointwise(
    erfc, "1 - erf(input), accurate where erf is nearly 1.", kernel_name="erfc_vml_cpu", input=f"-{BELL} * g", **REAL
)
special(erfcx, "exp(input ** 2) * erfc(input): finite where erfc underflows.",
        input="g * erfcx_derivative(input, 1)")  # fmt: skip
pointwise(erfcx_derivative, "Derivative number n of erfcx at input.", public=False, inplace=False,
          input="g * erfcx_derivative(input, n + 1)", **REAL)  # fmt: skip
special(log_ndtr, "Logarithm of the standard normal distribution function ``ndtr`` of input.",
        input="g * normal_hazard(input)")  # fmt: skip
pointwise(normal_hazard, "Slope of log_ndtr: the density of the normal distribution over the area up to input.", public=False,
          inplace=False, input="g * normal_hazard_slope(input)", **REAL)  # fmt: skip
pointwise(normal_hazard_slope, "Slope of the hazard.", public=False, inplace=False,
          input="-g * (out * (2 * normal_hazard(input) + input) + normal_hazard(input))", **REAL)  # fmt: skip
