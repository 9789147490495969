"""Subscripts and functions that select, sort or repeat elements, which PyTorch composes of ``aten`` operators."""

import math

import tensh as torch
from tensh._aten.calls import aten
from tensh._aten.subscripts import WHOLE, expand_ellipsis, list_indices, list_steps
from tensh.engine.core.tensor import Tensor


def getitem(input, index):
    """Select, slice and unsqueeze one part after the other; then index by tensors, if there are some."""
    found = take_parts(input, index)
    if found is NotImplemented:
        return found
    out, tensors = found
    if tensors:
        return aten("index", out, tensors)
    return aten("alias", out) if out is input else out


def take_parts(input, index, writes=False):
    """Return (what numbers, slices and None leave of a tensor, the tensors that index it then).

    Whole dimensions are left out, except by a single slice that does not write.
    """
    parts = index if type(index) is tuple else (index,)
    parts = tuple(torch.tensor(each) if isinstance(each, list) and each else each for each in parts)
    parts = expand_ellipsis(parts, input.dim())
    if parts is None:
        return NotImplemented
    several = writes or type(index) is tuple
    out, tensors = input, {}
    for operator, dim, part in list_steps(parts):
        if operator == "select":
            out = aten("select", out, dim, part)
        elif operator == "unsqueeze":
            out = aten("unsqueeze", out, dim)
        elif operator == "index":
            tensors[dim] = part
        elif part is not WHOLE:
            start, stop, step = part.start or 0, part.stop, 1 if part.step is None else part.step
            stop = 2**63 - 1 if stop is None else stop
            if not several or start or step != 1 or stop < out.shape[dim]:
                out = aten("slice", out, dim, start, stop, step)
    return out, list_indices(tensors)


def setitem(input, index, value):
    if isinstance(value, (bool, int, float)):
        value = torch.tensor(value, dtype=input.dtype)
    elif not isinstance(value, Tensor):
        return NotImplemented
    found = take_parts(input, index, writes=True)
    if found is NotImplemented:
        return found
    target, tensors = found
    if tensors:
        aten("index_put_", target, tensors, value if value.shape[:1] != (1,) else without_leading_ones(value))
    elif value.shape == target.shape:
        aten("copy_", target, value)
    elif value.dim():
        value = without_leading_ones(value)
        aten("copy_", target, value if value.shape == target.shape else aten("expand", value, list(target.shape)))
    else:
        aten("fill_", target, value)
    return None


def without_leading_ones(value):
    """Return a view of a value without the dimensions of size 1 before all others."""
    first = next((place for place, size in enumerate(value.shape) if size != 1), value.dim())
    return aten("view", value, list(value.shape)[first:])


def narrow(input, dim, start, length):
    start = int(start)
    start += input.shape[dim] if start < 0 else 0
    return aten("slice", input, dim, start, start + length)


def diff(input, n=1, dim=-1, prepend=None, append=None):
    if n < 1 or not input.dim():
        return NotImplemented
    parts = [each for each in (prepend, input, append) if each is not None]
    out = aten("cat", parts, dim) if len(parts) > 1 else input
    for _ in range(min(n, out.shape[dim])):
        size = out.shape[dim]
        first, second = aten("slice", out, dim, 0, size - 1), aten("slice", out, dim, 1, size)
        out = aten("logical_xor" if out.dtype is torch.bool else "sub", second, first)
    return out


def tensor_split(input, indices_or_sections, dim=0):
    if not isinstance(indices_or_sections, Tensor):
        return NotImplemented
    given = indices_or_sections
    given = [int(each) for each in given] if given.dim() else int(given)
    if isinstance(given, int):
        size, more = divmod(input.shape[dim], given)
        given = [place * size + min(place, more) for place in range(1, given)]
    bounds = zip([0, *given], [*given, input.shape[dim]])
    return tuple(aten("slice", input, dim, low, high) for low, high in bounds)


def nonzero(input, *, as_tuple=False):
    """Return the places of elements that are not zero: with ``as_tuple`` a vector for each dimension."""
    places = aten("nonzero", input)
    return tuple(aten("unbind", places, 1)) if as_tuple else places


def unravel_index(indices, shape):
    if isinstance(shape, int) or indices.is_floating_point() or isinstance(shape, Tensor):
        return NotImplemented
    steps = [math.prod(shape[place + 1 :]) for place in range(len(shape))]
    rows = aten("floor_divide", indices.unsqueeze(-1), torch.tensor(steps, dtype=torch.int64))
    return tuple(aten("unbind", rows % torch.tensor([*shape], dtype=torch.int64), -1))


def take_along_dim(input, indices, dim=None):
    if dim is None:
        return aten("gather", input.reshape(-1), 0, indices.reshape(-1))
    dim = dim % input.dim()
    others = [[1 if place == dim else n for place, n in enumerate(t.shape)] for t in (input, indices)]
    sizes = torch.broadcast_shapes(*others)
    indices, input = (
        aten("expand", t, [t.shape[dim] if place == dim else n for place, n in enumerate(sizes)])
        for t in (indices, input)
    )
    return aten("gather", input, dim, aten("remainder", indices, input.shape[dim]))


def argsort(input, dim=-1, descending=False, stable=False):
    return (
        aten("sort", input, stable=True, dim=dim, descending=descending)[1]
        if stable
        else aten("sort", input, dim, descending)[1]
    )


def tile(input, *sizes, dims=None):
    if dims is None:
        dims = sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
    return aten("repeat", input, [1] * (input.dim() - len(dims)) + [*dims])


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    if dim is not None:
        return NotImplemented
    values, inverse, counts = aten("_unique2", input, sorted, return_inverse, return_counts)
    found = (values, *[inverse] * return_inverse, *[counts] * return_counts)
    return found if len(found) > 1 else values


def broadcast_tensors(*tensors):
    tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    sizes = list(torch.broadcast_shapes(*(t.shape for t in tensors)))
    return tuple(aten("expand", t, sizes) for t in tensors)


def where(condition, input=None, other=None, **options):
    if input is None and other is None and not options:
        return nonzero(condition, as_tuple=True)
    if other is None or options:
        return NotImplemented
    kind = next((each.dtype for each in (input, other) if isinstance(each, Tensor)), None)
    values = [
        each if isinstance(each, Tensor) else aten("scalar_tensor", each, dtype=kind or torch.get_default_dtype())
        for each in (input, other)
    ]
    return aten("where", condition, *values)
