"""Hurwitz' zeta function, which the derivatives of the gamma function's logarithm are multiples of."""

import functools
import math

import numpy as np

from tensh.engine.operators.special.shared import special, wide

BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)  # B2, B4, ...
FAR = 10.0  # from here on the asymptotic series are exact
LADDER = np.arange(FAR)[:, None]

MULTIPLIED = 8  # the exponent up to which products take less time than a power, a tenth for the square


def multiply_inverse(x, exponent):
    """A negative whole power by products: off by some units in the last place of float64, which float32 does not see."""
    if not 1 <= -exponent <= MULTIPLIED:
        return np.power(x, exponent)
    inverse = np.reciprocal(x)
    return functools.reduce(np.multiply, [inverse] * int(-exponent))


def hurwitz(s, x, power=np.power):
    """The sum of (x + k)**-s, k from 0, for s > 1; infinite at the poles, no number where a term is complex.

    To the left of 0, with the fraction f of x: the terms are f, f + 1, ... and f - 1, f - 2, ... down to x.  Both f and
    1 - f are taken from the nearest integer, so that the smaller of them is exact.
    """
    left = x < 0
    if not left.any():
        return euler_maclaurin(s, x, power)
    off = x - np.rint(x)
    f, rest = np.where(off < 0, 1 + off, off), np.where(off < 0, -off, 1 - off)
    here = euler_maclaurin(s, np.where(left, f, x), power)
    there, below = (euler_maclaurin(s, np.where(left, each, 1), power) for each in (rest, 1 - x))
    sign = left * np.where(s % 2 == 0, 1.0, -1.0)
    out = here + sign * there - sign * below
    return np.where(left & (s != np.floor(s)), np.nan, np.where(left & (f == 0), np.inf, out))


STEEP = 1e4  # an exponent from which on the first terms are all that is not zero, and the formula overflows


def euler_maclaurin(s, x, power=np.power):
    """Compute the zeta function for x >= 0: ten terms, and the rest by the formula of Euler and Maclaurin (DLMF 25.11.28)."""
    out = np.add.reduce(power(x + LADDER, -s), 0)
    x = x + FAR
    factor = s * power(x, -s - 1)
    rest = power(x, 1 - s) / (s - 1) + 0.5 * power(x, -s)
    for k, b in enumerate(BERNOULLI, 1):
        rest = rest + b / math.factorial(2 * k) * factor
        factor = factor * (s + 2 * k - 1) * (s + 2 * k) / (x * x)
    return np.where(s > STEEP, out, out + rest)


@wide
def zeta(input, other):
    """Hurwitz' zeta function: the sum of (other + k)**-input, k from 0."""
    out = np.where(np.isinf(other) & (other > 0), np.nan, hurwitz(input, other))
    out = np.where((other <= 0) & (other == np.floor(other)), np.inf, out)
    return np.where(input < 1, np.nan, np.where(input == 1, np.inf, out))


special(zeta, "Hurwitz' zeta function: the sum of (other + k) ** -input, k from 0.",
        numbers={"input": "SpecialZetaBackward1", "other": "SpecialZetaBackward2"},
        input="no_derivative('zeta')", other="g * -input * special_zeta(input + 1, other)")  # fmt: skip
