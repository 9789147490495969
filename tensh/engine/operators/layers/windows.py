"""Windows of images: where they lie, copies of all of them, and their sums.

Notation: images are [N, C, *S], kernels have the shape K, and there are T windows in every spatial dimension.
"""

import functools
import math

import numpy as np

from tensh.engine.operators.precision import is_half


def output_size(spatial, kernel, stride, padding, dilation):
    """Return the number of positions of the window in every spatial dimension."""
    return tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(spatial, kernel, stride, padding, dilation)
    )


def pad_sides(array, padding):
    """Pad the spatial dimensions with zeros."""
    if not any(padding):
        return array
    spatial = array.shape[2:]
    shape = (*array.shape[:2], *(n + 2 * p for n, p in zip(spatial, padding)))
    whole = np.zeros(shape, array.dtype)
    whole[middle(spatial, tuple(padding))] = array
    return whole


@functools.lru_cache(256)
def middle(spatial, padding):
    """Return the index of the elements inside the padding."""
    return (..., *(slice(p, p + n) for n, p in zip(spatial, padding)))


def strip_padding(padding, whole, spatial):
    """Return the part inside the padding."""
    return np.ascontiguousarray(whole[middle(spatial, tuple(padding))]) if any(padding) else whole


def reach(place, size, stride, dilation):
    """Return the positions of the input that one element of the kernel reads, as slices.

    With windows and kernel exchanged, ``reach(place, kernel, dilation, stride)`` returns the positions in one window.
    """
    return tuple(slice(k * d, k * d + (n - 1) * s + 1, s) for k, n, s, d in zip(place, size, stride, dilation))


FEW = 128  # elements of a kernel up to which their positions are kept


def read_places(kernel, size, stride, dilation):
    """Return (place, index) for each element of the kernel: its place there, and the elements of images that it reads."""
    make = _find_places if math.prod(kernel) <= FEW else _find_places.__wrapped__
    return make(tuple(kernel), tuple(size), tuple(stride), tuple(dilation))


@functools.lru_cache(256)
def _find_places(kernel, size, stride, dilation):
    return [(place, (..., *reach(place, size, stride, dilation))) for place in np.ndindex(*kernel)]


PATCH = 64  # elements of patches from which they are copied at once: those of 4 x 4 take longer than the elements do


def are_patches(kernel, stride, dilation):
    """Return True if windows are large patches without gaps and overlaps."""
    return tuple(stride) == tuple(kernel) and math.prod(kernel) >= PATCH and set(dilation) == {1}


def view_patches(images, kernel, size):
    """Return a view of images cut into patches: [N, C, *K, *T].

    A copy of 16 x 16 patches takes a fifth of the time of 256 copies of elements.
    """
    inside = images[(..., *[slice(k * n) for k, n in zip(kernel, size, strict=True)])]
    dims = len(kernel)
    apart = inside.reshape(*images.shape[:2], *[n for pair in zip(size, kernel, strict=True) for n in pair])
    return apart.transpose(0, 1, *range(3, 3 + 2 * dims, 2), *range(2, 2 + 2 * dims, 2))


def windows(array, kernel, size, stride, dilation, groups=1):
    """Return all windows as [N, groups, C / groups * prod(K), prod(T)], for one matrix product."""
    batch, channels = array.shape[:2]
    shape = (batch, groups, channels // groups * math.prod(kernel), math.prod(size))
    if math.prod(kernel) == 1 and array.shape[2:] == tuple(size):
        return array.reshape(shape)
    if are_patches(kernel, stride, dilation):
        return np.ascontiguousarray(view_patches(array, kernel, size)).reshape(shape)
    columns = np.empty((batch, channels, *kernel, *size), array.dtype)
    if math.prod(size) < math.prod(kernel):  # a kernel as large as the image has few windows
        for place, there in read_places(size, kernel, dilation, stride):
            columns[(..., *place)] = array[there]
        return columns.reshape(shape)
    for place, there in read_places(kernel, size, stride, dilation):  # a fifth faster than one copy of a strided view
        columns[(slice(None), slice(None), *place)] = array[there]
    return columns.reshape(shape)


def lay_together(columns, whole, stride, dilation):
    """Add all windows [N, C, *K, *T] to ``whole`` [N, C, *S] at their positions: the adjoint of ``windows``."""
    dims = whole.ndim - 2
    kernel, size = columns.shape[2 : 2 + dims], columns.shape[2 + dims :]
    if are_patches(kernel, stride, dilation):
        patches = view_patches(whole, kernel, size)
        patches += columns
        return
    if math.prod(size) < math.prod(kernel) and not is_half(whole.dtype):  # 16 bit sums depend on the order
        for place, there in read_places(size, kernel, dilation, stride):
            whole[there] += columns[(..., *place)]
        return
    for place, there in read_places(kernel, size, stride, dilation):
        whole[there] += columns[(slice(None), slice(None), *place)]


def add_all_windows(columns, spatial, stride, padding, dilation):
    """Add all windows in a new array; return it without padding: [N, C, *S]."""
    whole = np.zeros((*columns.shape[:2], *(n + 2 * p for n, p in zip(spatial, padding))), columns.dtype)
    lay_together(columns, whole, stride, dilation)
    return strip_padding(padding, whole, spatial)
