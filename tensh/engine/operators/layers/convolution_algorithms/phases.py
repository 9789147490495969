"""Convolutions with strides, in planes: each has every ``stride``-th element of each dimension of an image.

The elements of all windows at one position of the kernel are a slice of a plane. The slice also has the elements between
the rows of windows, which wrap around to the next row.  Copying and adding slices takes a third of the time of rows of 16.
"""

import functools
import math

import numpy as np


class Phases:
    """The places of windows in planes of images whose sizes, padding included, are ``padded``.

    Lines have rows as long as the planes, ``length`` elements from the first window to the last.
    """

    def __init__(self, padded, kernel, size, stride, dilation):
        self.size, self.stride = size, stride
        self.plane = tuple([-(-n // s) for n, s in zip(padded, stride, strict=True)])
        self.rows = (size[0], *self.plane[1:])
        steps = [math.prod(self.plane[d + 1 :]) for d in range(len(padded))]
        self.length = sum((n - 1) * step for n, step in zip(size, steps, strict=True)) + 1
        self.slices = []  # (phase, slice of its plane) for each element of the kernel
        for place in np.ndindex(*kernel):
            at = [k * d for k, d in zip(place, dilation, strict=True)]
            start = sum(a // s * step for a, s, step in zip(at, stride, steps, strict=True))
            self.slices.append(([a % s for a, s in zip(at, stride, strict=True)], slice(start, start + self.length)))

    def windows(self, images, padding, groups):
        """Return the windows, and those that wrap around, as [N, groups, C / groups * prod(K), length]."""
        planes = self.cut(images, padding)
        columns = np.empty((*images.shape[:2], len(self.slices), self.length), images.dtype)
        for number, (phase, part) in enumerate(self.slices):
            columns[:, :, number] = planes[(*phase, ..., part)]
        return columns.reshape(len(images), groups, -1, self.length)

    def cut(self, images, padding):
        """Return the planes of images, with their padding: [*stride, N, C, prod(plane)]."""
        planes = np.zeros((*self.stride, *images.shape[:2], *self.plane), images.dtype)
        for phase in np.ndindex(*self.stride):
            inside, read = [], []
            for n, p, s, first in zip(images.shape[2:], padding, self.stride, phase, strict=True):
                start = max(0, -(-(p - first) // s))
                inside.append(slice(start, start + max(0, -(-(n + p - first - start * s) // s))))
                read.append(slice(first + start * s - p, None, s))
            planes[(*phase, ..., *inside)] = images[(..., *read)]
        return planes.reshape(*self.stride, *images.shape[:2], -1)

    def spread(self, values):
        """Return values of windows [N, groups, channels, *T] as lines, with zeros for those that wrap around."""
        lines = np.zeros((*values.shape[:3], *self.rows), values.dtype)
        lines[(..., *map(slice, self.size))] = values
        return lines.reshape(*values.shape[:3], -1)[..., : self.length]

    def multiply(self, product, kernels, columns, out):
        """Write the products of ``kernels`` and windows into ``out`` [N, groups, O / groups, prod(T)]."""
        lines = np.empty((*out.shape[:3], math.prod(self.rows)), out.dtype)
        product(kernels, columns, lines[..., : self.length])
        out.reshape(*out.shape[:3], *self.size)[...] = lines.reshape(*out.shape[:3], *self.rows)[
            (..., *map(slice, self.size))
        ]

    def lay_together(self, columns, whole):
        """Add all windows [N, C, prod(K), length] to ``whole`` [N, C, *S], of zeros, at their positions."""
        planes = np.zeros((*self.stride, *whole.shape[:2], math.prod(self.plane)), whole.dtype)
        for number, (phase, part) in enumerate(self.slices):
            planes[(*phase, ..., part)] += columns[:, :, number]
        for phase in np.ndindex(*self.stride):
            target = whole[(..., *[slice(first, None, s) for first, s in zip(phase, self.stride, strict=True)])]
            target[...] = planes[phase].reshape(*whole.shape[:2], *self.plane)[(..., *map(slice, target.shape[2:]))]


@functools.lru_cache(1024)
def place_windows(padded, kernel, size, stride, dilation):
    """Return the phases of windows."""
    return Phases(padded, kernel, size, stride, dilation)


def find_phases(padded, kernel, size, stride, dilation):
    """Return the phases of windows that overlap and are more than the elements of the kernel; otherwise None."""
    if set(stride) == {1} or math.prod(kernel) < 2 * math.prod(stride) or math.prod(size) < math.prod(kernel):
        return None
    return place_windows(padded, kernel, size, stride, dilation)
