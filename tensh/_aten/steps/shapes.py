"""Functions of shapes that PyTorch composes of ``aten`` operators."""

import functools
import operator

import tensh as torch
from tensh._aten.calls import aten
from tensh._aten.overloads import schemas
from tensh.engine.arrays.memory import view_strides


def product(sizes):
    """Return the product of sizes, which may be nodes of a program."""
    return functools.reduce(operator.mul, sizes) if sizes else 1


def reshape(input, *shape, **options):
    shape = list(options.get("shape", shape[0] if shape and not isinstance(shape[0], int) else shape))
    if -1 in shape:
        known = product([n for n in shape if n != -1])
        shape = [product(input.shape) // known if n == -1 and known else n for n in shape]
    if input.is_contiguous() or view_strides(tuple(map(int, input.shape)), input.stride(), tuple(map(int, shape))):
        return aten("view", input, shape)
    return aten("_unsafe_view", aten("clone", input, memory_format=torch.contiguous_format), shape)


def flatten(input, start_dim=0, end_dim=-1):
    if not input.dim():
        return reshape(input, [1])
    start, end = start_dim % input.dim(), end_dim % input.dim()
    if start == end:
        return input
    size = product(input.shape[start : end + 1])
    return reshape(input, [*input.shape[:start], size, *input.shape[end + 1 :]])


def unflatten(input, dim, sizes):
    dim, known = dim % input.dim(), 1
    for n in sizes:
        known *= n if n != -1 else 1
    sizes = [input.shape[dim] // known if n == -1 else n for n in sizes]
    return aten("view", input, [*input.shape[:dim], *sizes, *input.shape[dim + 1 :]])


def contiguous(input, memory_format=torch.contiguous_format):
    if input.is_contiguous(memory_format=memory_format):
        return input
    return aten("clone", input, memory_format=memory_format)


def split(tensor, split_size_or_sections, dim=0):
    if isinstance(split_size_or_sections, int):
        return aten("split", tensor, split_size_or_sections, *((dim,) if dim else ()))
    return aten("split_with_sizes", tensor, list(split_size_or_sections), *((dim,) if dim else ()))


def chunk(input, chunks, dim=0):
    return aten("split", input, -(-input.shape[dim] // chunks), dim)


def diag(input, diagonal=0):
    if input.dim() == 1:
        return aten("diag_embed", input, diagonal)
    return aten("diagonal_copy", input, diagonal) if input.dim() == 2 else NotImplemented


def diagflat(input, offset=0):
    return aten("diag_embed", aten("view", contiguous(input), [-1]), offset)


def meshgrid(*tensors, indexing="ij"):
    tensors = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else list(tensors)
    if indexing not in ("ij", None) or any(t.dim() > 1 for t in tensors):
        return NotImplemented
    sizes = [t.numel() for t in tensors]
    rows = [[-1 if place == other else 1 for other in range(len(sizes))] for place in range(len(sizes))]
    return tuple(aten("expand", aten("view", t, row), sizes) for t, row in zip(tensors, rows))


def cartesian_prod(*tensors):
    if len(tensors) < 2 or any(t.dim() != 1 for t in tensors):
        return NotImplemented
    return aten("stack", [flatten(each) for each in meshgrid(tensors)], 1)


def combinations(input, r=2, with_replacement=False):
    if input.dim() != 1 or r < 0:
        return NotImplemented
    place = {"layout": torch.strided, "device": torch.device("cpu")}
    if not r:
        return schemas()["empty"]["memory_format"]([0], dtype=input.dtype, **place)
    count = input.numel()
    grids = meshgrid([input] * r)
    places = meshgrid([schemas()["arange"]["default"](count, dtype=torch.int64, **place)] * r)
    mask = schemas()["full"]["default"]([count] * r, True, dtype=torch.bool, **place)
    for one, other in zip(places, places[1:]):
        mask = aten("mul_", mask, aten("le" if with_replacement else "lt", one, other))
    return aten("stack", [aten("masked_select", each, mask) for each in grids], 1)
