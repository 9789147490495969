"""Functions that select, sort or repeat elements, which PyTorch composes of ``aten`` operators."""

import tensh as torch
from tensh._aten.calls import aten
from tensh.engine.core.tensor import Tensor


def narrow(input, dim, start, length):
    start = int(start)
    start += input.shape[dim] if start < 0 else 0
    return aten("slice", input, dim, start, start + length)


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
