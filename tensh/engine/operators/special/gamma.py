"""The gamma function's logarithm and its derivatives."""

import functools
import math

import numpy as np

from tensh.engine.arguments.kinds import NO_FIT, take_dim
from tensh.engine.codegen.chain_writer import horner
from tensh.engine.codegen.chains import Chain
from tensh.engine.codegen.mixing import as_float, refuse
from tensh.engine.codegen.table import pointwise
from tensh.engine.codegen.vocabulary import ARRAYS, on_tensors, word
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.operators.precision import F4, F8
from tensh.engine.operators.special.shared import (
    EULER,
    LONG_PI,
    REAL,
    compute_by_element,
    compute_in_float64,
    extend,
    fit_pieces,
    gauss_legendre,
    piecewise,
    polynomial,
)
from tensh.engine.operators.special.zeta import BERNOULLI, FAR, LADDER, euler_maclaurin, hurwitz, multiply_inverse

# the series of lgamma, and its slope's
STIRLING = [b / (2 * k * (2 * k - 1)) for k, b in enumerate(BERNOULLI, 1)][::-1]
SLOPES = [b / (2 * k) for k, b in enumerate(BERNOULLI, 1)][::-1]
HALF_LOG_TWO_PI = extend("0.91893853320467274178032974")


# ── logarithms ───────────────────────────────────────────────────────────────
def log_gamma(x):
    """The C library's logarithm of |gamma(x)|, infinite at the poles."""
    try:
        return compute_by_element(math.lgamma, x)
    except (ValueError, OverflowError):
        return compute_by_element(lgamma_or_inf, x)


def lgamma_or_inf(x):
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):
        return math.inf


def exact_log_gamma(x):
    """The logarithm of |gamma(x)| with all digits of float64, in longdouble."""
    return piecewise(x > 0, exact_right, exact_left, x)


def exact_right(x):
    out = piecewise(x < 2.5, near_two, lambda x: piecewise(x < FAR, log_gamma_below_far, far_log_gamma, x), x)
    return np.where(np.isposinf(x), x, out)


@functools.cache
def taylor():
    """The coefficients of lgamma(2 + z) / z, the highest power first (DLMF 5.7.3): those of z**5 and more, and the rest."""
    k = np.arange(2, 31)
    numbers = euler_maclaurin(extend(k), extend(np.full(k.shape, 2.0))) / np.where(k % 2, -k, k)
    return numbers[:3:-1].astype(F8), (*numbers[3::-1], 1 - EULER)


def near_two(x):
    """The Taylor series at 2, for 1.5 to 2.5 and to the left of that by gamma(x + 1) = x gamma(x)."""
    steps = np.where(x < 0.5, 0.0, np.where(x < 1.5, 1.0, 2.0))
    z = extend(x - steps)
    out = z * over_z(x - steps)
    for limit, function in ((2, np.log1p), (1, np.log)):
        if (mask := steps < limit).any():
            out[mask] -= function(z[mask])
    return out


def beside_two(z):
    """lgamma(2 + z) for |z| <= 1/2."""
    high, low = taylor()
    return z * polynomial(z, polynomial(z.astype(F8), *high), *low)


over_z = fit_pieces(lambda z: beside_two(z) / z, -0.5, 0.5)


def log_gamma_of_successor(a):
    """lgamma(1 + a) for a >= 0, with all digits where a is small."""
    return piecewise(
        a <= 0.5, lambda a: extend(a) * over_z(a) - np.log1p(extend(a)), lambda a: exact_log_gamma(1 + a), a
    )


def far_log_gamma(x):
    return stirling(extend(x))


log_gamma_below_far = fit_pieces(lambda x: stirling(x + 8) - np.log(rising_factorial(x, 8)), 2.5, FAR)


def rising_factorial(x, count):
    """x (x + 1) ..., with that number of factors."""
    return functools.reduce(np.multiply, (x + k for k in range(count)))


