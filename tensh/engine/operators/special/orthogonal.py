"""Orthogonal polynomials, by the recurrence that leads from two degrees to the next (DLMF 18.9(i)).

The recurrence of a million degrees takes seconds, and anybody can ask for 2**60.  Beyond ``STEPS`` degrees polynomials are
computed at once: Chebyshev's by angles, which is exact; Legendre's and Laguerre's by their first asymptotic term, with an
error of about one in n; Hermite's have overflowed long before.

Degrees are rounded towards zero; of a negative one, or none, the polynomial is 0.
"""

import functools

import numpy as np

from tensh.engine.operators.special.bessel import bessel_j0
from tensh.engine.operators.special.modified_bessel import modified_bessel_i0
from tensh.engine.operators.special.shared import extend, special, wide

STEPS = 1 << 16  # degrees up to which the recurrence is followed
MANY = 8  # degrees; the Chebyshev polynomials of higher ones are computed by angles where |x| < 1


def climb(x, n, first, step):
    """The polynomials of degrees ``n`` at ``x``: 1, ``first``, and ``step(k, before, last)`` for k = 2, 3, ..."""
    if n.size and (n == n.flat[0]).all():  # a twentieth of the time of looking for every degree
        return climb_to(int(n.flat[0]), first, step)
    wanted = set(n.tolist())
    out = np.where(n == 0, 1.0, np.where(n == 1, first, 0.0))
    last, before = first, np.ones_like(first)
    for k in range(2, int(max(wanted, default=0)) + 1):
        last, before = step(k, before, last), last
        if k in wanted:
            out = np.where(n == k, last, out)
        if k % 64 == 0 and np.isnan(last).all():  # as are all that follow
            return np.where(n > k, np.nan, out)
    return out


def climb_to(degree, first, step):
    """The polynomials of one degree."""
    if degree < 0:
        return np.zeros_like(first)
    last, before = first, np.ones_like(first)
    if degree == 0:
        return before
    for k in range(2, degree + 1):
        last, before = step(k, before, last), last
        if k % 64 == 0 and np.isnan(last).all():  # as are all that follow
            return last
    return last


def degrees(n):
    """Whole degrees; -1 for any other number, and for those beyond 64 bits."""
    return np.where(np.abs(n) < 2.0**63, np.trunc(n), -1.0)


def make_kernel(polynomial, exact):
    """A kernel from a function of x and whole degrees, and one in longdouble if the recurrence loses digits in float64."""

    @functools.wraps(polynomial)
    def kernel(x, n):
        return polynomial(x, degrees(n))

    def compute_in_longdouble(x, n):
        out = polynomial(extend(x), degrees(n)).astype(np.float64)
        if (lost := ~np.isfinite(out)).any():  # they end in infinity or nan as the recurrence in float64 does
            out[lost] = kernel(x[lost], n[lost])
        return out

    computed = wide(kernel, exact=compute_in_longdouble if exact else None)

    @functools.wraps(polynomial)
    def call(x, n):
        out = computed(x, n)
        if out.dtype == np.float32 and (lost := ~np.isfinite(out)).any():  # as above: how does single precision end?
            x, n = np.broadcast_arrays(x, n)
            out[lost] = polynomial(x[lost], degrees(n[lost].astype(np.float64)))
        return out

    return call


# ── Chebyshev's four kinds ───────────────────────────────────────────────────
def chebyshev(first, by_angle, grows, mirrored, shifted=False):
    """The polynomials that start with 1 and ``first(x)``; ``by_angle(n, t)`` are those at x = cos(t).

    ``grows(n, t)`` are those at x = cosh(t), and ``mirrored(n, t)`` their size at x = -cosh(t).
    """

    def polynomial(x, n):
        if shifted:
            x = x + x - 1
        angled = (np.abs(x) < 1) & (n > MANY)
        grown = ~angled & (n > STEPS)
        out = climb(x, np.where(angled | grown, -1, n), first(x), lambda k, before, last: 2 * x * last - before)
        if grown.any():
            out = np.where(grown, nan_for_infinity(compute_growth(x, n, grows, mirrored)), out)
        return np.where(angled, by_angle(n, np.arccos(x)), out) if angled.any() else out

    return polynomial


def compute_growth(x, n, grows, mirrored):
    """The polynomials where |x| >= 1; those of odd degree change their sign with x."""
    t = np.arccosh(extend(np.maximum(np.abs(x), 1.0)))  # an error of t counts n times
    sign = np.where((x < 0) & (n % 2 == 1), -1.0, 1.0)
    return (sign * np.where(x < 0, mirrored(n, t), grows(n, t)) + 0 * x).astype(np.float64)


def nan_for_infinity(values):
    """nan for infinity: the recurrence subtracts one from another."""
    return np.where(np.isinf(values), np.nan, values)


def ratio(n, t):
    """sinh(n * t) / sinh(t), which is n at 0."""
    return np.where(t == 0, n, np.sinh(n * t) / np.sinh(np.where(t == 0, 1.0, t)))


