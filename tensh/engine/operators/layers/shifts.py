"""Convolutions of stride 1 as products with shifted images.

An image whose rows are contiguous in memory, padding included, is a line.  The elements that all windows have at one
position of the kernel are a slice of this line, whereas a column of windows has to be collected row by row. Results at
the end of every row, where a window would wrap around to the next row, are left out.

Notation: images are [N, C, *P] with their padding, there are T windows in each dimension, and ``length`` elements between
the first and the last of them.
"""

import itertools
import math

import numpy as np

from tensh.engine.arrays.matmul import matmul

# Elements of a window in one matrix product: those of the whole kernel, or else of one row of it, whose
# products are added.  A 3 x 3 kernel of 32 channels takes 0.9 of the time in three products, 0.65 of it for the weight's gradient.
DEPTH = 64
# Output channels times wrapped windows per valid window, from which columns of windows take less time
WASTE = 48


class Shifts:
    """The positions of the windows' elements in lines of images."""

    def __init__(self, padded, kernel, size, dilation, depth, multiply):
        steps = [math.prod(padded[d + 1 :]) for d in range(len(padded))]
        places = [[k * d * s for k in range(n)] for n, d, s in zip(kernel, dilation, steps, strict=True)]
        whole = depth * math.prod(kernel) <= DEPTH
        self.inner = [sum(p) for p in itertools.product(*places)] if whole else places[-1]
        self.outer = [0] if whole else [sum(p) for p in itertools.product(*places[:-1])]
        self.length = sum((n - 1) * s for n, s in zip(size, steps, strict=True)) + 1
        self.size, self.rows, self.multiply = size, (size[0], *padded[1:]), multiply

    def windows(self, images, groups):
        """Return the slices of the inner positions: [N, groups, C / groups * inner, elements]."""
        batch, channels = images.shape[:2]
        lines, elements = images.reshape(batch, channels, -1), self.length + self.outer[-1]
        columns = np.empty((batch, channels, len(self.inner), elements), images.dtype)
        for number, place in enumerate(self.inner):
            columns[:, :, number] = lines[:, :, place : place + elements]
        return columns.reshape(batch, groups, -1, elements)

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
        lines = np.zeros((*grad.shape[: -len(self.size)], *self.rows), grad.dtype)
        lines[(..., *map(slice, self.size))] = grad
        return lines.reshape(*grad.shape[: -len(self.size)], -1)[..., : self.length]

    def slide(self, kernels, images, out):
        """Write the products of all windows with the ``kernels`` into ``out`` [N, groups, O / groups, *T]."""
        lines = np.empty((*out.shape[:3], math.prod(self.rows)), out.dtype)
        total, spare = lines[..., : self.length], None
        for kernel, seen in zip(kernels, self.slices(self.windows(images, kernels.shape[1])), strict=True):
            if spare is None:
                self.multiply(kernel, seen, total)
                spare = np.empty(total.shape, total.dtype) if len(kernels) > 1 else total
            else:
                total += self.multiply(kernel, seen, spare)
        out[...] = lines.reshape(*out.shape[:3], *self.rows)[(..., *map(slice, self.size))]

    def match(self, grad, images, groups):
        """Return the products of windows and gradients: [N, outer, groups, C / groups * inner, O / groups]."""
        lines = self.spread_lines(grad).swapaxes(-1, -2)
        return np.stack([self.multiply(each, lines) for each in self.slices(self.windows(images, groups))], 1)


def find_shifts(images, padded, kernel, size, stride, dilation, depth, outputs):
    """Return the shifts for ``depth`` channels into ``outputs``; None where columns of windows take less time.

    Several images are computed one per thread; the products of a single image are split.
    """
    if set(stride) != {1} or math.prod(kernel) == 1 or not depth or math.prod(size) < math.prod(kernel):
        return None
    shifts = Shifts(padded, kernel, size, dilation, depth, matmul if images == 1 else np.matmul)
    windows = math.prod(size)
    return shifts if (shifts.length - windows) * outputs < WASTE * windows else None
