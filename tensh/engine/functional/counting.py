"""Distinct values, places in sorted sequences, and counts."""

import math

import numpy as np

from tensh.engine.errors import refuse_dtype, wrap_dim
from tensh.engine.inplace import into
from tensh.engine.ops.precision import F4, I8, widened
from tensh.engine.table import composite
from tensh.engine.tensor import Tensor, wrap


# ── distinct values ──────────────────────────────────────────────────────────
def runs(rows):
    """Where a run of equal rows begins."""
    begins = np.ones(len(rows), bool)
    changed = rows[1:] != rows[:-1]
    begins[1:] = changed.any(tuple(range(1, rows.ndim))) if rows.ndim > 1 else changed
    return begins


def run_results(rows, begins):
    """(first rows, number of the run of every row, length of every run)."""
    first = np.flatnonzero(begins)
    return rows[first], np.cumsum(begins) - 1, np.diff(np.append(first, len(rows)))


def some_of(values, inverse, counts, return_inverse, return_counts):
    """What ``unique`` was asked for: a tensor, or a tuple of two or three."""
    extra = [wrap(inverse)] if return_inverse else []
    extra += [wrap(counts.astype(I8))] if return_counts else []
    return (wrap(values), *extra) if extra else wrap(values)


def as_rows(input, dim):
    """The array with ``dim`` first."""
    array = input.array
    axis = wrap_dim(dim, array.ndim)
    if array.size == 0 and 0 in array.shape[:axis] + array.shape[axis + 1 :]:
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    return axis, np.moveaxis(array, axis, 0)


@composite
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct elements in ascending order, or the distinct slices along ``dim``.

    ``return_inverse`` adds where each element is among them, ``return_counts`` how often each occurs.

    >>> import tensh as torch
    >>> torch.unique(torch.tensor([2, 1, 2]), return_counts=True)
    (tensor([1, 2]), tensor([1, 2]))
    """
    if input.array.dtype.kind == "c":
        raise NotImplementedError(
            f"\"{'unique' if dim is None else 'unique_dim'}\" not implemented for '{input.dtype.title}'"
        )
    if dim is not None:
        return unique_rows(input, dim, return_inverse, return_counts)
    flat = input.array.reshape(-1)
    if not return_inverse:  # no order is needed
        ordered = np.sort(widened(flat)).astype(flat.dtype, copy=False)
        values, _, counts = run_results(ordered, runs(ordered))
        return some_of(values, None, counts, False, return_counts)
    order = np.argsort(widened(flat), kind="stable")
    values, number, counts = run_results(flat[order], runs(flat[order]))
    inverse = np.empty(flat.size, I8)
    inverse[order] = number
    return some_of(values, inverse.reshape(input.array.shape), counts, return_inverse, return_counts)


def unique_rows(input, dim, return_inverse, return_counts):
    axis, rows = as_rows(input, dim)
    flat = widened(rows).reshape(len(rows), math.prod(rows.shape[1:]))
    order = np.lexsort(flat.T[::-1]) if flat.shape[1] else np.arange(len(rows))
    values, number, counts = run_results(rows[order], runs(flat[order]))
    inverse = np.empty(len(rows), I8)
    inverse[order] = number
    values = np.ascontiguousarray(np.moveaxis(values, 0, axis))
    return some_of(values, inverse, counts, return_inverse, return_counts)


@composite
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The elements (or the slices along ``dim``) without those that equal the one before.

    >>> import tensh as torch
    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
    """
    if dim is None:
        flat = input.array.reshape(-1)
        values, number, counts = run_results(flat, runs(flat))
        return some_of(values, number.reshape(input.array.shape), counts, return_inverse, return_counts)
    axis, rows = as_rows(input, dim)
    values, number, counts = run_results(rows, runs(rows))
    values = np.ascontiguousarray(np.moveaxis(values, 0, axis))
    return some_of(values, number, counts, return_inverse, return_counts)


