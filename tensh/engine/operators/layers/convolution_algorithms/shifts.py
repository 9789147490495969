"""Convolutions of stride 1 as products with shifted images.

An image whose rows are contiguous in memory is a line.  The elements that all windows have at one position of the kernel
are a slice of this line, whereas a column of windows has to be collected row by row.  For positions within a row of the
kernel the image is copied, shifted and as wide as the output, so that a slice has no other elements: rows of the
kernel are rows of the image apart.  Kernels of few elements are multiplied at once, by slices of lines that include the
padding. Results at the end of every row, where a window would wrap around to the next row, are left out.

Notation: images are [N, C, *S], or [N, C, *P] with their padding, there are T windows in each dimension, and ``length``
elements between the first and the last of them.
"""

import functools
import itertools
import math

import numpy as np

from tensh.engine.arrays.bounds import view_memory
from tensh.engine.arrays.matmul import matmul
from tensh.engine.arrays.pieces import multiply_stacks
from tensh.engine.operators.layers.convolution_algorithms.window_sums import sum_products

# Elements of a window in one matrix product: those of the whole kernel, or else of one row of it, whose
# products are added.  A 3 x 3 kernel of 32 channels takes 0.9 of the time in three products, 0.65 of it for the weight's gradient.
DEPTH = 64
# Output channels times wrapped windows per valid window, from which columns of windows take less time
WASTE = 48


ALL = slice(None)


