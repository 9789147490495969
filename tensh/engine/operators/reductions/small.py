"""Sums of few numbers, which have PyTorch's bits: they are added in the order in which PyTorch adds them."""

import numpy as np

from tensh.engine.operators.precision import F4, F8

add, accumulate = np.add.reduce, np.add.accumulate
LANES = {F4: 8, F8: 4}  # numbers that PyTorch adds in parallel, a line
FEW = 32  # a sum of all of fewer numbers has PyTorch's bits; more would take two to four times as long
COLUMN = 64  # numbers of a column up to which its sum has PyTorch's bits
MOST = 1 << 13  # numbers of all columns together, up to which they have; BLAS adds more in half of the time
LEVEL = 16  # numbers of a column that are added one after the other, and so are their sums
QUARTERS = 4  # sums that run in parallel, of every fourth number each; so few numbers are added one by one


# ── columns ──────────────────────────────────────────────────────────────────
def add_columns(array):
    """Sum over the first dimension, for a contiguous last one.

    Whole lines of columns are added in levels; the other columns in quarters.
    """
    if len(array) <= QUARTERS:
        return add(array, 0)
    width, lanes = array.shape[-1], LANES[array.dtype]
    rest = width % (QUARTERS * lanes if width >= lanes else QUARTERS)
    if rest == width:
        return add_in_quarters(array)
    sums = add_in_levels(array)
    if rest:
        sums[..., -rest:] = add_in_quarters(array[..., -rest:])
    return sums


def add_in_levels(array):
    """Sum over the first dimension: sixteen numbers at a time, and their sums."""
    number = len(array)
    if number <= LEVEL:
        return add(array, 0)
    rest = number % LEVEL
    levels = array[:-rest] if rest else array
    sums = add(add(levels.reshape(number // LEVEL, LEVEL, *array.shape[1:]), 1), 0)
    return add(array[-rest:], 0) + sums if rest else sums


def add_in_quarters(array):
    """Sum over the first dimension: every fourth number, the numbers that remain with the first of the four sums."""
    number = len(array)
    if number < 2 * QUARTERS:
        return add(array[FIRST_QUARTER[number]], 0)
    rest = number % QUARTERS
    lines = array[:-rest] if rest else array
    if number < 3 * QUARTERS:  # in a third of the time of NumPy's sum
        sums = np.add(lines[:QUARTERS], lines[QUARTERS:])
    else:
        sums = add(lines.reshape(-1, QUARTERS, *array.shape[1:]), 0)
    if rest:
        first = sums[0]
        for later in array[-rest:]:
            first += later
    return add(sums, 0)


FIRST_QUARTER = [[0, *range(QUARTERS, number), *range(1, QUARTERS)] for number in range(2 * QUARTERS)]
"""The order in which fewer than two numbers per quarter are added, by their number."""


# ── all numbers ──────────────────────────────────────────────────────────────
def add_all(array):
    """Sum a dense array in the order of its memory: lines in parallel, then what remains and the line of sums one by one."""
    lanes = LANES[array.dtype]
    vector = array if array.ndim == 1 else array.ravel("K")
    size = vector.size
    if size < 2 * lanes:
        return add_one_by_one(vector[ORDERS[array.dtype][size]] if size > QUARTERS else vector)
    rest = size % lanes
    lines = (vector[:-rest] if rest else vector).reshape(-1, lanes)
    if len(lines) == 2:  # a product with ones adds two numbers exactly, in half of the time of NumPy's sum
        sums = TWO[array.dtype].dot(lines)
    else:
        sums = add(lines, 0) if len(lines) <= QUARTERS else add_in_quarters(lines)
    return add_one_by_one(np.concatenate((vector[-rest:], sums)) if rest else sums)


def add_one_by_one(vector):
    total = accumulate(vector)[-1]
    return total if total else total + 0  # the sum of negative zeros is 0


def order_few(size, lanes):
    """Return the order in which PyTorch adds less than two lines: what follows the last whole line comes first."""
    if QUARTERS < size < lanes:  # half a line, its first number first
        return FIRST_QUARTER[size]
    return [*range(lanes, size), *range(min(size, lanes))]


ORDERS = {
    dtype: [np.array(order_few(size, lanes), np.intp) for size in range(2 * lanes)] for dtype, lanes in LANES.items()
}

TWO = {dtype: np.ones(2, dtype) for dtype in LANES}
