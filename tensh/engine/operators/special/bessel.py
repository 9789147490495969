"""Bessel functions of the first and second kind and Airy functions, from integrals as means over a few fixed points.

Up to 8 the integrals cover a period, where the mean of equally spaced points converges fastest; beyond, they are
Gauss-Laguerre integrals, exact for any large number.  Near 0 power series lose fewer digits.
"""

import functools
import math
from itertools import pairwise

import numpy as np

from tensh.engine.operators.special.shared import (
    LONG_PI,
    extend,
    fit_chebyshev,
    gauss_laguerre,
    piecewise,
    polynomial,
    special,
    wide,
)

# ── power series ─────────────────────────────────────────────────────────────
FIRST = 1.0  # up to here ten terms are exact, and lose fewer digits than a mean
HARMONIC = [math.fsum(1 / j for j in range(1, k + 1)) for k in range(11)]


def series(x, order, factors):
    """The sum of factor (-x**2 / 4)**k / (k! (k + order)!) over k."""
    return polynomial(
        x * x,
        *(
            factor / ((-4) ** k * math.factorial(k) * math.factorial(k + order))
            for k, factor in reversed([*enumerate(factors)])
        ),
    )


def logarithm(x):
    """log(x / 2) plus Euler's constant, the singular part of functions of the second kind."""
    return np.log(x) + (np.euler_gamma - math.log(2))


def first_j0(x):
    return series(x, 0, [1] * 10)  # DLMF 10.2.2


def first_j1(x):
    return series(x, 1, [0.5] * 10) * x


def first_y0(x):
    return 2 / math.pi * (logarithm(x) * first_j0(x) - series(x, 0, HARMONIC))  # DLMF 10.8.1


def first_y1(x):
    sums = [(one + other) / 4 for one, other in pairwise(HARMONIC)]
    out = 2 / math.pi * (x * (logarithm(x) * series(x, 1, [0.5] * 10) - series(x, 1, sums)) - 1 / x)
    return np.where(x == 0, -np.inf, out)


# ── integrals over a period ──────────────────────────────────────────────────
POINTS = 18  # points in a quarter of the period: exact up to 8
NEAR = 8.0


@functools.cache
def period():
    """sin(t) at the points, as a column, and the weights that make the mean of cosh(x sin(t)) the sum of I_2k(x) / k."""
    t = (np.arange(POINTS) + 0.5) * (math.pi / (2 * POINTS))
    weights = sum((-1) ** k / k * np.cos(2 * k * t) for k in range(1, POINTS))
    return np.sin(t)[:, None], weights[:, None]


def mean(values):
    return np.add.reduce(values, 0) / POINTS


def near_j0(x):
    return mean(np.cos(period()[0] * x))  # DLMF 10.9.1


def near_j1(x):
    sines, _ = period()
    return mean(sines * np.sin(sines * x))  # the derivative of the former, as for Y1, I1 and K1


def near_y0(x):
    sines, weights = period()
    waves = np.cos(sines * x)
    return 2 / math.pi * (logarithm(x) * mean(waves) - 2 * mean(weights * waves))  # Neumann's series, DLMF 10.8.2


def near_y1(x):
    sines, weights = period()
    waves = sines * np.sin(sines * x)
    return 2 / math.pi * (logarithm(x) * mean(waves) - near_j0(x) / x - 2 * mean(weights * waves))


# ── for float32, up to 8 ─────────────────────────────────────────────────────
def fit_to_mean(values):
    """A function of the square of x by the means of ``values(x, sines, weights)`` over more points, to 2e-15."""

    def exact(square):
        x, t = np.sqrt(square), (np.arange(WIDE) + extend("0.5")) * (LONG_PI / (2 * WIDE))
        weights = sum((-1) ** k / extend(str(k)) * np.cos(2 * k * t) for k in range(1, WIDE))
        return np.add.reduce(values(x, np.sin(t)[:, None], weights[:, None]), 0) / WIDE

    return fit_chebyshev(exact, 0.0, NEAR * NEAR, 18)


WIDE = 36  # points in a quarter of the period
smooth_j0 = fit_to_mean(lambda x, sines, weights: np.cos(sines * x))
smooth_j1 = fit_to_mean(lambda x, sines, weights: sines * np.sin(sines * x) / x)
smooth_y0 = fit_to_mean(lambda x, sines, weights: weights * np.cos(sines * x))
smooth_y1 = fit_to_mean(lambda x, sines, weights: weights * sines * np.sin(sines * x) / x)


def quick_y0(x):
    square = x * x
    return 2 / math.pi * (logarithm(x) * smooth_j0(square) - 2 * smooth_y0(square))


def quick_y1(x):
    square = x * x
    regular = x * (logarithm(x) * smooth_j1(square) - 2 * smooth_y1(square))
    return np.where(x == 0, -np.inf, 2 / math.pi * (regular - smooth_j0(square) / x))


