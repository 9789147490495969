"""Inverse trigonometric functions."""

import math

import numpy as np

from tensh.engine.arrays.threads import flat, lines_of, transpose
from tensh.engine.arrays.vectors import HAS_AVX512
from tensh.engine.codegen.chains import FEW
from tensh.engine.operators.elementwise.avx512 import compute_by_double, two_by_double
from tensh.engine.operators.precision import C16, F4, F8

LINE = 1 << 13  # elements per block, so that intermediate results stay in the cache
asin, real_acos, atan = (compute_by_double(function, function) for function in (np.arcsin, np.arccos, np.arctan))


def acos(input):
    """The inverse cosine; of complex128, pi / 2 minus the inverse sine, as in PyTorch."""
    return math.pi / 2 - np.arcsin(input) if input.dtype is C16 else real_acos(input)


def write_acos(out, input):
    if input.dtype is C16:
        out[...] = acos(input)
    elif HAS_AVX512:
        real_acos.write_into(out, input)
    else:
        np.arccos(input, out)


acos.write_into = write_acos


def angle_by_quotient(y, x, out):
    """Write the inverse tangent of y / x, computed in float64, into a row of float32; add half a turn where x is negative."""
    for start in range(0, out.size, LINE):
        part = slice(start, start + LINE)
        angle = np.divide(y[part], x[part], dtype=F8)
        np.arctan(angle, angle)
        turn = np.multiply(np.signbit(x[part]), math.pi)
        np.add(angle, np.copysign(turn, y[part], turn), out[part], casting="same_kind")


def atan2_by_library(input, other):
    """The angle of the point (other, input); many float32 numbers take 0.6 of the time of ``np.arctan2``, rounded once."""
    lines = lines_of([input, other], input.shape) if input.dtype is other.dtype is F4 and input.size >= FEW else None
    if lines not in (flat, transpose):
        return np.arctan2(input, other)
    out = np.empty_like(input)
    y, x, line = lines(input), lines(other), lines(out)
    angle_by_quotient(y, x, line)
    if True in (lost := np.isnan(line)).tobytes():  # 0 / 0, and infinity over infinity
        line[lost] = np.arctan2(y[lost], x[lost])
    return out


atan2 = two_by_double(np.arctan2, atan2_by_library)
