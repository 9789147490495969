"""Copies of views: ``VIEW_copy`` for each ``VIEW``, an operator with the derivative of the view."""

import functools

import numpy as np

from tensh.engine.arguments.binding import bind
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.table import op
from tensh.engine.inplace.out import write_out
from tensh.engine.operators.basic import expand
from tensh.engine.operators.forms import dims_of
from tensh.engine.operators.shapes.composites.parts import steps_within
from tensh.engine.operators.shapes.composites.reshaping import view_as_dtype
from tensh.engine.operators.shapes.diagonal import diagonal
from tensh.engine.operators.shapes.layout import restride, view_as_complex, view_as_real
from tensh.engine.operators.shapes.split import split_by_sizes, split_equally, unbind
from tensh.engine.operators.shapes.views import (
    alias,
    infer_size,
    permute,
    select,
    slice_dim,
    squeeze_all,
    squeeze_dim,
    squeeze_dims,
    t,
    transpose,
    unfold,
    unsqueeze,
)


def copy_of(view, name=None):
    """Declare the operator that copies the view ``view``; it is public unless it has another name."""

    @functools.wraps(view.kernel)
    def kernel(*args, **options):
        out = view.kernel(*args, **options)
        return [np.array(part, order="C") for part in out] if view.outs else np.array(out, order="C")

    kernel.__doc__ = f"A copy of the view of ``{view.name}``: [*].  Differentiable."
    facts = {"node": f"{view.node}_copy", "outs": view.outs, "many": view.many, "out": not view.outs}
    return op(kernel, name=name or f"{view.name}_copy", public=False if name else "function", **facts, **view.inputs)


for _view in alias, diagonal, select, t, transpose, unsqueeze, unfold, view_as_real:
    copy_of(_view)
expand_copied = copy_of(expand, "expand_copied")
unbind_copied = copy_of(unbind, "unbind_copied")
permute_copied = copy_of(permute, "permute_copied")
slice_dim_copied = copy_of(slice_dim, "slice_dim_copied")
split_equally_copied = copy_of(split_equally, "split_equally_copied")
split_by_sizes_copied = copy_of(split_by_sizes, "split_by_sizes_copied")
squeeze_all_copied = copy_of(squeeze_all, "squeeze_all_copied")
squeeze_dim_copied = copy_of(squeeze_dim, "squeeze_dim_copied")
squeeze_dims_copied = copy_of(squeeze_dims, "squeeze_dims_copied")
restride_copy = copy_of(restride, "restride_copy")


@op(public=False, node="ViewBackward0_copy", input="reshape(g, input.shape)")
def view_copied(input, size):
    """The elements in another size; a copy allows any strides."""
    return np.array(input.reshape(infer_size(size, input.size)), order="C")


@op(public="function", input="not_differentiable('view_as_complex_copy')")
def view_as_complex_copy(input):
    """A copy of the view of ``view_as_complex``: [*, 2] to [*].  As in PyTorch, not differentiable."""
    return np.array(view_as_complex.kernel(input))


@op(public="function", node="NotImplemented", input="not_differentiable('detach_copy')")
def detach_copy(input):
    """A copy.  As in PyTorch it is recorded without a derivative.  Shape: [*]."""
    return input.copy()


@composite(method=False, out=True)
def as_strided_copy(input, size, stride, storage_offset=None):
    """A copy of the view of ``as_strided``: [*size].  Differentiable."""
    steps = steps_within("as_strided_copy", input, size, stride, storage_offset)
    return restride_copy.fn(input, *steps)


@composite(method=False, out=True)
def expand_copy(input, size, *, implicit=False):
    """A copy of the view of ``expand``: [*size].  Differentiable."""
    return expand_copied.fn(input, dims_of(size, "expand_copy", "size"))


@composite(method=False, out=True)
def permute_copy(input, dims):
    """A copy of the view of ``permute``: [*].  Differentiable.

    >>> import tensh as torch
    >>> torch.permute_copy(torch.tensor([[1, 2], [3, 4]]), (1, 0)).stride()
    (2, 1)
    """
    return permute_copied.fn(input, dims_of(dims, "permute_copy", "dims"))


@composite(method=False, out=True)
def slice_copy(input, dim=0, start=None, end=None, step=1):
    """A copy of ``input[start:end:step]`` along ``dim``.  Differentiable.  Shape: [*].

    >>> import tensh as torch
    >>> torch.slice_copy(torch.arange(6), 0, 1, 5, 2)
    tensor([1, 3])
    """
    return slice_dim_copied.fn(input, dim, start, end, step)


def require_as_many(out, parts, kernel):
    """Raise RuntimeError unless there is a tensor of ``out`` for each part."""
    if len(out) != len(parts):
        raise RuntimeError(f"{kernel} expected an out= argument of size {len(parts)}, got size {len(out)}")


@composite(method=False)
def unbind_copy(input, dim=0, *, out=None):
    """Copies of the slices of ``unbind``: each [*].  Differentiable.

    Raise RuntimeError for another number of tensors in ``out``.

    >>> import tensh as torch
    >>> torch.unbind_copy(torch.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
    """
    parts = unbind_copied.fn(input, dim)
    if out is None:
        return parts
    require_as_many(out, parts, "unbind_copy_int_out")
    write_out(tuple(out), parts, "unbind_copy")  # as in PyTorch the result is None


@composite(method=False)
def split_copy(input, split_size, dim=0, *, out=None):
    """Copies of the parts of ``split``: each [*].  Differentiable.

    Raise RuntimeError for another number of tensors in ``out``.
    """
    parts = split_equally_copied.fn(input, split_size, dim)
    if out is None:
        return parts
    require_as_many(out, parts, "split_copy_Tensor_out()")
    for target, part in zip(out, parts, strict=True):
        target.copy_(part)


@composite(method=False)
def split_with_sizes_copy(input, split_sizes, dim=0, *, out=None):
    """Copies of the parts of ``split_with_sizes``: each [*].  Differentiable.

    Raise RuntimeError for another number of tensors in ``out``.
    """
    sizes = dims_of(split_sizes, "split_with_sizes_copy", "split_sizes")
    parts = split_by_sizes_copied.fn(input, sizes, dim)
    if out is None:
        return parts
    require_as_many(out, parts, "split_with_sizes_copy_out")
    write_out(tuple(out), tuple(parts), "split_with_sizes_copy")


@composite(method=False, out=True)
def squeeze_copy(input, dim=None):
    """A copy of the view of ``squeeze``: [*].  Differentiable."""
    if dim is None:
        return squeeze_all_copied.fn(input)
    if isinstance(dim, (tuple, list)):
        return squeeze_dims_copied.fn(input, tuple(dim))
    return squeeze_dim_copied.fn(input, dim)


@composite(method=False, out=True)
def view_copy(input, size):
    """A copy of the view of ``view``, [*size] or as a dtype; RuntimeError as there.  Differentiable (not with a dtype)."""
    form = bind(
        "view_copy", ("(Tensor input, torch.dtype dtype)", "(Tensor input, tuple of ints size)"), (input, size), {}
    )
    return view_as_dtype(input, size).clone() if "dtype" in form else view_copied.fn(input, tuple(size))
