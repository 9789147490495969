"""Adding values at positions of an array, which may occur more than once.

``np.add.at`` takes 1.4 to 3 ns for a number and its position; for rows, the positions of their numbers have to be
computed first. SciPy's loops, if installed, are faster for rows and release Python's lock.
"""

import math

import numpy as np

from tensh.engine.arrays.halves import F4, convert
from tensh.engine.arrays.threads import BLOCK, PARALLEL, map_rows

FEW = 32  # values up to which importing SciPy costs more than it saves
MANY = 1 << 12  # values of rows from which SciPy's loops gain something, if they have to be loaded first
LONG_ROW = 32  # numbers from which whole rows are added: the first row of every position, then the second, and so on
ROUNDS = 16  # rounds; positions that occur more often are left to a loop over rows or numbers
LONGER_ROW = 400  # numbers from which a loop over rows is faster than one over numbers


def add_at(out, index, values):
    """``out[index[i]] += values[i]`` for every ``i``; ``index`` is flat, not negative and within ``out``.

    ``out`` is dense and changed in place; sums of half precision are rounded after every addition.
    """
    if not index.size or not values.size:
        return
    kind = out.dtype.kind
    if kind == "b":  # True if any is
        np.add.at(out, index, values)
        return
    columns = out.size // len(out)
    if values.size >= (MANY if columns > 1 else PARALLEL) and not is_half(out):
        from tensh.engine.arrays import sparse  # imported late, because the module looks for SciPy

        if sparse.add_at(out, index, values):
            return
    if values.size <= FEW and columns > 1:
        np.add.at(out, index, values)
    elif columns == 1:
        np.add.at(out.reshape(-1), index, values.reshape(-1))  # holds Python's lock, so more cores do not help
    elif columns >= LONG_ROW and (rounds := rounds_of(index, ROUNDS)) is not None:
        for some in rounds:
            out[index[some]] += values[some]
    elif columns >= LONGER_ROW:
        for i, row in zip(index.tolist(), values, strict=True):
            out[i] += row
    else:
        flat, numbers, step = out.reshape(-1), np.arange(columns), max(1, BLOCK // columns)
        for i in range(0, len(index), step):
            some = slice(i, i + step)
            np.add.at(flat, (index[some, None] * columns + numbers).reshape(-1), values[some].reshape(-1))


def round_once(write):
    """Make ``write(out, index, values)`` compute half precision in single precision, and round it once."""

    def once(out, index, values):
        if is_half(out):
            wide = convert(out, F4)
            write(wide, index, convert(values, F4))
            out[...] = convert(wide, out.dtype)
        else:
            write(out, index, values)

    return once


add_at_once, multiply_at_once = round_once(add_at), round_once(np.multiply.at)


ADDING = frozenset((add_at, add_at_once))


def write_slices(write, out, dim, index, values):
    """Call ``write`` of ADDING for whole slices of the dense array ``out`` along ``dim``, at the numbers in ``index``."""
    outer, slices = math.prod(out.shape[:dim]), out.shape[dim]
    lines, added = out.reshape(outer, slices, -1), values.reshape(outer, index.size, -1)

    def work(part):
        some = lines[part]
        rows = (np.arange(0, len(some) * slices, slices)[:, None] + index).reshape(-1) if len(some) > 1 else index
        write(some.reshape(-1, some.shape[2]), rows, added[part].reshape(-1, some.shape[2]))

    map_rows(work, outer, values.size // outer)


def is_half(array):
    return array.dtype.itemsize == 2 and array.dtype.kind in "fV"


def rounds_of(index, most):
    """Return parts of ``index`` without repetitions: all first occurrences, all second ones, ...; None for too many."""
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    lengths = np.diff(np.append(begins, len(index)))
    if lengths.max() > most:
        return None
    if len(begins) == len(index):
        return [slice(None)]
    occurrence = np.arange(len(index)) - np.repeat(begins, lengths)
    return [order[occurrence == n] for n in range(lengths.max())]
