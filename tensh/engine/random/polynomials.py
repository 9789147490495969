"""The logarithm, sine and cosine of PyTorch's float32 normal numbers, with the same bits.

PyTorch computes them eight at a time with the polynomials of the Cephes library, on processors with AVX2 in fused steps
``a * b + c`` that round once.  A float64 represents the product of two float32 exactly, so a fused step is the sum in
float64, rounded to float32.  (That sum is rounded, too: one step in 2**29 is off by one unit.)
"""

import numpy as np


def constants(*values, dtype=np.float32):
    """Return float32 numbers as 0-d arrays, which NumPy reads in half the time of its scalars."""
    return [np.array(np.float32(value), dtype) for value in values]


LOG = constants(
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1, dtype=np.float64,
)  # fmt: skip
SIN = constants(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1, dtype=np.float64)
COS = constants(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2, dtype=np.float64)
SQRT_HALF, LOG2, LOG2_REST = constants(0.707106781186547524, 0.693359375, -2.12194440e-4)  # LOG2 has 9 bits
EIGHTHS, QUARTER_PI, QUARTER_PI_NEXT = constants(1.27323954473516, -0.78515625, -2.4187564849853515625e-4)
(QUARTER_PI_REST,) = constants(-3.77489497744594108e-8, dtype=np.float64)
ONE, HALF = constants(1, 0.5)


def fuse(a, b, c):
    """Return ``a * b + c`` rounded once; all are float32 except ``b``, which is float64."""
    return (a * b + c).astype(np.float32)


def chain(coefficients, x):
    """Evaluate a polynomial in ``x`` (float64) by Horner's rule, in fused steps."""
    value, *rest = coefficients
    for coefficient in rest:
        value = fuse(value, x, coefficient)
    return value


def log(x):
    """Return the logarithm of float32 numbers in (0, 1]."""
    fraction, exponent = np.frexp(x)
    small = fraction < SQRT_HALF
    np.add(fraction, fraction, out=fraction, where=small)
    x = fraction - ONE
    power = (exponent - small).astype(np.float32)
    square = x * x
    y = chain(LOG, x.astype(np.float64)) * x
    y = fuse(y, square.astype(np.float64), power * LOG2_REST)
    return x + (y - square * HALF) + power * LOG2


def cos_and_sin(angle):
    """Return the cosine and the sine of float32 angles in [0, 2 pi]."""
    eighth = (angle * EIGHTHS).astype(np.int32)
    eighth += 1
    eighth &= ~1  # the nearest even eighth of a turn, from which the angle is measured
    turned = eighth.astype(np.float32)
    x = angle + turned * QUARTER_PI
    x += turned * QUARTER_PI_NEXT
    x = fuse(turned, QUARTER_PI_REST, x)
    square = x * x
    wide, half = square.astype(np.float64), square * HALF
    cos = fuse(chain(COS, wide) * square, wide, -half) + ONE
    sin = fuse(chain(SIN, wide) * square, x.astype(np.float64), x)
    swapped = (eighth & 2) != 0
    cos, sin = np.where(swapped, sin, cos), np.where(swapped, cos, sin)
    for value, half_turn in (cos, eighth + 2), (sin, eighth):
        bits = value.view(np.int32)
        bits ^= (half_turn & 4) << 29  # sign bit
    return cos, sin
