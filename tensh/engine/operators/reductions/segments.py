"""Reductions of segments: ranges of elements along a dimension, given by their lengths or offsets.

Internally the dimensions up to the axis are merged: an array has rows, and a segment is a range of rows.
"""

import math

import numpy as np

from tensh.engine.arguments.signatures import accepts
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.table import op
from tensh.engine.dtypes.dtype import BY_NUMPY, FLOAT, int32, int64
from tensh.engine.errors.messages import refuse_dtype, wrap_dim
from tensh.engine.operators.precision import F4, is_half
from tensh.engine.operators.reductions.extremes import no_extreme

FOLDS = {
    "sum": (np.add, 0.0), "mean": (np.add, 0.0), "prod": (np.multiply, 1.0),
    "max": (np.maximum, -np.inf), "min": (np.minimum, np.inf),
}  # fmt: skip
"""Reduction -> (function that combines the elements of a segment, its initial value)."""
SPELLED = {"amax": "max", "amin": "min"}


class Segments:
    """Segments along the last dimension of ``starts`` and ``ends``, as ranges of rows of one array."""

    def __init__(self, starts, ends, length):
        if not (starts <= ends).all():
            raise unmet_error("segment_length >= 0")
        if starts.size and not (starts.min() >= 0 and ends.max() <= length):
            raise RuntimeError(f"segment_reduce(): segments reach beyond the {length} elements along axis.")
        self.told, self.shape = (starts, ends, length), starts.shape
        lines = length * np.arange(math.prod(self.shape[:-1])).reshape(*self.shape[:-1], 1)
        self.starts, self.ends = (starts + lines).ravel(), (ends + lines).ravel()
        self.lengths = self.ends - self.starts
        self.filled = self.lengths > 0

    def repeat(self, batch):
        """Repeat the segments for every array of a batch with leading dimensions."""
        *told, length = self.told
        return Segments(*(np.broadcast_to(each, batch + each.shape) for each in told), length)

    def fold(self, function, rows, start):
        """Combine the rows of each segment with ``start``; return one row for each segment."""
        out = np.full((self.starts.size, rows.shape[1]), start, rows.dtype)
        if self.filled.any():
            marks = np.stack([self.starts, self.ends], 1)[self.filled].ravel()
            folded = function.reduceat(rows, marks[:-1] if marks[-1] == len(rows) else marks, 0)[::2]
            out[self.filled] = function(out[self.filled], folded)
        return out

    def cover(self, length):
        """Return True if the segments, one after the other, are all ``length`` rows."""
        ends = np.append(0, self.ends)
        return bool(ends[-1] == length and np.array_equal(self.starts, ends[:-1]))

    def find_members(self):
        """Return (the rows in segments, the segment of each)."""
        owners = np.repeat(np.arange(self.lengths.size), self.lengths)
        within = np.arange(owners.size) - np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)
        return self.starts[owners] + within, owners


def rows_of(array, ndim):
    """Return an array with its first ``ndim`` dimensions and the others merged; half precision in single precision."""
    rows = array.reshape(math.prod(array.shape[:ndim]), math.prod(array.shape[ndim:]))
    return rows.astype(F4) if is_half(array.dtype) else rows


def unmet_error(condition):
    """Return PyTorch's error for a failed check."""
    return RuntimeError(
        f"Expected {condition} to be true, but got false.  (Could this error message be improved?  If so, please report an "
        "enhancement request to PyTorch.)"
    )


@op(
    public=False, out=False, node="SegmentReduceBackward0",
    data="segment_slopes(g, out, data, reduce, segments, initial)",
)  # fmt: skip
def reduce_segments(data, reduce, segments, initial):
    """The elements of each segment combined by ``reduce``, beginning with ``initial``."""
    if BY_NUMPY[data.dtype].category != FLOAT:
        refuse_dtype("_segment_reduce", data.dtype)
    function, start = FOLDS[reduce]
    out = segments.fold(function, rows_of(data, len(segments.shape)), start if initial is None else initial)
    if reduce == "mean":
        empty = np.nan if initial is None else initial
        out = np.where(
            segments.filled[:, None], out / np.maximum(segments.lengths, 1)[:, None].astype(out.dtype), empty
        )
    return out.reshape(segments.shape + data.shape[len(segments.shape) :]).astype(data.dtype, copy=False)


