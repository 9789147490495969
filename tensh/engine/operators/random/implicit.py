"""Derivatives of gamma and Dirichlet draws by their parameters.

The derivative of a draw x with distribution function F(x; a) by its parameter is -(dF/da) / (dF/dx) (implicit
reparameterisation: Figurnov, Mohamed and Mnih, 2018).  No closed form of dF/da is known.  As in PyTorch, whose
coefficients these are, there are several approximations: power series near the ends, a saddle point expansion (Rice's
method) for large parameters, and a fitted rational function elsewhere.
"""

import numpy as np

from tensh.engine.operators.special.gamma import digamma_right
from tensh.engine.operators.special.shared import compute_in_float64, piecewise, polynomial

# PyTorch's bounds, in single precision.
NEAR_ZERO, BELOW, ABOVE = (float(np.float32(each)) for each in (0.8, 0.9, 1.1))

# Rational functions of logarithms, numerator and denominator: [..., power of log x / a, power of log a], and
# [..., power of log x, power of log a / x, power of the third].
GAMMA = np.array(
    [
        [
            [0.16009398, -0.094634809, 0.025146376, -0.0030648343],
            [0.53487893, 0.1298071, 0.065735949, -0.0015649758],
            [0.040121004, -0.0065914022, -0.0026286047, -0.0013441777],
        ],
        [
            [1, 0.32668115, 0.10406089, 0.0014179084],
            [0.16639465, 0.020070113, -0.0035938915, -0.00058392623],
            [0.017050642, -0.0021309326, 0.00085092367, -1.5247877e-07],
        ],
    ]
)
DIRICHLET = np.array(
    [
        [
            [
                [1.003668233, -0.01061107488, -0.0657888334, 0.01201642863],
                [0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033],
                [-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013],
            ],
            [
                [0.221950385, -0.3187676331, 0.01799915743, 0.01074823814],
                [-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057],
                [0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05],
            ],
            [
                [-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565],
                [0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181],
                [0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05],
            ],
        ],
        [
            [
                [1, -0.02924021934, -0.04438342661, 0.007285809825],
                [0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521],
                [-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149],
            ],
            [
                [0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273],
                [0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956],
                [-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05],
            ],
            [
                [0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05],
                [0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05],
                [-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06],
            ],
        ],
    ]
)


# ── gamma ────────────────────────────────────────────────────────────────────
@compute_in_float64
def gamma_slope(a, x):
    """dx/da of gamma numbers ``x`` of shape ``a``."""
    return piecewise(x < NEAR_ZERO, gamma_near_zero, gamma_elsewhere, a, x)


def gamma_near_zero(a, x):
    """Return dx/da by the incomplete gamma function's series, x**a * sum of (-x)**k / (k! (a + k)), k up to 5."""
    term, series, slope = 1.0, 0.0, 0.0
    for k in range(6):
        series, slope, term = series + term / (a + k), slope + term / (a + k) ** 2, term * -x / (k + 1)
    rise = x**a * (slope - (np.log(x) - digamma_right(a)) * series)
    return replace_nan(rise / (x ** (a - 1) * np.exp(-x)))


def gamma_elsewhere(a, x):
    return piecewise(a > 8, gamma_of_large, fit_gamma, a, x)


def gamma_of_large(a, x):
    return piecewise((BELOW * a <= x) & (x <= ABOVE * a), gamma_near_mean, gamma_saddle, a, x)


def gamma_near_mean(a, x):
    """The saddle point expansion where its terms cancel, as a polynomial."""
    inner = 1440 * a * a + 6 * x * (53 - 120 * x) - 65 * x * x / a + a * (107 + 3600 * x)
    return (1 + 24 * a * (1 + 12 * a)) * inner / (1244160 * a**4)


def gamma_saddle(a, x):
    away, log, root = a - x, np.log(x / a), np.sqrt(8 * a)
    tail = np.copysign((x - a - a * log) ** -1.5, away)
    inner = log * (root / away - tail) - np.sqrt(2 / a) * (a + x) / (away * away)
    return -(1 + 1 / (12 * a) * (1 + 1 / (24 * a))) * x * inner / root


def fit_gamma(a, x):
    above, below = (evaluate_polynomial(part, np.log(x / a), np.log(a)) for part in GAMMA)
    return np.exp(above / below)


