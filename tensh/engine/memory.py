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


# ── new memory in the order of other memory ──────────────────────────────────
CHANNELS = {"channels_last": (4, (0, 2, 3, 1)), "channels_last_3d": (5, (0, 2, 3, 4, 1))}


def empty_like(array, dtype, memory_format=None):
    """New memory of the same shape without gaps: its dimensions ordered as in ``array``, or as a memory format says."""
    name = "preserve_format" if memory_format is None else memory_format.name
    if name == "contiguous_format":
        return np.empty(array.shape, dtype)
    if name == "preserve_format":
        order = order_of(array.shape, array.strides)
    else:
        ndim, order = CHANNELS[name]
        if array.ndim != ndim:
            raise RuntimeError(f"required rank {ndim} tensor to use {name} format")
    return np.empty([array.shape[dim] for dim in order], dtype).transpose(np.argsort(order))


def order_of(shape, steps):
    """The dimensions from the widest step to the narrowest.  One without a step (expanded) stays where it is."""
    order = list(range(len(shape)))[::-1]  # from the narrowest on; sorted by insertion, as in PyTorch
    for place in range(1, len(order)):
        for before in reversed(range(place)):
            one, other = order[before], order[place]
            if steps[one] and steps[other]:
                if (steps[one], shape[one]) > (steps[other], shape[other]):
                    order[before], order[place] = other, one
                    place = before
                elif steps[one] < steps[other]:
                    break
    return order[::-1]