def stirling(x):
    """The asymptotic series (DLMF 5.11.1)."""
    y = 1 / x.astype(F8)
    return (x - 0.5) * np.log(x) - x + HALF_LOG_TWO_PI + y * polynomial(y * y, *STIRLING)


def exact_left(x):
    """Compute lgamma below zero by reflection (DLMF 5.5.3), and near a zero as the integral of the slope from there."""
    off = extend(np.abs(x - np.rint(x)))
    out = np.log(LONG_PI / (np.abs(x) * np.sin(LONG_PI * off))) - exact_right(-x)
    out = np.where((off == 0) | np.isinf(x), np.inf, out)
    zeros, rests = ZEROS
    nearest = np.searchsorted(-(zeros[1:] + zeros[:-1]) / 2, -x)
    zero = zeros[nearest]
    if (near := np.abs(x - zero) < np.abs(zero - np.rint(zero)) / 8).any():
        start = extend(zero[near])
        distance = extend(x[near]) - start - rests[nearest[near]]
        points, weights = gauss_legendre(6)
        slopes = exact_digamma((start + (distance * points + rests[nearest[near]])).ravel()).reshape(6, -1)
        out[near] = distance * np.add.reduce(weights * slopes, 0)
    return out


# The zeros of log |gamma| to the left of 0, except those too near to poles for float64 to tell: each as a float64
# and what is left.
ZEROS = np.array((
    (-2.4570247382208006, -3.7075610815513266e-17), (-2.7476826467274127, 9.055340329338315e-17),
    (-3.14358088834998, -2.1818179852331714e-16), (-3.955294284858598, -1.999428391746348e-17),
    (-4.039361839740537, 2.1143995503980602e-16), (-4.991544640560048, 1.5174411760571722e-16),
    (-5.0082181683225935, -4.3926353491015815e-17), (-5.998607480080875, -3.311862478893795e-16),
    (-6.001385294453155, 6.415847287933042e-17), (-6.999801507890638, 1.0550130037400023e-17),
    (-7.000198333407325, 2.504354173632409e-16), (-7.999975197095821, -5.261737128572354e-17),
    (-8.000024800270682, -4.354586297860107e-16), (-8.999997244250977, -2.2185620509727132e-16),
    (-9.000002755714823, -9.491348611623208e-17), (-9.99999972442663, 4.883037618642443e-16),
    (-10.000000275573013, -3.4909708332642057e-16), (-10.99999997494789, 1.9843998306985407e-16),
    (-11.000000025052106, -6.850849812286175e-16), (-11.999999997912324, -1.0020693920103036e-16),
    (-12.000000002087676, 1.2222548112048185e-16),
)).T  # fmt: skip


# ── float32 to the right of 0 ────────────────────────────────────────────────
# With u = x + 1/2, w = 1 / u and v = w w, lgamma(u + 1/2) - u log(u) + u - log(2 pi) / 2 is w times a function of v,
# digamma(u + 1/2) - log(u) is v times another, and the slope of digamma is w times a third.  All are nearly polynomials
# of v, without a singularity to the right of 0.  The quotients were fitted for all x > 0 by C. L. Lawson's weighted
# least squares, with errors of up to 6e-10 of the function of x, beside its zeros too: it is rounded once.
OF_LGAMMA = (
    (-0.01687300999014068, -1.1177587241358113, -8.268293055091327, -14.132653445650513, -5.594451675355606),
    (1.0, 34.875104853732545, 216.21311570879695, 347.01511274908006, 134.26687147769061),
)
OF_DIGAMMA = (
    (0.006059682191423658, 0.5143077528355047, 3.3384192281797627, 4.7447180587214, 1.543010982873934),
    (1.0, 21.895157683767714, 97.78292890851957, 120.35272419202896, 37.032298185044425),
)
OF_TRIGAMMA = (
    (
        -0.004309497956686274,
        0.4947319140110281,
        11.29142793574993,
        41.021048123278305,
        39.47704998157837,
        9.497987034133928,
    ),
    (1.0, 14.010123367559688, 44.09978159940047, 40.26854794764108, 9.497987037090738),
)


