"""Sums over broadcast dimensions, to which the gradient of a broadcast operand is fitted."""

from functools import lru_cache

from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import TENSORS, on_tensors
from tensh.engine.operators.precision import ONES
from tensh.engine.operators.reductions.reductions import sum_all, sum_matrix
from tensh.engine.operators.reductions.summation import add_in_order


@op(public=False, node="SumBackward1", input="expand(g, input.shape)")
def sum_to(input, shape):
    """The sum over the dimensions in which ``shape`` is broadcast to the input's shape."""
    axes = broadcast_axes(input.shape, tuple(shape))
    if not axes:
        return input
    if len(axes) == input.ndim:
        return sum_all.kernel(input).reshape(shape)
    if len(axes) == 1 and input.ndim == 2 and input.flags.c_contiguous and (ones := ONES.get(input.dtype)):
        sums = sum_matrix(input, axes[0], False, ones)
        return sums if len(shape) == 1 else sums.reshape(shape)  # a view would have to be copied for a leaf
    return add_in_order(input, axes).reshape(shape)


@lru_cache(1024)
def broadcast_axes(shape, target):
    """The dimensions of ``shape`` along which a tensor of the shape ``target`` is repeated."""
    extra = len(shape) - len(target)
    return (*range(extra), *(i + extra for i, n in enumerate(target) if n == 1 != shape[i + extra]))


def record_sum_to(input, shape):
    """The sum over broadcast dimensions, recorded in PyTorch's steps."""
    if not shape:
        return on_tensors("sum_all")(input)
    axes = broadcast_axes(tuple(input.shape), tuple(shape))
    if axes:
        input = on_tensors("sum_dim")(input, axes, True)
    return on_tensors("view")(input, shape) if input.ndim > len(shape) else input


TENSORS["sum_to"] = record_sum_to
