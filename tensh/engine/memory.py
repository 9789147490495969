"""Where an array lies: its memory's owner, its place in it, and other arrays over the same memory."""

import numpy as np
from numpy import ndarray

from tensh.engine.clock import owner


def address(array):
    """The address of the first element."""
    return array.__array_interface__["data"][0]


def offset(array):
    """The number of elements between the start of the memory and the first element."""
    block = owner(array)
    return 0 if block is array else (address(array) - address(block)) // array.itemsize


def strides(array):
    """The strides in elements.

    NumPy keeps whatever strides it likes for dimensions of one element and for empty arrays; they are left as they are.
    """
    size = array.itemsize
    return tuple(s // size for s in array.strides)


def strided(array, shape, steps, start):
    """An array over the memory of ``array``, with ``steps`` and ``start`` counted in elements of it."""
    block = owner(array)
    size = array.itemsize
    flat = block.reshape(-1, order="A") if block.flags.forc else block
    if array.dtype.kind == "V":  # ml_dtypes: the buffer protocol does not know them
        view = ndarray(shape, np.dtype(f"u{size}"), flat.view(f"u{size}"), start * size, [s * size for s in steps])
        return view.view(array.dtype)
    return ndarray(shape, array.dtype, flat.view(array.dtype), start * size, [s * size for s in steps])


class _Interface:
    """An object that offers another array's memory, so that NumPy takes it for the memory's owner."""

    __slots__ = ("__array_interface__", "array")

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


def apart(array):
    """The same memory under another owner: writes through the result do not count as writes to ``array``."""
    if array.dtype.kind == "V":
        return np.asarray(_Interface(array.view(f"u{array.itemsize}"))).view(array.dtype)
    return np.asarray(_Interface(array))


def overlaps_itself(array):
    """Do several elements share one place, as in an expanded array?"""
    return any(stride == 0 and n > 1 for n, stride in zip(array.shape, array.strides))
