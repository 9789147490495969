"""Prove that a shape, strides and an offset stay within memory; the one place that makes arrays with strides.

NumPy checks strides in 64 bits, and its sum overflows: ``ndarray([2**24], "u1", bytes(8), 0, [2**40])`` succeeds and
reads anywhere.  Python's integers do not overflow.  Shapes, strides and offsets come from files, from other libraries
and from users; every array with given strides is made by ``view_memory``.

Sizes, strides and offsets are counted in elements.  Errors are PyTorch's.
"""

from math import prod
from operator import index

from numpy import ndarray

MOST = 2**63 - 1  # largest number of addressable bytes
MOST_DIMENSIONS = 64  # dimensions of a NumPy array


def count_elements(shape, steps, start=0):
    """Count the elements from the start of the memory to the last one that is reached; 0 without elements."""
    if 0 in shape:
        return 0
    return start + 1 + sum([(n - 1) * step for n, step in zip(shape, steps, strict=True)])


def require_storage(shape, steps, start, itemsize):
    """Return the bytes that a layout needs; RuntimeError for one that no memory can have."""
    if len(shape) != len(steps):
        raise RuntimeError("mismatch in length of strides and shape")
    if start < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {start}")
    need = count_elements(shape, steps, start) * itemsize
    if need > MOST or any([n < 0 for n in shape]) or any([s < 0 < n - 1 for n, s in zip(shape, steps, strict=True)]):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)} and strides={list(steps)}")
    if prod([n or 1 for n in shape]) * itemsize > MOST:
        raise RuntimeError("numel: integer multiplication overflow")
    if len(shape) > MOST_DIMENSIONS:
        raise RuntimeError(f"a tensor of {len(shape)} dimensions is not supported: the limit is {MOST_DIMENSIONS}")
    return need


def require_within(nbytes, itemsize, shape, steps, start):
    """Raise RuntimeError unless every element lies within memory of ``nbytes`` bytes."""
    if any([s < 0 for s in steps]):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(steps)}")
    need = require_storage(shape, steps, start, itemsize)
    if need > nbytes:
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(steps)}, storage offset {start}, and itemsize {itemsize} "
            f"requiring a storage size of {need} are out of bounds for storage of size {nbytes}"
        )


def view_memory(block, dtype, shape, steps, start=0):
    """Make an array over the dense array ``block``, once it is proved that all its elements lie there.

    Raise TypeError for numbers that are not whole, RuntimeError for a layout that leads out of the memory.
    """
    shape, steps, start, size = [*map(index, shape)], [*map(index, steps)], index(start), dtype.itemsize
    need, number = start + 1, size
    for n, step in zip(shape, steps):  # the common case in one pass; require_within raises for the others
        need += (n - 1) * step
        number *= n if step >= 0 <= n else 0
    proved = 0 < number <= MOST and need <= block.nbytes // size and start >= 0
    if not proved or not len(shape) == len(steps) <= MOST_DIMENSIONS:
        require_within(block.nbytes, size, shape, steps, start)
        start = 0  # there are no elements to address
    steps = [s * size for s in steps]
    if max(steps, default=0) > MOST:  # along a dimension of one element
        steps = [0 if s > MOST else s for s in steps]
    if type(block) is not ndarray and hasattr(type(block), "view_as"):  # no elements
        return block.view_as(view_memory(block.layout, dtype, shape, [s // size for s in steps], start))
    if dtype.kind != "V":
        return ndarray(shape, dtype, block, start * size, steps)
    bits = f"u{size}"  # ml_dtypes, which the buffer protocol lacks
    return ndarray(shape, bits, block.view(bits), start * size, steps).view(dtype)


def view_bytes(block, dtype, shape, steps, start):
    """Make an array as ``view_memory`` does, ``start`` bytes after the beginning of the block."""
    first, rest = divmod(start, dtype.itemsize)
    return view_memory(block.view("u1")[rest:] if rest else block, dtype, shape, steps, first)
