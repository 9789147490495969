"""Forms of operators that change shapes, take parts and put parts together."""

import math

import numpy as np

import tensh as torch
from tensh.onnx.builder import Value
from tensh.onnx.forms.table import compose, form

END = 2**63 - 1


def name_of(node):
    """The name of an operator, or of the public function that stands for it."""
    return getattr(node.target, "_opname", None) or (
        node.target if isinstance(node.target, str) else node.target.__name__
    )


@form("view reshape _unsafe_view")
def reshape(o, node, self, size=None, shape=None):
    sizes = size if size is not None else shape
    if 0 in [each for each in sizes if not isinstance(each, Value)]:
        return o.Reshape(self, o.ints(sizes), allowzero=1)
    return o.Reshape(self, o.ints(sizes))


@form("view_as reshape_as")
def view_as(o, node, self, other):
    return o.Reshape(self, o.Shape(other))


@form("unsqueeze unsqueeze_copy")
def unsqueeze(o, node, self, dim):
    return o.Unsqueeze(self, [dim])


@form("squeeze squeeze_copy")
def squeeze(o, node, self, dim=None):
    dims = range(self.rank) if dim is None else dim if isinstance(dim, (list, tuple)) else [dim]
    dims = [each for each in dims if self.rank and self.shape[each] == 1]
    return o.Squeeze(self, dims) if dims else o.Identity(self)


@form("flatten")
def flatten(o, node, self, start_dim=0, end_dim=-1):
    if not self.rank:
        return o.Reshape(self, [1])
    start, end = start_dim % self.rank, end_dim % self.rank
    sizes = [0] * start + [-1]
    if end == self.rank - 1:
        return o.Reshape(self, sizes)
    rest = o.Slice(o.Shape(self), [end + 1], [END])
    return o.Reshape(self, o.Concat(o.ints(sizes), rest, axis=0))


@form("ravel")
def ravel(o, node, self):
    return o.Reshape(self, [-1])


@form("unflatten")
def unflatten(o, node, self, dim, sizes):
    dim %= self.rank
    if dim == self.rank - 1:
        return o.Reshape(self, o.ints([0] * dim + list(sizes)))
    return o.Reshape(self, o.Concat(o.ints([0] * dim + list(sizes)), o.Slice(o.Shape(self), [dim + 1], [END]), axis=0))


@form("transpose swapaxes swapdims transpose_copy")
def transpose(o, node, self, dim0, dim1):
    if not self.rank:
        return o.Identity(self)
    order = list(range(self.rank))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return o.Transpose(self, perm=order)


@form("t mT mH numpy_T matrix_H t_copy adjoint")
def turn(o, node, self):
    if self.rank < 2:
        return o.Identity(self)
    if name_of(node) == "numpy_T":
        return o.Transpose(self, perm=list(range(self.rank))[::-1])
    return o.Transpose(self, perm=[*range(self.rank - 2), self.rank - 1, self.rank - 2])


@form("permute permute_copy")
def permute(o, node, self, dims):
    return o.Transpose(self, perm=[dim % self.rank for dim in dims]) if self.rank else o.Identity(self)


@form("movedim")
def movedim(o, node, self, source, destination):
    pairs = [[each] if isinstance(each, int) else list(each) for each in (source, destination)]
    source, destination = ([dim % max(self.rank, 1) for dim in each] for each in pairs)
    order = [dim for dim in range(self.rank) if dim not in source]
    for to, dim in sorted(zip(destination, source)):
        order.insert(to, dim)
    return o.Transpose(self, perm=order) if self.rank else o.Identity(self)


@form("expand broadcast_to expand_copy")
def expand(o, node, self, size=None, implicit=False):
    sizes = list(size)
    return o.Expand(self, o.ints([1 if not isinstance(each, Value) and each == -1 else each for each in sizes]))


@form("expand_as")
def expand_as(o, node, self, other):
    return o.Expand(self, o.Shape(other))


