"""Orthogonal polynomials, by the recurrence that leads from two degrees to the next (DLMF 18.9(i)).

Degrees are rounded towards zero; of a negative one, or none, the polynomial is 0.
"""

import functools

import numpy as np

from tensh.engine.ops.special.shared import extended, special, wide

MANY = 8  # degrees; the Chebyshev polynomials of higher ones are computed by angles where |x| < 1


def climb(x, n, first, step):
    """The polynomials of degrees ``n`` at ``x``: 1, ``first``, and ``step(k, before, last)`` for k = 2, 3, ..."""
    wanted = set(n.tolist())
    out = np.where(n == 0, 1.0, np.where(n == 1, first, 0.0))
    last, before = first, np.ones_like(first)
    for k in range(2, int(max(wanted, default=0)) + 1):
        last, before = step(k, before, last), last
        if k in wanted:
            out = np.where(n == k, last, out)
        if k % 64 == 0 and np.isnan(last).all():  # and so are all that follow
            return np.where(n > k, np.nan, out)
    return out


def degrees(n):
    """Whole degrees; -1 for what is none."""
    return np.where(np.isfinite(n), np.trunc(n), -1.0)


def of_degree(polynomial, exact):
    """A kernel from a function of x and whole degrees, and one in longdouble if the recurrence loses digits in float64."""

    @functools.wraps(polynomial)
    def kernel(x, n):
        return polynomial(x, degrees(n))

    return wide(kernel, exact=(lambda x, n: polynomial(extended(x), degrees(n))) if exact else None)


# ── Chebyshev's four kinds ───────────────────────────────────────────────────
def chebyshev(first, by_angle, shifted=False):
    """The polynomials that start with 1 and ``first(x)``; ``by_angle(n, t)`` are those at x = cos(t)."""

    def polynomial(x, n):
        if shifted:
            x = x + x - 1
        angled = (np.abs(x) < 1) & (n > MANY)
        out = climb(x, np.where(angled, -1, n), first(x), lambda k, before, last: 2 * x * last - before)
        return np.where(angled, by_angle(n, np.arccos(x)), out) if angled.any() else out

    return polynomial


KINDS = {
    "t": ("first", lambda x: x, lambda n, t: np.cos(n * t)),
    "u": ("second", lambda x: 2 * x, lambda n, t: np.sin((n + 1) * t) / np.sin(t)),
    "v": ("third", lambda x: 2 * x - 1, lambda n, t: np.cos((n + 0.5) * t) / np.cos(t / 2)),
    "w": ("fourth", lambda x: 2 * x + 1, lambda n, t: np.sin((n + 0.5) * t) / np.sin(t / 2)),
}


# ── Hermite's, Laguerre's, Legendre's ────────────────────────────────────────
def hermite_polynomial_h(x, n):
    return climb(x, n, 2 * x, lambda k, before, last: 2 * x * last - 2 * (k - 1) * before)


def hermite_polynomial_he(x, n):
    return climb(x, n, x, lambda k, before, last: x * last - (k - 1) * before)


def laguerre_polynomial_l(x, n):
    return climb(x, n, 1 - x, lambda k, before, last: ((2 * k - 1 - x) * last - (k - 1) * before) / k)


def legendre_polynomial_p(x, n):
    return climb(x, n, x, lambda k, before, last: ((2 * k - 1) * x * last - (k - 1) * before) / k)


# ── the table ────────────────────────────────────────────────────────────────
OPTIONS = {"x": None, "n": None, "numbers": "x n"}


def declare(name, polynomial, doc, exact=False):
    polynomial.__name__ = name
    special(of_degree(polynomial, exact), f"{doc} of degree n at x.  Not differentiable.", **OPTIONS)


for letter, (kind, first, by_angle) in KINDS.items():
    doc = f"Chebyshev's polynomial of the {kind} kind"
    declare(f"chebyshev_polynomial_{letter}", chebyshev(first, by_angle), doc)
    declare(f"shifted_chebyshev_polynomial_{letter}", chebyshev(first, by_angle, shifted=True),
            f"{doc}, shifted to the interval from 0 to 1,")  # fmt: skip
declare("hermite_polynomial_h", hermite_polynomial_h, "The physicists' Hermite polynomial", True)
declare("hermite_polynomial_he", hermite_polynomial_he, "The probabilists' Hermite polynomial", True)
declare("laguerre_polynomial_l", laguerre_polynomial_l, "The Laguerre polynomial", True)
declare("legendre_polynomial_p", legendre_polynomial_p, "The Legendre polynomial", True)
