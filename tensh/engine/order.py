"""The order of dimensions in memory: how arrays are walked, and how memory like theirs is made."""

import numpy as np

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
