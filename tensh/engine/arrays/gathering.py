"""Elements and slices at given indices, read in blocks on several cores.

Indices must be within bounds and not negative: then NumPy need not check (of its modes, "wrap" is the fastest), and
writes directly into the result.
"""

import math

import numpy as np

from tensh.engine.arrays.threads import BLOCK, map_rows

LINE = 64  # bytes of a cache line
UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}


def is_within(index, n):
    """Return True if all numbers are from 0 to ``n`` - 1, in one pass: as unsigned integers, negative ones are large.

    The place of the largest is found in a quarter of the time of ``max`` if there are few, and no later if there are many.
    """
    index = index.view(UNSIGNED[index.itemsize])
    return index.item(index.argmax()) < n


def take_flat(array, index, place):
    """Return the elements of a dense array at flat positions, in the shape of ``index``.

    ``place(index, part)`` makes positions of a part of the index array (a slice of its first dimension), if it has to.
    """
    flat = array.reshape(-1)
    if index.size < BLOCK:
        return flat.take(index if place is None else place(index, ...), mode="wrap")
    out = np.empty(index.shape, array.dtype)

    def work(part):
        flat.take(index[part] if place is None else place(index[part], part), None, out[part], "wrap")

    map_rows(work, len(index), index.size // len(index), BLOCK)  # more positions would not fit the cache
    return out


def take_in_rows(rows, index, require):
    """Return from every row the elements at the numbers in the same row of ``index``; ``require(index)`` checks a part.

    The positions are counted from the first row of a block, so that all blocks add the same numbers.
    """
    length, columns = rows.shape[1], index.shape[1]
    number = max(1, BLOCK // columns)
    begins = np.arange(0, number * length, length)[:, None]
    out = np.empty(index.shape, rows.dtype)

    def work(part):
        some = index[part]
        require(some)
        flat = rows[part].reshape(-1)
        if 4 * columns >= length:
            flat.view(np.uint8)[::LINE].max()  # loads the rows into the cache in order, which saves a sixth of the time
        flat.take(some + begins[: len(some)], None, out[part], "wrap")

    map_rows(work, *index.shape, BLOCK)
    return out


def take_slices(array, index, dim):
    """Return the slices of a dense array at ``index``, an array of any shape, along ``dim``."""
    shape = (*array.shape[:dim], *index.shape, *array.shape[dim + 1 :])
    size = math.prod(shape)
    if size < BLOCK or 0 in shape:
        return array.take(index, dim)
    out = np.empty(shape, array.dtype)
    if dim:
        map_rows(lambda part: array[part].take(index, dim, out[part], "wrap"), len(out), size // len(out))
    else:
        map_rows(lambda part: array.take(index[part], 0, out[part], "wrap"), len(out), size // len(out))
    return out
