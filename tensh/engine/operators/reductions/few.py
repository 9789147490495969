"""Sums of few numbers, which have PyTorch's bits: they are added in the order in which PyTorch adds them."""

import numpy as np

from tensh.engine.operators.precision import F4, F8

LANES = {F4: 8, F8: 4}  # numbers that PyTorch adds in parallel, a line
BIT_FOR_BIT = 4 * max(LANES.values())  # a sum of fewer numbers, less than four lines, has PyTorch's bits


def order_few(size, lanes):
    """Return the order in which PyTorch adds less than two lines of numbers: what follows the last whole line comes first."""
    if 4 < size < lanes:  # half a line, its first number first
        return [0, *range(4, size), *range(1, 4)]
    return [*range(lanes, size), *range(min(size, lanes))]


ORDERS = {
    dtype: [np.array(order_few(size, lanes), np.intp) for size in range(2 * lanes)] for dtype, lanes in LANES.items()
}

TWO = {dtype: np.ones(2, dtype) for dtype in LANES}


def add_few(array):
    """Sum fewer than BIT_FOR_BIT numbers as PyTorch does; None for arrays that it adds in another way.

    Lines of numbers are added in parallel, then, one by one, what is left and the numbers of the line of sums.
    """
    size, orders = array.size, ORDERS.get(array.dtype)
    if orders is None or size >= 2 * len(orders) or not array.flags.c_contiguous:
        return None
    if size < len(orders):
        vector = array.reshape(-1) if array.ndim != 1 else array
        vector = vector[orders[size]] if size > 4 else vector
    elif size == len(orders):
        vector = TWO[array.dtype].dot(
            array.reshape(2, -1)
        )  # a sum of two products with 1 is exact, and takes less time
    else:
        lanes, vector = len(orders) // 2, array.reshape(-1)
        rest, sums = size % lanes, vector[:lanes] + vector[lanes : 2 * lanes]
        if size >= 3 * lanes:
            sums += vector[2 * lanes : 3 * lanes]
        vector = np.concatenate((vector[-rest:], sums)) if rest else sums
    total = np.add.accumulate(vector)[-1]
    return total if total else total + 0  # the sum of negative zeros is 0
