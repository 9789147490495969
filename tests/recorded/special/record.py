"""The exact values of special functions, which mpmath computes with 50 digits."""

from pathlib import Path

import mpmath as mp
import numpy as np

from tests.recorded.answers import format_answers
from tests.support.accuracy import references as exact

FILE = Path(__file__).with_name("special.json")

WHOLE_LINE = [-80.5, -31.0, -29.5, -12.0, -8.25, -7.75, -3.25, -2.75, -1.0, -0.01, 1e-9, 0.3, 0.99, 1.5, 1.99, 2.01, 2.4, 3.8, 5.5,
              7.99, 8.01, 14.0, 29.9, 30.1, 100.0, 500.25]  # fmt: skip
RIGHT = [x for x in WHOLE_LINE if x > 0] + [1e-200, 0.7, 1.3, 1.9375]
SMALL = [x for x in WHOLE_LINE if x < 25]
POLES = [x for x in WHOLE_LINE if x not in (-1.0, -12.0, -31.0)]
NEAR_ZEROS = [1 - 2.0**-20, 1 + 1e-9, 1.1, 1.25, 1.46, 1.4616321, 1.75, 2 - 2.0**-30, 2.0003, 2.3, -2.45702, -2.457024738, -2.74768, -3.1435,
              -3.9553, -5.0082, -0.504, -1.5735]  # fmt: skip
AREAS = [1e-300, 1e-30, 1e-10, 1e-3, 0.02, 0.07, 0.08, 0.3, 0.49, 0.4999, 0.5, 0.501, 0.9, 0.99, 1 - 2.0**-30]
SHAPES = [(a, a * x) for a in (0.01, 0.5, 3.0, 19.5, 20.5, 300.0, 5e3) for x in (0.2, 0.8, 0.97, 1.03, 1.2, 4.0)]
STEEP = [(0.001, 0.45), (0.0012, 1.05), (0.2, 0.9), (1e-9, 0.3)]
HURWITZ = [(s, q) for s in (1.01, 2.0, 3.5, 12.0) for q in (1e-3, 0.7, 1.0, 9.5, 60.0)]


def polynomial(letter):
    return exact.polynomial(letter), [
        (x, n) for n in (0, 1, 2, 5, 9, 25) for x in (-1.5, -0.99, -0.2, 0.0, 0.6, 1.0, 1.25)
    ]


def bessel(function, order, points, sign=0):
    function = exact.of_order(function, order)
    return exact.scaled(function, sign) if sign else function, points


FUNCTIONS = {
    "erf": (mp.erf, SMALL + [1e-5, 0.0046, 0.06, 0.7]), "erfc": (exact.erfc, SMALL + [0.016, 0.04, 0.84, 1.24, 20.5]),
    "erfcx": (exact.erfcx, SMALL[4:] + RIGHT + [1e5, 1e12, 1e180]),
    "erfinv": (exact.erfinv, [-0.9999, -0.86, -0.84, -1e-12, 1e-3, 0.03, 0.1, 0.128, 0.5, 0.7, 1 - 2.0**-40]),
    "ndtri": (exact.ndtri, AREAS), "log_ndtr": (exact.log_ndtr, SMALL), "gammaln": (exact.lgamma, POLES + NEAR_ZEROS),
    "digamma": (exact.digamma, POLES + NEAR_ZEROS), "zeta": (exact.zeta, HURWITZ),
    "gammainc": (exact.gammainc, SHAPES + STEEP), "gammaincc": (exact.gammaincc, SHAPES + STEEP),
    "i0": bessel(mp.besseli, 0, WHOLE_LINE), "i1": bessel(mp.besseli, 1, WHOLE_LINE),
    "i0e": bessel(mp.besseli, 0, WHOLE_LINE, -1), "i1e": bessel(mp.besseli, 1, WHOLE_LINE, -1),
    "bessel_j0": bessel(mp.besselj, 0, WHOLE_LINE), "bessel_j1": bessel(mp.besselj, 1, WHOLE_LINE),
    "bessel_y0": bessel(mp.bessely, 0, RIGHT), "bessel_y1": bessel(mp.bessely, 1, RIGHT),
    "modified_bessel_k0": bessel(mp.besselk, 0, RIGHT), "modified_bessel_k1": bessel(mp.besselk, 1, RIGHT),
    "scaled_modified_bessel_k0": bessel(mp.besselk, 0, RIGHT, 1), "scaled_modified_bessel_k1": bessel(mp.besselk, 1, RIGHT, 1),
    "airy_ai": (exact.careful(mp.airyai), [x for x in WHOLE_LINE if x < 50]),
    "chebyshev_polynomial_t": polynomial("t"), "chebyshev_polynomial_u": polynomial("u"),
    "hermite_polynomial_h": polynomial("h"), "laguerre_polynomial_l": polynomial("l"), "legendre_polynomial_p": polynomial("p"),
}  # fmt: skip
"""name in torch.special -> the function, and where it is computed."""


def values(function, points):
    """[[arguments, value], ...], without values that float64 does not hold."""
    found = []
    for point in points:
        arguments = point if isinstance(point, tuple) else (point,)
        value = float(mp.re(function(*(mp.mpf(float(each)) for each in arguments))))
        if value == 0 or np.finfo(float).tiny < abs(value) < np.inf:
            found.append([list(arguments), value])
    return found


def record(wanted):
    if wanted(FILE.stem):
        yield FILE, format_answers({name: values(*each) for name, each in FUNCTIONS.items()}, depth=2)
