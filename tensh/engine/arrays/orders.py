"""The order of dimensions: the one in memory that PyTorch gives the results of elementwise functions, and moved ones."""

import functools
import math

import numpy as np

from tensh.engine.arrays.copying import copy_into


def move_axis(array, source, destination):
    """``np.moveaxis`` of one dimension, which takes twenty times as long."""
    ndim = array.ndim
    if source == destination or (source - destination) % max(ndim, 1) == 0:
        return array
    return array.transpose(_find_moved(ndim, source, destination))


@functools.lru_cache(256)
def _find_moved(ndim, source, destination):
    """Return the dimensions after one has moved."""
    order = list(range(ndim))
    source = order.pop(source)
    order.insert(destination % ndim, source)
    return order


def order_of(shape, *strides):
    """Return the dimensions by descending stride, for operands of one shape; the first whose strides differ decides.

    Dimensions that are expanded in all operands keep their position.
    """
    order = list(range(len(shape)))[::-1]  # sorted from the smallest stride; insertion sort, as in PyTorch
    for place in range(1, len(order)):
        for before in reversed(range(place)):
            one, other = order[before], order[place]
            larger = compare(shape, strides, one, other)
            if larger > 0:
                order[before], order[place] = other, one
                place = before
            elif larger < 0:
                break
    return order[::-1]


def compare(shape, strides, one, other):
    """Return 1 if a dimension lies further out in memory than another, -1 if further in, 0 if nothing tells."""
    for steps in strides:
        if steps[one] and steps[other]:
            if (steps[one], shape[one]) > (steps[other], shape[other]):
                return 1
            if steps[one] < steps[other]:
                return -1
    return 0


def arrange(out, operands):
    """Return a result in PyTorch's order for its operands, tensors or numbers.

    Where their orders differ NumPy's result is in rows, PyTorch's in the order of the first one.
    """
    first = (operands[0] if hasattr(operands[0], "array") else operands[1]).array
    shape, strides = out.shape, first.strides
    if out.strides == strides:  # the usual case, such as a sum of transposed tensors
        return out
    if first.shape == shape and is_descending(strides) and out.flags.c_contiguous:  # parts of rows
        return out
    arrays = [each.array for each in operands if hasattr(each, "array")]
    order, back = find_order(shape, *[(each.shape, each.strides) for each in arrays])
    inside = out.transpose(order)
    if inside.flags.c_contiguous:
        return out
    copy = np.empty(inside.shape, out.dtype)
    copy_into(copy, inside)
    return copy.transpose(back)


@functools.lru_cache(256)
def is_descending(strides):
    """Return True if every dimension lies further out in memory than the next."""
    before = math.inf
    for step in strides:
        if not 0 < step < before:
            return False
        before = step
    return True


def strides_within(own_shape, strides, shape):
    """Return the strides of an array that is expanded to a shape."""
    absent = len(shape) - len(own_shape)
    sizes = zip(own_shape, shape[absent:], strides)
    return (0,) * absent + tuple([0 if own == 1 != size else step for own, size, step in sizes])


@functools.lru_cache(1024)
def find_order(shape, *operands):
    """Return the dimensions by descending stride of operands, (shape, strides) each, and those that lead back."""
    order = order_of(shape, *[strides_within(*each, shape) for each in operands])
    return order, sorted(range(len(order)), key=order.__getitem__)
