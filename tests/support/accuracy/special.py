"""Elementwise functions and the ranges on which their errors are measured, against 50 digits of mpmath."""

import math

import mpmath as mp
import numpy as np

from tests.support.accuracy import references as exact

TITLE = "Elementwise functions"
TEXT = """
Errors are relative to the unit in the last place of the exact result. The arguments are typical ones, very small and very large ones (from
subnormal numbers to the largest), and those near zeros, poles and branch points. A row shows the range
with the largest ratio, if an error is more than 0.55 ulp; both round all other results correctly, or nearly so.

Each argument is computed both among few others and among thousands, which take different code. Over four million numbers each, `exp`,
`log`, `sin`, `cos` and `tanh` of float32 are off by up to 1.0, 1.1, 0.6, 0.6 and 0.8 ulp, PyTorch's by 0.6, 0.9, 0.6, 0.6 and 0.5.
Without AVX-512, `expm1`, `sinh`, `cosh` and `log10` are off by up to 0.9, 0.8, 0.8 and 0.9 ulp, PyTorch's by 1.0, 0.5, 0.5 and 0.8.
On processors with AVX-512, these and `exp2`, `expm1`, `log2`, `log10`, `log1p`, `tan`, `asin`, `acos`, `atan` and `atan2` are rounded
once (0.5 ulp): NumPy's own loops of float32 would be off by up to 3.1 and take a quarter of the time.
"""
DTYPES = "float16 bfloat16 float32 float64".split()
BITS = {"float16": (11, -24, 16), "bfloat16": (8, -133, 128), "float32": (24, -149, 128), "float64": (53, -1074, 1024)}
"""dtype -> bits of the mantissa, and the exponents of the smallest number and of the first beyond the largest."""
CLEAN = 0.55  # ulp: no error to speak of
POINTS, FEW = 64, 24
MANY = 5000  # numbers from which every function treats an array as large


# ── ranges ───────────────────────────────────────────────────────────────────
def magnitudes(low, high, signs=(-1, 1)):
    """Numbers whose logarithms are uniform between two powers of 2, or the ends of the dtype."""

    def draw(rng, dtype, count):
        _, least, beyond = BITS[dtype]
        powers = rng.integers(max(low, least), min(high, beyond), count)
        return (np.ldexp(rng.uniform(1, 2, count), powers.astype(int)) * rng.choice(signs, count),)

    return draw


def near(*points):
    """Numbers at distances of powers of 2 from points."""

    def draw(rng, dtype, count):
        distances = 2.0 ** -rng.uniform(2, BITS[dtype][0] + 1, count) * rng.choice((-1, 1), count)
        places = rng.choice(points, count)
        return (places + distances * np.where(places == 0, 1, np.abs(places)),)

    return draw


def between(*bounds):
    """Uniform numbers: for each argument a pair of bounds, of integers if they are."""

    def draw(rng, dtype, count):
        return tuple(
            rng.integers(low, high + 1, count).astype(float) if type(low) is int else rng.uniform(low, high, count)
            for low, high in bounds
        )

    return draw


def around(low, high, width):
    """A shape parameter, and numbers near it, as samples of its gamma distribution are."""

    def draw(rng, dtype, count):
        shape = np.exp(rng.uniform(math.log(low), math.log(high), count))
        return shape, np.abs(shape * (1 + width * rng.normal(size=count) / np.sqrt(shape)))

    return draw


def pairs(one, other):
    return lambda rng, dtype, count: (*one(rng, dtype, count), *other(rng, dtype, count))


SMALL, LARGE = magnitudes(-(1 << 12), -4), magnitudes(4, 1 << 12)
POSITIVE = {
    "small": magnitudes(-(1 << 12), -4, (1,)),
    "typical": between((0.01, 20.0)),
    "large": magnitudes(4, 1 << 12, (1,)),
}
LINE = {"small": SMALL, "typical": between((-8.0, 8.0)), "large": LARGE}
ACTIVE = {"small": SMALL, "typical": between((-5.0, 10.0)), "large": magnitudes(4, 1 << 12, (1,))}
UNIT = {"small": POSITIVE["small"], "typical": between((0.0, 1.0)), "near 1": near(1)}
SYMMETRIC = {"small": SMALL, "typical": between((-1.0, 1.0)), "near 1": near(1, -1)}
DECAY = {"small": SMALL, "typical": between((-6.0, 6.0)), "beyond": between((6.0, 25.0))}
TURNS = {**LINE, "near multiples of a quarter turn": near(*(k * math.pi / 2 for k in range(-6, 7)))}
PLANE = {
    "typical": between((-10.0, 10.0), (-10.0, 10.0)),
    "all": pairs(magnitudes(-(1 << 12), 1 << 12), magnitudes(-(1 << 12), 1 << 12)),
}
SUMS = {"typical": between((-10.0, 10.0), (-10.0, 10.0)), "wide": between((-80.0, 80.0), (-80.0, 80.0))}
SHAPES = {
    "shapes below 1": between((0.001, 1.0), (0.01, 5.0)), "typical": between((1.0, 19.0), (0.1, 30.0)),
    "shapes from 20": around(20, 3000, 2), "tails": around(5, 200, 6),
}  # fmt: skip
BESSEL = {"small": SMALL, "typical": between((-8.0, 8.0)), "beyond": between((8.0, 100.0))}
SECOND = {"small": POSITIVE["small"], "typical": between((0.01, 8.0)), "beyond": between((8.0, 60.0))}
DEGREES = {"between -1 and 1": between((-1.0, 1.0), (0, 25)), "beyond": between((-3.0, 3.0), (0, 12))}

