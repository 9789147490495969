"""Rejection sampling: Poisson, binomial and gamma numbers.

The number of words for the next number is unknown, so numbers are drawn one at a time.  ``uniform()`` returns the next
number in [0, 1).  The counts follow Hörmann's transformed rejection (1993) for large means; for small ones, products of
uniform numbers (Poisson) or gaps between successes (binomial).  Gamma numbers are those of Marsaglia and Tsang (2000).
"""

import math
from functools import cache

import numpy as np

from tensh.engine.random.generator import Uniforms


def poisson(rates, generator):
    """Draw a number of events for each mean in ``rates``, a one-dimensional array of floats."""
    uniforms, counts = Uniforms(generator), []
    uniform, exp = uniforms.take, math.exp
    for rate in rates.tolist():
        count = 0
        if rate >= 10:
            count = _poisson_many(rate, uniform)
        elif rate != 0:
            product, end = uniform(), exp(-rate)
            while product > end:
                product *= uniform()
                count += 1
        counts.append(count)
    uniforms.finish()
    return np.array(counts, np.float64).astype(rates.dtype)


def _poisson_many(rate, uniform):
    log_rate = math.log(rate)
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    log_inverse_alpha = math.log(1.1239 + 1.1328 / (b - 3.4))
    accept = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = uniform() - 0.5, uniform()
        edge = 0.5 - abs(u)
        count = _floor((2 * a / edge + b) * u + rate + 0.43) if edge else -1
        if edge >= 0.07 and v <= accept:
            return count
        if count < 0 or (edge < 0.013 and v > edge):
            continue
        ratio = _log(v) + log_inverse_alpha - math.log(a / (edge * edge) + b)
        if ratio <= -rate + count * log_rate - math.lgamma(count + 1):
            return count


def binomial(counts, chances, generator):
    """Draw the successes in ``counts`` trials with probabilities ``chances``; both have the same float dtype."""
    uniforms = Uniforms(generator)
    many = [column.tolist() for column in _constants(counts, chances)]
    successes = [
        _binomial(*numbers, uniforms.take) for numbers in zip(counts.tolist(), chances.tolist(), *many, strict=True)
    ]
    uniforms.finish()
    return np.array(successes, counts.dtype)


def _constants(counts, chances):
    """Return the values that depend only on the parameters, rounded to their dtype.

    These are the probability of the rarer outcome, its mean, standard deviation, mode and odds, and the logarithm of the
    other outcome's probability.
    """
    rare = np.where(chances > 0.5, (1.0 - chances.astype(np.float64)).astype(chances.dtype), chances)
    mean = counts * rare
    mode = np.floor((counts + 1) * rare)
    return rare, mean, np.sqrt(mean * (1 - rare)), mode, rare / (1 - rare), np.log1p(-rare)


def _binomial(count, chance, rare, mean, spread, mode, odds, log_common, uniform):
    if count <= 0 or chance <= 0:
        return 0.0
    if chance >= 1:
        return count
    if math.isnan(chance):
        return math.nan
    if mean >= 10:
        successes = _binomial_many(count, rare, mean, spread, mode, odds, uniform)
    else:
        successes = _binomial_gaps(count, log_common, uniform)
    return count - successes if chance > 0.5 else successes


def _binomial_gaps(count, log_common, uniform):
    successes = tries = 0
    while True:
        gap = _log(uniform()) / log_common  # infinite for a uniform number of 0
        tries += math.ceil(gap) if gap < math.inf else gap
        if tries > count:
            return successes
        successes += 1


def _binomial_many(count, rare, mean, spread, mode, odds, uniform):
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * rare
    centre, accept, alpha = mean + 0.5, 0.92 - 4.2 / b, (2.83 + 5.1 / b) * spread
    while True:
        u, v = uniform() - 0.5, uniform()
        edge = 0.5 - abs(u)
        successes = _floor((2 * a / edge + b) * u + centre) if edge else -1
        if not 0 <= successes <= count:
            continue
        if edge >= 0.07 and v <= accept:
            return successes
        if _log(v * alpha / (a / (edge * edge) + b)) <= _log_ratio(count, successes, mode, odds):
            return successes


def _log_ratio(count, successes, mode, odds):
    """Return the logarithm of the probability of ``successes`` over that of the mode."""
    return (
        (mode + 0.5) * math.log((mode + 1) / (odds * (count - mode + 1)))
        + (count + 1) * math.log((count - mode + 1) / (count - successes + 1))
        + (successes + 0.5) * math.log(odds * (count - successes + 1) / (successes + 1))
        + _stirling_rest(mode)
        + _stirling_rest(count - mode)
        - _stirling_rest(successes)
        - _stirling_rest(count - successes)
    )


@cache
def _first_stirling_rests():
    """Return the errors of Stirling's formula for log(k!), for k below 10."""
    return [math.lgamma(k + 1) - (k + 0.5) * math.log(k + 1) + k + 1 - 0.5 * math.log(2 * math.pi) for k in range(10)]


def _stirling_rest(k):
    if k < 10:
        return _first_stirling_rests()[int(k)]
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


def _floor(x):
    return math.floor(x) if math.isfinite(x) else -1


def _log(x):
    return math.log(x) if x > 0 else -math.inf


# ── gamma ────────────────────────────────────────────────────────────────────
THIRD, SQUEEZE = np.float32(1 / 3), float(np.float32(0.0331))  # PyTorch's constants in single precision


def gamma(shapes, generator):
    """Draw a gamma number of scale 1, as float64, for each shape in a one-dimensional array of float32 or float64.

    For shapes below 1, a number for the shape plus 1 is scaled by a power of a uniform number.  A shape of 0 draws
    nothing.
    """
    small, power = shapes < 1, (1 / shapes).astype(np.float64)
    d = (np.where(small, shapes + 1, shapes) - shapes.dtype.type(THIRD)).astype(np.float64)
    uniforms, units, cubes = Uniforms(generator), [], []
    uniform, kept = uniforms.take, generator.normal  # the second of a pair of normal numbers (Box and Muller), or None
    log, log1p, sqrt, cos, sin, circle = math.log, math.log1p, math.sqrt, math.cos, math.sin, 2 * math.pi
    for shape, is_small, middle, slope in zip(
        *(a.tolist() for a in (shapes, small, d, 1 / np.sqrt(9 * d))), strict=True
    ):
        units.append(1 - uniform() if is_small and shape else 1.0)
        cube = None if shape else 0.0
        while cube is None:  # all steps are here, because calls would take as long as the steps
            if kept is None:
                turn, radius = circle * uniform(), sqrt(-2 * log1p(-uniform()))
                x, kept = radius * cos(turn), radius * sin(turn)
            else:
                x, kept = kept, None
            root = 1 + slope * x
            if not root <= 0:  # nan, too, is accepted
                third, unit, square = root * root * root, 1 - uniform(), x * x
                quick = unit < 1 - SQUEEZE * square * square
                if quick or log(unit) < 0.5 * square + middle * (1 - third + log(third)):
                    cube = third
        cubes.append(cube)
    generator.normal = kept
    uniforms.finish()
    return np.power(units, power) * d * cubes
