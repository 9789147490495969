"""Helpers of kernels that add many numbers: the dtype to compute in, the processor, and vectors of ones for BLAS."""

import numpy as np

from tensh.engine.arrays.halves import convert
from tensh.engine.dtypes.dtype import HALF_COMPLEX
from tensh.engine.errors.warnings import warn_of_real_part

F2, F4, F8, I8 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)
C8, C16 = np.dtype(np.complex64), np.dtype(np.complex128)
WIDER = {F4: F8, C8: C16}  # dtypes in which PyTorch accumulates
KEPT = 4096  # length of the longest cached vector of ones


class Ones(dict):
    """n -> a vector of n ones: a dot product with it is a sum, which BLAS computes faster than NumPy."""

    def __init__(self, dtype):
        self.dtype = dtype

    def __missing__(self, n):
        vector = np.ones(n, self.dtype)
        vector.flags.writeable = False
        if n <= KEPT:
            self[n] = vector
        return vector


ONES = {F4: Ones(F4), F8: Ones(F8)}


def is_half(dtype):
    """Return True for float16 and bfloat16, which are computed in float32."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def widen(array):
    """Convert 16 bit floating point arrays to float32, and complex32 to complex64."""
    return (
        convert(array, F4) if is_half(array.dtype) else array.astype(C8) if array.dtype.char in HALF_COMPLEX else array
    )


def real_dtype(dtype):
    """Return the (NumPy) dtype of the absolute values of numbers of ``dtype``."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind in "cW" else dtype


def narrow_result(result, dtype):
    """Convert a result computed in float32 back to its 16 bit dtype."""
    return convert(result, dtype) if is_half(dtype) else result


def real_of(array):
    """Return the real parts; NumPy's ``real`` and ``imag`` take complex32 for real."""
    return array.real if array.dtype.char not in HALF_COMPLEX else array.astype(C8).real.astype(np.float16)


def convertible_part(array, dtype):
    """Return what NumPy converts to ``dtype`` as PyTorch does.

    Of complex numbers the real part for a real dtype, and both parts of complex32 for bools; for integers bfloat16 as
    float32, since ml_dtypes 0.7 makes zeros of numbers that no integer holds.
    """
    if array.dtype.kind == "V":
        return array.astype(F4) if dtype.kind in "iu" else array
    if dtype.kind not in "cbW":
        return real_of(array)
    return with_both_parts(array) if dtype.kind == "b" else array


def with_both_parts(array):
    """Convert complex32, of which NumPy tests the real part alone, to complex64."""
    return array.astype(C8) if array.dtype.char in HALF_COMPLEX else array


def take_real(array, dtype):
    """Return the array that is reduced in ``dtype``; complex numbers lose imaginary parts in a real one, with a warning."""
    if array.dtype.kind in "cW" and dtype.kind not in "cbW":
        warn_of_real_part(array.size)
    elif array.dtype.kind != "V":
        return array
    return convertible_part(array, dtype)


def imaginary_of(array):
    """The imaginary parts."""
    return array.imag if array.dtype.char not in HALF_COMPLEX else array.astype(C8).imag.astype(np.float16)


def compute_in_float32(kernel):
    """Make a kernel compute 16 bit floating point numbers in float32 and return the original dtype.

    The dtype of the first array decides.
    """

    def wide(input, *args, **options):
        if is_half(input.dtype):
            args = [widen(a) if isinstance(a, np.ndarray) else a for a in args]
            result = kernel(convert(input, F4), *args, **options)
            if isinstance(result, tuple):
                return tuple(convert(r, input.dtype) if r.dtype == F4 else r for r in result)
            return convert(result, input.dtype) if result.dtype == F4 else result
        return kernel(input, *args, **options)

    wide.__wrapped__ = kernel  # inspect.signature reads the parameters there
    wide.__name__, wide.__doc__ = kernel.__name__, kernel.__doc__
    return wide