@form("repeat")
def repeat(o, node, self, repeats):
    if len(repeats) > self.rank:
        self = o.Unsqueeze(self, list(range(len(repeats) - self.rank)))
    return o.Tile(self, o.ints(repeats)) if len(repeats) else o.Identity(self)


@form("tile")
def tile(o, node, self, dims):
    rank = self.rank or 0
    return repeat(o, node, self, [1] * (rank - len(dims)) + list(dims))


@form("cat concat concatenate")
def cat(o, node, tensors, dim=0):
    tensors = [
        each for each in tensors if not (each.example is not None and each.rank == 1 and each.shape == (0,))
    ] or tensors[:1]
    return o.Concat(*(o.cast(each, node.meta["val"].dtype) for each in tensors), axis=dim)


@form("stack")
def stack(o, node, tensors, dim=0):
    wanted = node.meta["val"].dtype
    return o.Concat(*(o.Unsqueeze(o.cast(each, wanted), [dim]) for each in tensors), axis=dim)


@form("select select_copy")
def select(o, node, self, dim, index):
    return o.Gather(self, o.whole(index), axis=dim)


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
        o.Add(o.whole(start), o.whole(length))
        if isinstance(start, Value) or isinstance(length, Value)
        else start + length
    )
    if not isinstance(end, Value) and start < 0 and end == 0:
        end = END
    return o.Slice(self, o.ints([start]), o.ints([end]), [dim])


@form(
    "chunk split split_with_sizes tensor_split unsafe_chunk unsafe_split hsplit vsplit dsplit split_copy split_with_sizes_copy"
)
def split(o, node, self, *ignored, dim=0, **more):
    parts, name = node.meta["val"], name_of(node)
    dim = {"vsplit": 0, "dsplit": 2, "hsplit": 0 if self.rank == 1 else 1}.get(name, dim)
    if len(parts) == 1:
        return [o.Identity(self)]
    return o.Split(self, o.ints([each.shape[dim] for each in parts]), axis=dim, outputs=len(parts))


@form("unbind unbind_copy")
def unbind(o, node, self, dim=0):
    return [o.Gather(self, o.number(place, torch.int64), axis=dim) for place in range(len(node.meta["val"]))]


@form("flip fliplr flipud")
def flip(o, node, self, dims=None):
    dims = {"fliplr": [1], "flipud": [0]}.get(name_of(node), dims)
    if not dims or not self.rank:
        return o.Identity(self)
    count = len(dims)
    return o.Slice(self, [-1] * count, [-END] * count, list(dims), [-1] * count)


@form("tril triu")
def triangle(o, node, self, diagonal=0):
    number = self.dtype
    if number is torch.bool:
        self = o.cast(self, torch.int64)
    found = o.Trilu(self, o.number(diagonal, torch.int64), upper=int(name_of(node) == "triu"))
    return o.cast(found, number)


