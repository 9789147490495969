"""Convolutions with few positions, as in the last layers of a network: one product for all images, side by side.

The notation is that of ``convolution``.
"""

import functools
import math

import numpy as np

from tensh.engine.arrays.matmul import matmul
from tensh.engine.arrays.orders import move_axis
from tensh.engine.operators.layers.windows import add_all_windows, pad_sides, windows

# Positions in all images, per output channel, up to which one product serves all images, and for the gradient of the weight:
# a weight of 512 x 512 x 3 x 3 over 8 images of 4 x 4 is then read once, which takes half of the time, and a sixth for its
# gradient.  Smaller weights than LARGE stay in the cache.
FEW, FEW_SUMMED, LARGE = 1, 4, 1 << 12


@functools.lru_cache(1024)
def find_taps(dtype, spatial, kernel, size, stride, padding, dilation):
    """Return the part of the kernel that meets the image in any window, and the padding that this part needs.

    The part is a slice for every dimension, or None for the whole kernel.  Elements outside meet nothing but padding, where
    PyTorch's loops for float32 multiply nothing, so that infinite ones make no nan; other dtypes keep the whole kernel.
    """
    if dtype != np.float32 or not any(padding) or not all(size) or not all(spatial):
        return None, padding
    taps, around = [], []
    for n, k, t, s, p, d in zip(spatial, kernel, size, stride, padding, dilation, strict=True):
        stop = max(1, min(k, (n - 1 + p) // d + 1))
        after = (stop - 1) * d - p + s * (t - 1) + 1 - n
        start = max(0, min(-(-(p - s * (t - 1)) // d), (p - max(0, after)) // d, stop - 1))
        taps.append(slice(start, stop))
        around.append(p - start * d)
    if all(tap == slice(0, k) for tap, k in zip(taps, kernel, strict=True)):
        return None, padding
    return tuple(taps), tuple(around)


def has_few_positions(images, size, shape, groups, most):
    """Return True if a weight of ``shape`` is larger than the windows of all images, so that one product takes less time."""
    return 0 < images * math.prod(size) * groups <= most * shape[0] and math.prod(shape) >= LARGE


def multiply_few(input, weight, stride, padding, dilation, groups, size):
    """Compute ``multiply_windows`` with one product for all images."""
    columns = windows_beside(input, weight.shape[2:], size, stride, padding, dilation, groups)
    result = matmul(weight.reshape(groups, len(weight) // groups, -1), columns)
    return separate(result.reshape(len(weight), len(input), *size))


def add_few(grad, weight, spatial, stride, padding, dilation, groups):
    """Compute ``add_windows`` with one product for all images."""
    kernel, size, channels = weight.shape[2:], grad.shape[2:], weight.shape[1] * groups
    kernels = weight.reshape(groups, len(weight) // groups, -1)
    columns = matmul(kernels.swapaxes(1, 2), beside(grad, groups))
    columns = move_axis(columns.reshape(channels, *kernel, len(grad), *size), 1 + len(kernel), 0)
    return add_all_windows(columns, spatial, stride, padding, dilation)


def match_few(grad, input, shape, stride, padding, dilation, groups):
    """Compute ``match`` with one product for all images."""
    columns = windows_beside(input, shape[2:], grad.shape[2:], stride, padding, dilation, groups)
    return matmul(beside(grad, groups), columns.swapaxes(1, 2)).reshape(shape)


def windows_beside(input, kernel, size, stride, padding, dilation, groups):
    """Return the windows of all images as [groups, C / groups * prod(K), N * prod(T)]: the images are another dimension."""
    whole, number = pad_sides(input, padding).swapaxes(0, 1)[None], len(input)
    return windows(whole, (1, *kernel), (number, *size), (1, *stride), (1, *dilation), groups)[0]


def beside(grad, groups):
    """Return outputs [N, O, *T] as [groups, O / groups, N * prod(T)]."""
    return grad.swapaxes(0, 1).reshape(groups, grad.shape[1] // groups, -1)


def separate(images):
    """Return images [O, N, *T] as [N, O, *T]."""
    return np.ascontiguousarray(images.swapaxes(0, 1))