# ── Dirichlet ────────────────────────────────────────────────────────────────
@compute_in_float64
def dirichlet_slope(x, a, total):
    """dx/da over 1 - x of beta numbers ``x`` with parameters ``a`` and ``total - a``: a component of Dirichlet's."""
    b, edge = total - a, total * x * (1 - x)
    return piecewise((x <= 0.5) & (edge < 2.5), beta_near_zero, dirichlet_above, x, a, b, total, edge)


def dirichlet_above(x, a, b, total, edge):
    return piecewise((x >= 0.5) & (edge < 0.75), beta_near_one, dirichlet_within, x, a, b, total, edge)


def dirichlet_within(x, a, b, total, edge):
    return piecewise((a > 6) & (b > 6), beta_of_large, fit_beta, x, a, b, total, edge)


def beta_near_zero(x, a, b, total, edge):
    """The series of the incomplete beta function at 0, ten terms and the first, and its slope by ``a``."""
    factor = digamma_right(a) - digamma_right(total) - np.log(x)
    term, series = 1.0, (factor + 1 / a) / a
    for k in range(1, 11):
        term = term * (k - b) * x / k
        series = series + term / (a + k) * (factor + 1 / (a + k))
    return replace_nan(x * (1 - x) ** -b * series)


def beta_near_one(x, a, b, total, edge):
    """The series of the incomplete beta function at 1, eight terms and the first, and its slope by ``a``."""
    rest, factor = 1 - x, digamma_right(total) - digamma_right(a)
    term, product, slope, series = 1.0, 1.0, 0.0, factor / b
    for k in range(1, 9):
        term = term * -rest / k
        slope, product = slope * (a - k) + product, product * (a - k)
        series = series + term / (b + k) * (slope + factor * product)
    return replace_nan(x ** (1 - a) * series)


def beta_of_large(x, a, b, total, edge):
    mean = a / total
    reach = 0.1 * np.sqrt(a * b / (total + 1)) / total
    return piecewise(np.abs(x - mean) <= reach, beta_near_mean, beta_saddle, x, a, b, total)


def beta_near_mean(x, a, b, total):
    """The saddle point expansion where its terms cancel, as a polynomial of ``a``, the highest power first."""
    inner = polynomial(
        a,
        8 * (1 - x) * (135 * b - 11),
        (453 + 1620 * b * (1 - x) - 455 * x) * b,
        3 * (59 + 180 * b - 90 * x) * b**2,
        (43 + 20 * (16 + 27 * b) * x) * b**3,
        47 * x * b**4,
    )
    scale = (1 + 12 * a) * (1 + 12 * b) / (total * total)
    return scale / (1 - x) * inner / (12960 * a**3 * b**2 * (1 + 12 * total))


def beta_saddle(x, a, b, total):
    away = b * x - a * (1 - x)
    log = np.log(a / (total * x))
    tail = np.copysign((b * np.log(b / (total * (1 - x))) + a * log) ** -1.5, a - total * x)
    first = (-(2 * a * a + a * b) * (1 - x) - x * b * b) / (np.sqrt(2 * a / b) * total**1.5 * away * away)
    inner = first + 0.5 * log * (np.sqrt(8 * a * b / total) / away + tail)
    return -stirling(a) * stirling(b) / stirling(total) * x / np.sqrt(2 * a * b / total) * inner


def fit_beta(x, a, b, total, edge):
    """A rational function times x (psi(total) - psi(a)) / b."""
    log = np.log(x)
    logs = log, np.log(a) - log, np.log(total) - np.log(a) + log
    above, below = (evaluate_polynomial(part, *logs) for part in DIRICHLET)
    return above / below * x * (digamma_right(total) - digamma_right(a)) / b


# ── common parts ─────────────────────────────────────────────────────────────
def evaluate_polynomial(coefficients, first, *rest):
    """Evaluate a polynomial of several variables, with one dimension of coefficients for each, the lowest power first."""
    parts = [evaluate_polynomial(each, *rest) if rest else each for each in coefficients]
    return polynomial(first, *parts[::-1])


def stirling(z):
    """The first terms of Stirling's series, as a factor."""
    return 1 + 1 / (12 * z) + 1 / (288 * z * z)


def replace_nan(slope):
    """Replace nan by 0."""
    return np.where(np.isnan(slope), 0.0, slope)
