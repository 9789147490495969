"""The order of dimensions: the one in memory that PyTorch gives the results of elementwise functions, and moved ones."""

import functools

import numpy as np


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
    """Return a result in PyTorch's order for its operands, tensors or numbers; NumPy may have another for expanded ones."""
    arrays = [each.array for each in operands if hasattr(each, "array")]
    if out.strides == arrays[0].strides:  # the usual case, such as a sum of transposed tensors
        return out
    order = order_of(out.shape, *[np.broadcast_to(each, out.shape).strides for each in arrays])
    inside = out.transpose(order)
    if inside.flags.c_contiguous:
        return out
    return inside.copy("C").transpose(np.argsort(order))
