"""The logarithm, sine and cosine of PyTorch's float32 normal numbers, with the same bits.

PyTorch computes them eight at a time with the polynomials of the Cephes library, on processors with AVX2 in fused steps
``a * b + c`` that round once.  A float64 represents the product of two float32 exactly, so a fused step is the sum in
float64, rounded to float32.  (That sum is rounded, too: one step in 2**29 is off by one unit.)
"""

import numpy as np

F4, F8, I4 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int32)
add, subtract, multiply = np.add, np.subtract, np.multiply


def constants(*values, dtype=np.float32):
    """Return float32 numbers as 0-d arrays, which NumPy reads in half the time of its scalars."""
    return [np.array(np.float32(value), dtype) for value in values]


LOG = constants(
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1, dtype=np.float64,
)  # fmt: skip
COS = constants(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2, dtype=np.float64)
SIN = constants(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1, dtype=np.float64)
COS_AND_SIN = [np.array(pair)[:, None] for pair in zip(COS, SIN, strict=True)]
SQRT_HALF, LOG2, LOG2_REST = constants(0.707106781186547524, 0.693359375, -2.12194440e-4)  # LOG2 has 9 bits
EIGHTHS, QUARTER_PI, QUARTER_PI_NEXT = constants(1.27323954473516, -0.78515625, -2.4187564849853515625e-4)
(QUARTER_PI_REST,) = constants(-3.77489497744594108e-8, dtype=np.float64)
ONE, HALF, MINUS_HALF = constants(1, 0.5, -0.5)
UNIT, TWO, FOUR, EVEN, TO_SIGN = (np.array(number, I4) for number in (1, 2, 4, ~1, 29))
QUARTERS = np.array([[2], [0]], I4)  # the cosine is the sine a quarter of a turn, two eighths, later


def fuse(a, b, c):
    """Return ``a * b + c`` rounded once; all are float32 except ``b``, which is float64, and ``c``, which may be.

    NumPy takes three times as long to convert operands itself, buffer by buffer.
    """
    wide = a.astype(F8)
    multiply(wide, b, wide)
    return add(wide, c.astype(F8, copy=False), wide).astype(F4)


def chain(coefficients, x):
    """Evaluate a polynomial in ``x`` (float64) by Horner's rule, in fused steps."""
    first, second, *rest = coefficients
    wide = multiply(x, first)
    value = add(wide, second, wide).astype(F4)
    for coefficient in rest:
        wide[...] = value
        multiply(wide, x, wide)
        value[...] = add(wide, coefficient, wide)
    return value


def log(x):
    """Return the logarithm of float32 numbers in (0, 1]."""
    fraction, exponent = np.frexp(x)
    small = np.less(fraction, SQRT_HALF).astype(F4)
    fraction += fraction * small
    x = subtract(fraction, ONE, fraction)
    power = subtract(exponent.astype(F4), small, small)
    square = x * x
    y = chain(LOG, x.astype(F8))
    y *= x
    y = fuse(y, square.astype(F8), power * LOG2_REST)
    return x + (y - square * HALF) + power * LOG2


def cos_and_sin(angle):
    """Return the cosines and the sines of float32 angles in [0, 2 pi], as two rows."""
    eighth = (angle * EIGHTHS).astype(I4)
    eighth += UNIT
    eighth &= EVEN  # the nearest even eighth of a turn, from which the angle is measured
    turned = eighth.astype(F4)
    x = angle + turned * QUARTER_PI
    x += turned * QUARTER_PI_NEXT
    x = fuse(turned, QUARTER_PI_REST, x)
    square, both = x * x, np.empty((2, x.size), F8)
    both[0], both[1] = square, x
    y = chain(COS_AND_SIN, both[0])
    y *= square
    rest = np.array((square, x))
    rest[0] *= MINUS_HALF
    y = fuse(y, both, rest)
    y[0] += ONE
    turns = eighth + QUARTERS
    y = np.where(np.bitwise_and(turns[1], TWO).astype(bool), y[::-1], y)
    turns &= FOUR
    turns <<= TO_SIGN
    bits = y.view(I4)
    bits ^= turns
    return y
