"""Rules for operators on sparse tensors that move, select or join values."""

import numpy as np

from tensh.engine.codegen.vocabulary import on_tensors
from tensh.engine.core.clock import tick
from tensh.engine.core.nodes import Node, uses_gradient
from tensh.engine.core.tensor import wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.errors.messages import wrap_dims
from tensh.engine.errors.unavailable import could_not_run
from tensh.engine.operators.sparse.array import BSC, BSR, COO, CSC, CSR, SparseGradient
from tensh.engine.operators.sparse.forms import (
    is_sparse,
    rename_node,
    require_coordinates,
    select_values,
    sparse_tensor,
    values_of,
)
from tensh.engine.operators.sparse.layouts import to_coo

SHAPES: dict = {}


def shape(*names):
    """Declare the rule of these operators."""

    def keep(fn):
        SHAPES.update(dict.fromkeys(names or (fn.__name__,), fn))
        return fn

    return keep


@shape("permute")
def permute(input, dims, label="PermuteBackward0"):
    require_coordinates(input, "as_strided")
    array, transposing = input.array, label == "TransposeBackward0"
    if len(dims) != array.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of "
            f"dimensions i.e. input.dim() = {array.ndim} is not equal to len(dims) = {len(dims)}"
        )
    dims, sparse = wrap_dims(tuple(dims), array.ndim), array.sparse_dim
    if sorted(dims) != list(range(array.ndim)):
        raise RuntimeError("permute(dims): duplicate dims are not allowed.")
    if sorted(dims[:sparse]) != list(range(sparse)) and transposing:
        raise RuntimeError("transpose(): can't transpose sparse and dense dimensions of a sparse tensor")
    if sorted(dims[:sparse]) != list(range(sparse)):
        raise RuntimeError(
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed."
            "Only transpositions within sparse and dense dimensions are supported."
        )
    values = values_of(input)
    if dims[sparse:] != tuple(range(sparse, array.ndim)):
        values = values.permute(0, *[d - sparse + 1 for d in dims[sparse:]])
    index = array.indices[0][list(dims[:sparse])]
    return sparse_tensor(values, (index,), [array.shape[d] for d in dims], COO, False, label)


TRANSPOSED = {CSR: CSC, CSC: CSR, BSR: BSC, BSC: BSR}


def kind_of_dim(array, dim):
    """Return the kind of a dimension of a compressed tensor."""
    return "Batch" if dim < array.batch_dim else "Sparse" if dim < array.batch_dim + 2 else "Dense"


def transpose_compressed(input, a, b, label):
    """Exchange two dimensions of one kind of a compressed tensor; sparse ones by changing the layout."""
    array, values = input.array, values_of(input)
    kind, other = kind_of_dim(array, a), kind_of_dim(array, b)
    if kind != other:
        raise RuntimeError(
            "transpose(): can only transpose dimensions of the same type (Batch, Sparse, Dense), got "
            f"{a}({kind}) and {b}({other})"
        )
    shape = list(array.shape)
    shape[a], shape[b] = shape[b], shape[a]
    layout, indices, batch = array.layout, array.indices, array.batch_dim
    if kind == "Sparse":
        layout = TRANSPOSED[layout]
        values = values.transpose(batch + 1, batch + 2) if array.block else values
    elif kind == "Batch":
        values, indices = values.transpose(a, b), tuple(each.swapaxes(a, b) for each in indices)
    else:
        moved = len(array.block) - 1  # a dimension of entries for the two sparse ones, and two more in blocks
        values = values.transpose(a + moved, b + moved)
    return sparse_tensor(values, indices, shape, layout, False, label)


@shape("transpose")
def transpose(input, dim0, dim1, label="TransposeBackward0"):
    array = input.array
    dims = [*range(array.ndim)]
    a, b = wrap_dims((dim0,), array.ndim)[0], wrap_dims((dim1,), array.ndim)[0]
    dims[a], dims[b] = dims[b], dims[a]
    if array.layout is COO:
        return permute(input, dims, label)
    return input if a == b else transpose_compressed(input, a, b, label)


@shape("t")
def t(input):
    if input.array.layout is not COO and input.array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.array.ndim}D")
    if input.array.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {input.array.sparse_dim} sparse and "
            f"{input.array.ndim - input.array.sparse_dim} dense dimensions"
        )
    return take_either(transpose(input, 0, 1, "TBackward0"), input) if input.array.ndim == 2 else input


class TBackward0(Node):
    """The node of a transposed sparse matrix: a sparse gradient goes by the values, a dense one is transposed."""

    __slots__ = ()
    next_functions = property(lambda node: Node.next_functions.fget(node)[1:])

    def backward(self, g):
        return (g, None) if type(g) is SparseGradient else (None, g.T)

    def backward_graph(self, g):
        return (g, None) if is_sparse(g) else (None, g.t())


