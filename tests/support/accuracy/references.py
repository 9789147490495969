"""Exact values by mpmath, with 50 digits, of the functions in ``special``.

A reference takes and returns mpmath's numbers. It is called only where the function is finite and real, and computes
with more digits internally if its terms cancel.
"""

import functools

import mpmath as mp

mp.mp.dps = 50
HUGE = 12_000  # the exponential of more is beyond all dtypes
ROOT_TWO = mp.sqrt(2)


def careful(function):
    """Compute a function with twice the digits, and as many more as its arguments have before the point."""

    @functools.wraps(function)
    def compute(*arguments):
        before = max(max(mp.frexp(each)[1], 0) if each and mp.isfinite(each) else 0 for each in arguments)
        with mp.workprec(2 * mp.mp.prec + before):
            return function(*arguments)

    return compute


# ── exponentials and logarithms ──────────────────────────────────────────────
def exp(x):
    return mp.exp(x) if abs(x) < HUGE else mp.inf if x > 0 else mp.mpf(0)


def log_one_plus_exp(x):
    return mp.mpf(0) if x < -HUGE else x if x > HUGE else mp.log1p(mp.exp(x))


def sigmoid(x):
    return 1 / (1 + exp(-x)) if x > 0 else exp(x) / (1 + exp(x))


@careful
def logit(x):
    return mp.log(x) - mp.log1p(-x)


@careful
def logaddexp(x, y):
    return max(x, y) + log_one_plus_exp(-abs(x - y))


@careful
def logaddexp2(x, y):
    return max(x, y) + log_one_plus_exp(-abs(x - y) * mp.log(2)) / mp.log(2)


def tanh(x):
    return mp.sign(x) if abs(x) > HUGE else mp.tanh(x)


# ── the error function ───────────────────────────────────────────────────────
@careful
def erfc(x):
    return mp.mpf(0 if x > 0 else 2) if abs(x) > 1000 else mp.erfc(x)


@careful
def erfcx(x):
    if x > 1e5:
        t = 1 / (2 * x * x)
        return (1 - t * (1 - 3 * t * (1 - 5 * t * (1 - 7 * t)))) / (x * mp.sqrt(mp.pi))
    return mp.exp(x * x) * mp.erfc(x)


def ndtr(x):
    return erfc(-x / ROOT_TWO) / 2


@careful
def log_ndtr(x):
    return mp.log1p(-ndtr(-x)) if x > 5 else mp.log(ndtr(x))


@careful
def erfinv(x):
    return mp.erfinv(x) if abs(x) > 1e-9 else x * mp.sqrt(mp.pi) / 2 * (1 + mp.pi * x * x / 12)


def ndtri(p):
    """The quantile of the normal distribution, in the tail by Newton's method for the logarithm."""
    if p > 0.5:
        return -ndtri(1 - p)
    if p > 1e-5:
        return -ROOT_TWO * erfinv(1 - 2 * p)
    target = mp.log(p)
    x = -mp.sqrt(-2 * target)
    for _ in range(60):
        below = ndtr(x)
        step = (mp.log(below) - target) * below / mp.npdf(x)
        x -= step
        if abs(step) < abs(x) * mp.mpf(10) ** -45:
            break
    return x


# ── the gamma function ───────────────────────────────────────────────────────
@careful
def lgamma(x):
    if x < 0:
        return mp.log(mp.pi / abs(x * mp.sinpi(x))) - lgamma(-x)
    return mp.re(mp.loggamma(x))


@careful
def digamma(x):
    return mp.digamma(x)


def multigammaln(x, p):
    return p * (p - 1) * mp.log(mp.pi) / 4 + sum(lgamma(x - mp.mpf(k) / 2) for k in range(p))


@careful
def zeta(s, q):
    """Hurwitz' zeta function for q > 0, by the formula of Euler and Maclaurin (DLMF 25.11.28)."""
    x = q + 40
    out = sum((q + k) ** -s for k in range(40)) + x ** (1 - s) / (s - 1) + x**-s / 2
    factor = s * x ** (-s - 1)
    for k in range(1, 30):
        out += mp.bernoulli(2 * k) / mp.factorial(2 * k) * factor
        factor *= (s + 2 * k - 1) * (s + 2 * k) / (x * x)
    return out


def polygamma(n):
    def reference(x):
        if x < 0:  # DLMF 5.15.5
            above = int(-mp.floor(x))
            terms = sum((x + k) ** -(n + 1) for k in range(above))
            return (-1) ** (n + 1) * mp.factorial(n) * terms + reference(x + above)
        return (-1) ** (n + 1) * mp.factorial(n) * zeta(mp.mpf(n + 1), x)

    return careful(reference)


@careful
def gammainc(a, x):
    """The part of the gamma distribution below x, by a series of positive terms (DLMF 8.7.1)."""
    term = out = 1 / a
    shape = a
    while term > out * mp.mpf(2) ** -mp.mp.prec:
        shape += 1
        term *= x / shape
        out += term
    return out * mp.exp(a * mp.log(x) - x - mp.loggamma(a))


@careful
def gammaincc(a, x):
    return mp.gammainc(a, x, regularized=True) if x > 1.5 * a + 30 else 1 - gammainc(a, x)


# ── Bessel functions ─────────────────────────────────────────────────────────
def scaled(function, sign):
    """A Bessel function times the exponential of sign * |x|."""
    return careful(lambda x: function(x) * mp.exp(sign * abs(x)))


def of_order(function, order):
    return careful(lambda x: function(order, x))


# ── polynomials ──────────────────────────────────────────────────────────────
STEPS = {
    "t": (lambda x: x, lambda x, k, last, before: 2 * x * last - before),
    "u": (lambda x: 2 * x, lambda x, k, last, before: 2 * x * last - before),
    "v": (lambda x: 2 * x - 1, lambda x, k, last, before: 2 * x * last - before),
    "w": (lambda x: 2 * x + 1, lambda x, k, last, before: 2 * x * last - before),
    "h": (lambda x: 2 * x, lambda x, k, last, before: 2 * x * last - 2 * (k - 1) * before),
    "he": (lambda x: x, lambda x, k, last, before: x * last - (k - 1) * before),
    "l": (lambda x: 1 - x, lambda x, k, last, before: ((2 * k - 1 - x) * last - (k - 1) * before) / k),
    "p": (lambda x: x, lambda x, k, last, before: ((2 * k - 1) * x * last - (k - 1) * before) / k),
}
"""Letter -> the polynomial of degree 1, and that of degree k from the two before (DLMF 18.9(i))."""


def polynomial(letter, shifted=False):
    first, step = STEPS[letter]

    def reference(x, n):
        x = 2 * x - 1 if shifted else x
        with mp.workprec(mp.mp.prec + 12 * int(n)):
            before, last = mp.mpf(1), first(x)
            for k in range(2, int(n) + 1):
                before, last = last, step(x, k, last, before)
            return last if n else before

    return careful(reference)