# ── Laguerre's integrals ─────────────────────────────────────────────────────
def decay(order, z, count):
    """K(z) sqrt(2 z / pi) e**z for a real or complex z: the mean of (1 + t / (2 z))**(order - 1/2) (DLMF 10.32.8)."""
    points, weights = gauss_laguerre(order - 0.5, count)
    values = 1 + points * (0.5 / z)
    if order == 0:
        values = 1 / np.sqrt(values)  # complex: a quarter of the time of **
    elif order == 1:
        values = np.sqrt(values)
    else:
        values = values ** (order - 0.5)
    return np.add.reduce(weights * values, 0)


def wave(order, x):
    """J(x) + i Y(x) from 8 on (DLMF 10.17.5, with the integral in place of its asymptotic series)."""
    turn = (1 - 1j) / math.sqrt(2) * (-1j) ** order
    return math.sqrt(2 / math.pi) / np.sqrt(x) * turn * (np.cos(x) + 1j * np.sin(x)) * decay(order, -1j * x, 12)


# ── the first and second kind ────────────────────────────────────────────────
def compute_in_parts(first, near, far, x):
    """Combine the power series, the mean over a period and Laguerre's integral, each where it is exact."""
    return piecewise(x <= NEAR, lambda x: piecewise(x <= FIRST, first, near, x), far, x)


def wave_of(order, part):
    return lambda x: getattr(wave(order, x), part)


def compute_narrow(near, far, x):
    """Combine ``near``, one polynomial up to 8, and Laguerre's integral, for results in float32."""
    return piecewise(x <= NEAR, near, far, x)


def exact_j0(x):
    return compute_in_parts(first_j0, near_j0, wave_of(0, "real"), np.abs(x))


@wide(exact=exact_j0)
def bessel_j0(input):
    return compute_narrow(lambda x: smooth_j0(x * x), wave_of(0, "real"), np.abs(input))


def exact_j1(x):
    return compute_in_parts(first_j1, near_j1, wave_of(1, "real"), np.abs(x)) * np.copysign(1, x)


@wide(exact=exact_j1)
def bessel_j1(input):
    return compute_narrow(lambda x: smooth_j1(x * x) * x, wave_of(1, "real"), np.abs(input)) * np.copysign(1, input)


def exact_y0(x):
    return compute_in_parts(first_y0, near_y0, wave_of(0, "imag"), x)


@wide(exact=exact_y0)
def bessel_y0(input):
    return compute_narrow(quick_y0, wave_of(0, "imag"), input)


def exact_y1(x):
    return compute_in_parts(first_y1, near_y1, wave_of(1, "imag"), x)


@wide(exact=exact_y1)
def bessel_y1(input):
    return compute_narrow(quick_y1, wave_of(1, "imag"), input)


@wide
def spherical_bessel_j0(x):
    """sin(x) / x."""
    return np.where(x == 0, 1, np.where(np.isinf(x), 0, np.sin(x) / x))


# ── Airy's ───────────────────────────────────────────────────────────────────
AT_0, SLOPE_AT_0 = 0.35502805388781723926, -0.25881940379280679841


@wide
def airy_ai(x):
    out = piecewise(x >= 2, airy_right, lambda x: piecewise(x < -3, airy_left, airy_middle, x), x)
    return np.where(np.isinf(x), np.nan, out)


def airy_middle(x):
    """The Maclaurin series (DLMF 9.4.1)."""
    cube = x * x * x
    even = odd = 1.0
    for k in range(42, 0, -3):
        even, odd = 1 + cube / (k * (k - 1)) * even, 1 + cube / (k * (k + 1)) * odd
    return AT_0 * even + SLOPE_AT_0 * x * odd


def airy_right(x):
    """Compute Ai for large x by K of order 1/3 (DLMF 9.6.2)."""
    z = 2 / 3 * x * np.sqrt(x)
    return np.exp(-z) / (2 * math.sqrt(math.pi) * np.sqrt(np.sqrt(x))) * decay(1 / 3, z, 24)


def airy_left(x):
    """Compute Ai for x far below zero by K of order 1/3 on the two rays that surround the negative axis (DLMF 9.2.14)."""
    x = -x
    z = 2 / 3 * x * np.sqrt(x)
    turned = (1 + 1j) / math.sqrt(2) * (np.cos(z) - 1j * np.sin(z)) * decay(1 / 3, 1j * z, 24)
    return turned.real / (math.sqrt(math.pi) * np.sqrt(np.sqrt(x)))


# ── the table ────────────────────────────────────────────────────────────────
special(bessel_j0, "Bessel function of the first kind, order 0.", input=None)
special(bessel_j1, "Bessel function of the first kind, order 1.", input=None)
special(bessel_y0, "Bessel function of the second kind, order 0.", input=None)
special(bessel_y1, "Bessel function of the second kind, order 1.", input=None)
special(spherical_bessel_j0, "Spherical Bessel function of the first kind, order 0: sin(x) / x.",
        x=None)  # fmt: skip
special(airy_ai, "Airy's function Ai.", x=None)
