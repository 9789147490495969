"""Reductions of large dense arrays, row by row on the machine's cores."""

import functools
import math

import numpy as np

from tensh.engine.arrays.threads import PARALLEL, PARALLEL_LIGHT, map_rows, run
from tensh.engine.arrays.vectors import HAS_AVX512
from tensh.engine.operators.precision import F4, F8
from tensh.engine.operators.reductions.summation import SMALL

PARTS = 8  # elements: finding an extreme of 8 million takes a millisecond, waking a thread 50 µs


def rows_of(array, axes, least):
    """Return an array as a matrix if ``axes`` (None, an int or several) are its last ones and are contiguous, else None.

    None also for fewer elements than ``least`` (PARALLEL).
    """
    if array.size < (least or PARALLEL) or not array.flags.c_contiguous:
        return None
    ndim = array.ndim
    inner = sorted({axis % ndim for axis in (range(ndim) if axes is None else (axes,) if type(axes) is int else axes)})
    if not inner or inner != [*range(inner[0], ndim)]:
        return None
    return array.reshape(-1, math.prod(array.shape[inner[0] :]))


def shape_left(shape, axes, keepdim):
    """Return the rest of ``shape`` after a reduction along its last dimensions, ``axes``."""
    number = len(shape) if axes is None else 1 if type(axes) is int else len(axes)
    return shape[: len(shape) - number] + (1,) * (number if keepdim else 0)


# Elements of a row up to which the place of its extreme is found sooner than the extreme.
SHORT = 2048 if HAS_AVX512 else 512


def is_little(array):
    """Return True for a dense matrix of a few numbers of float32: of it, extremes of rows are found by their places.

    Of zeros, whose signs may differ, the first is found, as PyTorch does in rows of fewer than 32 numbers.
    """
    return array.dtype is F4 and array.ndim == 2 and 0 < array.size <= SMALL and array.flags.c_contiguous


def as_little(input, axis):
    """Return a few numbers of float32 as a matrix with lines along ``axis`` or the last dimension; None for others."""
    if is_little(input):
        return input
    last = input.ndim - 1
    if axis == last != 1 and input.dtype is F4 and 0 < input.size <= SMALL and input.flags.c_contiguous and input.ndim:
        return input.reshape(-1, input.shape[-1])
    return None


def places_in_rows(matrix, find):
    """Return the places of the extremes of the rows in the memory of a little matrix."""
    places = find(matrix, 1)
    return places if len(matrix) == 1 else np.add(places, starts(matrix.shape), places)


@functools.lru_cache(64)
def starts(shape):
    """Return the places at which the rows of a matrix begin."""
    return np.arange(shape[0]) * shape[1]


def by_places(reduce, find):
    """``reduce``, of np.maximum or np.minimum, which finds the extremes of short rows by their places, with ``find``.

    0.45 of the time for 1,024 rows of 64 numbers, 0.65 for 128 of 256.  The place is that of nan where there is one.
    """

    def reduce_by_places(array, axes, dtype=None, out=None, keepdim=False):
        last = array.ndim - 1
        if (
            array.size <= SMALL
            or array.shape[last] > SHORT
            or axes not in (last, -1, (last,))
            or (array.dtype is not F4 and array.dtype is not F8)
            or out is not None
            or not array.flags.c_contiguous
        ):
            return reduce(array, axes, dtype, out, keepdim)
        rows = array.reshape(-1, array.shape[last])
        places = find(rows, 1)
        places += np.arange(0, array.size, array.shape[last])
        return array.reshape(-1).take(places).reshape(shape_left(array.shape, last, keepdim))

    return reduce_by_places


largest_by_places = by_places(np.maximum.reduce, np.ndarray.argmax)
smallest_by_places = by_places(np.minimum.reduce, np.ndarray.argmin)


def reduce_rows(reduce, array, axes, keepdim, dtype=None, least=None):
    """Call ``reduce``, of a ufunc or with its arguments, in ``dtype``.

    Large arrays, from ``least`` elements (PARALLEL_LIGHT), use several cores.  A single row is cut into parts, whose
    results are reduced again.
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