class Shifts:
    """The positions of the windows' elements in lines of images.

    ``pads`` tells that the images are given without padding.
    """

    def __init__(self, padded, kernel, size, dilation, padding, depth, multiply):
        self.pads = depth * math.prod(kernel) > DEPTH
        self.dilation, self.padding, self.kernel = dilation, padding, kernel
        self.line = (*padded[:-1], size[-1]) if self.pads else padded
        steps = [math.prod(self.line[d + 1 :]) for d in range(len(padded))]
        places = [[k * d * s for k in range(n)] for n, d, s in zip(kernel, dilation, steps, strict=True)]
        self.inner = places[-1] if self.pads else [sum(p) for p in itertools.product(*places)]
        self.outer = [sum(p) for p in itertools.product(*places[:-1])] if self.pads else [0]
        self.length = sum((n - 1) * s for n, s in zip(size, steps, strict=True)) + 1
        self.size, self.rows, self.multiply = size, (size[0], *self.line[1:]), multiply

    def windows(self, images, groups):
        """Return the slices of the inner positions: [N, groups, C / groups * inner, elements]."""
        batch, channels = images.shape[:2]
        if self.pads:
            return self.shift_images(images).reshape(batch, groups, -1, math.prod(self.line))
        images = np.ascontiguousarray(images)
        apart = [math.prod(images.shape[d:]) for d in range(1, images.ndim + 1)]
        steps = *apart[:2], *[s * d for s, d in zip(apart[2:], self.dilation, strict=True)], 1
        # One copy of overlapping lines takes half of the time of a copy for each element of the kernel.
        lines = view_memory(images, images.dtype, (batch, channels, *self.kernel, self.length), steps)
        return lines.reshape(batch, groups, -1, self.length)

    def shift_images(self, images):
        """Return the images, padded, at every position within a row of the kernel: [N, C, inner, *line]."""
        *spatial, width = images.shape[2:]
        *around, beside = self.padding
        columns = np.empty((*images.shape[:2], len(self.inner), *self.line), images.dtype)
        for d, (p, n) in enumerate(zip(around, spatial, strict=True), 3):
            columns[(ALL,) * d + (slice(0, p),)] = 0
            columns[(ALL,) * d + (slice(p + n, None),)] = 0
        inside = columns[(ALL,) * 3 + tuple([slice(p, p + n) for p, n in zip(around, spatial, strict=True)])]
        for number in range(len(self.inner)):
            copy_shifted(inside[:, :, number], images, number * self.dilation[-1] - beside)
        return columns

    def slices(self, columns):
        """Return the elements of the windows at each outer position."""
        return [columns[..., place : place + self.length] for place in self.outer]

    def split(self, weight, groups):
        """Return the weight at each outer position: [outer, groups, O / groups, C / groups * inner]."""
        outputs, channels = weight.shape[:2]
        parts = weight.reshape(groups, outputs // groups, channels, len(self.outer), len(self.inner))
        return np.ascontiguousarray(parts.transpose(3, 0, 1, 2, 4)).reshape(
            len(self.outer), groups, outputs // groups, channels * len(self.inner)
        )

    def join(self, parts):
        """Return the sum of the results of ``match`` as a weight [groups, O / groups, C / groups * K]."""
        outer, groups, _, outputs = parts.shape
        parts = parts.reshape(outer, groups, -1, len(self.inner), outputs)
        return parts.transpose(1, 4, 2, 0, 3).reshape(groups, outputs, -1)

    def spread_lines(self, grad):
        """Return the gradient of an output as lines, with zeros for wrapped windows."""
        if self.rows == self.size:
            return grad.reshape(*grad.shape[: -len(self.size)], -1)
        lines = np.zeros((*grad.shape[: -len(self.size)], *self.rows), grad.dtype)
        lines[(..., *map(slice, self.size))] = grad
        return lines.reshape(*grad.shape[: -len(self.size)], -1)[..., : self.length]

    def slide(self, kernels, images, out):
        """Write the products of all windows with the ``kernels`` into ``out`` [N, groups, O / groups, *T]."""
        exact = self.rows == self.size
        lines = out if exact else np.empty((*out.shape[:3], math.prod(self.rows)), out.dtype)
        total, spare = lines.reshape(*out.shape[:3], -1)[..., : self.length], None
        for kernel, seen in zip(kernels, self.slices(self.windows(images, kernels.shape[1])), strict=True):
            if spare is None:
                self.multiply(kernel, seen, total)
                spare = np.empty(total.shape, total.dtype) if len(kernels) > 1 else total
            else:
                np.add(total, self.multiply(kernel, seen, spare), total)
        if not exact:
            out[...] = lines.reshape(*out.shape[:3], *self.rows)[(..., *map(slice, self.size))]

    def match(self, grad, images, groups):
        """Return products of windows and gradients, summed over images: [outer, groups, C / groups * inner, O / groups]."""
        return sum_products(self.slices(self.windows(images, groups)), self.spread_lines(grad))


def copy_shifted(target, images, shift):
    """Write images without their first ``shift`` columns, or with as many columns of zeros before them if it is negative.

    ``target`` is as high and may have another width; zeros follow.  Images of one width are copied as lines, whose elements
    beyond a row are then overwritten.
    """
    width, given = target.shape[-1], images.shape[-1]
    low, high = max(0, -shift), min(width, given - shift)
    if low >= high:
        target[...] = 0
        return
    if width == given and target.ndim == 4 and images.flags.c_contiguous:
        lines, source = (each.reshape(*each.shape[:2], -1) for each in (target, images))
        begin, end = low, lines.shape[-1] - max(0, shift)
        lines[..., begin:end] = source[..., begin + shift : end + shift]
    else:
        target[..., low:high] = images[..., low + shift : high + shift]
    if low:
        target[..., :low] = 0
    if high < width:
        target[..., high:] = 0


@functools.lru_cache(1024)
def find_shifts(images, spatial, padding, kernel, size, stride, dilation, depth, outputs):
    """Return the shifts for ``depth`` channels into ``outputs``; None where columns of windows take less time.

    Several images are computed one per thread; the products of a single image are split.
    """
    if set(stride) != {1} or math.prod(kernel) == 1 or not depth or math.prod(size) < math.prod(kernel):
        return None
    padded = tuple(n + 2 * p for n, p in zip(spatial, padding, strict=True))
    shifts = Shifts(padded, kernel, size, dilation, padding, depth, matmul if images == 1 else multiply_stacks)
    windows = math.prod(size)
    return shifts if (shifts.length - windows) * outputs < WASTE * windows else None