TBackward0.__module__ = "builtins"


def take_either(turned, input):
    """The transpose of a matrix, with a node that takes sparse and dense gradients."""
    if uses_gradient(turned.node):
        node = TBackward0()
        node.inputs, node.saved, node.hooks = (turned.node, refresh_node(input)), (), None
        node.time, node.shape, node.dtype = tick(), turned.array.shape, turned.array.dtype
        turned.node = node
    return turned


@shape("unsqueeze")
def unsqueeze(input, dim):
    array = input.array
    if array.layout is not COO:
        raise RuntimeError(f"Sparse {array.layout.name[7:].upper()} tensors do not have strides")
    dim = wrap_dims((dim,), array.ndim + 1)[0]
    shape = (*array.shape[:dim], 1, *array.shape[dim:])
    if dim <= array.sparse_dim:
        return sparse_tensor(
            values_of(input),
            (np.insert(array.indices[0], dim, 0, 0),),
            shape,
            COO,
            False,
            "UnsqueezeBackward0",
        )
    values = values_of(input).unsqueeze(dim - array.sparse_dim + 1)
    return sparse_tensor(values, array.indices, shape, COO, array.coalesced, "UnsqueezeBackward0")


@shape("select")
def select(input, dim, index):
    """Select as ``select_copy`` does, except a row of several blocks, which lie apart in memory."""
    made, block = select_copy(input, dim, index), input.array.block
    if block and min(block) > 1 and made.array.layout is COO and dim % input.array.ndim == 0 and made._nnz() > block[1]:
        raise RuntimeError("select(): no view exists for the given input, consider using torch.select_copy.")
    return made


@shape("select_copy")
def select_copy(input, dim, index):
    array = input.array
    dim = wrap_dims((dim,), array.ndim)[0]
    size = array.shape[dim]
    if array.batch_dim and array.batch_dim <= dim < array.batch_dim + 2:
        raise RuntimeError(
            "select(): selecting sparse dimensions is not supported for batched sparse compressed tensors."
        )
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    index %= size
    shape = array.shape[:dim] + array.shape[dim + 1 :]
    if dim < array.batch_dim:
        indices = tuple(each.take(index, dim) for each in array.indices)
        return sparse_tensor(
            values_of(input).select(dim, index), indices, shape, array.layout, False, "SelectBackward0"
        )
    if array.layout is not COO and dim >= array.batch_dim + 2:
        values = values_of(input).select(dim - 1 + len(array.block), index)
        return sparse_tensor(values, array.indices, shape, array.layout, False, "SelectBackward0")
    input = to_coo(input)
    array = input.array
    if dim >= array.sparse_dim:
        values = values_of(input).select(dim - array.sparse_dim + 1, index)
        return sparse_tensor(values, array.indices, shape, COO, array.coalesced, "SelectBackward0")
    chosen = array.indices[0][dim] == index
    rest = np.delete(array.indices[0], dim, 0)[:, chosen]
    made = select_values(input, chosen, rest, shape, False, "SelectBackward0")
    if len(rest):
        return made
    values = values_of(made)
    return rename_node(values.sum(0), "SelectBackward0")


@shape("getitem")
def getitem(self, index):
    """Read an index of numbers, None and ``:``, PyTorch's only indices of sparse tensors."""
    dim, t, parts = 0, self, index if type(index) is tuple else (index,)
    given = len([each for each in parts if each is not None and each is not ...])
    for each in parts:
        if each is ...:
            dim += self.array.ndim - given
        elif each is None:
            t, dim = unsqueeze(t, dim), dim + 1
        elif isinstance(each, slice):
            if each not in (slice(None), slice(0, None), slice(None, None, 1)):
                raise could_not_run("as_strided", "SparseCPU")
            dim += 1
        elif isinstance(each, (bool, list, np.ndarray)) or hasattr(each, "array") and each.array.ndim:
            raise could_not_run("index.Tensor", "SparseCPU")
        elif not is_sparse(t):
            t = t.select(dim, int(each))
        else:
            t = select(t, dim, int(each))
    return t


