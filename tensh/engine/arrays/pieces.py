"""Matrix products in pieces that BLAS multiplies without copying the factors.

OpenBLAS copies both factors to the order in which its loops read them, which takes much of the time of a product with few
rows or a short inner dimension.  With AVX-512 it has other loops, without copies, for up to a million multiplications of
float32 (PIECE), if the rows of the second factor are contiguous.  A larger product is many such: 16 x 192 x 1024 takes
0.45 of the time of one product, 64 x 192 x 1024 0.75, 128 x 192 x 256 0.88.

Where a piece begins depends on shapes alone.
"""

import numpy as np

from tensh.engine.arrays.vectors import BLAS_HAS_AVX512

F4 = np.dtype(np.float32)
PIECE = 100**3  # multiplications up to which OpenBLAS does without copies
DEEP = 384  # inner dimension up to which pieces pay: with 576, 64 rows take as long as one product, with 1152 longer
# Columns of a piece: a multiple, and the most.  With multiples of 16, pieces take up to three times as long
COLUMNS, MOST = 64, 256


def pays(first, second):
    """Return True if the product of two matrices, or of stacks of them, takes less time in pieces."""
    return suits(first, second) and second.strides[-1] == F4.itemsize


def suits(first, second):
    """Return True if the product would take less time in pieces if the rows of the second factor were contiguous."""
    (n, k), m = first.shape[-2:], second.shape[-1]
    return (
        BLAS_HAS_AVX512
        and second.shape[-2] == k <= DEEP
        and m >= COLUMNS
        and n * k * m > PIECE
        and first.dtype is second.dtype is F4
    )


def multiply_stacks(first, second, out=None):
    """Compute ``np.matmul(first, second, out)`` of stacks of matrices, in pieces where they pay."""
    if not pays(first, second) or out is not None and (out.dtype is not F4 or out.strides[-1] != F4.itemsize):
        return np.matmul(first, second, out)
    (n, k), m = first.shape[-2:], second.shape[-1]
    if out is None:
        out = np.empty((*np.broadcast_shapes(first.shape[:-2], second.shape[:-2]), n, m), F4)
    most = PIECE // (COLUMNS * k)
    height = -(-n // -(-n // most))
    width = min(PIECE // (height * k) // COLUMNS * COLUMNS, MOST)
    for rows, high in whole_and_rest(n, height):
        upper = cut_rows(first[..., rows, :], high)[..., None, :, :]
        for columns, wide in whole_and_rest(m, width):
            right = cut_columns(second[..., columns], wide)[..., None, :, :, :]
            np.matmul(upper, right, cut_columns(cut_rows(out[..., rows, columns], high), wide))
    return out


def whole_and_rest(length, size):
    """Yield the lines that are whole pieces, and the rest of them, with the number of lines in a piece of either."""
    whole = length // size * size
    if whole:
        yield slice(whole), size
    if whole < length:
        yield slice(whole, length), length - whole


def cut_rows(matrices, height):
    """Return views of matrices as pieces of so many rows: [..., n, m] as [..., n / height, height, m]."""
    *stack, n, m = matrices.shape
    return matrices.reshape(*stack, n // height, height, m)


def cut_columns(matrices, width):
    """Return views of matrices as pieces of so many columns: [..., n, m] as [..., m / width, n, width]."""
    *stack, n, m = matrices.shape
    return matrices.reshape(*stack, n, m // width, width).swapaxes(-2, -3)