# ── places in sorted sequences ───────────────────────────────────────────────
def places(ordered, values, right, dtype):
    """The index at which each value would be inserted, line by line."""
    if ordered.ndim == 1:
        return np.searchsorted(ordered, values, right).astype(dtype)
    count = math.prod(ordered.shape[:-1])
    lines = ordered.reshape(count, ordered.shape[-1])
    wanted = values.reshape(count, values.shape[-1])
    found = [np.searchsorted(line, own, right) for line, own in zip(lines, wanted)]
    return np.array(found, dtype).reshape(values.shape)


def check_side(side, right):
    if side is None:
        return "right" if right else "left"
    if side not in ("left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    return side


@composite(method=False)
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None, out=None):
    """The indices at which the values would be inserted into sorted sequences (the last dimension) to keep them sorted.

    ``right`` (or ``side="right"``) inserts after equal elements; ``sorter`` are indices that sort the sequence.

    >>> import tensh as torch
    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 6]))
    tensor([1, 3])
    """
    ordered = sorted_sequence.array
    values = input.array if isinstance(input, Tensor) else np.asarray(input)
    side = check_side(side, right)
    if ordered.ndim != 1 and (ordered.ndim != values.ndim or ordered.shape[:-1] != values.shape[:-1]):
        if not values.ndim:
            raise RuntimeError(
                "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
                f"boundaries tensor dim({ordered.ndim}) and input value's dim(0) numel(1)"
            )
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            f"tensor and input value tensor must match, but we got boundaries tensor {list(ordered.shape)} and input value "
            f"tensor {list(values.shape)}"
        )
    if sorter is not None:
        check_sorter(sorter.array, ordered)
        ordered = np.take_along_axis(ordered, sorter.array, -1)
    result = wrap(np.asarray(places(ordered, values, side, np.int32 if out_int32 else I8)))
    return result if out is None else into_indices(out, result, out_int32, "searchsorted")


def check_sorter(sorter, ordered):
    if sorter.shape != ordered.shape:
        raise RuntimeError(
            f"torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor {list(ordered.shape)} "
            f"and got sorter tensor {list(sorter.shape)}"
        )
    if sorter.dtype != I8:
        raise RuntimeError("torch.searchsorted(): sorter must be a tensor of long dtype but got dtype " + str(sorter.dtype))
    if sorter.size and (sorter.min() < 0 or sorter.max() >= ordered.shape[-1]):
        raise RuntimeError("torch.searchsorted(): sorter index out of range")


def into_indices(out, result, out_int32, name):
    wanted = np.int32 if out_int32 else I8
    if out.array.dtype != wanted:
        raise RuntimeError(
            f"torch.{name}(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether "
            f"out_int32 flag is True, but we got output tensor's dtype {out.dtype.title} and out_int32 flag is "
            f"{'True' if out_int32 else 'False'}"
        )
    return into(out, result, name)


@composite(method=False)
def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    """The number of the bucket between sorted boundaries into which each value falls.

    >>> import tensh as torch
    >>> torch.bucketize(torch.tensor([0, 3, 9]), torch.tensor([1, 3, 5]))
    tensor([0, 1, 3])
    """
    if boundaries.array.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.array.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)


# ── counts ───────────────────────────────────────────────────────────────────
@composite
def bincount(input, weights=None, minlength=0):
    """How often each of the numbers 0, 1, 2, … occurs, or the sum of its weights.

    >>> import tensh as torch
    >>> torch.bincount(torch.tensor([1, 3, 1]))
    tensor([0, 2, 0, 1])
    """
    array = input.array
    if array.dtype.kind not in "iu":
        refuse_dtype("bincount", array.dtype)
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if array.ndim != 1 or (array.size and array.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return wrap(np.bincount(array.astype(I8), None, minlength))
    if weights.array.ndim != 1 or weights.array.size != array.size:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    sums = np.bincount(array.astype(I8), weights.array.astype(np.float64), minlength)
    return wrap(sums.astype(F4) if weights.array.dtype == F4 else sums.astype(np.float64))