@shape("index_select")
def index_select(input, dim, index):
    require_coordinates(input, "index_select")
    if index.array.ndim != 1 or index.array.dtype != np.int64:
        raise IndexError("index_select() argument index must be 1-D strided (non-sparse) long-tensor.")
    array = input.array
    dim = wrap_dims((dim,), array.ndim)[0]
    wanted = index.array.reshape(-1)
    size = array.shape[dim]
    if len(wanted) and not (-size <= wanted.min() and wanted.max() < size):
        raise IndexError(
            f"index_select(): index contains {wanted.max()} that is out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    shape = (*array.shape[:dim], len(wanted), *array.shape[dim + 1 :])
    if dim >= array.sparse_dim:
        values = values_of(input).index_select(dim - array.sparse_dim + 1, index)
        return sparse_tensor(values, array.indices, shape, COO, array.coalesced, "IndexSelectBackward0")
    order = np.argsort(array.indices[0][dim], kind="stable")
    held = array.indices[0][dim][order]
    wanted = wanted % size if size else wanted
    begin, end = np.searchsorted(held, wanted), np.searchsorted(held, wanted, "right")
    counts = end - begin
    chosen = order[np.repeat(begin - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) + np.arange(counts.sum())]
    places = array.indices[0][:, chosen].copy()
    places[dim] = np.repeat(np.arange(len(wanted)), counts)
    return select_values(
        input, chosen.astype(np.int64), places, shape, dim == 0 and array.coalesced, "IndexSelectBackward0"
    )


@shape("narrowed_copy")
def narrow_copy(input, dim, start, length):
    require_coordinates(input, "as_strided")
    array = input.array
    if not 0 <= dim < array.ndim:
        raise RuntimeError(f"Dimension {dim} out of range. Expecting 0 <= dim < {array.ndim}.")
    if start < 0 or length < 0 or start + length > array.shape[dim]:
        raise RuntimeError(
            f"Invalid range to narrow. range(start, start+length) must be a subset of range(0, {array.shape[dim]})."
        )
    shape = (*array.shape[:dim], length, *array.shape[dim + 1 :])
    if dim >= array.sparse_dim:
        values = values_of(input).narrow(dim - array.sparse_dim + 1, start, length)
        return sparse_tensor(values, array.indices, shape, COO, array.coalesced, "NarrowCopyBackward0")
    (places,) = array.indices
    chosen = np.flatnonzero((places[dim] >= start) & (places[dim] < start + length))
    places = places[:, chosen]
    places[dim] -= start
    return select_values(input, chosen, places, shape, array.coalesced, "NarrowCopyBackward0")


@shape("cat")
def cat(tensors, dim=0):
    first = tensors[0].array if is_sparse(tensors[0]) else None
    if first is None or not all(map(is_sparse, tensors)):
        place = next((number for number, each in enumerate(tensors) if not is_sparse(each)), 0)
        at = f" at position {place}." if first is not None else ""
        raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found{at}")
    if any(each.array.layout is not COO for each in tensors):
        raise RuntimeError("Sparse CSR tensors do not have is_contiguous")
    dim = wrap_dims((dim,), first.ndim)[0]
    for number, each in enumerate(tensors):
        if each.array.shape[:dim] + each.array.shape[dim + 1 :] != first.shape[:dim] + first.shape[dim + 1 :]:
            raise RuntimeError(
                f"All tensors must have the same shape: {list(first.shape)} (in the concatenating dimension), but got: "
                f"{list(each.shape)} (at index {number})"
            )
    lengths = [each.array.shape[dim] for each in tensors]
    shape = (*first.shape[:dim], sum(lengths), *first.shape[dim + 1 :])
    cat_dense = on_tensors("cat")
    if dim >= first.sparse_dim:
        place, parts = dim - first.sparse_dim + 1, []
        for number, each in enumerate(tensors):
            size = list(each.array.values.shape)
            zeros = [wrap(np.zeros((*size[:place], n, *size[place + 1 :]), each.array.dtype)) for n in lengths]
            parts.append(cat_dense([*zeros[:number], values_of(each), *zeros[number + 1 :]], place))
        index = np.concatenate([each.array.indices[0] for each in tensors], 1)
        return sparse_tensor(cat_dense(parts, 0), (index,), shape, COO, False, "CatBackward0")
    index, start = [], 0
    for each, length in zip(tensors, lengths, strict=True):
        moved = each.array.indices[0].copy()
        moved[dim] += start
        start += length
        index.append(moved)
    values = cat_dense([values_of(each) for each in tensors], 0)
    return sparse_tensor(values, (np.concatenate(index, 1),), shape, COO, False, "CatBackward0")


@shape("stack")
def stack(tensors, dim=0):
    if is_sparse(tensors[0]) and tensors[0].array.layout is not COO:
        raise RuntimeError("Sparse CSR tensors do not have is_contiguous")
    return cat([unsqueeze(each, dim) for each in tensors], dim)


@shape("lookup")
def lookup(weight, indices, *args, **options):
    """The rows of a sparse matrix."""
    if indices.array.ndim != 1:
        raise could_not_run("view", "SparseCPU")
    return index_select(weight, 0, indices)
