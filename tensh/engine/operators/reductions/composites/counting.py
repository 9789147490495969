"""Distinct values, and positions in sorted sequences."""

import math

import numpy as np

from tensh.engine.arrays.absent import place_beside
from tensh.engine.codegen.composites import composite
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.messages import dtype_error, refuse_dtype
from tensh.engine.errors.warnings import warn_once
from tensh.engine.inplace.out import write_out
from tensh.engine.operators.forms import require, require_kind
from tensh.engine.operators.precision import I8, widen
from tensh.engine.operators.reductions import unique as distinct


# ── distinct values ──────────────────────────────────────────────────────────
def select_results(found, return_inverse, return_counts):
    """Return the requested results of ``unique``: a tensor, or a tuple of two or three."""
    output, inverse, counts = found
    extra = ([inverse] if return_inverse else []) + ([counts] if return_counts else [])
    return (output, *extra) if extra else output


@composite
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct elements in ascending order, or the distinct slices along ``dim``.

    ``return_inverse`` adds the index of each input element among them, ``return_counts`` their counts.  Shape: [*] to
    [k].

    >>> import tensh as torch
    >>> torch.unique(torch.tensor([2, 1, 2]), return_counts=True)
    (tensor([1, 2]), tensor([1, 2]))
    """
    require(input, "_unique2" if dim is None else "unique_dim", "input", 1)
    found = distinct.unique_elements.fn(input, return_inverse) if dim is None else distinct.unique_slices.fn(input, dim)
    return select_results(found, return_inverse, return_counts)


@composite
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The elements (or the slices along ``dim``) without repetitions of the previous one.  Shape: [*] to [k].

    >>> import tensh as torch
    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
    """
    require(input, "unique_consecutive", "input", 1)
    if input.array.dtype.kind in "cW":
        raise dtype_error("unique_elements" if dim is None else "unique_slices", input.array.dtype)
    return select_results(distinct.unique_runs.fn(input, dim), return_inverse, return_counts)


# ── positions in sorted sequences ────────────────────────────────────────────
# Lines, and values of each, for which one search among all lines is faster than a call for each: 2,000 lines of 9 numbers
# and one value take 75 microseconds instead of 1,550, those of 64 numbers and 4 values a third of the time.
MANY_LINES, FEW_WANTED = 128, 8


def places(ordered, values, side, dtype):
    """Return the index at which each value would be inserted, line by line."""
    if not values.size:
        return np.empty(values.shape, dtype)
    ordered, values = widen(ordered), widen(values)  # NumPy does not know where nan of bfloat16 belongs
    if ordered.ndim == 1:
        return find_places(ordered, values, side).astype(dtype)
    count = math.prod(ordered.shape[:-1])
    lines = ordered.reshape(count, ordered.shape[-1])
    wanted = values.reshape(count, values.shape[-1])
    if count >= MANY_LINES and wanted.shape[1] <= FEW_WANTED:
        return halve(lines, wanted, side).astype(dtype).reshape(values.shape)
    found = [find_places(line, own, side) for line, own in zip(lines, wanted)]
    return np.array(found, dtype).reshape(values.shape)


def find_places(line, values, side):
    """Return these indices in one line."""
    if line.size and (last := line[-1]) != last:
        return halve(line[None], values.reshape(1, -1), side).reshape(values.shape)
    return line.searchsorted(values, side)


def halve(lines, values, side):
    """Return the indices that PyTorch's binary search finds for the values of each line, some of whose numbers may be nan."""
    count, length = lines.shape
    numbers, before = lines.reshape(-1), np.arange(0, lines.size, length or 1)[:count, None]
    start, end = np.zeros(values.shape, I8), np.full(values.shape, length)
    while (looking := start < end).any():
        middle = start + (end - start >> 1)
        number = numbers[before + np.minimum(middle, length - 1)]
        within = number > values if side == "right" else number >= values
        start, end = np.where(looking & ~within, middle + 1, start), np.where(looking & within, middle, end)
    return start


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
    Shapes: [..., n] and values [..., m] to [..., m]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 6]))
    tensor([1, 3])
    """
    ordered = sorted_sequence.array
    if not isinstance(input, Tensor):
        require_kind("Number", input, "searchsorted", "input")
    values = input.array if isinstance(input, Tensor) else np.asarray(input)
    side = check_side(side, right)
    check_dimensions(ordered, values)
    if values.size and "c" in (ordered.dtype.kind, values.dtype.kind):
        refuse_dtype("searchsorted_out", values.dtype if values.dtype.kind == "c" else ordered.dtype)
    if values.size and ordered.dtype.kind == values.dtype.kind == "b":
        refuse_dtype("searchsorted_out", ordered.dtype)
    if sorter is not None:
        check_sorter(sorter.array, ordered)
        ordered = np.take_along_axis(ordered, sorter.array, -1)
    if sorter is not None or not (values.flags.c_contiguous and sorted_sequence.array.flags.c_contiguous):
        warn_of_copies(values, sorted_sequence.array, sorter)
    found = np.asarray(places(ordered, values, side, np.int32 if out_int32 else I8))
    result = wrap(place_beside(found, ordered))
    return result if out is None else write_indices(out, result, out_int32, "searchsorted")


def warn_of_copies(values, boundaries, sorter):
    """Warn of arguments that PyTorch copies because they are not contiguous."""
    given = ("input value", values), ("boundary", boundaries), ("sorter", None if sorter is None else sorter.array)
    for what, array in given:
        if array is not None and not array.flags.c_contiguous:
            warn_once(
                f"torch.searchsorted(): {what} tensor is non-contiguous, this will lower the performance due to extra data copy when "
                f"converting non-contiguous tensor to contiguous, please use contiguous {what} tensor if possible. This message will "
                "only appear once per program."
            )


def check_dimensions(ordered, values):
    """Raise PyTorch's errors for boundaries and values whose dimensions do not fit."""
    if ordered.ndim == 1:
        return
    if not values.ndim:
        raise RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({ordered.ndim}) and input value's dim(0) numel(1)"
        )
    if not ordered.ndim:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
        )
    if ordered.ndim != values.ndim or ordered.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            f"tensor and input value tensor must match, but we got boundaries tensor {list(ordered.shape)} and input value "
            f"tensor {list(values.shape)}"
        )


def check_sorter(sorter, ordered):
    if sorter.shape != ordered.shape:
        raise RuntimeError(
            f"torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor {list(ordered.shape)}"
            f"and got sorter tensor {list(sorter.shape)}"
        )
    if sorter.dtype != I8:
        raise RuntimeError(
            "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype " + BY_NUMPY[sorter.dtype].title
        )
    if sorter.size and (sorter.min() < 0 or sorter.max() >= ordered.shape[-1]):
        raise RuntimeError("torch.searchsorted(): sorter index out of range")


def write_indices(out, result, out_int32, name):
    wanted = np.int32 if out_int32 else I8
    if out.array.dtype != wanted:
        raise RuntimeError(
            f"torch.{name}(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether "
            f"out_int32 flag is True, but we got output tensor's dtype {out.dtype.title} and out_int32 flag is "
            f"{'True' if out_int32 else 'False'}"
        )
    return write_out(out, result, name)


@composite(method=False)
def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    """The index of the bucket between sorted boundaries for each value.

    Shape: [*], kept. Raise RuntimeError unless the boundaries are a vector.

    >>> import tensh as torch
    >>> torch.bucketize(torch.tensor([0, 3, 9]), torch.tensor([1, 3, 5]))
    tensor([0, 1, 3])
    """
    if boundaries.array.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.array.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)