def right_of_zero(name, text, quotient, otherwise, where="x > 0"):
    """A chain of steps for positive numbers, or ``where`` that is; ``otherwise`` computes all others."""
    above, below = (horner("v", coefficients) for coefficients in quotient)
    usual = text.format(f"({above} / {below})")
    return Chain(
        name, "x", f"pick(~({where}), otherwise(x), {usual})",
        let={"u": "x + 0.5", "w": "1 / u", "v": "w * w"}, words={"otherwise": otherwise}, wide=True,
    )  # fmt: skip


lgamma_to_right = right_of_zero(
    "lgamma", f"u * (library_log(u) - 1) + {float(HALF_LOG_TWO_PI)} + w * {{}} - library_log(x)", OF_LGAMMA, log_gamma,
    "(x > 0) & (x < 1e36) & (x != 1) & (x != 2)",  # the zeros themselves are exact
)  # fmt: skip
LITTLE = 64  # elements; up to them the C library is faster


def lgamma(input):
    if input.dtype is not F8 and input.size > LITTLE:
        return lgamma_to_right.quick(input)
    if input.dtype is F4 and input.flags.c_contiguous:
        return log_gamma(input)
    return lgamma_of_few(input)


@compute_in_float64(exact=exact_log_gamma)
def lgamma_of_few(input):
    return log_gamma(input)


FEW = 256  # elements of longdouble up to which a sum of ten quotients takes less time than looking for pieces
TOGETHER = 256  # terms of mvlgamma from which on they are computed at once


def mvlgamma(input, p):
    if (p := take_dim(p)) is NO_FIT:
        refuse("mvlgamma", "p", 2, p, "int")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    numbers = as_float(input) if input.dtype.kind in "iu" else input
    return np.ascontiguousarray(log_multigamma(numbers, p)).reshape(input.shape)  # rows, as PyTorch's


def multigamma(log_gamma):
    """p * (p - 1) / 4 * log(pi) plus the sum of lgamma(x - j / 2) for j < p (DLMF 35.3.4)."""

    def kernel(input, p):
        total = p * (p - 1) / 4 * np.log(LONG_PI)
        if p <= TOGETHER:
            return total + sum(log_gamma(input - j / 2) for j in range(p))
        np.empty((*input.shape, p), input.dtype)  # as PyTorch does, which ends at the memory
        for start in range(0, p, TOGETHER):
            halves = np.arange(start, min(start + TOGETHER, p)) / 2
            total = total + log_gamma((input[..., None] - halves).reshape(-1)).reshape(*input.shape, -1).sum(-1)
        return total

    return kernel


log_multigamma = compute_in_float64(multigamma(lgamma_to_right), exact=multigamma(exact_log_gamma))


# ── their slopes ─────────────────────────────────────────────────────────────
def digamma_of(x):
    """The slope of lgamma."""
    return piecewise(x > 0, digamma_right, digamma_left, x)


def exact_digamma(x):
    return piecewise(x > 0, exact_digamma_right, lambda x: digamma_left(x, exact_digamma_right), extend(x))


def digamma_right(x):
    """The asymptotic series beyond 10 (DLMF 5.11.2), reached by psi(x) = psi(x + 1) - 1 / x."""
    return piecewise(x < FAR, lambda x: far_digamma(x + FAR) - np.add.reduce(1 / (x + LADDER), 0), far_digamma, x)


def far_digamma(x):
    y = 1 / x.astype(F8)
    return np.log(x) - 0.5 / x - polynomial(y * y, *SLOPES, 0.0)


digamma_from_one = fit_pieces(digamma_right, 1.0, FAR)
ROOT = extend("1.46163214496836234126265954232572133")


def exact_digamma_right(x):
    """digamma for x > 0 in longdouble: of many by pieces up to 10, to the left of 1 by psi(x) = psi(x + 1) - 1 / x."""
    if x.size <= FEW:
        return digamma_right(x)

    def near(x):
        low = x < 1
        out = piecewise(np.abs(x + low - ROOT) < 1 / 32, beside_root, digamma_from_one, x + low)
        out[low] -= 1 / x[low]
        return out

    return piecewise(x < FAR, near, digamma_right, x)


