"""exp, log, log1p, sin and cos of float32, to a unit in the last place: additions, products and quotients in cached blocks.

Where NumPy computes them (and tanh, hyperbolic.py) with the processor's vectors they are off by up to 2.4, 3.9, 1.5, 1.5
(and 1.4) units, PyTorch's by 0.6, 0.9, 0.6, 0.6 (and 0.5); how far and where depends on the processor.  These functions
depend on IEEE 754 arithmetic alone, and are off by up to 1.0, 1.1, 0.6, 0.6 (and 0.8).  Of a million numbers that takes
1.7, 1.4, 3.0, 3.2 (and 1.8) times NumPy's time on one core; by way of float64 it would take 3 to 11 times, but on
processors with vectors of eight (avx512.py).  log1p is off by up to 0.9 and by 0.235 on average, the C library's by 0.8
and 0.240, in half of its time.

The arguments are reduced as W. J. Cody and W. Waite do ("Software Manual for the Elementary Functions", 1980); the
polynomials are minimax approximations, found by C. L. Lawson's weighted least squares.
"""

import math

import numpy as np

from tensh.engine.arrays.vectors import HAS_AVX512
from tensh.engine.codegen.chains import FEW
from tensh.engine.operators.kernels import reusable
from tensh.engine.operators.precision import F4, F8

# Elements.  Smaller blocks would stay in a nearer cache, but between their steps two threads wait for Python's lock:
# exp of a million numbers takes 2.9 ms on one core and 1.8 on two; in blocks of 1 << 15 it takes 3.1 and 4.3.
BLOCK = 1 << 17
LARGEST = float(np.finfo(F4).max)
I4, I8 = np.dtype(np.int32), np.dtype(np.int64)
add, subtract, multiply, divide = np.add, np.subtract, np.multiply, np.divide


def single(*numbers):
    return [np.array(number, F4) for number in numbers]


def double(*numbers):
    return [np.array(number, F8) for number in numbers]


def polynomial(x, coefficients, out):
    """Evaluate a polynomial by Horner's rule; the highest power comes first."""
    first, second, *others = coefficients
    multiply(x, first, out)
    add(out, second, out)
    for each in others:
        multiply(out, x, out)
        add(out, each, out)


# ── exp ──────────────────────────────────────────────────────────────────────
# Added to a number, leaves the nearest integer, with the exponent's bias, in the last 8 bits of the sum.
TO_EXPONENT = np.array(3 << 22 | 127, F4)
EXPONENT = np.array(23, I4)  # where a float32's exponent begins
HALF, ONE, TWO = single(0.5, 1, 2)
WIDE_HALF, WIDE_ONE = double(0.5, 1)
LOG2_E, LN2, LN2_REST = single(1.4426950408889634, 0.693145751953125, 1.428606820309417e-6)  # LN2 has 16 bits
EXP = single(0.0036926527556878294, 0.05550393593971936, -0.6666663422629149, 2.0000019119744152)


def split_exponent(x, per_unit, unit, rest, power, t, r):
    """Write 2**n into ``power`` and x - n (unit + rest) into ``r``, for the nearest n."""
    multiply(x, per_unit, power)
    add(power, TO_EXPONENT, power)
    subtract(power, TO_EXPONENT, t)
    multiply(t, unit, r)  # exact
    subtract(x, r, r)
    multiply(t, rest, t)
    subtract(r, t, r)
    bits = power.view(I4)
    np.left_shift(bits, EXPONENT, bits)


def compute_exp(x, out, power, t, r):
    """2**n (1 + r + r**2 / P(r)), where x = n log(2) + r."""
    split_exponent(x, LOG2_E, LN2, LN2_REST, power, t, r)
    polynomial(r, EXP, t)
    multiply(r, r, out)
    divide(out, t, t)
    add(t, r, t)
    multiply(t, power, t)
    add(t, power, out)


# ── log ──────────────────────────────────────────────────────────────────────
ROOT_HALF = np.array(0x3F3504F3, I4)  # the bits of sqrt(1/2)
EXPONENTS = np.array(-1 << 23, I4)  # those of the sign and the exponent
REDUCTION = ROOT_HALF, EXPONENTS, ONE, TWO
LN2_OF_BITS = np.array(math.log(2) / (1 << 23), F4)
LOG = single(0.2987231450305824, 0.3997752152000952, 0.66666776527883)


def reduce_log(x, unit, reduction, f, s, whole, square):
    """Write n times ``unit``, f, s = f / (2 + f) and s**2 for x = 2**n (1 + f), 1 + f between sqrt(1/2) and sqrt(2).

    ``unit`` is for n as the bits of a number hold it, shifted; ``reduction`` are constants of the dtype.
    """
    root_half, exponents, one, two = reduction
    integers = root_half.dtype
    bits = whole.view(integers)
    subtract(x.view(integers), root_half, bits)
    np.bitwise_and(bits, exponents, bits)
    subtract(x.view(integers), bits, f.view(integers))
    np.copyto(s, bits, casting="unsafe")
    multiply(s, unit, whole)
    subtract(f, one, f)
    add(f, two, s)
    divide(f, s, s)
    multiply(s, s, square)


def compute_log(x, out, part, s, power, square):
    """n log(2) + log(1 + f), where x = 2**n (1 + f) and 1 + f is between sqrt(1/2) and sqrt(2).

    log(1 + f) = f - s (f - R(s**2)), s = f / (2 + f), is that of FreeBSD's library (K. C. Ng, 1986).
    """
    reduce_log(x, LN2_OF_BITS, REDUCTION, part, s, power, square)
    polynomial(square, LOG, out)
    multiply(out, square, out)
    subtract(part, out, out)
    multiply(out, s, out)
    subtract(part, out, out)
    add(out, power, out)


