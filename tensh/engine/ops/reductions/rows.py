"""Reductions of large dense arrays, row by row on the machine's cores, and sums as fast as memory gives numbers.

BLAS hands a large product to threads of its own, on whose number the rounding may depend, and which get in the way of
those that the machine's cores already run.  So it is given less at a time.
"""

import math

import numpy as np

from tensh.engine.arrays.cores import SPREAD, SPREAD_LIGHT, over_rows, over_shares, run
from tensh.engine.ops.precision import ONES

ALONE = 1 << 13  # elements up to which BLAS multiplies a matrix by a vector without threads of its own
COLUMNS = 16  # of the other matrix up to which as many are multiplied by it without them
SHORT = 32  # numbers of a row up to which many rows are one product: of 16, in a sixth of the time of one by one
LONG = 2048  # numbers of a row that einsum adds at once, some side by side; the sums of longer rows would lose digits
PARTS = 8  # of a large array: the extremes of 8 million numbers are found in a millisecond, waking a thread takes 50 us
SPREAD_SUMS = 1 << 22  # elements that are added on several cores: one adds half as many in 100 to 200 microseconds


def times(matrix, factor, out=None):
    """``matrix @ factor``, some rows at a time."""
    if out is None:
        out = np.empty((len(matrix), factor.shape[1]), matrix.dtype)
    number = ALONE // max(*factor.shape, factor.size // COLUMNS)
    whole = len(matrix) // number * number
    if whole:
        rows, into = (a[:whole].reshape(-1, number, a.shape[1]) for a in (matrix, out))
        np.matmul(rows, factor, into)
    if whole < len(matrix):  # a call for nothing is one more wait for Python's lock
        np.matmul(matrix[whole:], factor, out[whole:])
    return out


def sums_of_rows(matrix):
    """The sums of rows of float32 or float64, on one core."""
    width = matrix.shape[1]
    if width <= SHORT:
        return times(matrix, ONES[matrix.dtype][width][:, None])[:, 0]
    if width <= LONG:
        return np.einsum("ij->i", matrix)
    whole = width // LONG * LONG
    lines = np.einsum("ijk->ij", matrix[:, :whole].reshape(len(matrix), -1, LONG))
    return np.add.reduce(lines, 1) + np.einsum("ij->i", matrix[:, whole:])


def row_sums(matrix):
    """The same on the machine's cores."""
    if matrix.size < SPREAD_SUMS:
        return sums_of_rows(matrix)
    sums = np.empty(len(matrix), matrix.dtype)

    def work(part):
        sums[part] = sums_of_rows(matrix[part])

    if matrix.shape[1] > SHORT:
        over_shares(work, len(matrix))
    else:  # where a product begins tells how it is rounded
        over_rows(work, *matrix.shape, -(-matrix.size // PARTS))
    return sums


def rows_of(array, axes, least=None):
    """An array as a matrix if ``axes`` (None, an int or several) are its last ones, and its rows lie so; else None.

    None, too, of one with fewer elements than ``least`` (SPREAD).
    """
    if array.size < (least or SPREAD) or not array.flags.c_contiguous:
        return None
    ndim = array.ndim
    inner = sorted({axis % ndim for axis in (range(ndim) if axes is None else (axes,) if type(axes) is int else axes)})
    if not inner or inner != [*range(inner[0], ndim)]:
        return None
    return array.reshape(-1, math.prod(array.shape[inner[0] :]))


def shape_left(shape, axes, keepdim):
    """What is left of ``shape`` when it is reduced along its last dimensions, ``axes``."""
    number = len(shape) if axes is None else 1 if type(axes) is int else len(axes)
    return shape[: len(shape) - number] + (1,) * (number if keepdim else 0)


def reduced(reduce, array, axes, keepdim, dtype=None, least=None):
    """``reduce``, of a ufunc or with its arguments, in ``dtype``.

    From ``least`` elements on (SPREAD_LIGHT) on the machine's cores.  A single row is cut into parts, and what is found of
    them reduced again.
    """
    matrix = rows_of(array, axes, least or SPREAD_LIGHT)
    if matrix is None:
        return reduce(array, axes, dtype, None, keepdim)
    rows = len(matrix)
    if rows == 1:
        number = -(-matrix.size // PARTS)
        matrix, found = matrix[0], np.empty(PARTS, dtype or array.dtype)
        run(lambda i: reduce(matrix[i * number : (i + 1) * number], 0, dtype, found[i : i + 1], True), PARTS)
        out = reduce(found, 0, dtype)
    else:
        out = np.empty(rows, dtype or array.dtype)
        over_rows(lambda part: reduce(matrix[part], 1, dtype, out[part]), *matrix.shape, -(-matrix.size // PARTS))
    return out.reshape(shape_left(array.shape, axes, keepdim))
