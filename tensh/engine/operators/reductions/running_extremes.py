"""Running extremes along a dimension: the largest or smallest element so far, and its last index."""

import numpy as np

from tensh.engine.arrays.threads import PARALLEL, map_rows
from tensh.engine.codegen.table import op
from tensh.engine.errors.messages import refuse_dtype, wrap_dim
from tensh.engine.operators.precision import I8
from tensh.engine.operators.reductions.scan import OTHER_SCALAR_TYPE, accumulate
from tensh.engine.operators.reductions.summation import SMALL


def declare_running_extreme(name, ufunc, doc):
    """Declare ``cummax`` or ``cummin``: the extreme so far and its last index; nan is the extreme."""

    def kernel(input, dim):
        if input.ndim == 0 or not input.size:
            if not input.ndim and dim not in (0, -1):  # without elements any dimension is valid
                raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
            return input.copy(), np.zeros_like(input, I8)
        axis = wrap_dim(dim, input.ndim)
        if input.dtype.kind in "cW":
            refuse_dtype(name, input.dtype)
        if input.size < PARALLEL or axis != input.ndim - 1 or not input.flags.c_contiguous:
            return extremes(ufunc, input, axis)
        values, indices = np.empty_like(input), np.empty(input.shape, I8)
        rows, *results = (a.reshape(-1, input.shape[-1]) for a in (input, values, indices))

        def work(part):
            for result, found in zip(results, extremes(ufunc, rows[part], 1), strict=True):
                result[part] = found

        map_rows(work, *rows.shape)
        return values, indices

    op(
        kernel,
        name=name,
        doc=doc,
        outs=("values", "indices"),
        out=OTHER_SCALAR_TYPE,
        input="add_along(g, input.shape, indices, dim) if 0 not in input.shape else input",  # itself, as in PyTorch
    )


def extremes(ufunc, input, axis):
    """Return the extremes so far along ``axis``, and their last indices."""
    values = accumulate(ufunc, input, axis, 1)
    met = np.equal(input, values)
    if input.dtype.kind in "fV":
        met |= np.not_equal(input, input)
    length, shape = input.shape[axis], (-1, *(1,) * (input.ndim - 1 - axis))
    if input.size <= SMALL:
        return values, np.maximum.accumulate(np.where(met, np.arange(length).reshape(shape), 0), axis)
    places = np.arange(length, dtype=np.int16 if length < 1 << 15 else I8)  # a quarter of the memory
    places = np.multiply(places.reshape(shape), met)
    return values, accumulate(np.maximum, places, axis, 1).astype(I8, copy=False)


declare_running_extreme(
    "cummax",
    np.maximum,
    """The largest element so far along ``dim``, and its index.  Differentiable.

    Shape: [*], kept. Raise IndexError for a ``dim`` out of range.

    >>> import tensh as torch
    >>> torch.tensor([1, 3, 2]).cummax(0).values
    tensor([1, 3, 3])
    """,
)
declare_running_extreme(
    "cummin",
    np.minimum,
    """The smallest element so far along ``dim``, and its index.  Differentiable.

    Shape: [*], kept. Raise IndexError for a ``dim`` out of range.

    >>> import tensh as torch
    >>> torch.tensor([2, 3, 1]).cummin(0).values
    tensor([2, 2, 1])
    """,
)
