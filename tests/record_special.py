"""Record the exact values of special functions:  python tests/record_special.py

Needs mpmath, which computes them with 40 digits.
"""

import json
from pathlib import Path

import mpmath as mp
import numpy as np

HERE = Path(__file__).parent
mp.mp.dps = 40

WHOLE_LINE = [-80.5, -31.0, -29.5, -12.0, -8.25, -7.75, -3.25, -2.75, -1.0, -0.01, 1e-9, 0.3, 0.99, 1.5, 1.99, 2.01, 2.4, 3.8, 5.5,
              7.99, 8.01, 14.0, 29.9, 30.1, 100.0, 500.25]  # fmt: skip
RIGHT = [x for x in WHOLE_LINE if x > 0] + [1e-200]
SMALL = [x for x in WHOLE_LINE if x < 25]
AREAS = [1e-300, 1e-30, 1e-10, 1e-3, 0.02, 0.07, 0.08, 0.3, 0.5, 0.501, 0.9, 0.99, 1 - 2.0**-30]
SHAPES = [(a, a * x) for a in (0.01, 0.5, 3.0, 19.5, 20.5, 300.0, 5e3) for x in (0.2, 0.8, 0.97, 1.03, 1.2, 4.0)]


def decayed(function):
    return lambda x: function(abs(x)) * mp.exp(-abs(x))


def part(*limits):
    """The part of the gamma distribution between two limits, of which None stands for x."""
    return lambda a, x: mp.gammainc(a, *(x if each is None else each for each in limits), regularized=True)


def polynomial(function):
    return function, [(x, n) for n in (0, 1, 2, 5, 9, 25) for x in (-1.5, -0.99, -0.2, 0.0, 0.6, 1.0, 1.25)]


FUNCTIONS = {
    "erfc": (mp.erfc, SMALL), "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), SMALL[4:] + RIGHT),
    "erfinv": (mp.erfinv, [-0.9999, -0.86, -0.84, -1e-12, 1e-3, 0.5, 0.7, 1 - 2.0**-40]),
    "ndtri": (lambda p: -mp.sqrt(2) * mp.erfinv(1 - 2 * p) if p > 1e-20 else mp.findroot(
        lambda y: mp.log(mp.ncdf(y)) - mp.log(p), -mp.sqrt(-2 * mp.log(p))), AREAS),
    "log_ndtr": (lambda x: mp.log1p(-mp.ncdf(-x)) if x > 0 else mp.log(mp.ncdf(x)), SMALL),
    "digamma": (mp.digamma, [x for x in WHOLE_LINE if x != -1 and x != -31 and x != -12]),
    "zeta": (lambda s, q: mp.zeta(s, q), [(s, q) for s in (1.01, 2.0, 3.5, 12.0) for q in (1e-3, 0.7, 1.0, 9.5, 60.0)]),
    "gammainc": (part(0, None), SHAPES), "gammaincc": (part(None, mp.inf), SHAPES),
    "i0": (lambda x: mp.besseli(0, x), WHOLE_LINE), "i1": (lambda x: mp.besseli(1, x), WHOLE_LINE),
    "i0e": (decayed(lambda x: mp.besseli(0, x)), WHOLE_LINE),
    "i1e": (lambda x: mp.sign(x) * decayed(lambda x: mp.besseli(1, x))(x), WHOLE_LINE),
    "bessel_j0": (lambda x: mp.besselj(0, x), WHOLE_LINE), "bessel_j1": (lambda x: mp.besselj(1, x), WHOLE_LINE),
    "bessel_y0": (lambda x: mp.bessely(0, x), RIGHT), "bessel_y1": (lambda x: mp.bessely(1, x), RIGHT),
    "modified_bessel_k0": (lambda x: mp.besselk(0, x), RIGHT),
    "modified_bessel_k1": (lambda x: mp.besselk(1, x), RIGHT),
    "scaled_modified_bessel_k0": (lambda x: mp.besselk(0, x) * mp.exp(x), RIGHT),
    "scaled_modified_bessel_k1": (lambda x: mp.besselk(1, x) * mp.exp(x), RIGHT),
    "airy_ai": (mp.airyai, [x for x in WHOLE_LINE if x < 50]),
    "chebyshev_polynomial_t": polynomial(lambda x, n: mp.chebyt(n, x, zeroprec=500)),
    "chebyshev_polynomial_u": polynomial(lambda x, n: mp.chebyu(n, x, zeroprec=500)),
    "hermite_polynomial_h": polynomial(lambda x, n: mp.hermite(n, x)),
    "laguerre_polynomial_l": polynomial(lambda x, n: mp.laguerre(n, 0, x, zeroprec=500)),
    "legendre_polynomial_p": polynomial(lambda x, n: mp.legendre(n, x, zeroprec=500)),
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


if __name__ == "__main__":
    lines = [f'"{name}": {json.dumps(values(*each))}' for name, each in FUNCTIONS.items()]
    (HERE / "special.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
