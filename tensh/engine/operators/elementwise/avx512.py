"""Functions of float32 by way of float64, on processors for which NumPy has loops of eight numbers at a time (AVX-512).

There NumPy's loops of float32 are off by up to 3.1 units in the last place (tan and asin; exp 2.4, expm1 2.6, exp2 2.3,
log2 1.9, log1p 1.7, acos 1.8, atan 1.9, atan2 2.9), PyTorch's functions by 0.5 to 1.0; the results of this module are
rounded once.  A million numbers take 1.1 to 2.2 ms on one core: 3 to 5 times NumPy's time, 1.4 (expm1) to 3.8 times
(log2) PyTorch's, and a fifth of what additions and products in cached blocks (single.py) take there for log, sin, cos
and tanh.

Elsewhere NumPy calls the C library, whose functions of float32 are off by one unit at most, and whose functions of
float64 take several times as long.
"""

import numpy as np

from tensh.engine.arrays.vectors import HAS_AVX512
from tensh.engine.codegen.chains import FEW
from tensh.engine.operators.elementwise.single import WIDE_HALF, WIDE_ONE, add, declare, divide, multiply, subtract
from tensh.engine.operators.precision import F4, F8


def compute_by_double(function, otherwise):
    """Return the kernel of a ufunc that computes float32 in float64 where that is fast, and calls ``otherwise`` elsewhere."""
    if not HAS_AVX512:
        return otherwise

    def compute(x, out, wide):
        wide[...] = x
        function(wide, wide)
        out[...] = wide

    return declare(function, compute, None, None, [F8])


def two_by_double(function, otherwise):
    """Return such a kernel of two operands: float32 is computed in float64 where that is fast, by ``otherwise`` elsewhere."""
    if not HAS_AVX512:
        return otherwise

    def kernel(input, other):
        if input.dtype is F4 and input.size < FEW:
            return function(input.astype(F8), other.astype(F8)).astype(F4)
        return function(input, other) if input.dtype is not F4 else function(input, other, dtype=F8).astype(F4)

    def write(out, input, other):
        function(input, other, out, dtype=F8 if input.dtype is F4 else None, casting="same_kind")

    kernel.write_into = write
    kernel.__name__ = function.__name__
    return kernel


# ── sine and cosine, for which there is no such loop of float64 ──────────────
def write_tangent_of_half(x, tangent, square):
    """The tangent t of half of x, and 1 + t**2."""
    tangent[...] = x
    multiply(tangent, WIDE_HALF, tangent)
    np.tan(tangent, tangent)
    multiply(tangent, tangent, square)
    add(square, WIDE_ONE, square)


def compute_sin(x, out, tangent, square):
    """2 t / (1 + t**2)."""
    write_tangent_of_half(x, tangent, square)
    divide(tangent, square, tangent)
    add(tangent, tangent, tangent)
    out[...] = tangent


def compute_cos(x, out, tangent, square, other):
    """(1 - t) (1 + t) / (1 + t**2)."""
    write_tangent_of_half(x, tangent, square)
    subtract(WIDE_ONE, tangent, other)
    add(tangent, WIDE_ONE, tangent)
    multiply(tangent, other, tangent)
    divide(tangent, square, tangent)
    out[...] = tangent


sin = declare(np.sin, compute_sin, None, None, [F8] * 2)
cos = declare(np.cos, compute_cos, None, None, [F8] * 3)
