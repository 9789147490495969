"""Reduction to fewer rows and columns, each the mean of those it replaces."""

import numpy as np


def shrink(array, rows, columns):
    """Return the array (rows, columns, ...) reduced to a size; unchanged if it is not larger."""
    for axis, most in ((0, rows), (1, columns)):
        size = array.shape[axis]
        if size > most:
            edges = np.arange(most) * size // most
            lengths = np.diff([*edges, size]).reshape([-1 if d == axis else 1 for d in range(array.ndim)])
            array = np.add.reduceat(array, edges, axis) / lengths
    return array
