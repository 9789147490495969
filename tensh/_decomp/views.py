"""Decompositions of views and of functions that move elements."""

from functools import partial

import tensh as torch
from tensh._aten.calls import aten
from tensh._aten.overloads import schemas
from tensh._aten.steps.conversions import copy_conversion
from tensh._aten.steps.indexing import diff
from tensh._aten.steps.shapes import product, reshape
from tensh._decomp.images import pad_circularly
from tensh._decomp.rules import PLACE, STRIDED, count, rule, scalar, view_rule

ops = torch.ops.aten


# ── views that always consist of others ──────────────────────────────────────
@view_rule("reshape")
def reshape_as_given(self, shape):
    sizes = tuple(map(int, shape))
    if -1 not in sizes or not (self.is_contiguous() and self.array.size):
        return reshape(self, shape)
    return aten("view", self, list(shape))


@view_rule("flatten.using_ints")
def flatten(self, start_dim=0, end_dim=-1):
    if not self.dim():
        return aten("view", self, [1])
    start, end = start_dim % self.dim(), end_dim % self.dim()
    if start == end:
        return self
    return reshape(self, [*self.shape[:start], product(self.shape[start : end + 1]), *self.shape[end + 1 :]])


@view_rule("unflatten.int")
def unflatten(self, dim, sizes):
    dim, known = dim % self.dim(), 1
    for size in sizes:
        known = known * size if size != -1 else known
    sizes = [self.shape[dim] // known if size == -1 else size for size in sizes]
    return aten("view", self, [*self.shape[:dim], *sizes, *self.shape[dim + 1 :]])


@view_rule("view_as", "reshape_as")
def view_as(self, other):
    return reshape(self, list(other.shape))


@view_rule("expand_as")
def expand_as(self, other):
    return aten("expand", self, list(other.shape))


@view_rule("broadcast_to")
def broadcast_to(self, size):
    return aten("expand", self, list(size))


@view_rule("numpy_T")
def numpy_T(self):
    return aten("permute", self, list(range(self.dim()))[::-1])


@view_rule("mT", "mH")
def mT(self):
    return aten("transpose", self, -2, -1)


@view_rule("matrix_H", "adjoint")
def matrix_H(self):
    return aten("transpose", self, -2, -1) if self.dim() == 2 else NotImplemented


@view_rule("swapaxes", "swapdims")
def swapaxes(self, dim0, dim1):
    return aten("transpose", self, dim0, dim1)


@view_rule("movedim", "moveaxis")
def movedim(self, source, destination):
    rank = self.dim()
    one, two = ([each] if isinstance(each, int) else list(each) for each in (source, destination))
    one, two = [each % rank for each in one], [each % rank for each in two]
    order, rest = [None] * rank, [dim for dim in range(rank) if dim not in one]
    for dim, place in zip(one, two):
        order[place] = dim
    for place, dim in enumerate(order):
        order[place] = rest.pop(0) if dim is None else dim
    return aten("permute", self, order)


@view_rule("narrow")
def narrow(self, dim, start, length):
    return aten("slice", self, dim, start, start + length)


@view_rule("chunk")
def chunk(self, chunks, dim=0):
    return aten("split", self, -(-self.shape[dim] // chunks), *((dim,) if dim else ()))


@view_rule("tensor_split.sections")
def tensor_split(self, sections, dim=0):
    size, start, parts = self.shape[dim], 0, []
    for place in range(sections):
        stop = start + (size + sections - 1 - place) // sections  # the first parts have one more, also of other sizes
        parts.append(aten("slice", self, dim, start, stop))
        start = stop
    return tuple(parts)


@view_rule("contiguous")
def contiguous(self, memory_format=torch.contiguous_format):
    return self if self.is_contiguous(memory_format=memory_format) else aten("clone", self, memory_format=memory_format)


for _name in ("dtype", "device", "dtype_layout"):
    view_rule(f"to.{_name}")(partial(copy_conversion, schemas()["to"][_name]))


@rule("type_as")
def type_as(self, other):
    return copy_conversion(schemas()["to"]["dtype_layout"], self, dtype=other.dtype, **STRIDED, **PLACE)


@view_rule("lift_fresh_copy", "detach_copy")
def lift_fresh_copy(self):
    return aten("clone", self)


@view_rule("detach_")
def detach_(self):
    return self


# ── views ────────────────────────────────────────────────────────────────────
@rule("t")
def t(self):
    return aten("transpose", self, 0, 1) if self.dim() == 2 else self


@rule("transpose.int")
def transpose(self, dim0, dim1):
    order = list(range(self.dim()))
    if not order:
        return self
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return aten("permute", self, order)


@rule("squeeze.default")
def squeeze(self):
    return aten("squeeze", self, list(range(self.dim())))


@rule("squeeze.dim")
def squeeze_dim(self, dim):
    return aten("squeeze", self, [dim])


@rule("_unsafe_view")
def unsafe_view(self, size):
    return aten("view", self, size)


@rule("detach")
def detach(self):
    return aten("alias", self)


@rule("unbind")
def unbind(self, dim=0):
    parts = [aten("slice", self, dim, place, place + 1) for place in range(self.array.shape[dim])]
    return tuple([aten("squeeze", part, [dim]) for part in parts])


@rule("split.Tensor")
def split(self, split_size, dim=0):
    size = self.array.shape[dim]
    sizes = [split_size] * (size // split_size) + ([size % split_size] if size % split_size else [])
    return aten("split_with_sizes", self, sizes or [0], *((dim,) if dim else ()))


# ── elements that move ───────────────────────────────────────────────────────
@rule("stack")
def stack(tensors, dim=0):
    first = tensors[0]
    dim %= first.dim() + 1
    if dim == first.dim():
        return aten("cat", [aten("unsqueeze", each, dim) for each in tensors], dim)
    shape = [*first.shape[:dim], len(tensors), *first.shape[dim:]]
    return aten("view", aten("cat", tensors, *((dim,) if dim else ())), shape)


@rule("hstack")
def hstack(tensors):
    return aten("cat", tensors, *((1,) if tensors[0].dim() > 1 else ())) if tensors[0].dim() else NotImplemented


@rule("vstack")
def vstack(tensors):
    return aten("cat", tensors) if tensors[0].dim() > 1 else NotImplemented


@rule("roll")
def roll(self, shifts, dims=()):
    if len(dims) != 1 or len(shifts) != 1:
        return NotImplemented
    size = self.shape[dims[0]]
    start = (size - shifts[0]) % size
    index = ops.fmod.Scalar(aten("add", count(size), start), size)
    return aten("index_select", self, dims[0], index)


def triangle(self, diagonal, compare):
    """Keep the elements whose distance from the diagonal compares so."""
    columns = aten("unsqueeze", count(self.shape[-1]), -2)
    rows = aten("unsqueeze", count(self.shape[-2]), -1)
    kept = getattr(ops, compare).Scalar(aten("sub", columns, rows), diagonal)
    if self.dtype == torch.bool:
        return aten("logical_and", kept, self)
    return aten("where", kept, self, scalar(0, self.dtype))


@rule("tril")
def tril(self, diagonal=0):
    return triangle(self, diagonal, "le")


@rule("triu")
def triu(self, diagonal=0):
    return triangle(self, diagonal, "ge")


@rule("rot90")
def rot90(self, k=1, dims=(0, 1)):
    first, second = dims
    k %= 4
    if k == 1:
        return aten("transpose", aten("flip", self, [second]), first, second)
    if k == 2:
        return aten("flip", self, list(dims))
    return aten("flip", aten("transpose", self, first, second), [second]) if k else aten("clone", self)


@rule("repeat_interleave.self_int")
def repeat_interleave(self, repeats, dim=None, output_size=None):
    if dim is None:
        self, dim = aten("reshape", self, [-1]), 0
    dim %= self.dim()
    sizes = list(self.shape)
    wide = aten("expand", aten("unsqueeze", self, dim + 1), [*sizes[: dim + 1], repeats, *sizes[dim + 1 :]])
    flat = [*sizes[:dim], sizes[dim] * repeats, *sizes[dim + 1 :]]
    return aten("view", aten("clone", wide, memory_format=torch.contiguous_format), flat)


@rule("meshgrid")
def meshgrid(tensors, *, indexing="ij"):
    if indexing != "ij" or any(each.dim() != 1 for each in tensors):
        return NotImplemented
    sizes, rank = [each.shape[0] for each in tensors], len(tensors)
    shapes = [[-1 if place == dim else 1 for dim in range(rank)] for place in range(rank)]
    return tuple([aten("expand", aten("view", each, shape), sizes) for each, shape in zip(tensors, shapes)])


@rule("diag_embed")
def diag_embed(self, offset=0, dim1=-2, dim2=-1):
    rank = self.dim() + 1
    one, two = dim1 % rank, dim2 % rank
    if offset or (one, two) != (rank - 2, rank - 1):
        return NotImplemented
    size = self.shape[-1]
    turned = aten("permute", aten("unsqueeze", self, rank - 2), list(range(rank)))
    same = aten("eq", count(size, torch.int64), aten("unsqueeze", count(size, torch.int64), -1))
    shape = [*[1] * (rank - 2), size, size] if rank > 2 else [size, size]
    return aten("where", aten("view", same, shape), turned, scalar(0, self.dtype))


@rule("diag")
def diag(self, diagonal=0):
    return aten("diag_embed" if self.dim() == 1 else "diagonal_copy", self, *((diagonal,) if diagonal else ()))


@rule("trace")
def trace(self):
    return aten("sum", aten("clone", aten("diagonal", self), memory_format=torch.contiguous_format))


@rule("pad")
def pad(self, pad, mode="constant", value=None):
    if mode == "constant":
        return aten("constant_pad_nd", self, list(pad), 0.0 if value is None else value)
    if mode == "circular":
        return pad_circularly(self, pad)
    if mode not in ("reflect", "replicate"):
        return NotImplemented
    sides, rank = list(zip(pad[::2], pad[1::2])), self.dim()
    for dim, (before, after) in zip(range(rank - len(sides), rank), reversed(sides)):
        last = self.shape[dim] - 1
        place = ops.arange.start_step(-before, self.shape[dim] + after, **STRIDED, **PLACE, pin_memory=False)
        if mode == "reflect":
            turned = ops.sub.Tensor(last, aten("abs", place))
            place = ops.sub.Tensor(last, aten("abs", turned))
        else:
            place = aten("clamp", place, 0, last)
        self = aten("index", self, [place if each == dim else None for each in range(rank)])
    return self


# ── parts that are written ───────────────────────────────────────────────────
@rule("select_scatter")
def select_scatter(self, src, dim, index):
    dim %= self.dim()
    shape = [-1 if place == dim else 1 for place in range(self.dim())]
    chosen = ops.eq.Scalar(aten("view", count(self.shape[dim]), shape), index % self.array.shape[dim])
    spread = aten("expand", aten("unsqueeze", src, dim), list(self.shape))
    return aten("where", chosen, spread, self)


@rule("broadcast_tensors")
def broadcast_tensors(tensors):
    size = torch.broadcast_shapes(*(each.array.shape for each in tensors))
    if all(each.array.shape == size for each in tensors):
        return list(tensors)
    if any(not isinstance(each.shape, torch.Size) for each in tensors):
        return NotImplemented
    return [each if each.array.shape == size else aten("expand", each, list(size)) for each in tensors]


@rule("zero")
def zero(self):
    return aten("full_like", self, 0, pin_memory=False, memory_format=torch.preserve_format)


@rule("fill.Scalar")
def fill(self, value):
    return aten("full_like", self, value, pin_memory=False)


@rule("fill.Tensor")
def fill_tensor(self, value):
    return aten("copy", self, value)


@rule("one_hot")
def one_hot(self, num_classes=-1):
    if num_classes < 0:
        return NotImplemented
    for compare, bound, text in (("ge", 0, "non-negative"), ("lt", num_classes, "smaller than num_classes")):
        wrong = aten("logical_not", getattr(ops, compare).Scalar(self, bound))
        every = aten("logical_not", ops.any.dims(wrong))
        ops._assert_async.msg(every, f"one_hot: Class values must be {text}.")
    places = aten("unsqueeze", self, -1)
    classes = aten("arange", num_classes, dtype=torch.int64, layout=torch.strided)
    return aten("_to_copy", aten("eq", places, classes), dtype=torch.int64)


@rule("tile")
def tile(self, dims):
    return aten("repeat", self, [*[1] * (self.dim() - len(dims)), *dims])


rule("diff")(diff)