@form("gather take_along_dim")
def gather(o, node, self, dim=None, index=None, indices=None, sparse_grad=False):
    index = index if index is not None else indices
    if dim is None:
        self, index, dim = o.Reshape(self, [-1]), o.Reshape(index, [-1]), 0
    if not node.args[0].meta["val"].dim():
        return o.Expand(self, o.Shape(index))
    if name_of(node) == "take_along_dim" and index.example is not None:
        whole = list(
            torch.broadcast_shapes(
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
        from tensh.onnx.errors import no_form

        raise no_form(node)
    if src is None:
        src = o.Expand(o.number(value, self.dtype), o.Shape(index))
    elif src.shape != index.shape:
        for axis, size in enumerate(index.shape):
            src = o.Slice(src, [0], [size], [axis])
    kinds = {"add": "add", "sum": "add", "multiply": "mul", "prod": "mul", "amax": "max", "amin": "min"}
    kind = "add" if name_of(node) == "scatter_add" else kinds.get(reduce)
    return o.ScatterElements(self, index, src, axis=dim, reduction=kind)


@form("index")
def index(o, node, self, indices):
    indices = list(indices) + [None] * (self.rank - len(indices))
    given = [(dim, each) for dim, each in enumerate(indices) if each is not None]
    if given and given[0][1].dtype is torch.bool:
        if len(given) > 1 or given[0][0]:
            from tensh.onnx.errors import no_form

            raise no_form(node)
        return o.GatherND(self, o.Transpose(o.NonZero(given[0][1]), perm=[1, 0]))
    if len(given) == 1:
        return o.Gather(self, o.cast(given[0][1], torch.int64), axis=given[0][0])
    return gather_at(o, node, self, given)


def gather_at(o, node, self, given):
    """The elements at index tensors of several dimensions: these are moved in front for GatherND."""
    dims = [dim for dim, _ in given]
    rest = [dim for dim in range(self.rank) if dim not in dims]
    moved = o.Transpose(self, perm=dims + rest) if dims != list(range(len(dims))) else self
    found = o.GatherND(moved, positions(o, [each for _, each in given]))
    shape = torch.broadcast_shapes(*(each.shape for _, each in given))
    front, together = len(shape), dims == list(range(dims[0], dims[0] + len(dims)))
    if together and dims[0]:
        before = [front + place for place in range(dims[0])]
        after = [front + place for place in range(dims[0], len(rest))]
        found = o.Transpose(found, perm=before + list(range(front)) + after)
    return found


def positions(o, indices):
    """Index tensors as the rows of positions, in the shape that they broadcast to; negative ones count from the end."""
    shape = torch.broadcast_shapes(*(each.shape for each in indices))
    parts = [o.Unsqueeze(o.Expand(o.cast(each, torch.int64), o.ints(list(shape))), [-1]) for each in indices]
    return parts[0] if len(parts) == 1 else o.Concat(*parts, axis=-1)


@form("index_put")
def index_put(o, node, self, indices, values, accumulate=False):
    given = [each for each in indices if each is not None]
    if given[0].dtype is torch.bool and given[0].rank == self.rank and values.rank == 0:
        return o.Where(given[0], o.cast(values, self.dtype), self)
    if len(given) != len(indices) or given[0].dtype is torch.bool:
        from tensh.onnx.errors import no_form

        raise no_form(node)
    places = positions(o, given)
    shape = [*torch.broadcast_shapes(*(each.shape for each in given)), *self.shape[len(given) :]]
    updates = o.Expand(o.cast(values, self.dtype), o.ints(shape))
    return o.ScatterND(self, places, updates, reduction="add" if accumulate else None)


@form("select_scatter")
def select_scatter(o, node, self, src, dim, index):
    dim %= self.rank
    position = o.Reshape(o.whole(index), [1] * self.rank)
    source = o.Unsqueeze(o.cast(src, self.dtype), [dim])
    return o.ScatterElements(self, o.Expand(position, o.Shape(source)), source, axis=dim)


@form("slice_scatter")
def slice_scatter(o, node, self, src, dim=0, start=None, end=None, step=1):
    dim %= self.rank
    places = np.arange(self.shape[dim])[
        start if start is None else int(start) : end if end is None else min(int(end), END) : step
    ]
    shape = [1] * self.rank
    shape[dim] = len(places)
    index = o.array(places.reshape(shape).astype(np.int64))
    return o.ScatterElements(self, o.Expand(index, o.Shape(src)), o.cast(src, self.dtype), axis=dim)


@form("nonzero")
def nonzero(o, node, self):
    return o.Transpose(o.NonZero(self), perm=[1, 0])


@form("masked_select")
def masked_select(o, node, self, mask):
    shape = torch.broadcast_shapes(self.shape, mask.shape)
    self, mask = (o.Expand(each, o.ints(list(shape))) for each in (self, mask))
    return o.Compress(o.Reshape(self, [-1]), o.Reshape(mask, [-1]), axis=0)


# ── new tensors ──────────────────────────────────────────────────────────────
def filled(o, node, sizes, value):
    return (
        o.Expand(o.number(value, node.meta["val"].dtype), o.ints(sizes))
        if len(sizes)
        else o.number(value, node.meta["val"].dtype)
    )


@form("zeros new_zeros empty new_empty")
def zeros(o, node, self=None, size=(), **options):
    return filled(o, node, size, 0)


@form("ones new_ones")
def ones(o, node, self=None, size=(), **options):
    return filled(o, node, size, 1)


@form("full new_full")
def full(o, node, self=None, size=(), fill_value=0, **options):
    if isinstance(fill_value, Value):
        return o.Expand(o.cast(fill_value, node.meta["val"].dtype), o.ints(size))
    return filled(o, node, size, fill_value)


@form("zeros_like ones_like full_like empty_like")
def like(o, node, self, fill_value=0, **options):
    value = 1 if name_of(node) == "ones_like" else fill_value
    value = (
        o.cast(value, node.meta["val"].dtype) if isinstance(value, Value) else o.number(value, node.meta["val"].dtype)
    )
    return o.Expand(value, o.Shape(self)) if self.rank else o.Identity(value)


@form("fill")
def fill(o, node, self, value):
    return like(o, node, self, value)


@form("scalar_tensor")
def scalar_tensor(o, node, s, **options):
    return o.number(s, node.meta["val"].dtype)


@form("arange")
def arange(o, node, start=0, end=None, step=1, **options):
    wanted = node.meta["val"].dtype
    if not any(isinstance(each, Value) for each in (start, end, step)):
        return fixed(o, node)
    made = o.Range(
        *(
            o.operand(each, wanted) if not isinstance(each, Value) else o.cast(each, wanted)
            for each in (start, end, step)
        )
    )
    made.dtype = wanted
    return made


@form(
    "eye linspace logspace tril_indices triu_indices bartlett_window blackman_window hamming_window hann_window kaiser_window"
)
def fixed(o, node, *args, **options):
    return o.add_tensor(node.meta["val"], o.name("constant"))


# ── in other operators of PyTorch ────────────────────────────────────────────
@compose("roll")
def roll(self, shifts, dims=()):
    if dims is None or not len(dims if isinstance(dims, (list, tuple)) else [dims]):
        return roll(self.reshape(-1), [shifts] if isinstance(shifts, int) else shifts, [0]).reshape(self.shape)
    for shift, dim in zip([shifts] if isinstance(shifts, int) else shifts, [dims] if isinstance(dims, int) else dims):
        size = self.shape[dim]
        if size and shift % size:
            cut = size - shift % size
            self = torch.cat([self.narrow(dim, cut, size - cut), self.narrow(dim, 0, cut)], dim)
    return self


@compose("rot90")
def rot90(self, k=1, dims=(0, 1)):
    a, b = dims
    k %= 4
    if k == 0:
        return self.clone()
    if k == 2:
        return self.flip([a, b])
    return self.transpose(a, b).flip([a]) if k == 1 else self.transpose(a, b).flip([b])


@compose("repeat_interleave")
def repeat_interleave(self, repeats, dim=None, output_size=None):
    if not isinstance(repeats, int):
        return NotImplemented
    if dim is None:
        self, dim = self.reshape(-1), 0
    dim %= self.dim()
    sizes = list(self.shape)
    wide = self.unsqueeze(dim + 1).expand(*sizes[: dim + 1], repeats, *sizes[dim + 1 :])
    return wide.reshape(*sizes[:dim], sizes[dim] * repeats, *sizes[dim + 1 :])


@compose("hstack")
def hstack(tensors):
    tensors = [each.reshape(1) if not each.dim() else each for each in tensors]
    return torch.cat(tensors, 0 if tensors[0].dim() == 1 else 1)


@compose("vstack row_stack")
def vstack(tensors):
    return torch.cat([each.reshape(1, -1) if each.dim() < 2 else each for each in tensors], 0)


@compose("dstack")
def dstack(tensors):
    return torch.cat(
        [
            each.reshape(1, -1, 1) if each.dim() < 2 else each.unsqueeze(-1) if each.dim() == 2 else each
            for each in tensors
        ],
        2,
    )


@compose("column_stack")
def column_stack(tensors):
    return torch.cat([each.reshape(-1, 1) if each.dim() < 2 else each for each in tensors], 1)


def one_or_more(tensors, function):
    return function(tensors) if isinstance(tensors, torch.Tensor) else tuple(map(function, tensors))


@compose("atleast_1d")
def atleast_1d(*args, tensors=None):
    tensors = args if tensors is None else tensors
    return one_or_more(
        tensors[0] if len(tensors) == 1 else tensors, lambda each: each.reshape(1) if not each.dim() else each.clone()
    )


@compose("atleast_2d")
def atleast_2d(*args, tensors=None):
    tensors = args if tensors is None else tensors
    return one_or_more(
        tensors[0] if len(tensors) == 1 else tensors,
        lambda each: each.reshape(1, -1) if each.dim() < 2 else each.clone(),
    )


@compose("atleast_3d")
def atleast_3d(*args, tensors=None):
    tensors = args if tensors is None else tensors

    def widen(each):
        return each.reshape(1, -1, 1) if each.dim() < 2 else each.unsqueeze(-1) if each.dim() == 2 else each.clone()

    return one_or_more(tensors[0] if len(tensors) == 1 else tensors, widen)


@compose("diagonal diagonal_copy linalg_diagonal")
def diagonal(self, offset=0, dim1=0, dim2=1):
    dim1, dim2 = dim1 % self.dim(), dim2 % self.dim()
    rest = [dim for dim in range(self.dim()) if dim not in (dim1, dim2)]
    rows, columns = self.shape[dim1], self.shape[dim2]
    length = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    flat = self.permute(*rest, dim1, dim2).reshape(*[self.shape[dim] for dim in rest], rows * columns)
    begin = offset if offset >= 0 else -offset * columns
    places = torch.tensor([begin + step * (columns + 1) for step in range(length)], dtype=torch.int64)
    return torch.index_select(flat, -1, places)


@compose("diag_embed")
def diag_embed(self, offset=0, dim1=-2, dim2=-1):
    size, rank = self.shape[-1] + abs(offset), self.dim() + 1
    place = torch.zeros(self.shape[-1], size, size, dtype=self.dtype)
    for step in range(self.shape[-1]):
        place[step, step + max(-offset, 0), step + max(offset, 0)] = 1
    made = torch.tensordot(self, torch.tensor(place.tolist(), dtype=self.dtype), 1)
    return made.movedim([-2, -1], [dim1 % rank, dim2 % rank])


@compose("diag")
def diag(self, diagonal=0):
    return torch.diag_embed(self, diagonal) if self.dim() == 1 else torch.diagonal(self, diagonal)


@compose("diagflat")
def diagflat(self, offset=0):
    return torch.diag_embed(self.reshape(-1), offset)


@compose("unfold unfold_copy")
def unfold(self, dimension, size, step):
    if not self.dim():
        return self.reshape(1)
    dimension %= self.dim()
    parts = [self.narrow(dimension, start, size) for start in range(0, self.shape[dimension] - size + 1, step)]
    return torch.stack([part.movedim(dimension, -1) for part in parts], dimension)


@compose("pixel_shuffle")
def pixel_shuffle(self, upscale_factor):
    r, (channels, h, w), front = upscale_factor, self.shape[-3:], list(self.shape[:-3])
    k = len(front)
    parts = self.reshape(*front, channels // r**2, r, r, h, w)
    return parts.permute(*range(k), k, k + 3, k + 1, k + 4, k + 2).reshape(*front, channels // r**2, h * r, w * r)


@compose("pixel_unshuffle")
def pixel_unshuffle(self, downscale_factor):
    r, (channels, h, w), front = downscale_factor, self.shape[-3:], list(self.shape[:-3])
    k = len(front)
    parts = self.reshape(*front, channels, h // r, r, w // r, r)
    return parts.permute(*range(k), k, k + 2, k + 4, k + 1, k + 3).reshape(*front, channels * r**2, h // r, w // r)


@compose("channel_shuffle")
def channel_shuffle(self, groups):
    n, channels, *rest = self.shape
    return self.reshape(n, groups, channels // groups, *rest).transpose(1, 2).reshape(n, channels, *rest)


@compose("diff")
def diff(self, n=1, dim=-1, prepend=None, append=None):
    parts = [each for each in (prepend, self, append) if each is not None]
    self = torch.cat(parts, dim) if len(parts) > 1 else self
    for _ in range(n):
        size = self.shape[dim]
        if size < 2:
            return self.narrow(dim, 0, 0)
        after, before = self.narrow(dim, 1, size - 1), self.narrow(dim, 0, size - 1)
        self = torch.logical_xor(after, before) if self.dtype is torch.bool else after - before
    return self


@compose("meshgrid")
def meshgrid(*args, tensors=None, indexing="ij"):
    tensors = args if tensors is None else tensors
    tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    shape = [each.numel() for each in tensors]
    made = []
    for place, each in enumerate(tensors):
        sides = [1] * len(tensors)
        sides[place] = -1
        made.append(each.reshape(sides).expand(*shape))
    return tuple(each.transpose(0, 1) for each in made) if indexing == "xy" and len(made) > 1 else tuple(made)


@compose("broadcast_tensors")
def broadcast_tensors(*args, tensors=None):
    tensors = args if tensors is None else tensors
    tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    shape = torch.broadcast_shapes(*(each.shape for each in tensors))
    return tuple(each.expand(*shape) for each in tensors)


@compose("one_hot")
def one_hot(self, num_classes=-1):
    if num_classes < 0:
        return NotImplemented
    return (self.unsqueeze(-1) == torch.arange(num_classes)).to(torch.int64)


@compose("index_fill")
def index_fill(self, dim, index, value):
    places = torch.arange(self.shape[dim]).unsqueeze(0) == index.reshape(-1, 1)
    sides = [1] * self.dim()
    sides[dim] = -1
    return torch.where(places.any(0).reshape(sides), torch.as_tensor(value, dtype=self.dtype), self)


@compose("index_copy")
def index_copy(self, dim, index, source):
    sides = [1] * self.dim()
    sides[dim] = -1
    return self.scatter(dim, index.reshape(sides).expand_as(source), source)


@compose("index_add")
def index_add(self, dim, index, source, alpha=1):
    sides = [1] * self.dim()
    sides[dim] = -1
    return self.scatter_add(dim, index.reshape(sides).expand_as(source), source * alpha if alpha != 1 else source)


@compose("cartesian_prod")
def cartesian_prod(*args, tensors=None):
    tensors = args if tensors is None else tensors
    tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    if len(tensors) == 1:
        return tensors[0].clone()
    return torch.stack([each.reshape(-1) for each in torch.meshgrid(*tensors, indexing="ij")], -1)


@compose("block_diag")
def block_diag(*args, tensors=None):
    tensors = args if tensors is None else tensors
    tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    blocks = [each.reshape(1, -1) if each.dim() < 2 else each for each in tensors]
    width, left, rows = sum(each.shape[1] for each in blocks), 0, []
    for each in blocks:
        rows.append(torch.nn.functional.pad(each, (left, width - left - each.shape[1])))
        left += each.shape[1]
    return torch.cat(rows, 0)


@compose("trapezoid trapz")
def trapezoid(y, x=None, dx=1, dim=-1):
    size = y.shape[dim]
    heights = y.narrow(dim, 1, size - 1) + y.narrow(dim, 0, size - 1)
    if x is None:
        return (heights * (dx / 2)).sum(dim)
    widths = x.diff(dim=-1 if x.dim() == 1 else dim)
    if x.dim() == 1 and y.dim() > 1:
        sides = [1] * y.dim()
        sides[dim] = -1
        widths = widths.reshape(sides)
    return (heights * widths / 2).sum(dim)


def numbers(value):
    return math.prod(value)