# ── functions ────────────────────────────────────────────────────────────────
FUNCTIONS = {
    "exp": (mp.exp, {**LINE, "large": between((-700.0, 700.0)), "in float32": between((-80.0, 80.0))}),
    "exp2": (lambda x: mp.mpf(2) ** x, {**LINE, "large": between((-1000.0, 1000.0)), "in float32": between((-120.0, 120.0))}),
    "expm1": (mp.expm1, {**LINE, "large": between((-700.0, 700.0))}),
    "log": (mp.log, {**POSITIVE, "near 1": near(1)}), "log2": (exact.careful(lambda x: mp.log(x, 2)), {**POSITIVE, "near 1": near(1)}),
    "log10": (exact.careful(mp.log10), {**POSITIVE, "near 1": near(1)}),
    "log1p": (exact.careful(mp.log1p), {**POSITIVE, "typical": between((-0.99, 10.0)), "near -1": near(-0.99)}),
    "sin": (exact.careful(mp.sin), TURNS), "cos": (exact.careful(mp.cos), TURNS), "tan": (exact.careful(mp.tan), TURNS),
    "asin": (mp.asin, SYMMETRIC), "acos": (exact.careful(mp.acos), SYMMETRIC), "atan": (mp.atan, LINE),
    "sinh": (mp.sinh, {**LINE, "large": between((-80.0, 80.0))}), "cosh": (mp.cosh, {**LINE, "large": between((-80.0, 80.0))}),
    "tanh": (exact.tanh, LINE), "asinh": (exact.careful(mp.asinh), LINE),
    "acosh": (exact.careful(mp.acosh), {"typical": between((1.0, 10.0)), "large": POSITIVE["large"], "near 1": near(1)}),
    "atanh": (exact.careful(mp.atanh), SYMMETRIC),
    "sqrt": (mp.sqrt, POSITIVE), "rsqrt": (lambda x: 1 / mp.sqrt(x), POSITIVE), "reciprocal": (lambda x: 1 / x, LINE),
    "sigmoid": (exact.sigmoid, {**LINE, "large": between((-80.0, 80.0))}), "logit": (exact.logit, UNIT),
    "sinc": (exact.careful(lambda x: mp.sinpi(x) / (mp.pi * x)), {**LINE, "near integers": near(1, -2, 3), "large": between((-1e4, 1e4))}),
    "deg2rad": (mp.radians, LINE), "rad2deg": (mp.degrees, LINE), "pow(x, 3)": (lambda x: x**3, LINE), "pow(x, -2)": (lambda x: x**-2, LINE),
    "pow(x, -0.5)": (lambda x: 1 / mp.sqrt(x), POSITIVE), "pow(x, 2.5)": (lambda x: mp.sqrt(x) ** 5, POSITIVE),
    "erf": (mp.erf, DECAY), "special.erfc": (exact.erfc, DECAY), "special.erfcx": (exact.erfcx, {**DECAY, "large": POSITIVE["large"]}),
    "erfinv": (exact.erfinv, SYMMETRIC), "special.ndtri": (exact.ndtri, {**UNIT, "near 1/2": near(0.5)}),
    "special.ndtr": (exact.ndtr, {"small": SMALL, "typical": between((-3.0, 6.0))}), "special.log_ndtr": (exact.log_ndtr, {**LINE, "large": between((-100.0, 8.0))}),
    "lgamma": (exact.lgamma, {**LINE, "large": POSITIVE["large"], "near 1 and 2": near(1, 2), "near zeros": near(-2.4570247382208006, -2.7476826467274127, -3.14358088834998)}),
    "digamma": (exact.digamma, {**LINE, "large": POSITIVE["large"], "near its zero": near(1.4616321449683622), "near poles": near(-1, -2, -5)}),
    "polygamma(1, x)": (exact.polygamma(1), {**POSITIVE, "below 0": between((-10.0, 0.0)), "near poles": near(-1, -3)}),
    "polygamma(2, x)": (exact.polygamma(2), {"typical": between((0.1, 20.0)), "below 0": between((-10.0, 0.0))}),
    "mvlgamma(x, 3)": (lambda x: exact.multigammaln(x, 3), {"typical": between((1.01, 20.0)), "large": POSITIVE["large"]}),
    "special.zeta(x, y)": (exact.zeta, {"typical": between((1.1, 10.0), (0.1, 10.0)), "small": between((1.5, 8.0), (0.001, 0.1)), "beyond": between((1.1, 10.0), (10.0, 1000.0))}),
    "special.gammainc(x, y)": (exact.gammainc, SHAPES), "special.gammaincc(x, y)": (exact.gammaincc, SHAPES),
    "special.i0": (exact.of_order(mp.besseli, 0), BESSEL), "special.i1": (exact.of_order(mp.besseli, 1), BESSEL),
    "special.i0e": (exact.scaled(exact.of_order(mp.besseli, 0), -1), BESSEL), "special.i1e": (exact.scaled(exact.of_order(mp.besseli, 1), -1), BESSEL),
    "special.bessel_j0": (exact.of_order(mp.besselj, 0), BESSEL), "special.bessel_j1": (exact.of_order(mp.besselj, 1), BESSEL),
    "special.bessel_y0": (exact.of_order(mp.bessely, 0), SECOND), "special.bessel_y1": (exact.of_order(mp.bessely, 1), SECOND),
    "special.modified_bessel_k0": (exact.of_order(mp.besselk, 0), SECOND), "special.modified_bessel_k1": (exact.of_order(mp.besselk, 1), SECOND),
    "special.scaled_modified_bessel_k0": (exact.scaled(exact.of_order(mp.besselk, 0), 1), SECOND),
    "special.scaled_modified_bessel_k1": (exact.scaled(exact.of_order(mp.besselk, 1), 1), SECOND),
    "special.spherical_bessel_j0": (exact.careful(lambda x: mp.sin(x) / x), BESSEL),
    "special.airy_ai": (exact.careful(mp.airyai), {"small": SMALL, "typical": between((-8.0, 8.0)), "beyond": between((8.0, 50.0))}),
    "special.entr": (lambda x: -x * mp.log(x), {**POSITIVE, "near 1": near(1)}),
    "special.xlogy(x, y)": (lambda x, y: x * mp.log(y), {"typical": between((-5.0, 5.0), (0.01, 10.0))}),
    "special.xlog1py(x, y)": (exact.careful(lambda x, y: x * mp.log1p(y)), {"typical": between((-5.0, 5.0), (-0.99, 10.0))}),
    "pow(x, y)": (mp.power, {"typical": between((0.01, 10.0), (-5.0, 5.0)), "all": pairs(magnitudes(-20, 20, (1,)), between((-4.0, 4.0)))}),
    "hypot(x, y)": (mp.hypot, PLANE), "atan2(x, y)": (mp.atan2, PLANE), "logaddexp(x, y)": (exact.logaddexp, SUMS),
    "logaddexp2(x, y)": (exact.logaddexp2, SUMS),
    "fmod(x, y)": (exact.careful(lambda x, y: mp.sign(x) * mp.fmod(abs(x), abs(y))), {"typical": between((-10.0, 10.0), (-10.0, 10.0))}),
    "remainder(x, y)": (exact.careful(lambda x, y: x - mp.floor(x / y) * y), {"typical": between((-10.0, 10.0), (-10.0, 10.0))}),
    "nn.functional.gelu": (lambda x: x * exact.ndtr(x), {"small": SMALL, "typical": between((-3.0, 8.0)), "large": POSITIVE["large"]}),
    "nn.functional.gelu(x, approximate='tanh')": (
        lambda x: x * exact.sigmoid(mp.sqrt(8 / mp.pi) * (x + mp.mpf("0.044715") * x**3)), {"small": SMALL, "typical": between((-3.0, 8.0)), "large": POSITIVE["large"]}),
    "nn.functional.silu": (lambda x: x * exact.sigmoid(x), ACTIVE), "nn.functional.mish": (lambda x: x * exact.tanh(exact.log_one_plus_exp(x)), ACTIVE),
    "nn.functional.softplus": (lambda x: x if x > 20 else exact.log_one_plus_exp(x), ACTIVE),
    "nn.functional.logsigmoid": (lambda x: -exact.log_one_plus_exp(-x), LINE), "nn.functional.elu": (lambda x: x if x > 0 else mp.expm1(x), ACTIVE),
    "nn.functional.hardswish": (lambda x: x * min(max(x + 3, 0), 6) / 6, {**ACTIVE, "near -3": near(-3), "large": between((10.0, 1000.0))}),
    "nn.functional.hardsigmoid": (lambda x: min(max(x + 3, mp.mpf(0)), 6) / 6, {**ACTIVE, "near -3": near(-3)}),
    "nn.functional.softsign": (lambda x: x / (1 + abs(x)), LINE),
    **{f"special.chebyshev_polynomial_{letter}(x, y)": (exact.polynomial(letter), DEGREES) for letter in "tuvw"},
    **{f"special.shifted_chebyshev_polynomial_{letter}(x, y)": (exact.polynomial(letter, True), {"between 0 and 1": between((0.0, 1.0), (0, 25))}) for letter in "tuvw"},
    **{f"special.{name}(x, y)": (exact.polynomial(letter), DEGREES) for name, letter in
       {"hermite_polynomial_h": "h", "hermite_polynomial_he": "he", "laguerre_polynomial_l": "l", "legendre_polynomial_p": "p"}.items()},
}  # fmt: skip
"""Function, by itself or with its arguments -> the exact value, and the ranges by name."""


