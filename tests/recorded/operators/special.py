"""Special functions."""

from tests.recorded.operators import call, i, rough, x

COVERS = (
    "operators/special/shared.py", "operators/special/error_functions.py", "operators/special/gamma.py", "operators/special/zeta.py", "operators/special/incomplete.py", "operators/special/bessel.py", "operators/special/orthogonal.py",
)  # fmt: skip

REAL = [call(x(2, 3)), call(x())]
GAMMA = [call(x(2, 3, low=0.2, high=4)), call(x(3, low=-0.8, high=-0.2))]
NEAR = [rough(x(2, 3)), rough(x())]  # PyTorch's values are not exact farther out, see test_special.py
EVERYWHERE = [rough(x(2, 3)), rough(x(12, low=-12, high=12)), rough(x())]
POSITIVE = [rough(x(2, 3, low=0.1, high=2)), rough(x(12, low=0.1, high=15)), rough(x(low=0.1))]
PARTS = [rough(x(2, 3, low=0.2, high=3), x(3, low=0.2, high=3)), rough(x(8, low=0.5, high=90), x(8, low=0.5, high=90))]
POLYNOMIALS = [rough(x(2, 3), i(3, low=0, high=6)), rough(x(5), 3), rough(x(5, low=-0.9, high=0.9), 12), rough(0.5, i(5)),
               rough(x(4), x(4, low=0, high=20))]  # fmt: skip

SAMPLES = {
    # error functions
    "erf": [*REAL, call(x(300))], "erfc": REAL, "erfinv": [call(x(2, 3, low=-0.9, high=0.9)), call(x(3, low=0.9, high=0.999))],
    "special.erfcx": [*REAL, call(x(4, low=1.5, high=30))],
    "special.ndtr": REAL, "special.log_ndtr": [*REAL, call(x(4, low=-30, high=0))],
    "special.ndtri": [call(x(2, 3, low=0.1, high=0.9)), call(x(3, low=1e-4, high=1e-2))],
    # gamma functions
    "lgamma": GAMMA, "digamma": GAMMA, "special.psi": GAMMA, "special.gammaln": GAMMA,
    "polygamma": [call(1, x(2, 3, low=0.2, high=4)), call(2, x(3, low=0.2, high=4)), call(1, x(3, low=-0.8, high=-0.2)),
                  call(3, x(3, low=-3.8, high=-3.2)), call(0, x(3, low=0.2))],
    "mvlgamma": [call(x(2, 3, low=1.2, high=4), 3), call(x(3, low=0.2), 1)],
    "igamma": PARTS, "igammac": PARTS,
    "special.zeta": [rough(x(2, 3, low=1.1, high=6), x(3, low=0.2, high=6)), call(3.0, x(3, low=0.2, high=6)),
                     call(2, x(3, low=-3.8, high=-3.2)), rough(x(3, low=1.1), 2), rough(x(4), x(4))],
    # Bessel functions
    "i0": [*REAL, call(x(3, low=25, high=40))],
    "special.i0e": [*REAL, call(x(3, low=25, high=40))], "special.i1": [*REAL, call(x(3, low=-40, high=-25))],
    "special.i1e": [*REAL, call(x(3, low=25, high=40))],
    "special.bessel_j0": NEAR, "special.bessel_j1": NEAR, "special.spherical_bessel_j0": EVERYWHERE,
    "special.bessel_y0": POSITIVE[:1], "special.bessel_y1": POSITIVE[:1],
    "special.modified_bessel_i0": EVERYWHERE, "special.modified_bessel_i1": EVERYWHERE,
    "special.modified_bessel_k0": POSITIVE, "special.modified_bessel_k1": POSITIVE,
    "special.scaled_modified_bessel_k0": POSITIVE, "special.scaled_modified_bessel_k1": POSITIVE,
    "special.airy_ai": [*NEAR, rough(x(8, low=-2, high=12)), rough(x(8, low=-12, high=-8))],
    # orthogonal polynomials
    **{f"special.{shifted}chebyshev_polynomial_{kind}": POLYNOMIALS for shifted in ("", "shifted_") for kind in "tuvw"},
    "special.hermite_polynomial_h": POLYNOMIALS, "special.hermite_polynomial_he": POLYNOMIALS,
    "special.laguerre_polynomial_l": POLYNOMIALS, "special.legendre_polynomial_p": POLYNOMIALS,
}  # fmt: skip
