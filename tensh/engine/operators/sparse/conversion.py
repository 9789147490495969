"""Conversions between dense and sparse tensors, and the parts of a sparse tensor."""

import numpy as np

from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.registry import METHODS
from tensh.engine.core.tensor import wrap
from tensh.engine.errors.unavailable import could_not_run
from tensh.engine.operators.forms import require_kind
from tensh.engine.operators.sparse.array import BLOCKED, BSC, BSR, BY_ROWS, COO, CSC, CSR, places
from tensh.engine.operators.sparse.forms import (
    coalesce_as,
    dense_of,
    is_sparse,
    rename_node,
    replace_values,
    require_coordinates,
    sparse_tensor,
    values_of,
)
from tensh.engine.operators.sparse.layouts import TITLES, convert_layout, count_sparse_dims, pair, require_request


# ── methods that dense tensors have, too ─────────────────────────────────────
def method(fn):
    METHODS[fn.__name__] = fn
    return fn


@method
def to_sparse(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None):
    """The tensor in a sparse layout, by default sparse_coo; ``sparse_dim`` dimensions are sparse.

    Differentiable.  Raise RuntimeError for a number of sparse dimensions that the tensor does not have.

    >>> import tensh as torch
    >>> torch.tensor([[0.0, 2.0]]).to_sparse().indices()
    tensor([[0],
            [1]])
    """
    if isinstance(sparse_dim, type(COO)):
        layout, sparse_dim = sparse_dim, None
    layout = COO if layout is None else layout
    label = "ToSparseBackward1" if sparse_dim is None else "ToSparseBackward0"
    require_request(self, "sparse", layout, blocksize, None if layout is COO else dense_dim)
    if layout is COO:
        sparse_dim = count_sparse_dims(self.array, sparse_dim, dense_dim)
    return convert_layout(self, layout, None if blocksize is None else pair(blocksize), sparse_dim, label, dense_dim)


@method
def to_dense(self, dtype=None, *, masked_grad=True):
    """The tensor with all its elements, itself if it is dense; of ``dtype`` if one is given.  Differentiable.

    Raise IndexError for a place outside the tensor, RuntimeError for a sparse tensor and a dtype.
    """
    if dtype is not None:
        require_kind("torch.dtype", dtype, "to_dense", "dtype", 1)
        if is_sparse(self):
            name = "sparse_to_dense" if self.array.layout is COO else "sparse_csr_to_dense"
            raise RuntimeError(f"dtype argument is not supported by {name}")
    dense = dense_of(self) if is_sparse(self) else self
    return dense if dtype is None else dense.to(dtype)


@method
def to_sparse_coo(self):
    """The tensor in the layout sparse_coo.  Differentiable.

    Raise RuntimeError for a view that was made without recording, and written since.

    >>> import tensh as torch
    >>> torch.eye(2).to_sparse_coo().layout
    torch.sparse_coo
    """
    return to_sparse(self)


def declare_conversion(layout, blocked):
    """Declare the method ``to_LAYOUT``, with a size of blocks if the layout has them."""
    name = layout.name
    title = "To" + name.title().replace("_", "") + "Backward0"

    def to_lines(self, dense_dim=None):
        require_request(self, name, layout, None, dense_dim)
        return convert_layout(self, layout, label=title, dense_dim=dense_dim)

    def to_blocks(self, blocksize, dense_dim=None):
        require_request(self, name, layout, blocksize, dense_dim)
        return convert_layout(self, layout, pair(blocksize), label=title, dense_dim=dense_dim)

    made = to_blocks if blocked else to_lines
    made.__name__ = made.__qualname__ = f"to_{name}"
    beside = ", in blocks of ``blocksize``" if blocked else ""
    size = "(1, 1)" if blocked else ""
    made.__doc__ = (
        f"The tensor in the layout {name}{beside}.  Differentiable.\n\nRuntimeError for dimensions or blocks that do not fit.\n\n"
        f">>> import tensh as torch\n>>> torch.eye(2).to_{name}({size}).layout\ntorch.{name}"
    )
    method(made)


for _layout in (CSR, CSC, BSR, BSC):
    declare_conversion(_layout, _layout in BLOCKED)


@method
def sparse_mask(self, mask):
    """The values of this tensor at the indices of a sparse tensor ``mask`` of its shape.  Differentiable.

    Raise RuntimeError for another shape.

    >>> import tensh as torch
    >>> torch.ones(2, 2).sparse_mask(torch.eye(2).to_sparse()).values()
    tensor([1., 1.])
    """
    if not is_sparse(mask):
        raise could_not_run("sparse_mask", "CPU")
    if self.array.shape != mask.array.shape:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(self.shape)} but mask has size "
            f"{list(mask.shape)}"
        )
    dense = dense_of(self) if is_sparse(self) else self
    index = tuple(wrap(each) for each in places(mask.array))
    entries = mask.array.take_apart(dense)[index] if index else dense.expand(len(mask.array.values))
    return replace_values(mask.array, entries.reshape(mask.array.values.shape), "SparseMaskBackward0")