# ── measuring ────────────────────────────────────────────────────────────────
def evaluate(T, function, columns, dtype):
    """The function of arguments, as float64."""
    text = function if "(" in function else f"{function}(x)"
    arguments = {name: T.tensor(column).to(getattr(T, dtype)) for name, column in zip("xy", columns, strict=False)}
    return eval(f"T.{text}", {"T": T}, arguments).double().numpy()


def rounded(column, dtype):
    """Numbers rounded to a dtype, in float64."""
    if dtype == "bfloat16":
        import ml_dtypes

        return column.astype(np.float32).astype(ml_dtypes.bfloat16).astype(float)
    return column.astype(dtype).astype(float)


def arguments_of(draw, dtype, count, seed):
    """Arguments of a range that are finite in the dtype."""
    with np.errstate(all="ignore"):
        columns = [rounded(column, dtype) for column in draw(np.random.default_rng(seed), dtype, count)]
    finite = np.logical_and.reduce([np.isfinite(column) for column in columns])
    return [column[finite] for column in columns]


def error(value, reference, dtype):
    """The distance from the exact value, in ulp of that value; 0 if it is not a normal number in the dtype."""
    bits, least, beyond = BITS[dtype]
    exponent = mp.frexp(reference)[1] if reference else least
    if exponent > beyond or exponent < least + bits:
        return 0.0
    if not math.isfinite(value):
        return math.inf
    return float(abs(mp.mpf(value) - reference) * mp.mpf(2) ** (bits - exponent))


