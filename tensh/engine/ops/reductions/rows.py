"""Products of a matrix of many rows with a small one, and with ones: the sums of its rows, as fast as memory gives them.

BLAS hands a product of more than ALONE numbers to threads of its own, on whose number the rounding may depend, and which
get in the way of those that the machine's cores already run.  So it is given fewer at a time.
"""

import numpy as np

from tensh.engine.arrays.cores import SPREAD, over_rows

ALONE = 1 << 13  # elements up to which BLAS does not use threads of its own
SHORT = 32  # numbers of a row up to which many rows are one product: of 16, in a sixth of the time of one by one
CACHED = 1 << 17  # elements above which einsum waits less for memory: a quarter of the time, on two cores
PARTS = 8  # of the rows: 8 million numbers are added in 600 microseconds, waking a thread takes 50


def times(matrix, factor, out=None):
    """``matrix @ factor``, some rows at a time."""
    if out is None:
        out = np.empty((len(matrix), factor.shape[1]), matrix.dtype)
    number = ALONE // max(factor.shape)
    whole = len(matrix) // number * number
    if whole:
        rows, into = (a[:whole].reshape(-1, number, a.shape[1]) for a in (matrix, out))
        np.matmul(rows, factor, into)
    if whole < len(matrix):  # a call for nothing is one more wait for Python's lock
        np.matmul(matrix[whole:], factor, out[whole:])
    return out


def sums_of_rows(matrix, ones):
    """The sums of rows of floats, on one core; ``ones`` are as many as a row has numbers."""
    if matrix.shape[1] <= SHORT:
        return times(matrix, ones[:, None])[:, 0]
    return np.vecdot(matrix, ones) if matrix.size <= CACHED else np.einsum("ij->i", matrix)


def row_sums(matrix, ones):
    """The same on the machine's cores."""
    if matrix.size < SPREAD:
        return sums_of_rows(matrix, ones)
    sums = np.empty(len(matrix), matrix.dtype)

    def work(part):
        sums[part] = sums_of_rows(matrix[part], ones)

    over_rows(work, *matrix.shape, -(-matrix.size // PARTS))
    return sums
