"""Numbers in place of nan and of infinities."""

import math

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.arrays.halves import CLIP
from tensh.engine.codegen.mixing import SCALARS
from tensh.engine.operators.elementwise.elementary import complex_from
from tensh.engine.operators.kernels import fill_where, has_true, number


def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    """The input with nan and the infinities replaced: by default with 0 and the largest numbers of the dtype."""
    kind = input.dtype.kind
    nan = 0.0 if nan is None else number(nan, "nan_to_num", "nan", 2)
    posinf = posinf if posinf is None else number(posinf, "nan_to_num", "posinf", 3)
    neginf = neginf if neginf is None else number(neginf, "nan_to_num", "neginf", 4)
    if kind == "c":
        return complex_from(nan_to_num(input.real, nan, posinf, neginf), nan_to_num(input.imag, nan, posinf, neginf))
    if kind not in "fV":
        return memory.copy(input)
    dtype = input.dtype
    largest = float(np.finfo(dtype).max if kind == "f" else 3.3895313892515355e38)
    if posinf is None and neginf is None and kind == "f":
        out = CLIP(input, SCALARS[-largest, dtype], SCALARS[largest, dtype])
    else:
        out = fill_where(input, input == SCALARS[math.inf, dtype], largest if posinf is None else posinf)
        out = fill_where(out, input == SCALARS[-math.inf, dtype], -largest if neginf is None else neginf)
    mask = np.isnan(input)
    return fill_where(out, mask, nan) if has_true(mask) else out


def write_numbers(out, input, nan=0.0, posinf=None, neginf=None):
    """Write what ``nan_to_num`` returns, by default without another array."""
    if input.dtype.kind != "f" or type(nan) is not float or posinf is not None or neginf is not None:
        out[...] = nan_to_num(input, nan, posinf, neginf)
        return
    largest = float(np.finfo(input.dtype).max)
    CLIP(input, SCALARS[-largest, input.dtype], SCALARS[largest, input.dtype], out)
    mask = np.isnan(input)
    if has_true(mask):
        np.putmask(out, mask, SCALARS[nan, input.dtype])


nan_to_num.write_into = write_numbers
