"""The gamma function's logarithm and its derivatives, and the zeta function."""

import math

import numpy as np

from tensh.engine.declarations.mixing import as_float, refuse
from tensh.engine.declarations.table import pointwise
from tensh.engine.ops.special.shared import REAL, by_element, in_float64, piecewise, polynomial, special, wide
from tensh.engine.tensor import Tensor, wrap
from tensh.engine.vocabulary import ARRAYS, recorded, word

BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)  # B2, B4, ...
STIRLING = [b / (2 * k * (2 * k - 1)) for k, b in enumerate(BERNOULLI, 1)][
    ::-1
]  # the series of lgamma, and its slope's
SLOPES = [b / (2 * k) for k, b in enumerate(BERNOULLI, 1)][::-1]
FAR = 10.0  # from here on the asymptotic series are exact
LADDER = np.arange(FAR)[:, None]


# ── logarithms ───────────────────────────────────────────────────────────────
def log_gamma(x):
    """The C library's logarithm of |gamma(x)|, infinite at the poles."""
    try:
        return by_element(math.lgamma, x)
    except (ValueError, OverflowError):
        return by_element(lgamma_or_inf, x)


def lgamma_or_inf(x):
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):
        return math.inf


@in_float64
def lgamma(input):
    return log_gamma(input)


def mvlgamma(input, p):
    if type(p) is not int:
        refuse("mvlgamma", "p", 2, p, "int")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    return log_multigamma(as_float(input) if input.dtype.kind in "iu" else input, p)


@in_float64
def log_multigamma(input, p):
    """p * (p - 1) / 4 * log(pi) plus the sum of lgamma(x - j / 2) for j < p (DLMF 35.3.4)."""
    return p * (p - 1) / 4 * math.log(math.pi) + sum(log_gamma(input - j / 2) for j in range(p))


# ── their slopes ─────────────────────────────────────────────────────────────
@in_float64
def digamma(input):
    """The slope of lgamma."""
    return piecewise(input > 0, digamma_right, digamma_left, input)


def digamma_right(x):
    """The asymptotic series beyond 10 (DLMF 5.11.2), reached by psi(x) = psi(x + 1) - 1 / x."""
    near = x < FAR
    below = np.add.reduce(1 / (x + LADDER), 0)  # psi(x + 10) - psi(x)
    x = x + FAR * near
    return np.log(x) - 0.5 / x - polynomial(1 / (x * x), *SLOPES, 0.0) - below * near


def digamma_left(x):
    """By reflection (DLMF 5.5.4)."""
    off = x - np.rint(x)
    out = digamma_right(1 - x) - math.pi / np.tan(math.pi * off)
    return np.where(off == 0, np.where(x == 0, np.copysign(np.inf, -x), np.nan), out)


@in_float64
def polygamma(input, n):
    """Derivative number n of digamma: (-1)**(n + 1) n! times the sum of (x + k)**-(n + 1), k from 0 (DLMF 5.15.1)."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n == 0:
        return digamma(input)
    factorial = float(math.factorial(n)) if n <= 170 else math.inf
    return (-1) ** (n + 1) * factorial * hurwitz(n + 1.0, input)


def hurwitz(s, x):
    """The sum of (x + k)**-s, k from 0, for s > 1; infinite at the poles, no number where a term is complex.

    To the left of 0, with the fraction f of x: the terms are f, f + 1, ... and f - 1, f - 2, ... down to x.
    """
    left = x < 0
    if not left.any():
        return euler_maclaurin(s, x)
    f = x - np.floor(x)
    here = euler_maclaurin(s, np.where(left, f, x))
    there, below = (euler_maclaurin(s, np.where(left, each, 1)) for each in (1 - f, 1 - x))
    sign = left * np.where(s % 2 == 0, 1.0, -1.0)
    out = here + sign * there - sign * below
    return np.where(left & (s != np.floor(s)), np.nan, np.where(left & (f == 0), np.inf, out))


def euler_maclaurin(s, x):
    """For x >= 0: ten terms, and the rest by the formula of Euler and Maclaurin (DLMF 25.11.28)."""
    out = np.add.reduce((x + LADDER) ** -s, 0)
    x = x + FAR
    factor = s * x ** (-s - 1)
    rest = x ** (1 - s) / (s - 1) + 0.5 * x**-s
    for k, b in enumerate(BERNOULLI, 1):
        rest = rest + b / math.factorial(2 * k) * factor
        factor = factor * (s + 2 * k - 1) * (s + 2 * k) / (x * x)
    return np.where(np.isinf(s), out, out + rest)


@wide
def zeta(input, other):
    """Hurwitz' zeta function: the sum of (other + k)**-input, k from 0."""
    out = np.where(np.isinf(other) & (other > 0), np.nan, hurwitz(input, other))
    out = np.where((other <= 0) & (other == np.floor(other)), np.inf, out)
    return np.where(input < 1, np.nan, np.where(input == 1, np.inf, out))


# ── the table ────────────────────────────────────────────────────────────────
pointwise(lgamma, "Logarithm of the absolute value of the gamma function of input.", called="lgamma_vml_cpu",
          inplace="method", input="g * digamma(input)", **REAL)  # fmt: skip
pointwise(digamma, "Slope of lgamma at input.", called="digamma", inplace="method", input="g * polygamma_of(input, 1)",
          **REAL)  # fmt: skip
pointwise(polygamma, "Derivative number n of digamma at input.", name="polygamma_of", node="PolygammaBackward0",
          called="polygamma", public=False, inplace=False, input="g * polygamma_of(input, n + 1)", **REAL)  # fmt: skip
pointwise(mvlgamma, "Logarithm of the multivariate gamma function of dimension p.", called="arange_cpu", types="iuf",
          refusal={"b": RuntimeError("The input tensor may not be a boolean tensor.")}, inplace="method",
          input="g * mvdigamma(input, p)")  # fmt: skip
special(zeta, "Hurwitz' zeta function: the sum of (other + k) ** -input, k from 0.",
        numbers={"input": "SpecialZetaBackward1", "other": "SpecialZetaBackward2"},
        input="no_derivative('zeta')", other="g * -input * special_zeta(input + 1, other)")  # fmt: skip


@word
def mvdigamma(input, p):
    """The slope of :func:`mvlgamma`."""
    steps = np.arange(p) * -0.5
    if isinstance(input, Tensor):
        shifted = recorded("add")(wrap(steps.astype(input.array.dtype)), recorded("unsqueeze")(input, -1))
        return recorded("sum_dim")(recorded("digamma")(shifted), (-1,))
    return ARRAYS["digamma"](input[..., None] + steps.astype(input.dtype)).sum(-1)
