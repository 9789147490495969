"""Forms of operators that change the shape of a tensor or the order of its dimensions."""

import tensh as torch
from tensh.nn import functional as F
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
        return cut_at(o, self, dim, list_places(o, self.shape[dim], len(parts), name, [*ignored, *more.values()]))
    return o.Split(self, o.ints([each.shape[dim] for each in parts]), axis=dim, outputs=len(parts))


def list_places(o, size, count, name, given):
    """Return where the parts of a dimension begin that stays free, if other sizes have as many parts."""
    whole, number = o.read_size(size), o.int_scalar(count)
    given = next((each for each in given if each is not None), None)
    if name in ("chunk", "unsafe_chunk") and given == count:
        length = o.Div(o.Add(whole, o.int_scalar(count - 1)), number)
        return [o.Mul(length, o.int_scalar(place)) for place in range(count)]
    if name == "split" and isinstance(given, Value):
        return [o.Mul(given, o.int_scalar(place)) for place in range(count)]
    if name == "tensor_split" and given == count:
        length, longer = o.Div(whole, number), o.Mod(whole, number)
        return [o.Add(o.Mul(length, at), o.Min(longer, at)) for at in map(o.int_scalar, range(count))]
    if name == "tensor_split" and isinstance(given, (list, tuple)):
        return [0, *given]
    if name in ("split", "split_with_sizes") and isinstance(given, (list, tuple)):
        places = [o.int_scalar(0)]
        for length in given[:-1]:
            places.append(o.Add(places[-1], o.int_scalar(length)))
        return places
    return size.refuse()


def cut_at(o, self, dim, places):
    """Return the parts of a value that begin at places in a dimension."""
    return [o.Slice(self, o.ints([start]), o.ints([end]), [dim]) for start, end in zip(places, [*places[1:], END])]


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


@form("repeat_interleave")
def repeat_interleave(o, node, self=None, repeats=None, dim=None, output_size=None):
    if self is None:
        self = o.Range(*(o.int_scalar(each) for each in (0, o.Squeeze(o.Shape(repeats)), 1)))
    if dim is None:
        self, dim = o.Reshape(self, [-1]), 0
    size = o.Gather(o.Shape(self), [dim], axis=0)
    repeats = o.Expand(o.operand(repeats, torch.int64), size)
    ends = o.CumSum(repeats, o.int_scalar(0))
    places = o.Range(o.int_scalar(0), o.ReduceSum(repeats, keepdims=0), o.int_scalar(1))
    passed = o.GreaterOrEqual(o.Unsqueeze(places, [1]), o.Unsqueeze(ends, [0]))
    return o.Gather(self, o.ReduceSum(o.cast(passed, torch.int64), [1], keepdims=0), axis=dim)


@compose("diagonal diagonal_copy linalg_diagonal")
def diagonal(self=None, offset=0, dim1=0, dim2=1, A=None):
    self = A if self is None else self
    dim1, dim2 = dim1 % self.dim(), dim2 % self.dim()
    rest = [dim for dim in range(self.dim()) if dim not in (dim1, dim2)]
    rows, columns = self.shape[dim1], self.shape[dim2]
    length = torch.sym_min(rows, columns - offset) if offset >= 0 else torch.sym_min(rows + offset, columns)
    flat = self.permute(*rest, dim1, dim2).reshape(*[self.shape[dim] for dim in rest], rows * columns)
    begin = offset if offset >= 0 else -offset * columns
    return torch.index_select(flat, -1, torch.arange(torch.sym_max(length, 0)) * (columns + 1) + begin)


@compose("diag_embed")
def diag_embed(self, offset=0, dim1=-2, dim2=-1):
    rank, above, below = self.dim() + 1, max(offset, 0), max(-offset, 0)
    place = torch.eye(self.shape[-1]) != 0
    made = torch.where(place, self.unsqueeze(-1), torch.zeros((), dtype=self.dtype))
    made = F.pad(made, (above, below, below, above))
    return made.movedim([-2, -1], [dim1 % rank, dim2 % rank])


@compose("diag")
def diag(self, diagonal=0):
    return torch.diag_embed(self, diagonal) if self.dim() == 1 else torch.diagonal(self, diagonal)


@compose("diagflat")
def diagflat(self, offset=0):
    return torch.diag_embed(self.reshape(-1), offset)


@compose("fft_fftshift")
def shift_to_middle(self, dim=None):
    dims = list(range(self.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    return roll(self, [self.shape[each] // 2 for each in dims], dims)


@compose("fft_ifftshift")
def shift_from_middle(self, dim=None):
    dims = list(range(self.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    return roll(self, [-(self.shape[each] // 2) for each in dims], dims)


@compose("combinations")
def combinations(self, r=2, with_replacement=False):
    if r != 2:
        return NotImplemented
    rows, columns = torch.triu_indices(self.shape[0], self.shape[0], int(not with_replacement)).unbind(0)
    return torch.stack([self.index_select(0, rows), self.index_select(0, columns)], 1)