@functools.cache
def taylor_at_root():
    """The coefficients of digamma(ROOT + z) / z, the highest power first (DLMF 5.15.1): all but the last two of float64."""
    k = np.arange(2, 14)
    numbers = euler_maclaurin(extend(k), np.full(k.shape, ROOT)) * np.where(k % 2, -1, 1)
    return numbers[:1:-1].astype(F8), numbers[1::-1]


def beside_root(x):
    z = x - ROOT
    high, low = taylor_at_root()
    return z * polynomial(z, polynomial(z.astype(F8), *high), *low)


def digamma_left(x, right=digamma_right):
    """Compute digamma below zero by reflection (DLMF 5.5.4)."""
    off = x - np.rint(x)
    pi = LONG_PI.astype(x.dtype)
    out = right(1 - x) - pi / np.tan(pi * off)
    return np.where(off == 0, np.where(x == 0, np.copysign(np.inf, -x), np.nan), out)


digamma_to_right = right_of_zero("digamma", "library_log(u) + v * {} - 1 / x", OF_DIGAMMA, digamma_of)
exact_digamma_of_any = compute_in_float64(exact_digamma)


def digamma(input):
    return digamma_to_right.quick(input) if input.dtype is not F8 else exact_digamma_of_any(input)


def derive_digamma(input, n, power=np.power):
    """Derivative number n of digamma: (-1)**(n + 1) n! times the sum of (x + k)**-(n + 1), k from 0 (DLMF 5.15.1)."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n == 0:
        return digamma_of(input)
    factorial = float(math.factorial(n)) if n <= 170 else math.inf
    return (-1) ** (n + 1) * factorial * hurwitz(n + 1.0, input, power)


def trigamma(x):
    return derive_digamma(x, 1, multiply_inverse)


trigamma_to_right = right_of_zero("trigamma", "w * {} + 1 / (x * x)", OF_TRIGAMMA, trigamma)


def polygamma(input, n):
    return trigamma_to_right.quick(input) if n == 1 and input.dtype is not F8 else polygamma_of_any(input, n)


@compute_in_float64(exact=derive_digamma)
def polygamma_of_any(input, n):
    return derive_digamma(input, n, multiply_inverse)


# ── the table ────────────────────────────────────────────────────────────────
pointwise(lgamma, "Logarithm of the absolute value of the gamma function of input.", kernel_name="lgamma_vml_cpu",
          inplace="method", input="g * digamma(input)", **REAL)  # fmt: skip
pointwise(digamma, "Derivative of lgamma at input.", kernel_name="digamma", inplace="method", input="g * polygamma_of(input, 1)",
          **REAL)  # fmt: skip
polygamma_of = pointwise(polygamma, "The n-th derivative of digamma at input.", name="polygamma_of", node="PolygammaBackward0",
          kernel_name="polygamma", public=False, inplace=False, input="g * polygamma_of(input, n + 1)", **REAL)  # fmt: skip
pointwise(mvlgamma, "Logarithm of the multivariate gamma function of dimension p.  Raise RuntimeError for p below 1.", kernel_name="arange_cpu", types="iuf",
          refusal={"b": RuntimeError("The input tensor may not be a boolean tensor.")}, inplace="method",
          input="g * mvdigamma(input, p)")  # fmt: skip


@word
def mvdigamma(input, p):
    """The derivative of ``mvlgamma``."""
    steps = np.arange(p) * -0.5
    if isinstance(input, Tensor):
        shifted = on_tensors("add")(wrap(steps.astype(input.array.dtype)), on_tensors("unsqueeze")(input, -1))
        return on_tensors("sum_dim")(on_tensors("digamma")(shifted), (-1,))
    return ARRAYS["digamma"](input[..., None] + steps.astype(input.dtype)).sum(-1)
