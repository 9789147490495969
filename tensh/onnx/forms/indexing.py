"""Forms of operators that select parts of tensors, or write into them."""

import numpy as np

import tensh as torch
from tensh.onnx.builder import FreeSize, Value, broadcast_shapes
from tensh.onnx.errors import no_form
from tensh.onnx.forms.table import END, along, compose, form, operator_name


@form("select select_copy")
def select(o, node, self, dim, index):
    return o.Gather(self, o.int_scalar(index), axis=dim)


@form("slice slice_copy")
def take_slice(o, node, self, dim=0, start=None, end=None, step=1):
    start, end = 0 if start is None else start, END if end is None else end
    if (start, end, step) == (0, END, 1):
        return o.Identity(self)
    return o.Slice(self, o.ints([start]), o.ints([end]), [dim], [step])


@form("narrow narrow_copy")
def narrow(o, node, self, dim, start, length):
    if isinstance(start, Value) and start.rank != 0:
        start = o.Squeeze(start)
    end = (
        o.Add(o.int_scalar(start), o.int_scalar(length))
        if isinstance(start, Value) or isinstance(length, Value)
        else start + length
    )
    if not isinstance(end, Value) and start < 0 and end == 0:
        end = END
    return o.Slice(self, o.ints([start]), o.ints([end]), [dim])


@form("gather take_along_dim")
def gather(o, node, self, dim=None, index=None, indices=None, sparse_grad=False):
    index = index if index is not None else indices
    if dim is None:
        self, index, dim = o.Reshape(self, [-1]), o.Reshape(index, [-1]), 0
    if not node.args[0].meta["val"].dim():
        return o.Expand(self, o.Shape(index))
    if operator_name(node) == "take_along_dim" and index.example is not None:
        whole = list(
            broadcast_shapes(
                *([*each.shape[: dim % each.rank], 1, *each.shape[dim % each.rank + 1 :]] for each in (self, index))
            )
        )
        sides = [
            [*whole[: dim % len(whole)], each.shape[dim], *whole[dim % len(whole) + 1 :]] for each in (self, index)
        ]
        self, index = (o.Expand(each, o.ints(side)) for each, side in zip((self, index), sides))
        index.dtype = torch.int64
    return o.GatherElements(self, o.cast(index, torch.int64), axis=dim)


@form("index_select")
def index_select(o, node, self, dim, index):
    if not self.rank:
        return o.Identity(self)
    if index.rank == 0:
        index = o.Reshape(index, [1])
    return o.Gather(self, index, axis=dim)


@form("take")
def take(o, node, self, index):
    return o.Gather(o.Reshape(self, [-1]), index, axis=0)


@form("scatter scatter_add scatter_reduce")
def scatter(o, node, self, dim, index, src=None, value=None, reduce=None, include_self=True):
    if not self.rank or not include_self or reduce == "mean":
        raise no_form(node)
    if src is None:
        src = o.Expand(o.number(value, self.dtype), o.Shape(index))
    elif src.shape != index.shape:
        for axis, size in enumerate(index.shape):
            src = o.Slice(src, [0], [size], [axis])
    kinds = {"add": "add", "sum": "add", "multiply": "mul", "prod": "mul", "amax": "max", "amin": "min"}
    kind = "add" if operator_name(node) == "scatter_add" else kinds.get(reduce)
    return o.ScatterElements(self, index, src, axis=dim, reduction=kind)


@form("index")
def index(o, node, self, indices):
    indices = list(indices) + [None] * (self.rank - len(indices))
    given = [(dim, each) for dim, each in enumerate(indices) if each is not None]
    if given and given[0][1].dtype is torch.bool:
        if len(given) > 1 or given[0][0]:
            raise no_form(node)
        return o.GatherND(self, o.Transpose(o.NonZero(given[0][1]), perm=[1, 0]))
    if len(given) == 1:
        return o.Gather(self, o.cast(given[0][1], torch.int64), axis=given[0][0])
    return gather_at(o, node, self, given)


def gather_at(o, node, self, given):
    """Return the elements at index tensors of several dimensions, which are moved to the front for GatherND."""
    dims = [dim for dim, _ in given]
    rest = [dim for dim in range(self.rank) if dim not in dims]
    moved = o.Transpose(self, perm=dims + rest) if dims != list(range(len(dims))) else self
    found = o.GatherND(moved, positions(o, [each for _, each in given]))
    shape = broadcast_shapes(*(each.shape for _, each in given))
    front, together = len(shape), dims == list(range(dims[0], dims[0] + len(dims)))
    if together and dims[0]:
        before = [front + place for place in range(dims[0])]
        after = [front + place for place in range(dims[0], len(rest))]
        found = o.Transpose(found, perm=before + list(range(front)) + after)
    return found


def positions(o, indices):
    """Return index tensors as rows of positions, in their broadcast shape; negative ones count from the end."""
    shape = broadcast_shapes(*(each.shape for each in indices))
    parts = [o.Unsqueeze(o.Expand(o.cast(each, torch.int64), o.ints(list(shape))), [-1]) for each in indices]
    return parts[0] if len(parts) == 1 else o.Concat(*parts, axis=-1)


