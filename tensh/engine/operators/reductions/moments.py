"""Means and squared distances from them, in double precision, as in PyTorch.

A large array is processed in chunks that fit the cache, so that it is read once and never copied as a whole.  The means
and squares of chunks are combined by the formula of Chan, Golub and LeVeque (1979).
"""

import math

import numpy as np

from tensh.engine.arguments.checks import dims
from tensh.engine.arrays.threads import PARALLEL, run
from tensh.engine.codegen.mixing import SCALARS
from tensh.engine.operators.kernels import reusable
from tensh.engine.operators.precision import F4, F8, KEPT, ONES, WIDER
from tensh.engine.operators.reductions.product_sums import add_squares
from tensh.engine.operators.reductions.summation import SMALL, add_along, group

FEW = 1 << 15  # elements up to which an array is copied in double precision
CHUNK, COLUMNS = 1 << 18, 1 << 11  # elements of a chunk, and the most in one of its rows


def moments(array, dim, keepdim):
    """Return (the mean along ``dim``, which is kept, the sum of squared distances from it) in double precision.

    For all elements of a short array both are numbers.
    """
    if array.dtype is F4 and 0 < array.size <= KEPT and not keepdim and (dim is None or (dim == 0 and array.ndim == 1)):
        return moments_of_row(array)
    axes = dims(dim, array.ndim)
    if array.dtype is F4 and 0 < array.size <= KEPT and axes == (array.ndim - 1,):
        return moments_of_rows(array, keepdim)
    if array.size <= FEW or (form := one_middle(array, axes)) is None:
        return moments_at_once(array, axes, keepdim)
    mean, squares = moments_of_chunks(array.reshape(form))
    left = [1 if i in axes else n for i, n in enumerate(array.shape)]
    return mean.reshape(left), squares.reshape(
        left if keepdim else [n for i, n in enumerate(array.shape) if i not in axes]
    )


def moments_of_row(array):
    """Return the moments of all elements of a short array, by products, in a third of the time of the general method."""
    row = array.reshape(-1).astype(F8)
    mean = row.dot(ONES[F8][row.size]) / row.size
    row -= mean
    return mean, row.dot(row)


def moments_of_rows(array, keepdim):
    """Return the moments along the last dimension of a small array, by products, too."""
    rows, length = array.astype(F8), array.shape[-1]
    ones = ONES[F8][length]
    mean = (rows.dot(ones) / SCALARS[length, F8])[..., None]
    few = array.size <= SMALL  # repeating few numbers takes less time than broadcasting them
    np.subtract(rows, mean.repeat(length, -1) if few else mean, rows)
    squares = np.multiply(rows, rows, rows).dot(ones)
    return mean, squares[..., None] if keepdim else squares


def moments_at_once(array, axes, keepdim):
    """Return the moments of a small array, in one pass."""
    wide = array.astype(WIDER.get(array.dtype, array.dtype), copy=False)
    add = add_in_pieces if wide is array and array.size > SMALL else np.add.reduce
    number = math.prod([array.shape[axis] for axis in axes]) or np.nan
    mean = add(wide, axes, None, None, True) / number
    if wide is array and array.size and not np.isfinite(mean).all():  # the sum may be larger than the largest number
        mean = add(wide / number, axes, None, None, True)
    distance = wide - mean
    if wide is array:  # the distances of equal numbers from their rounded mean are zero, too
        off = add(distance, axes, None, None, True) / number
        off = np.where(np.isfinite(off), off, 0)  # an infinite mean stays
        mean, distance = mean + off, distance - off
    squares = (
        distance.real**2 + distance.imag**2
        if wide.dtype.kind == "c"
        else np.multiply(distance, distance, reusable(distance))
    )
    return mean, add(squares, axes, None, None, keepdim)


def add_in_pieces(array, axes, dtype, out, keepdim):
    """``add_along`` as ``np.add.reduce`` is called."""
    return add_along(array, axes, keepdim)


def one_middle(array, axes):
    """Return the shape [A, N, K] of a dense array whose ``axes`` are adjacent, or None."""
    if not array.flags.c_contiguous:
        return None
    sizes, flags = group(array.shape, array.strides, [i in axes for i in range(array.ndim)])
    if flags.count(True) != 1:
        return None
    axis = flags.index(True)
    return math.prod(sizes[:axis]), sizes[axis], math.prod(sizes[axis + 1 :])


def moments_of_chunks(array):
    """Return the moments over the middle one of three dimensions of a large array, by chunks on several cores."""
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
        means[a, b, c], squares[a, b, c] = moments_of_chunk(array[a, b * rows : (b + 1) * rows, c])

    run(work, math.prod(places), array.size < PARALLEL)
    if places[1] == 1:
        return means[:, 0], squares[:, 0]
    counts = np.full((places[1], 1), rows, np.float64)
    counts[-1] = number - rows * (places[1] - 1)
    mean = add_along(means * counts, 1) / number
    if not np.isfinite(mean).all():  # the sum may be larger than the largest number
        apart = means[:, 0] + add_along((means - means[:, :1]) * (counts / number), 1)
        mean = np.where(np.isfinite(apart), apart, mean)
    distance = means - mean[:, None]
    return mean, add_along(squares + distance * distance * counts, 1)


def moments_of_chunk(array):
    """Return the moments over the middle dimension of a chunk.

    float32 is computed in double precision: squares in float32 lose three more digits and take as long.  For float64,
    the sum of distances corrects the rounding error of the mean.
    """
    number = array.shape[1]
    if array.dtype == F4:
        wide = array.astype(F8)
        mean = add_along(wide, 1) / number
        wide -= mean[:, None]
        return mean, add_squares_of_middle(wide)
    centre = add_along(array, 1) / number
    if not np.isfinite(centre).all():  # the sum may be larger than the largest number
        centre = add_along(array / number, 1)
    off = add_along(array - centre[:, None], 1) / number
    off = np.where(np.isfinite(off), off, 0)  # an infinite mean stays
    mean = centre + off
    return mean, add_squares_of_middle(array - mean[:, None])


def add_squares_of_middle(array):
    """Return the sums of squares over the middle one of three dimensions."""
    return add_squares(array[..., 0], 1)[:, None] if array.shape[2] == 1 else add_squares(array, 1)
