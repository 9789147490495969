"""Forms of operators that change the shape of a tensor or the order of its dimensions."""

import tensh as torch
from tensh.onnx.builder import FreeSize, Value
from tensh.onnx.forms.table import END, compose, form, operator_name


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
def transpose_last(o, node, self):
    if self.rank < 2:
        return o.Identity(self)
    if operator_name(node) == "numpy_T":
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


@form(
    "chunk split split_with_sizes tensor_split unsafe_chunk unsafe_split hsplit vsplit dsplit split_copy split_with_sizes_copy"
)
def split(o, node, self, *ignored, dim=0, **more):
    parts, name = node.meta["val"], operator_name(node)
    dim = {"vsplit": 0, "dsplit": 2, "hsplit": 0 if self.rank == 1 else 1}.get(name, dim)
    if len(parts) == 1:
        return [o.Identity(self)]
    if isinstance(self.shape[dim], FreeSize):
        return split_free(o, self, parts, dim, name, more)
    return o.Split(self, o.ints([each.shape[dim] for each in parts]), axis=dim, outputs=len(parts))


def split_free(o, self, parts, dim, name, more):
    """Return the parts of a dimension that stays free, of which ``chunk`` makes as many for all sizes that have so many."""
    if "chunk" not in name or more["chunks"] != len(parts):
        self.shape[dim].refuse()
    count = o.int_scalar(len(parts))
    size = o.Div(o.Add(o.read_size(self.shape[dim]), o.int_scalar(len(parts) - 1)), count)
    places = [o.Mul(size, o.int_scalar(place)) for place in range(len(parts))]
    ends = [*places[1:], END]
    return [o.Slice(self, o.ints([start]), o.ints([end]), [dim]) for start, end in zip(places, ends)]


@form("unbind unbind_copy")
def unbind(o, node, self, dim=0):
    return [o.Gather(self, o.number(place, torch.int64), axis=dim) for place in range(len(node.meta["val"]))]


@form("flip fliplr flipud")
def flip(o, node, self, dims=None):
    dims = {"fliplr": [1], "flipud": [0]}.get(operator_name(node), dims)
    if not dims or not self.rank:
        return o.Identity(self)
    count = len(dims)
    return o.Slice(self, [-1] * count, [-END] * count, list(dims), [-1] * count)


@form("tril triu")
def triangle(o, node, self, diagonal=0):
    number = self.dtype
    if number is torch.bool:
        self = o.cast(self, torch.int64)
    found = o.Trilu(self, o.number(diagonal, torch.int64), upper=int(operator_name(node) == "triu"))
    return o.cast(found, number)


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