@form("index_put")
def index_put(o, node, self, indices, values, accumulate=False):
    given = [each for each in indices if each is not None]
    if given[0].dtype is torch.bool and given[0].rank == self.rank and values.rank == 0:
        return o.Where(given[0], o.cast(values, self.dtype), self)
    if given[0].dtype is torch.bool:
        raise no_form(node)
    if len(given) != len(indices):
        return put_along(o, node, self, indices, values, accumulate)
    places = positions(o, given)
    shape = [*broadcast_shapes(*(each.shape for each in given)), *self.shape[len(given) :]]
    updates = o.Expand(o.cast(values, self.dtype), o.ints(shape))
    return o.ScatterND(self, places, updates, reduction="add" if accumulate else None)


def put_along(o, node, self, indices, values, accumulate):
    """Put values at one vector of indices, for a dimension that is moved to the front."""
    *before, index = indices
    if any(each is not None for each in before) or index.rank != 1:
        raise no_form(node)
    order = [len(before), *(dim for dim in range(self.rank) if dim != len(before))]
    shape = [*self.shape[: len(before)], index.shape[0], *self.shape[len(before) + 1 :]]
    updates = o.Transpose(o.Expand(o.cast(values, self.dtype), o.ints(shape)), perm=order)
    reduction = "add" if accumulate else None
    found = o.ScatterND(o.Transpose(self, perm=order), positions(o, [index]), updates, reduction=reduction)
    return o.Transpose(found, perm=[order.index(dim) for dim in range(self.rank)])


@form("select_scatter")
def select_scatter(o, node, self, src, dim, index):
    dim %= self.rank
    position = o.Reshape(o.int_scalar(index), [1] * self.rank)
    source = o.Unsqueeze(o.cast(src, self.dtype), [dim])
    return o.ScatterElements(self, o.Expand(position, o.Shape(source)), source, axis=dim)


@form("slice_scatter")
def slice_scatter(o, node, self, src, dim=0, start=None, end=None, step=1):
    dim %= self.rank
    if isinstance(self.shape[dim], FreeSize):
        self.shape[dim].refuse()
    places = np.arange(self.shape[dim])[
        start if start is None else int(start) : end if end is None else min(int(end), END) : step
    ]
    shape = [1] * self.rank
    shape[dim] = len(places)
    index = o.array(places.reshape(shape).astype(np.int64))
    return o.ScatterElements(self, o.Expand(index, o.Shape(src)), o.cast(src, self.dtype), axis=dim)


@form("nonzero argwhere")
def nonzero(o, node, self):
    return o.Transpose(o.NonZero(self), perm=[1, 0])


@form("masked_select")
def masked_select(o, node, self, mask):
    shape = broadcast_shapes(self.shape, mask.shape)
    self, mask = (o.Expand(each, o.ints(list(shape))) for each in (self, mask))
    return o.Compress(o.Reshape(self, [-1]), o.Reshape(mask, [-1]), axis=0)


@compose("unfold unfold_copy")
def unfold(self, dimension, size, step):
    if not self.dim():
        return self.reshape(1)
    dimension %= self.dim()
    starts = torch.arange(0, self.shape[dimension] - size + 1, step)
    places = (starts.unsqueeze(1) + torch.arange(size)).reshape(-1)
    windows = self.index_select(dimension, places).movedim(dimension, -1)
    return windows.unflatten(-1, (-1, size)).movedim(-2, dimension)


@form("one_hot")
def one_hot(o, node, self, num_classes=-1):
    if not isinstance(num_classes, Value) and num_classes < 0:
        num_classes = o.Add(o.ReduceMax(self, keepdims=0), o.int_scalar(1))
    return o.OneHot(self, o.int_scalar(num_classes), o.ints([0, 1]))


@compose("index_fill")
def index_fill(self, dim, index, value):
    places = torch.arange(self.shape[dim]).unsqueeze(0) == index.reshape(-1, 1)
    return torch.where(places.any(0).reshape(along(dim, self.dim())), torch.as_tensor(value, dtype=self.dtype), self)


@compose("index_copy")
def index_copy(self, dim, index, source):
    return self.scatter(dim, index.reshape(along(dim, self.dim())).expand_as(source), source)


@compose("index_add")
def index_add(self, dim, index, source, alpha=1):
    return self.scatter_add(
        dim, index.reshape(along(dim, self.dim())).expand_as(source), source * alpha if alpha != 1 else source
    )


@compose("put")
def put(self, index, source, accumulate=False):
    flat, places, values = (each.reshape(-1) for each in (self, index, source))
    made = flat.scatter_add(0, places, values) if accumulate else flat.scatter(0, places, values)
    return made.reshape(self.shape)


@compose("unravel_index")
def unravel_index(indices, shape):
    found = []
    for size in reversed([shape] if isinstance(shape, int) else list(shape)):
        found.append(indices % size)
        indices = torch.div(indices, size, rounding_mode="floor")
    return tuple(reversed(found))
