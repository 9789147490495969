"""Views of nested tensors in the layout torch.jagged."""

from math import prod

import tensh as torch
from tensh.engine.errors.messages import wrap_dim
from tensh.nested.core import Nested, elements_of, nest
from tensh.nested.jagged.dims import agree, inner_dim, require_plain, to_inner
from tensh.nested.jagged.pointwise import make_contiguous, require_broadcast
from tensh.nested.labels import label


def transpose(func, input, dim0, dim1):
    form = input._form
    one, two = wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim)
    if form.ragged in (one, two):
        if not one or not two:
            raise ValueError("Transpose is not supported on the batch dimension for jagged NT")
        moved = elements_of(input).transpose(to_inner(input, one), to_inner(input, two))
        return nest(moved, form.derive(two if one == form.ragged else one))
    return nest(
        elements_of(input).transpose(inner_dim(input, dim0, "transpose"), inner_dim(input, dim1, "transpose")), form
    )


def permute(func, input, *dims, **given):
    dims = given.get("dims", dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims)
    form, ndim = input._form, input.ndim
    if ndim != len(dims):
        raise ValueError(
            f"permute(): number of dimensions in the tensor input ({ndim}) does not match the length of the desired ordering of "
            f"dimensions ({len(dims)})."
        )
    wrapped = [wrap_dim(dim, ndim) for dim in dims]
    if len(set(wrapped)) != ndim:
        raise ValueError("permute(): duplicate dims are not allowed.")
    if form.lengths is not None:
        raise ValueError("permute(): not supported on jagged layout nested tensor with holes")
    if wrapped[0]:
        raise ValueError("Permute is not supported on the batch dimension for jagged NT")
    return nest(elements_of(input).permute([d - 1 for d in wrapped[1:]]), form.derive(wrapped.index(form.ragged)))


def move(func, input, source, destination):
    """Move dimensions to other positions: ``movedim``."""
    before, after = ([each] if isinstance(each, int) else list(each) for each in (source, destination))
    order = [d for d in range(input.ndim) if d not in [wrap_dim(each, input.ndim) for each in before]]
    pairs = [(wrap_dim(there, input.ndim), wrap_dim(here, input.ndim)) for here, there in zip(before, after)]
    for there, here in sorted(pairs):
        order.insert(there, here)
    return permute(None, input, order)


def unsqueeze(func, input, dim):
    form, inner = input._form, inner_dim(input, dim, "unsqueeze", more=1, ragged=True)
    return nest(elements_of(input).unsqueeze(inner), form.derive(form.ragged + (inner <= form.ragged - 1)))


def squeeze(func, input, dim=None):
    if dim is None:
        raise NotImplementedError("aten.squeeze.default")
    require_plain(input, "squeeze")
    return nest(elements_of(input).squeeze(inner_dim(input, dim, "squeeze")), input._form)


def view(func, input, *shape, size=None):
    """View the tensor with other sizes after the ragged dimension."""
    shape = size if size is not None else shape
    shape = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else tuple(shape)
    form = input._form
    if form.ragged != 1 and input._size != shape:
        raise RuntimeError(
            "view(): does not support ragged_idx != 1 except when inp._size == size. "
            f"inp._size is ({input._size}) and size is ({list(shape)})."
        )
    if len(shape) < 3 or not agree(input, shape):
        raise RuntimeError(f"view(): cannot view shape {input._size} as {list(shape)}")
    inner = elements_of(input)
    sizes = [inner.shape[d] if d == form.ragged - 1 else n for d, n in enumerate(shape[1:])]
    return nest(label(inner.view(sizes), "ViewBackwardAutogradNestedTensor0"), form)


def reshape(func, input, *shape, **given):
    shape = (given["shape"],) if "shape" in given else shape
    try:
        return view(None, input, *shape)
    except RuntimeError as error:
        if "view size" not in str(error):
            raise
        return view(None, make_contiguous(None, input), *shape)


def view_as(func, input, other):
    return reshape(None, input, other._size if isinstance(other, Nested) else other.shape)


def flatten(func, input, start_dim=0, end_dim=-1):
    start = inner_dim(input, start_dim, "flatten") + 1
    end = inner_dim(input, end_dim, "flatten") + 1
    if start == end:
        return input
    sizes = input._size
    number = 1
    for n in sizes[start : end + 1]:
        number = n * number
    return reshape(None, input, (*sizes[:start], number, *sizes[end + 1 :]))


def unflatten(func, input, dim, sizes):
    wrapped = wrap_dim(dim, input.ndim)
    sizes = list(sizes)
    if wrapped == input._form.ragged and -1 in sizes:
        raise RuntimeError(f"unflatten got an unexpected error:\nthe size of dim {wrapped} is a symbol")
    if -1 in sizes:
        known = prod(n for n in sizes if n != -1)
        sizes[sizes.index(-1)] = input._size[wrapped] // known
    elif prod(sizes) != input._size[wrapped]:
        raise RuntimeError(
            f"unflatten: Provided sizes {sizes} don't multiply up to the size of dim {wrapped} ({input._size[wrapped]}) in the input tensor"
        )
    return view(None, input, (*input._size[:wrapped], *sizes, *input._size[wrapped + 1 :]))


def expand(func, input, *size, **given):
    size = given.get("size", size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size)
    if not isinstance(input, Nested):
        return nest(input.expand(elements_of(size).shape), size._form)
    if not agree(input, size):
        raise RuntimeError(f"expand(): cannot expand shape {input._size} -> {list(size)}")
    inner = [-1 if d == input._form.ragged else size[d] for d in range(1, input.ndim)]
    return nest(elements_of(input).expand(inner), input._form)


def broadcast(func, *tensors):
    """Compute ``broadcast_tensors`` of nested tensors with the same division and of tensors with fewer dimensions."""
    tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    first = next(each for each in tensors if isinstance(each, Nested))
    require_broadcast(tensors, first)
    found = torch.broadcast_tensors(*map(elements_of, tensors))
    return tuple(nest(each, first._form) for each in found)


def expand_as(func, input, other):
    if isinstance(input, Nested):
        return expand(None, input, other._size)
    return nest(input.expand(elements_of(other).shape), other._form)


VIEWS = {
    "transpose": transpose, "swapaxes": transpose, "swapdims": transpose, "permute": permute, "movedim": move, "moveaxis": move,
    "unsqueeze": unsqueeze, "squeeze": squeeze, "view": view, "reshape": reshape, "view_as": view_as, "reshape_as": view_as,
    "flatten": flatten, "unflatten": unflatten, "expand": expand, "expand_as": expand_as, "broadcast_to": expand,
    "broadcast_tensors": broadcast,
}  # fmt: skip
