"""Distinct elements and slices, and counts.  They are recorded, but have no derivative, as in PyTorch."""

import math

import numpy as np

from tensh.engine.arrays.orders import move_axis
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import word
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.indexing.gather import extent
from tensh.engine.operators.precision import F4, F8, I8, take_real, widen


@word
def refuse_derivative(name, *gradients):
    """Raise for the derivative of an operator whose node in PyTorch has none."""
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


# ── runs of equal elements ───────────────────────────────────────────────────
def runs(rows):
    """Return a mask of the rows at which a run of equal rows begins."""
    begins = np.empty(len(rows), bool)
    begins[:1] = True
    if rows.ndim > 1:
        begins[1:] = (rows[1:] != rows[:-1]).any(tuple(range(1, rows.ndim)))
    else:
        np.not_equal(rows[1:], rows[:-1], begins[1:])
    return begins


def run_results(rows, begins):
    """Return (the first row of every run, the run of every row, the length of every run)."""
    first = np.flatnonzero(begins)
    return rows[first], np.cumsum(begins) - 1, lengths_of(first, len(rows))


def lengths_of(first, size):
    """Return the lengths of runs that begin at ``first`` and end at ``size``."""
    lengths = np.empty_like(first)
    np.subtract(first[1:], first[:-1], lengths[:-1])
    if first.size:
        lengths[-1] = size - first.item(-1)
    return lengths


def number_runs(rows, order, ordered):
    """Return the runs of equal rows for rows sorted by ``order``, with the run of every unsorted row."""
    values, number, counts = run_results(rows[order], runs(ordered))
    inverse = np.empty(len(rows), I8)
    inverse[order] = number
    return values, inverse, counts


def order_of(rows):
    """Return the ascending order of rows; with nan, which PyTorch takes for equal to anything, that of its insertion sort."""
    if len(rows) > 16 or rows.dtype.kind not in "fV" or not np.isnan(rows).any():
        return np.lexsort(rows.T[::-1])
    order = []
    for i, row in enumerate(rows):
        place = 0 if order and precedes(row, rows[order[0]]) else len(order)
        while place and precedes(row, rows[order[place - 1]]):
            place -= 1
        order.insert(place, i)
    return np.array(order)


def precedes(one, other):
    """Return True if ``one`` is smaller than the other row at their first difference, ignoring nan."""
    differs = np.flatnonzero((one < other) | (one > other))
    return bool(differs.size and one[differs[0]] < other[differs[0]])


def as_rows(input, dim):
    """Return (axis, the array with this dimension first)."""
    axis = wrap_dim(dim, input.ndim, scalar=False)
    if input.size == 0 and 0 in input.shape[:axis] + input.shape[axis + 1 :]:
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    return axis, move_axis(input, axis, 0)


def count_integers(flat, inverse):
    """Return what ``unique_elements`` does by counting, in a tenth of the time; None for integers of a wide range."""
    if flat.dtype.kind == "b":
        flat = flat.view(np.uint8)
        low, high, dtype = 0, 1, np.dtype(bool)
    else:
        (low, high), dtype = extent(flat), flat.dtype
    if high - low >= flat.size:
        return None
    wide = flat if flat.itemsize == 8 else flat.astype(I8)
    places = np.subtract(wide, wide.dtype.type(low)).astype(I8, copy=False)
    counts = np.bincount(places)
    found = np.flatnonzero(counts)
    values = (found.astype(wide.dtype) + wide.dtype.type(low)).astype(dtype)
    numbers = (np.cumsum(counts > 0) - 1)[places] if inverse else np.zeros(0, I8)
    return values, numbers, counts[found]


FEW = 1 << 10  # elements
DISTINCT = {"public": False, "outs": ("output", "inverse", "counts"), "types": "biuf"}


@op(**DISTINCT, kernel_name="unique", node="Unique2Backward0", input="refuse_derivative('_unique2', g)")
def unique_elements(input, inverse):
    """The distinct elements in ascending order, the index of each element among them (with ``inverse``), and their counts."""
    flat = input.reshape(-1)
    if flat.size >= FEW and flat.dtype.kind in "biu" and (found := count_integers(flat, inverse)) is not None:
        values, numbers, counts = found
        return values, numbers.reshape(input.shape) if inverse else numbers, counts
    if not inverse:  # sorting without indices takes a quarter of the time
        kind = "stable" if flat.size < FEW else None  # among few numbers, -0.0 and 0.0 stay in their order
        ordered = widen(flat).copy()
        ordered.sort(kind=kind)
        ordered = ordered.astype(flat.dtype, copy=False)
        first = runs(ordered).nonzero()[0]
        return ordered[first], np.zeros(0, I8), lengths_of(first, flat.size)
    order = np.argsort(widen(flat), kind="stable")
    values, numbers, counts = number_runs(flat, order, flat[order])
    return values, numbers.reshape(input.shape), counts


@op(**DISTINCT, kernel_name="unique_dim", node="UniqueDimBackward0", input="refuse_derivative('unique_dim', g)")
def unique_slices(input, dim):
    """The distinct slices along ``dim`` in ascending order, the index of each slice among them, and their counts."""
    axis, rows = as_rows(input, dim)
    flat = widen(rows).reshape(len(rows), math.prod(rows.shape[1:]))
    order = order_of(flat) if flat.shape[1] else np.arange(len(rows))
    values, inverse, counts = number_runs(rows, order, flat[order])
    return move_axis(np.ascontiguousarray(values), 0, axis), inverse, counts


@op(
    **DISTINCT,
    kernel_name="unique_consecutive",
    node="UniqueConsecutiveBackward0",
    input="refuse_derivative('unique_consecutive', g)",
)
def unique_runs(input, dim):
    """The elements (or the slices along ``dim``) without repetitions of the previous one."""
    if dim is None:
        flat = input.reshape(-1)
        values, number, counts = run_results(flat, runs(flat))
        return values, number.reshape(input.shape), counts
    axis, rows = as_rows(input, dim)
    values, number, counts = run_results(rows, runs(rows))
    return move_axis(np.ascontiguousarray(values), 0, axis), number, counts


# ── counts ───────────────────────────────────────────────────────────────────
@op(
    types="iu",
    kernel_name="bincount_cpu",
    out=False,
    node="NotImplemented",
    input=None,
    weights="not_differentiable('bincount')",
)
def bincount(input, weights=None, minlength=0):
    """Count the occurrences of each of the numbers 0, 1, 2, …, or add up their weights.

    Shape: [n] to [largest + 1]. Raise RuntimeError for negative numbers.

    >>> import tensh as torch
    >>> torch.bincount(torch.tensor([1, 3, 1]))
    tensor([0, 2, 0, 1])
    """
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input.ndim == 1 and not input.size:  # whatever the weights are, as in PyTorch
        return np.zeros(minlength, I8)
    low, high = extent(input) if input.size else (0, 0)
    if input.ndim != 1 or low < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if high == np.iinfo(I8).max:
        raise RuntimeError(f"maximum value of input overflowed, it should be < {high} but got {high}")
    if weights is None:
        return np.bincount(input.astype(I8), None, minlength)
    if weights.ndim != 1 or weights.size != input.size:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    sums = np.bincount(input.astype(I8), take_real(weights, F8).astype(F8), minlength)
    return sums.astype(F4 if weights.dtype == F4 else np.float64)
