"""Pointwise operators and comparisons."""

from tests.recorded.operators import b, c, call, i, replace, rough, x

COVERS = ("operators/elementwise/table.py", "operators/elementwise/comparison.py")

ONE = [call(x(2, 3)), call(c(3)), call(x())]
REAL = [call(x(2, 3)), call(x())]
ABOVE = [call(x(2, 3, low=0.2)), call(c(3)), call(x(low=0.2))]
INSIDE = [call(x(2, 3, low=-0.9, high=0.9)), call(c(3))]
TWO = [call(x(2, 3), x(3)), call(c(3), c(3)), call(x(3), x())]
NUMBERS = [call(x(3), 2.5), call(x(3), 2)]
STEPS = [rough(x(2, 3)), rough(x())]
ASKED = [rough(x(2, 3)), rough(c(3))]
COMPARED = [rough(x(2, 3), x(3)), rough(x(3), 1), rough(i(4), i(4))]
WHOLE = [rough(i(2, 3, high=9), i(3, low=1, high=6)), rough(i(3), 3)]
POSITIVE = {"low": 0.2}

SAMPLES = {
    # arithmetic
    "add": [*TWO, *NUMBERS, call(x(3), x(3), alpha=2), call(x(3), x(3), alpha=-0.5), call(c(3), c(3), alpha=1 + 2j)],
    "sub": [*TWO, *NUMBERS, call(x(3), x(3), alpha=2), call(c(3), c(3), alpha=1 + 2j)],
    "rsub": [*TWO, *NUMBERS, call(x(3), x(3), alpha=2)],
    "mul": [*TWO, *NUMBERS, call(x(3), c(3)), call(x(3), 1j)],
    "div": [*TWO, *NUMBERS, call(x(3), x(3), rounding_mode="floor"), call(x(3), x(3), rounding_mode="trunc"),
            rough(i(4), i(4, low=1), rounding_mode="trunc"), rough(i(4), i(4, low=1), rounding_mode="floor")],
    "floor_divide": [rough(x(2, 3), x(3)), rough(x(3), 2), rough(i(3), i(3, low=1))],
    "remainder": [call(x(2, 3), x(3)), call(x(3), 1.5), rough(1.5, x(3)), rough(i(4), i(4, low=1))],
    "fmod": [call(x(2, 3), x(3)), call(x(3), 1.5), rough(i(4), i(4, low=1))],
    "neg": ONE, "positive": ONE, "reciprocal": ONE, "gcd": WHOLE[:1], "lcm": WHOLE[:1],
    # signs, rounding, special numbers
    "abs": [ONE[0], replace(ONE[1], in_place=False), ONE[2]], "sgn": ONE, "sign": STEPS, "signbit": STEPS,
    "copysign": [call(x(2, 3), x(3)), call(x(3), -2.0)],
    "heaviside": [rough(x(2, 3), x(3))],
    "ceil": STEPS, "floor": STEPS, "trunc": STEPS, "frac": REAL,
    "round": [*STEPS, rough(x(3), decimals=1), rough(x(3), decimals=-1)],
    "nextafter": [call(x(2, 3), x(3))],
    "nan_to_num": [call(x(3)), call(x(3), 1.0, posinf=2.0)],
    # powers and roots
    "pow": [call(x(2, 3, **POSITIVE), x(3)), call(x(3), 2), call(x(3), 3.0), call(x(3, **POSITIVE), 2.5), call(x(3), 0),
            call(2, x(3)), call(c(3), c(3)), call(c(3), 2), call(x(3, **POSITIVE), x()), rough(i(3), i(3, low=0)),
            rough(i(3, low=1), 3)],
    "float_power": [call(x(3, **POSITIVE), x(3)), call(x(3), 2), call(2, x(3))],
    "square": ONE, "sqrt": ABOVE, "rsqrt": ABOVE, "hypot": [call(x(2, 3), x(3))],
    # exponentials and logarithms
    "exp": ONE, "exp2": ONE, "expm1": ONE, "log": ABOVE, "log2": ABOVE, "log10": ABOVE, "log1p": ABOVE,
    "ldexp": [call(x(2, 3), x(3)), rough(x(3), i(3, low=0))],
    "logaddexp": [call(x(2, 3), x(3)), call(c(3), c(3))], "logaddexp2": [call(x(2, 3), x(3))],
    "xlogy": [call(x(2, 3), x(3, **POSITIVE)), call(x(3), 2.0), call(2.0, x(3, **POSITIVE))],
    "special.xlog1py": [call(x(2, 3), x(3, **POSITIVE)), call(x(3), 2.0), call(2.0, x(3, **POSITIVE))],
    "special.entr": [call(x(3, **POSITIVE))],
    "sigmoid": ONE, "logit": [call(x(3, low=0.1, high=0.9)), rough(x(3), 0.2)],
    # trigonometry
    "sin": ONE, "cos": ONE, "tan": ONE, "asin": INSIDE, "acos": INSIDE, "atan": ONE, "sinh": ONE, "cosh": ONE,
    "tanh": ONE, "asinh": ONE, "acosh": [call(x(3, low=1.1)), call(c(3))], "atanh": INSIDE, "sinc": ONE,
    "atan2": [call(x(2, 3), x(3))], "deg2rad": REAL, "rad2deg": REAL,
    # bounds
    "relu": REAL, "maximum": TWO[::2], "minimum": TWO[::2], "fmax": TWO[::2], "fmin": TWO[::2],
    "clamp": [call(x(2, 3), -0.5, 1), call(x(3), min=0), call(x(3), max=0.5), call(x(3), x(3), x(3)), call(x(3), max=x(3))],
    "clamp_min": [call(x(3), 0.1), call(x(3), x(3))], "clamp_max": [call(x(3), 0.1), call(x(3), x(3))],
    # three operands
    "lerp": [call(x(2, 3), x(3), 0.3), call(x(3), x(3), 0.7), call(x(3), x(3), x(3)), call(c(3), c(3), 0.3)],
    "addcmul": [call(x(2, 3), x(3), x(3)), call(x(3), x(3), x(3), value=2), call(c(3), c(3), c(3))],
    "addcdiv": [call(x(2, 3), x(3), x(3, **POSITIVE)), call(x(3), x(3), x(3, **POSITIVE), value=2)],
    "where": [call(b(2, 3), x(3), x(2, 1)), call(b(3), x(3), 2.0), call(b(3), 2.0, x(3)), rough(b(3), 1, 2.5)],
    "masked_fill": [call(x(2, 3), b(3), 2.0), call(x(3), b(3), 0), call(x(3), b(3), x())],
    # complex numbers
    "conj": [call(c(3)), call(x(3))], "conj_physical": [call(c(3)), call(x(3))],
    "angle": [call(c(3)), rough(x(3))], "complex": [call(x(2, 3), x(3))], "polar": [call(x(2, 3, **POSITIVE), x(3))],
    # several outputs
    "frexp": [call(x(2, 3))],
    # comparison
    "eq": COMPARED, "ne": COMPARED, "lt": COMPARED, "le": COMPARED, "gt": COMPARED, "ge": COMPARED,
    "isclose": [rough(x(2, 3), x(3)), rough(x(3), x(3), 0.5, 0.5, equal_nan=True)],
    "allclose": [rough(x(3), x(3)), rough(x(3), x(3), 5.0, 5.0)], "equal": [rough(x(3), x(3))],
    "isnan": ASKED, "isinf": ASKED, "isfinite": ASKED, "isposinf": ASKED[:1], "isneginf": ASKED[:1], "isreal": ASKED,
    "isin": [rough(i(5), i(2)), rough(i(5), 1), rough(x(3), x(2), invert=True)],
    # logic and bits
    "logical_and": COMPARED[:1], "logical_or": COMPARED[:1], "logical_xor": COMPARED[:1], "logical_not": ASKED,
    "bitwise_and": WHOLE, "bitwise_or": WHOLE, "bitwise_xor": WHOLE, "bitwise_not": [rough(i(3)), rough(b(3))],
    "bitwise_left_shift": [rough(i(3), i(3, low=0))], "bitwise_right_shift": [rough(i(3), i(3, low=0))],
}  # fmt: skip