@op(
    public=False, out=False, node="NotImplemented",
    **dict.fromkeys(("grad", "output", "data"), "not_differentiable('_segment_reduce_backward')"),
)  # fmt: skip
def segment_slopes(grad, output, data, reduce, segments, initial):
    """Return the gradients of the elements for the gradient of the segments; equal extremes share one."""
    ndim = len(segments.shape)
    grad, output, rows = (rows_of(each, ndim) for each in (grad, output, data))
    if reduce == "mean":
        grad = grad / np.maximum(segments.lengths, 1)[:, None].astype(grad.dtype)
    if reduce in ("sum", "mean") and segments.cover(len(rows)):
        return np.repeat(grad, segments.lengths, 0).reshape(data.shape).astype(data.dtype, copy=False)
    places, owners = segments.find_members()
    out, own = np.zeros_like(rows), rows[places]
    if reduce in ("max", "min"):
        equal, kept = (own == output[owners]) | np.isnan(own), np.zeros_like(rows)
        kept[places] = equal
        grad = grad / np.maximum(segments.fold(np.add, kept, 0), 1)
        out[places] = np.where(equal, grad[owners], 0)
    elif reduce == "prod":
        out[places] = grad[owners] * others(own, rows, output, places, owners, segments, initial)
    else:
        out[places] = grad[owners]
    return out.reshape(data.shape).astype(data.dtype, copy=False)


def others(own, rows, output, places, owners, segments, initial):
    """Return for each element the product of ``initial`` and all others: a quotient, or a new product beside 0 and nan."""
    special = (rows == 0) | np.isnan(rows)
    usual = segments.fold(np.multiply, np.where(special, 1, rows), 1 if initial is None else initial)[owners]
    here = special[places]
    for value, found in (0, rows == 0), (np.nan, np.isnan(rows)):
        beside = segments.fold(np.add, found.astype(rows.dtype), 0)[owners] > found[places]
        usual = usual * np.where(beside, value, 1)
    return np.where(here, usual, output[owners] / np.where(here, 1, own)).astype(rows.dtype, copy=False)


# ── the function ─────────────────────────────────────────────────────────────
@composite(method=False)
@accepts(
    "(Tensor data, str reduce, *, Tensor lengths = None, Tensor indices = None, Tensor offsets = None, int axis = 0, "
    "bool unsafe = False, Number initial = None)"
)
def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    """The elements of each segment along ``axis`` combined: "sum", "mean", "prod", "max" or "min".

    Segments are given by their ``lengths``, or by ``offsets``: the starts of all segments and the end of the last. With
    several dimensions, the last is ``axis``, and the others are those of ``data``.  An empty segment gives ``initial``,
    or the reduction's initial value (nan for the mean).  ``unsafe`` skips the check that lengths fill the axis.

    Differentiable once.  Shapes: ``data`` [..., n, *], ``lengths`` [..., segments]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.segment_reduce(torch.arange(6.0), "sum", lengths=torch.tensor([2, 3, 1]))
    tensor([1., 9., 5.])
    """
    values = data.array
    axis = wrap_dim(axis, values.ndim)
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if offsets is None and lengths is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    kind = SPELLED.get(reduce, reduce)
    if kind not in FOLDS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if isinstance(initial, complex) and initial.imag:
        raise RuntimeError(f"value cannot be converted to type {data.dtype.ctype} without overflow")
    name, told = ("lengths", lengths.array) if offsets is None else ("offsets", offsets.array)
    _check(name, told, values, axis, unsafe)
    ends = np.cumsum(told, -1) if offsets is None else told[..., 1:]
    starts = ends - told if offsets is None else told[..., :-1]
    return reduce_segments.fn(data, kind, Segments(starts, ends, values.shape[axis]), initial)


def _check(name, told, values, axis, unsafe):
    """Raise PyTorch's errors for lengths or offsets that do not fit the data."""
    if values.ndim < told.ndim:
        raise unmet_error(f"data.dim() >= {name}_value.dim()")
    if axis != told.ndim - 1:
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}.")
    if name == "lengths" and not unsafe:
        if not told.size:
            raise no_extreme("min")
        if told.min() < 0:
            raise RuntimeError("lengths contains negative value!")
        if not (told.sum(-1) == values.shape[axis]).all():
            raise RuntimeError(
                "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe."
            )
    dtype = BY_NUMPY[told.dtype]
    if dtype not in (int32, int64):
        raise NotImplementedError(f"\"_segment_reduce_{name}_cpu_kernel1\" not implemented for '{dtype.title}'")
    if told.shape[:-1] != values.shape[:axis]:
        raise RuntimeError(
            f"segment_reduce(): Expected {name} to have the sizes {list(values.shape[:axis])} of data before axis but got "
            f"{list(told.shape[:-1])}."
        )
    if name == "offsets" and not told.shape[-1]:
        shape = [-1 if place == axis else size for place, size in enumerate(values.shape)]
        raise RuntimeError(f"Trying to create tensor with negative dimension -1: {shape}")
