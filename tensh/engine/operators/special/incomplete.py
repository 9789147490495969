"""The incomplete gamma functions: the parts of the gamma distribution below and above a number."""

import functools
import math

import numpy as np

from tensh.engine.codegen.table import pointwise
from tensh.engine.operators.precision import F8
from tensh.engine.operators.special.gamma import STIRLING, exact_log_gamma, lgamma_to_right, log_gamma_of_successor
from tensh.engine.operators.special.shared import compute_in_float64, extend, gauss_legendre, piecewise, polynomial

LARGE = 20.0  # from here on the distribution is near enough to a normal one to integrate it over fixed points
POINTS = 64
EPSILON, EPSILON_SINGLE = 2.0**-53, 2.0**-32  # the last term of a sum over the sum, for results in float64 and float32
TOGETHER = 4  # terms that are added before the next look at the last one
ROUNDING = 6  # times that, the error of a step of Lentz' algorithm
HUGE = 1e5  # a shape of which nothing is left below half of it; of smaller ones the series is exact there
OUT = 1e3  # times the shape: the distribution is negligible farther out
REACH = 80.0  # a tail ends where the density has fallen by e**-40: sqrt(80) deviations from the middle


def part(a, x, below, density, epsilon):
    """P or Q: the smaller of them as computed, the larger as 1 minus that."""
    inner = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    lower = (x < np.where(a < LARGE, a + 1, a)) & ~is_steep(a, x)  # where P is computed
    compute = functools.partial(smaller, density, epsilon)
    small = piecewise(inner, compute, lambda a, x, lower: np.full_like(a, np.nan), a, x, lower)
    out = np.where(lower == below, small, 1 - small)
    none, all = (0.0, 1.0) if below else (1.0, 0.0)
    return np.select(
        [(a < 0) | (x < 0), a == 0, x == 0, np.isinf(a), np.isinf(x)],
        [np.nan, np.where(x > 0, all, np.nan), none, np.where(np.isinf(x), np.nan, none), all],
        out,
    )


NUMBERS = np.arange(1.0, 25)[:, None]


def is_steep(a, x):
    """True where a is so small beside x <= 1.1 that Q may be small.

    W. Gautschi, "A computational procedure for incomplete gamma functions", ACM Transactions on Mathematical Software 5,
    1979.
    """
    return (x <= 1.1) & (a < np.where(x <= 0.5, -0.4 / np.log(x), 1.1 * x))


def smaller(density, epsilon, a, x, lower):
    """P where ``lower``, Q elsewhere, for numbers above 0."""

    def sum_for_small(a, x, lower):
        return piecewise(is_steep(a, x), lambda a, x, lower: steep(a, x), compute_by_density, a, x, lower)

    def compute_by_density(a, x, lower):
        add_series, climb = functools.partial(series, epsilon), functools.partial(fraction, epsilon)
        return density(a, x) * piecewise(lower, add_series, climb, a, x)

    return piecewise((a < LARGE) | (x < a / 2) & (a < HUGE), sum_for_small, tail, a, x, lower)


def density(a, x):
    """x**a e**-x / gamma(a)."""
    return np.exp(a * np.log(x) - x - lgamma_to_right(a))


def exact_density(a, x):
    """x**a e**-x / gamma(a) with the exponent in longdouble: the larger its terms, the more digits they lose."""
    a, x = extend(a), extend(x)
    return np.exp(a * np.log(x) - x - exact_log_gamma(a))


def steep(a, x):
    """Q for a small a: 1 - P by the series in powers of -x (DLMF 8.7.1), where 1 is taken from its first term exactly."""
    log = a * np.log(x) - log_gamma_of_successor(a).astype(F8)
    terms = np.multiply.accumulate(-x / NUMBERS, 0)
    terms /= a + NUMBERS
    return -np.expm1(log) - np.exp(log) * (a * np.add.reduce(terms, 0))


@compute_in_float64(exact=lambda a, x: part(a, x, True, exact_density, EPSILON))
def igamma(input, other):
    """P(a, x), the part below x of the gamma distribution of shape a."""
    return part(input, other, True, density, EPSILON_SINGLE)


@compute_in_float64(exact=lambda a, x: part(a, x, False, exact_density, EPSILON))
def igammac(input, other):
    """Q(a, x) = 1 - P(a, x)."""
    return part(input, other, False, density, EPSILON_SINGLE)


def series(epsilon, a, x):
    """P over the density: the sum of x**k / (a (a + 1) ... (a + k)), k from 0 (DLMF 8.7.1)."""
    term = 1 / a
    out, a = term.copy(), a.copy()
    while (term > epsilon * out).any():
        for _ in range(TOGETHER):
            a += 1
            term *= x
            term /= a
            out += term
    return out


def fraction(epsilon, a, x):
    """Q over the density: the even part of a continued fraction (DLMF 8.9.2), by Lentz' algorithm."""
    below = x + 1 - a
    c, d = np.full_like(x, np.inf), 1 / below
    out, k, step, is_last = d, 0, np.zeros_like(x), False
    while not is_last:  # one round after that whose last step is mere rounding
        is_last = not (np.abs(step - 1) > ROUNDING * epsilon).any()
        for _ in range(TOGETHER):
            k += 1
            above = k * (a - k)
            below = below + 2
            d = 1 / (below + above * d)
            c = below + above / c
            out = out * c * d  # not times the product, which is rounded in one direction where it is nearly 1
        step = c * d
    return out


def tail(a, x, lower):
    """The integral of the density from x away from a: of a (t / a)**(a - 1) e**-t, by Stirling's series (DLMF 5.11.1).

    In units of a, from x / a - 1, where the numbers stay exact near the middle.
    """
    points, weights = gauss_legendre(POINTS)
    start = np.minimum((x - a) / a, OUT)
    deviations = np.abs(start) * np.sqrt(a)
    length = (np.sqrt(deviations * deviations + REACH) - deviations) / np.sqrt(a)
    longer = length * (1 + 2.5 * (deviations + math.sqrt(REACH)) / np.sqrt(a))  # the upper tail falls more slowly
    step = np.where(lower, -np.minimum(length, x / a), longer)
    m = start + step * points
    stirling = polynomial(1 / (a * a), *STIRLING) / a
    heights = np.where(m > -1, np.exp(-a * excess(m) - stirling) / (1 + m), 0)
    return np.add.reduce(weights * heights, 0) * np.abs(step) * np.sqrt(a / (2 * math.pi))


def excess(m):
    """m - log(1 + m), by its series near 0."""
    series = polynomial(m, *((-1) ** k / k for k in range(9, 1, -1)), 0.0, 0.0)
    return np.where(np.abs(m) < 0.01, series, m - np.log1p(m))


# ── the table ────────────────────────────────────────────────────────────────
BELL = "g * exp((input - 1) * log(other) - other - lgamma(input))"

pointwise(igamma, "Regularized lower incomplete gamma function: the part below other of the gamma distribution of shape input.", types="f", inplace="method",
          input="no_derivative('igamma: input')", other=BELL)  # fmt: skip
pointwise(igammac, "Regularized upper incomplete gamma function: the part above other of the gamma distribution of shape input.", types="f", inplace="method",
          input="no_derivative('igammac: input')", other=f"-{BELL}")  # fmt: skip