def even_ratio(n, t):
    return np.cosh((n + 0.5) * t) / np.cosh(t / 2)


def odd_ratio(n, t):
    return ratio(2 * n + 1, t / 2)


KINDS = {
    "t": ("first", lambda x: x, lambda n, t: np.cos(n * t), *[lambda n, t: np.cosh(n * t)] * 2),
    "u": ("second", lambda x: 2 * x, lambda n, t: np.sin((n + 1) * t) / np.sin(t), *[lambda n, t: ratio(n + 1, t)] * 2),
    "v": ("third", lambda x: 2 * x - 1, lambda n, t: np.cos((n + 0.5) * t) / np.cos(t / 2), even_ratio, odd_ratio),
    "w": ("fourth", lambda x: 2 * x + 1, lambda n, t: np.sin((n + 0.5) * t) / np.sin(t / 2), odd_ratio, even_ratio),
}


# ── Hermite's, Laguerre's, Legendre's ────────────────────────────────────────
def hermite_polynomial_h(x, n):
    return climb(x, n, 2 * x, lambda k, before, last: 2 * x * last - 2 * (k - 1) * before)


def hermite_polynomial_he(x, n):
    return climb(x, n, x, lambda k, before, last: x * last - (k - 1) * before)


def laguerre_polynomial_l(x, n):
    few = np.where(n > STEPS, -1, n)
    out = climb(x, few, 1 - x, lambda k, before, last: ((2 * k - 1 - x) * last - (k - 1) * before) / k)
    return np.where(n > STEPS, nan_for_infinity(laguerre_of_many(x, n)), out) if (n > STEPS).any() else out


def laguerre_of_many(x, n):
    """The first term of DLMF 18.15(iv), and its continuation to negative ``x``."""
    x, n = np.asarray(x, np.float64), np.asarray(n, np.float64)
    order = 4 * np.abs(n) + 2
    part = np.minimum(np.abs(x) / order, 0.5)
    root = np.sqrt(part)
    one = 0.5 * (np.sqrt(part - part * part) + np.arcsin(root))
    other = 0.5 * (np.sqrt(part + part * part) + np.arcsinh(root))
    scale = np.where(part == 0, 1.0, np.sqrt(np.where(x < 0, other, one) / np.where(part == 0, 1.0, root)))
    right = bessel_j0(order * one) / (1 - part) ** 0.25
    left = modified_bessel_i0(order * other) / (1 + part) ** 0.25
    return np.exp(x / 2) * scale * np.where(x < 0, left, right)


def legendre_polynomial_p(x, n):
    few = np.where(n > STEPS, -1, n)
    out = climb(x, few, x, lambda k, before, last: ((2 * k - 1) * x * last - (k - 1) * before) / k)
    return np.where(n > STEPS, nan_for_infinity(legendre_of_many(x, n)), out) if (n > STEPS).any() else out


def legendre_of_many(x, n):
    """The first term of DLMF 14.15(iii) at |x|, with the sign of the degree at negative ``x``."""
    x, n = np.asarray(x, np.float64), np.asarray(n, np.float64)
    sign = np.where((x < 0) & (n % 2 == 1), -1.0, 1.0)
    size, order = np.abs(x), np.abs(n) + 0.5
    t, grown = np.arccos(np.minimum(size, 1.0)), np.arccosh(np.maximum(size, 1.0))
    inside = np.sqrt(np.where(t == 0, 1.0, t / np.where(t == 0, 1.0, np.sin(t)))) * bessel_j0(order * t)
    outside = np.where(grown == 0, 1.0, grown) / np.where(grown == 0, 1.0, np.sinh(grown))
    return sign * np.where(size <= 1, inside, np.sqrt(outside) * modified_bessel_i0(order * grown)) + 0 * x


# ── the table ────────────────────────────────────────────────────────────────
OPTIONS = {"x": None, "n": None, "numbers": "x n"}


def declare(name, polynomial, doc, exact=False):
    polynomial.__name__ = name
    special(make_kernel(polynomial, exact), f"{doc} of degree n at x.", **OPTIONS)


for letter, (kind, *formulas) in KINDS.items():
    doc = f"Chebyshev's polynomial of the {kind} kind"
    declare(f"chebyshev_polynomial_{letter}", chebyshev(*formulas), doc, exact=True)
    declare(f"shifted_chebyshev_polynomial_{letter}", chebyshev(*formulas, shifted=True),
            f"{doc}, shifted to the interval from 0 to 1,")  # fmt: skip
declare("hermite_polynomial_h", hermite_polynomial_h, "The physicists' Hermite polynomial", True)
declare("hermite_polynomial_he", hermite_polynomial_he, "The probabilists' Hermite polynomial", True)
declare("laguerre_polynomial_l", laguerre_polynomial_l, "The Laguerre polynomial", True)
declare("legendre_polynomial_p", legendre_polynomial_p, "The Legendre polynomial", True)