# ── parts ────────────────────────────────────────────────────────────────────


def require(t, name, layouts, words):
    """Raise RuntimeError unless the layout of a tensor is one of these."""
    if t.layout not in layouts:
        raise RuntimeError(f"{name} expected {words} layout but got {TITLES[t.layout]}")


COLUMNS = (CSC, BSC)
COMPRESSED = (*BY_ROWS, *COLUMNS)
KIND_OF_INDICES = {
    "crow_indices": (BY_ROWS, "sparse row compressed tensor", 0),
    "col_indices": (BY_ROWS, "sparse row compressed tensor", 1),
    "ccol_indices": (COLUMNS, "sparse column compressed tensor", 0),
    "row_indices": (COLUMNS, "sparse column compressed tensor", 1),
}


def declare_indices(name, layouts, words, number):
    def indices(self):
        require(self, name, layouts, words)
        return wrap(self.array.indices[number])

    indices.__name__ = indices.__qualname__ = name
    layout, line = ("csr", "row") if layouts is BY_ROWS else ("csc", "column")
    place = (
        f"The position of every value within its {line}"
        if number
        else f"The index of each {line}'s first value, followed by the number of values"
    )
    indices.__doc__ = (
        f"{place}, for a {words}.  Raise RuntimeError for any other tensor.\n\n>>> import tensh as torch\n"
        f">>> torch.eye(2).to_sparse_{layout}().{name}()\ntensor([{'0, 1' if number else '0, 1, 2'}])"
    )
    method(indices)


for _name, _facts in KIND_OF_INDICES.items():
    declare_indices(_name, *_facts)


@method
def coalesce(self):
    """The tensor with sorted, unique indices; values with equal indices are added.  Differentiable.

    Raise RuntimeError for another layout than sparse_coo.

    >>> import tensh as torch
    >>> torch.sparse_coo_tensor([[0, 0]], [1.0, 2.0]).coalesce().values()
    tensor([3.])
    """
    require(self, "coalesce", (COO,), "sparse coordinate tensor")
    return coalesce_as(self)


@method
def is_coalesced(self):
    """Return True if the indices are known to be sorted and unique.  Raise RuntimeError for another layout than sparse_coo.

    >>> import tensh as torch
    >>> torch.eye(2).to_sparse().is_coalesced()
    True
    """
    require(self, "is_coalesced", (COO,), "sparse coordinate tensor")
    return self.array.coalesced


