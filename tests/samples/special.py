"""Special functions."""

from samples import call, x

COVERS = ("ops/special.py",)

REAL = [call(x(2, 3)), call(x())]

SAMPLES = {
    "erf": REAL, "erfc": REAL, "erfinv": [call(x(2, 3, low=-0.9, high=0.9))],
    "lgamma": [call(x(2, 3, low=0.2, high=4)), call(x(3, low=-0.8, high=-0.2))],
    "digamma": [call(x(2, 3, low=0.2, high=4)), call(x(3, low=-0.8, high=-0.2))],
    "polygamma": [call(1, x(2, 3, low=0.2, high=4)), call(2, x(3, low=0.2, high=4)), call(1, x(3, low=-0.8, high=-0.2))],
    "mvlgamma": [call(x(2, 3, low=1.2, high=4), 3)],
}  # fmt: skip