BITS_OF_ONE = np.array(2.0**-23, F4)


def compute_log1p(x, out, u, f, s, n, square, rest):
    """n log(2) + log(1 + f) + d / u, where u = 1 + x, rounded by d, is 2**n (1 + f).

    log(1 + f) = f - (f**2 / 2 - s (f**2 / 2 + R(s**2))) loses less than the form of log.  n log(2) + f is kept as a sum
    of two numbers.
    """
    add(x, ONE, u)
    reduce_log(u, BITS_OF_ONE, REDUCTION, f, s, n, square)
    subtract(u, ONE, rest)
    subtract(x, rest, rest)
    divide(rest, u, rest)
    polynomial(square, LOG, u)
    multiply(u, square, u)
    multiply(f, f, square)
    multiply(square, HALF, square)
    add(u, square, u)
    multiply(u, s, u)
    subtract(square, u, u)
    subtract(u, rest, u)
    multiply(n, LN2_REST, s)
    subtract(u, s, u)
    multiply(n, LN2, n)  # exact
    add(n, f, s)
    subtract(s, n, n)
    subtract(f, n, f)  # what s has lost
    subtract(f, u, f)
    add(s, f, s)
    np.copysign(s, x, out)


# ── sin and cos ──────────────────────────────────────────────────────────────
# the product of the first with a float32 is exact
OVER_PI, OVER_PI_REST = double(341782637 / 2**30, 7.340831634506093e-10)
TO_INTEGER = np.array(3 << 51, F8)  # added to a number, leaves the nearest integer in the last bits of the sum
SIGN = np.array(63, I8)  # distance from the last bit to the sign bit
TURN = double(0.07755855818435162, -0.598241301608705, 2.5500696113873538, -5.167709679745138, 3.1415926368616307)


def compute_sin(x, out, turns, whole, r, t, shift=None):
    """(-1)**n sin(pi r) in float64, where x = pi (n + r); a polynomial of float32's precision; ``shift`` is taken from n."""
    r[...] = x
    multiply(r, OVER_PI, turns)
    multiply(r, OVER_PI_REST, r)
    if shift is None:
        add(turns, TO_INTEGER, whole)
        subtract(whole, TO_INTEGER, t)
    else:
        add(turns, shift, whole)
        add(whole, TO_INTEGER, whole)
        subtract(whole, TO_INTEGER, t)
        subtract(t, shift, t)
    subtract(turns, t, t)
    add(r, t, r)
    multiply(r, r, turns)
    polynomial(turns, TURN, t)
    multiply(t, r, t)
    odd, bits = whole.view(I8), t.view(I8)
    np.left_shift(odd, SIGN, odd)
    np.bitwise_xor(bits, odd, bits)
    out[...] = t


def compute_cos(x, out, *scratch):
    """The cosine, as the sine of the angle plus a quarter turn."""
    compute_sin(x, out, *scratch, shift=WIDE_HALF)


# ── arrays of any size and dtype ─────────────────────────────────────────────
def declare(function, compute, low, high, scratch):
    """A kernel: ``compute`` for float32 between two bounds, if there are any, the library's ``function`` of anything else.

    ``compute(x, out, *scratch)`` may write into ``out`` when it has read x for the last time; ``scratch`` are dtypes.
    """

    def kernel(input):
        if input.dtype is not F4:
            return function(input)
        if input.size < FEW:
            wide = input.astype(F8)
            return function(wide, reusable(wide)).astype(F4)
        out = np.empty_like(input)
        write(out, input)
        return out

    def write(out, input):
        if input.size < FEW or input.dtype is not F4 or out.dtype is not F4:
            out[...] = kernel(input)
        elif input.flags.c_contiguous and out.flags.c_contiguous:
            write_line(out.reshape(-1), input.reshape(-1))
        elif input.flags.f_contiguous and out.flags.f_contiguous:
            write_line(out.T.reshape(-1), input.T.reshape(-1))
        else:
            line = input.reshape(-1).copy()
            write_line(line, line)
            out[...] = line.reshape(input.shape)

    def write_line(out, x):
        rooms = [np.empty(min(x.size, BLOCK), dtype) for dtype in scratch]
        for start in range(0, x.size, BLOCK):
            write_block(out[start : start + BLOCK], x[start : start + BLOCK], rooms)

    def write_block(out, x, rooms):
        if x.size < len(rooms[0]):
            rooms = [room[: x.size] for room in rooms]
        if low is None or low <= np.minimum.reduce(x) and np.maximum.reduce(x) <= high:  # nan is neither
            compute(x, out, *rooms)
            return
        rare = np.flatnonzero(~((x >= low) & (x <= high)))
        values = function(x[rare], dtype=F8)
        compute(x, out, *rooms)
        out[rare] = values

    kernel.write_into, kernel.double, kernel.in_vectors = write, function, HAS_AVX512
    kernel.__name__ = function.__name__
    return kernel


exp = declare(np.exp, compute_exp, -87.0, 88.0, [F4] * 3)
log = declare(np.log, compute_log, 2.0**-126, LARGEST, [F4] * 4)
log1p = declare(np.log1p, compute_log1p, -1 + 2.0**-24, LARGEST, [F4] * 6)
sin = declare(np.sin, compute_sin, -(2.0**20), 2.0**20, [F8] * 4)
cos = declare(np.cos, compute_cos, -(2.0**20), 2.0**20, [F8] * 4)