def require_coalesced(t, name):
    if not t.array.coalesced:
        raise RuntimeError(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")


@method
def indices(self):
    """The indices of the values [sparse dims, nnz].  Raise RuntimeError for a tensor that is not coalesced.

    >>> import tensh as torch
    >>> torch.eye(2).to_sparse().indices()
    tensor([[0, 1],
            [0, 1]])
    """
    require(self, "indices", (COO,), "sparse coordinate tensor")
    require_coalesced(self, "indices")
    return wrap(self.array.indices[0])


@method
def values(self):
    """The values [nnz, *], which gradients pass through.  Raise RuntimeError for a tensor that is not coalesced.

    >>> import tensh as torch
    >>> torch.eye(2).to_sparse().values()
    tensor([1., 1.])
    """
    require(self, "values", (COO, *COMPRESSED), "sparse tensor")
    if self.array.layout is COO:
        require_coalesced(self, "values")
    return rename_node(values_of(self), "ValuesBackward0")


def require_sparse(t, name):
    if not is_sparse(t):
        raise could_not_run(name, "CPU")
    return t


@method
def _indices(self):
    """The indices of the values, whether or not the tensor is coalesced."""
    require_coordinates(require_sparse(self, "_indices"), "_indices")
    return wrap(self.array.indices[0])


@method
def _values(self):
    """The values, whether or not the tensor is coalesced, without history."""
    require_coordinates(require_sparse(self, "_values"), "_values")
    return wrap(self.array.values)


@method
def _nnz(self):
    """The number of values."""
    return require_sparse(self, "_nnz").array.nnz


@method
def sparse_dim(self):
    """The number of sparse dimensions; 0 for a dense tensor.

    >>> import tensh as torch
    >>> torch.eye(2).to_sparse().sparse_dim()
    2
    """
    return self.array.sparse_dim if is_sparse(self) else 0


@method
def dense_dim(self):
    """The number of dense dimensions.

    >>> import tensh as torch
    >>> torch.eye(2).to_sparse().dense_dim()
    0
    """
    return self.array.ndim - sparse_dim(self) - (self.array.batch_dim if is_sparse(self) else 0)


@method
def _coalesced_(self, coalesced):
    """Declare whether the tensor is coalesced, without a check."""
    self.array.coalesced = coalesced
    return self


OF_VALUES = """ on a non-empty sparse tensor is not supported.
You could try the following options:
1. If you need an empty sparse tensor of this size, call `x = torch.sparse_coo_tensor(size)`.
2. If you need to resize this tensor, you have the following options:
    1. For both sparse and dense dimensions, keep the number of them constant and the size of them non-shrinking, and then try the same call again.
    2. Or, create a new sparse tensor with the correct indices and values from this sparse tensor."""


def refuse_sparse_size(old, new):
    """Raise unless a size (its sparse dimensions, its dense ones) has as many dimensions and none is smaller."""
    for kind, before, after in zip(("sparse", "dense"), old, new, strict=True):
        if len(before) != len(after):
            raise RuntimeError(
                f"changing the number of {kind} dimensions (from {len(before)} to {len(after)}){OF_VALUES}"
            )
    for kind, before, after in zip(("sparse", "dense"), old, new, strict=True):
        if any(n < m for n, m in zip(after, before, strict=True)):
            raise RuntimeError(
                f"shrinking the size of {kind} dimensions (from {list(before)} to {list(after)}){OF_VALUES}"
            )


def resize_sparse(self, size, sparse_dim, dense_dim, keep):
    array = require_sparse(self, "sparse_resize_").array
    size = tuple(size)
    if len(size) != sparse_dim + dense_dim:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = {sparse_dim}, "
            f"dense_dim = {dense_dim}"
        )
    if keep and array.nnz:
        old = len(array.indices[0])
        refuse_sparse_size((array.shape[:old], array.shape[old:]), (size[:sparse_dim], size[sparse_dim:]))
        index, values = array.indices[0], np.zeros((array.nnz, *size[sparse_dim:]), array.dtype)
        values[tuple(map(slice, array.values.shape))] = array.values
    else:
        index, values = np.zeros((sparse_dim, 0), np.int64), np.zeros((0, *size[sparse_dim:]), array.dtype)
    self.array = sparse_tensor(wrap(values), (index,), size, COO, array.coalesced and keep).array
    return self


@method
def sparse_resize_(self, size, sparse_dim, dense_dim):
    """Resize a sparse tensor in place; its values keep their indices.

    Raise RuntimeError unless there is a size for each dimension, and for a size in which values would lose their places.

    >>> import tensh as torch
    >>> torch.eye(2).to_sparse().sparse_resize_((3, 3), 2, 0).shape
    torch.Size([3, 3])
    """
    return resize_sparse(self, size, sparse_dim, dense_dim, True)


@composite
def resize_as_sparse_(self, the_template):
    """Resize a sparse tensor in place to the size of another; its values keep their indices.

    Raise RuntimeError for a size in which they would lose them.

    >>> import tensh as torch
    >>> torch.eye(2).to_sparse().resize_as_sparse_(torch.eye(3).to_sparse()).shape
    torch.Size([3, 3])
    """
    if self.layout in COMPRESSED:
        return resize_compressed(self, the_template)
    template = require_sparse(the_template, "resize_as_sparse_").array
    sparse_dim = len(template.indices[0])
    return resize_sparse(self, template.shape, sparse_dim, len(template.shape) - sparse_dim, True)


def resize_compressed(t, template):
    """Give a compressed tensor the indices of another, and as many of its own values as there is room for."""
    if template.layout not in COMPRESSED:
        found = f"expected sparse compressed tensor layout but got {TITLES[template.layout]}"
        raise RuntimeError(f"resize_as_sparse_compressed_: src  {found}")
    if t.layout is not template.layout:
        raise RuntimeError(
            "resize_as_sparse_compressed_tensor_: self and src must have the same layout, but got: "
            f"self ({TITLES[t.layout]}) and source ({TITLES[template.layout]})"
        )
    array, held = template.array.copy(), t.array.values.reshape(-1)
    values = np.zeros(array.values.shape, held.dtype)
    values.reshape(-1)[: held.size] = held[: values.size]
    t.array = array.replace_values(values)
    return t


@method
def sparse_resize_and_clear_(self, size, sparse_dim, dense_dim):
    """Resize a sparse tensor in place and remove its values.

    Raise RuntimeError unless there is a size for each dimension.

    >>> import tensh as torch
    >>> torch.eye(2).to_sparse().sparse_resize_and_clear_((3, 3), 2, 0)._nnz()
    0
    """
    return resize_sparse(self, size, sparse_dim, dense_dim, False)