def errors_on(modules, function, dtype, draw, count=POINTS, seed=0):
    """The largest error of each module on a range, or None where there is no exact value to compare with."""
    reference, _ = FUNCTIONS[function]
    columns = arguments_of(draw, dtype, count, seed)
    number = len(columns[0])
    values = []
    for T in modules:
        try:
            values.append(
                [
                    evaluate(T, function, [np.resize(c, size) for c in columns], dtype)[:number]
                    for size in (number, MANY)
                ]
            )
        except (NotImplementedError, RuntimeError):  # there is none for halves
            return None
    largest = [0.0] * len(modules)
    for i, point in enumerate(zip(*columns, strict=True)):
        found = [[float(each[i]) for each in of_sizes] for of_sizes in values]
        if not any(map(math.isfinite, sum(found, []))):  # beyond the domain, or a pole
            continue
        try:
            expected = reference(*map(mp.mpf, point))
        except ZeroDivisionError:  # a pole
            continue
        if mp.isfinite(expected):
            largest = [
                max(old, *(error(value, expected, dtype) for value in of_sizes))
                for old, of_sizes in zip(largest, found, strict=True)
            ]
    return tuple(largest)


def measure(modules, wanted, quick):
    """Yield (function and range, dtype, range, errors of the modules) of ``wanted`` functions, with the largest ratio.

    Functions are left out whose errors are all rounding errors.
    """
    for function, (_, ranges) in FUNCTIONS.items():
        for dtype in DTYPES if wanted(function) else ():
            found = {}
            for name, draw in ranges.items():
                errors = errors_on(modules, function, dtype, draw, FEW if quick else POINTS)
                if errors is not None and max(errors) > CLEAN:
                    found[name] = errors
            if found:
                name = max(found, key=lambda name: max(found[name][0], 0.5) / max(found[name][1], 0.5))
                yield f"{function}, {name}", dtype, name, found[name]
