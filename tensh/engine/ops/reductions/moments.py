"""Means and squared distances from them, in double precision, as PyTorch computes them.

A large array is taken in chunks that stay in the cache, so that it is read once and never copied as a whole.  Each chunk has
a mean and squares of its own; those of chunks are put together as Chan, Golub and LeVeque (1979) do.
"""

import math

import numpy as np

from tensh.engine.arrays.cores import SPREAD, run
from tensh.engine.calls.arguments import dims
from tensh.engine.ops.kernels import own
from tensh.engine.ops.precision import WIDER
from tensh.engine.ops.reductions.summation import add_along, group

CHUNK, COLUMNS = 1 << 15, 1 << 11  # elements of a chunk, and the most that are side by side in it


def moments(array, dim, keepdim):
    """(the mean along ``dim``, the sum of squared distances from it), both in double precision."""
    axes = dims(dim, array.ndim)
    if array.size > CHUNK and (form := one_middle(array, axes)) is not None:
        mean, squares = moments_of_chunks(array.reshape(form))
        left = [1 if i in axes else n for i, n in enumerate(array.shape) if keepdim or i not in axes]
        return mean.reshape(left), squares.reshape(left)
    mean, squares = moments_at_once(array, axes)
    return (mean, squares) if keepdim else (mean.squeeze(axes), squares.squeeze(axes))


def moments_at_once(array, axes):
    """The same of a small array, with the reduced dimensions kept."""
    wide = array.astype(WIDER.get(array.dtype, array.dtype), copy=False)
    mean = add_along(wide, axes, True) / (math.prod([array.shape[axis] for axis in axes]) or np.nan)
    distance = wide - mean
    if wide.dtype.kind == "c":
        return mean, add_along(distance.real**2 + distance.imag**2, axes, True)
    return mean, add_along(np.multiply(distance, distance, own(distance)), axes, True)


def one_middle(array, axes):
    """The shape [A, N, K] of a dense array whose ``axes`` are adjacent; else None."""
    if not array.flags.c_contiguous or array.ndim != len(axes) + sum(i not in axes for i in range(array.ndim)):
        return None
    sizes, flags = group(array, [i in axes for i in range(array.ndim)])
    if flags.count(True) != 1:
        return None
    axis = flags.index(True)
    return math.prod(sizes[:axis]), sizes[axis], math.prod(sizes[axis + 1 :])


def moments_of_chunks(array):
    """The same over the middle one of three dimensions of a large array, chunk by chunk on the machine's cores."""
    if array.dtype.kind == "c":
        parts = array.view(f"f{array.itemsize // 2}").reshape(*array.shape[:2], -1)
        mean, squares = moments_of_chunks(parts)
        return mean.view(f"c{2 * mean.itemsize}"), squares[:, ::2] + squares[:, 1::2]
    outer, number, width = array.shape
    columns = min(width, COLUMNS)
    rows = min(number, max(1, CHUNK // columns))
    blocks = max(1, CHUNK // (rows * columns))
    places = [-(-n // size) for n, size in ((outer, blocks), (number, rows), (width, columns))]
    means, squares = np.empty((2, outer, places[1], width))

    def work(i):
        i, c = divmod(i, places[2])
        a, b = divmod(i, places[1])
        a, c = slice(a * blocks, (a + 1) * blocks), slice(c * columns, (c + 1) * columns)
        some = array[a, b * rows : (b + 1) * rows, c]
        mean, squares[a, b : b + 1, c] = moments_at_once(some, (1,))
        means[a, b : b + 1, c] = mean

    run(work, math.prod(places), array.size < SPREAD)
    if places[1] == 1:
        return means[:, 0], squares[:, 0]
    counts = np.full((places[1], 1), rows, np.float64)
    counts[-1] = number - rows * (places[1] - 1)
    mean = add_along(means * counts, 1) / number
    distance = means - mean[:, None]
    return mean, add_along(squares + distance * distance * counts, 1)
