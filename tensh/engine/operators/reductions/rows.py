"""Reductions of large dense arrays, row by row on the machine's cores."""

import math

import numpy as np

from tensh.engine.arrays.threads import PARALLEL, PARALLEL_LIGHT, map_rows, run

PARTS = 8  # of a large array: the extremes of 8 million numbers are found in a millisecond, waking a thread takes 50 us


def rows_of(array, axes, least=None):
    """An array as a matrix if ``axes`` (None, an int or several) are its last ones, and its rows lie so; else None.

    None, too, of one with fewer elements than ``least`` (SPREAD).
    """
    if array.size < (least or PARALLEL) or not array.flags.c_contiguous:
        return None
    ndim = array.ndim
    inner = sorted({axis % ndim for axis in (range(ndim) if axes is None else (axes,) if type(axes) is int else axes)})
    if not inner or inner != [*range(inner[0], ndim)]:
        return None
    return array.reshape(-1, math.prod(array.shape[inner[0] :]))


def shape_left(shape, axes, keepdim):
    """The rest of ``shape`` after a reduction along its last dimensions, ``axes``."""
    number = len(shape) if axes is None else 1 if type(axes) is int else len(axes)
    return shape[: len(shape) - number] + (1,) * (number if keepdim else 0)


def reduce_rows(reduce, array, axes, keepdim, dtype=None, least=None):
    """``reduce``, of a ufunc or with its arguments, in ``dtype``.

    From ``least`` elements on (SPREAD_LIGHT) on the machine's cores.  A single row is cut into parts, and what is found of
    them reduced again.
    """
    matrix = rows_of(array, axes, least or PARALLEL_LIGHT)
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
        map_rows(lambda part: reduce(matrix[part], 1, dtype, out[part]), *matrix.shape, -(-matrix.size // PARTS))
    return out.reshape(shape_left(array.shape, axes, keepdim))
