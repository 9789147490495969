"""Convolutions of little images: all windows are copied by their positions in one call, which takes longer for each element.

The notation is that of ``convolution``.
"""

import functools
import math

import numpy as np

from tensh.engine.arrays.matmul import matmul, multiply_matrices
from tensh.engine.operators.layers.windows import pad_sides, windows

LITTLE = 1 << 15  # elements of all windows up to which this takes less time


def are_little(images, size, shape, groups):
    """Return True if all windows that a weight of ``shape`` meets have few elements."""
    return 0 < images * math.prod(size) * math.prod(shape[1:]) * groups <= LITTLE


def multiply_little(input, weight, stride, padding, dilation, groups, size):
    """Compute ``multiply_windows`` of little images."""
    columns = copy_windows(input, weight.shape[2:], size, stride, padding, dilation, groups)
    if groups == len(input) == 1:
        result = multiply_matrices(weight.reshape(len(weight), -1), columns[0, 0])
    elif groups == 1:
        result = matmul(weight.reshape(len(weight), -1), columns[:, 0])
    else:
        result = matmul(weight.reshape(groups, len(weight) // groups, -1), columns)
    return result.reshape(len(input), len(weight), *size)


def copy_windows(input, kernel, size, stride, padding, dilation, groups):
    """Return the windows of little images: [N, groups, C / groups * prod(K), prod(T)]."""
    whole, count = pad_sides(input, padding), math.prod(size)
    columns = whole
    if math.prod(kernel) > 1 or whole.shape[2:] != tuple(size):
        places = find_places(whole.shape[1:], kernel, size, tuple(stride), tuple(dilation))
        columns = whole.reshape(len(whole), -1).take(places, 1)
    return columns.reshape(len(input), groups, -1, count)


@functools.lru_cache(64)
def find_places(shape, kernel, size, stride, dilation):
    """Return where in an image of ``shape`` the elements of all its windows are: [C * prod(K), prod(T)]."""
    image = np.arange(math.prod(shape)).reshape(1, *shape)
    return windows(image, kernel, size, stride, dilation)[0, 0]
