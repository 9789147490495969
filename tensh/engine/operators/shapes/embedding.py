"""Tensors with one part replaced, and tensors filled or overwritten as a whole."""

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import require_elements
from tensh.engine.arrays.eight_bits import is_eight_bits, round_to_eight_bits
from tensh.engine.codegen.scalars import cast_scalar
from tensh.engine.codegen.table import op
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.precision import convertible_part, take_real
from tensh.engine.operators.shapes.diagonal import diagonal_of
from tensh.engine.operators.shapes.views import make_key


def replace_part(input, part_of, src):
    """Copy ``input`` with the part ``part_of`` replaced by ``src``."""
    out = memory.copy(input)
    part = part_of(out)
    if part.shape != src.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice size = "
            f"{list(part.shape)}"
        )
    part[...] = take_real(src, out.dtype)
    return out


@op(
    public=False, out=False, node="SliceScatterBackward0",
    input="slice_put(g, zeros_as(g, src.shape), dim, start, stop, step)", src="slice_dim(g, dim, start, stop, step)",
)  # fmt: skip
def slice_put(input, src, dim, start, stop, step):
    """The input with a range along ``dim`` replaced."""
    return replace_part(input, lambda out: out[make_key(wrap_dim(dim, out.ndim), slice(start, stop, step))], src)


@op(
    public=False, out=False, node="SelectScatterBackward0",
    input="select_put(g, zeros_as(g, src.shape), dim, index)", src="select(g, dim, index)",
)  # fmt: skip
def select_put(input, src, dim, index):
    """The input with one slice along ``dim`` replaced."""
    return replace_part(input, lambda out: out[(*make_key(wrap_dim(dim, out.ndim), index), ...)], src)


@op(
    public=False, out=False, node="DiagonalScatterBackward0",
    input="diagonal_put(g, zeros_as(g, src.shape), offset, dim1, dim2)", src="diagonal(g, offset, dim1, dim2)",
)  # fmt: skip
def diagonal_put(input, src, offset, dim1, dim2):
    """The input with a diagonal replaced."""
    return replace_part(input, lambda out: diagonal_of(out, offset, dim1, dim2), src)


@op(
    public=False, out=False, node="AsStridedScatterBackward0", let={"part": "strided_part(g, size, stride, start)"},
    input="strided_put(zeros_as(g, g.shape), part, size, stride, start)", src="part",
)  # fmt: skip
def strided_put(input, src, size, stride, start):
    """The input with the elements at the given strides replaced.

    As in PyTorch, the input receives the gradient of that part only, where the opposite would be right.
    """
    return replace_part(input, lambda out: memory.view_strided(out, size, stride, start), src)


@op(
    public=False,
    out=False,
    node="AsStridedBackward0",
    grad="strided_put(zeros_as(g, grad.shape), g, size, stride, start)",
)
def strided_part(grad, size, stride, start):
    """The elements of a dense tensor at the given strides."""
    return memory.view_strided(np.ascontiguousarray(grad), size, stride, start).copy()


# ── the whole ────────────────────────────────────────────────────────────────
def number_as(number, dtype):
    """Return a number as a 0-d array; raise PyTorch's error if it does not fit the dtype."""
    exact = cast_scalar(number, BY_NUMPY[dtype])
    return round_to_eight_bits(np.asarray(exact), dtype) if is_eight_bits(dtype) else np.asarray(exact, dtype)


def fill_array(input, value):
    require_elements(input)
    out = memory.empty_like(input, input.dtype)
    out[...] = value
    return out


@op(public=False, out=False, node="FillBackward0", input="zeros_as(g, g.shape)")
def fill_number(input, value):
    """A number in the size of the input."""
    return fill_array(input, number_as(value, input.dtype))


@op(public=False, out=False, node="FillBackward1", input="zeros_as(g, g.shape)", value="sum_to(g, ())")
def fill_tensor(input, value):
    """An element in the size of the input."""
    return fill_array(input, real_part(value, input.dtype))


def real_part(array, dtype):
    """Return ``array``, or what is written of it into a dtype: its ``convertible_part``, or its numbers in 8 bits."""
    if array.dtype is dtype:
        return array
    if array.dtype.kind in "cWV":
        array = convertible_part(array, dtype)
    return round_to_eight_bits(array, dtype) if dtype.itemsize == 1 and dtype.kind in "fV" else array


# Kernels return the value alone, which the write broadcasts.
@op(public=False, out=False, node="FillBackward2", input="zeros_as(g, g.shape)")
def filling_number(input, value):
    """A number to fill the input with."""
    return number_as(value, input.dtype)


@op(public=False, out=False, node="FillBackward3", input="zeros_as(g, g.shape)", value="sum_to(g, ())")
def filling_tensor(input, value):
    """An element to fill the input with."""
    return real_part(value, input.dtype).astype(input.dtype)


@op(public=False, out=False, node="ZeroBackward0", input="zeros_as(g, g.shape)")
def zero(input):
    """Zero, to fill the input with."""
    return np.zeros((), input.dtype)


@op(public=False, out=False, node="CopyBackwards", input="zeros_as(g, g.shape)", src="g")
def copying(input, src):
    """The value to write over the input, in its dtype."""
    return real_part(src, input.dtype).astype(input.dtype, copy=False)
