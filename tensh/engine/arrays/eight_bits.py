"""Floating point numbers of 8 bits: NumPy's ``ml_dtypes`` stores them, PyTorch's rules round to them.

PyTorch rounds by way of float32. A number beyond the largest of float8_e4m3fn becomes the largest; float8_e8m0fnu, the powers
of two, forgets the sign and takes its smallest number for zero.
"""

import numpy as np

LARGEST_E4M3FN = np.float32(448)
SMALLEST_E8M0FNU = np.float32(2.0**-127)
NAN_E5M2 = 0x7F


def is_eight_bits(dtype):
    """Return True for a NumPy dtype of 8 bit floating point numbers."""
    return dtype.itemsize == 1 and dtype.kind in "fV"


def round_to_eight_bits(array, dtype):
    """Return an array of numbers as 8 bit floating point numbers, rounded as PyTorch rounds."""
    if array.dtype is dtype:
        return array
    wide = np.asarray(array.astype(np.float32))
    if dtype.name == "float8_e4m3fn":
        wide = np.clip(wide, -LARGEST_E4M3FN, LARGEST_E4M3FN)
    elif dtype.name == "float8_e8m0fnu":
        wide = np.maximum(np.abs(wide), SMALLEST_E8M0FNU)
    out = np.asarray(wide.astype(dtype))
    if dtype.name == "float8_e5m2":
        bits = out.view(np.uint8)
        bits[np.isnan(wide)] |= NAN_E5M2
    return out
