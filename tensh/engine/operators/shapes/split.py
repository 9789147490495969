"""Splitting a tensor into views that must not be written while gradients are recorded."""

import numpy as np

from tensh.engine.codegen.derivatives import LIST
from tensh.engine.codegen.table import op
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.shapes.views import BEFORE, make_key, view_op

OF_A_TENSOR = 256
"""The least size of a tensor in bytes, without its elements."""
MANY = 1 << 20
"""The largest number of tensors that are made without testing first whether memory holds them."""


def require_room_for(number):
    """Raise PyTorch's RuntimeError for more tensors than memory holds, before making the first."""
    if number > MANY:
        np.empty((number, OF_A_TENSOR), "u1")


def cuts(array, sizes, dim):
    """Consecutive parts of an array."""
    parts, start = [], 0
    for size in sizes:
        parts.append(array[make_key(dim, slice(start, start + size))])
        start += size
    return parts


@view_op(public=False, many=True, outs=LIST, node="SplitBackward0", input="cat(gs, dim)")
def split_equally(input, split_size, dim):
    """Parts of ``split_size`` along ``dim``; the last one may be smaller."""
    return cuts(input, even_sizes(input, split_size, dim, "split"), wrap_dim(dim, input.ndim))


@op(public=False, out=False, many=True, outs=LIST, input="cat(gs, dim)")
def unsafe_split(input, split_size, dim):
    """Parts of ``split_size`` along ``dim`` that are not views for the engine."""
    return cuts(input, even_sizes(input, split_size, dim, "unsafe_split"), wrap_dim(dim, input.ndim))


@op(public=False, out=False, many=True, outs=LIST, input="cat(gs, dim)")
def unsafe_split_with_sizes(input, split_sizes, dim):
    """Parts of the given sizes along ``dim`` that are not views for the engine."""
    return parts_of_sizes(input, split_sizes, dim)


@view_op(public=False, many=True, outs=LIST, node="SplitWithSizesBackward0", input="cat(gs, dim)")
def split_by_sizes(input, split_sizes, dim):
    """Parts of the given sizes along ``dim``."""
    return parts_of_sizes(input, split_sizes, dim)


def parts_of_sizes(input, split_sizes, dim):
    if not input.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    given, dim = dim, wrap_dim(dim, input.ndim)
    if any(n < 0 for n in split_sizes):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={list(split_sizes)}"
        )
    if sum(split_sizes) != input.shape[dim]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {input.shape[dim]} (input tensor's size at dimension "
            f"{given}), but got split_sizes={list(split_sizes)}"
        )
    return cuts(input, split_sizes, dim)


def even_sizes(array, size, dim, name):
    """The sizes of parts of ``size`` each."""
    if array.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    length = array.shape[wrap_dim(dim, array.ndim)]
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    if size == 0 and length:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {length}")
    number = max((length + size - 1) // size, 1) if size else 1
    require_room_for(number)
    return [min(size, length - i * size) for i in range(number)]


@view_op(many=True, outs=LIST, input="stack(gs, dim)")
def unbind(input, dim=0):
    """All slices along ``dim``, as a tuple.  Differentiable, views.

    Shape: [n, *] to n of [*]. Raise IndexError for a number.

    >>> import tensh as torch
    >>> torch.tensor([[1, 2], [3, 4]]).unbind()
    (tensor([1, 2]), tensor([3, 4]))
    """
    number = wrap_dim(dim, input.ndim)
    if not input.ndim:
        raise IndexError(f"Dimension specified as {number} but tensor has no dimensions")
    require_room_for(input.shape[number])
    return [input[*BEFORE[number], i, ...] for i in range(input.shape[number])]
