"""Products of matrices of integers, by BLAS where floating point numbers hold every sum exactly.

NumPy multiplies integers one by one: 128 x 256 x 128 takes 2.8 milliseconds, as floating point numbers 0.12.
"""

import numpy as np

from tensh.engine.arrays.matmul import matmul, multiply_matrices

LEAST = 1 << 14  # products of two numbers from which the conversions pay
EXACT = (np.float32, 24), (np.float64, 53)  # dtypes, and the bits of the integers that each holds without gaps


def multiply_integers(first, second):
    """Multiply two matrices or stacks of them; sums wrap around as NumPy's do."""
    product = multiply_matrices if first.ndim == 2 == second.ndim else matmul
    if first.size * second.shape[-1] >= LEAST and second.size:
        largest = first.shape[-1] * largest_magnitude(first) * largest_magnitude(second)
        for dtype, bits in EXACT:
            if not largest >> bits:
                sums = product(first.astype(dtype), second.astype(dtype))
                return sums.astype(np.int64).astype(first.dtype, copy=False)
    return product(first, second)


def largest_magnitude(array):
    """Return the largest absolute value as a Python integer, which does not overflow."""
    return max(-int(array.min()), int(array.max()))
