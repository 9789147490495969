"""The arrays of sparse tensors, with indices and values in place of elements.

A sparse tensor is an ordinary ``Tensor`` over a ``Sparse``.  A kernel that reads its elements raises ``Sparsity``, and
``dispatch`` applies the operator's rule instead, at no cost for dense tensors.  In the backward pass gradients are
``SparseGradient``: arrays that stay sparse when added, and become dense in all other uses.
"""

from math import prod
from types import SimpleNamespace

import numpy as np

from tensh.engine.arrays.memory import canonical
from tensh.engine.core.lift import Absence
from tensh.engine.core.tensor import SPARSE
from tensh.engine.dtypes.device import CONSTANTS

COO, CSR, CSC, BSR, BSC = (CONSTANTS[f"sparse_{kind}"] for kind in ("coo", "csr", "csc", "bsr", "bsc"))
BY_ROWS, BLOCKED = (CSR, BSR), (BSR, BSC)


class Sparsity(Absence, NotImplementedError):
    """The error of an operator without a rule for sparse tensors."""

    package = "operators.sparse"

    def __str__(self):
        return "this operation does not support sparse tensors: to_dense() converts them"


class Sparse:
    """Indices and values: ``indices`` is ([sparse dims, nnz],), or (compressed, plain) in the compressed layouts.

    Batches of compressed matrices have indices [*batch, n] and values [*batch, nnz, *]; each matrix has nnz values.
    A value is an *entry*: a number, a block, an array of the dense dimensions.  Entries lie on the *grid*, the dimensions of
    the batch and the sparse ones, counted in blocks.
    """

    __slots__ = ("shape", "layout", "indices", "values", "coalesced", "__weakref__")
    base = None

    def __init__(self, values, indices, shape, layout=COO, coalesced=False):
        self.values, self.indices, self.shape = values, indices, tuple(shape)
        self.layout, self.coalesced = layout, coalesced

    lift = property(lambda a: Sparsity, doc="What failures of dense kernels become: rules check the arguments.")
    dtype = property(lambda a: a.values.dtype)
    itemsize = property(lambda a: a.values.itemsize)
    ndim = property(lambda a: len(a.shape))
    size = property(lambda a: prod(a.shape))
    parts = property(lambda a: (a.values, *a.indices), doc="The arrays that it consists of.")
    nnz = property(lambda a: a.indices[-1].shape[-1])
    flags = SimpleNamespace(c_contiguous=False, f_contiguous=False, forc=False, writeable=True)
    sparse_dim = property(lambda a: len(a.indices[0]) if a.layout is COO else 2)
    batch_dim = property(lambda a: 0 if a.layout is COO else a.indices[0].ndim - 1)
    entry_shape = property(lambda a: a.values.shape[a.batch_dim + 1 :])
    block = property(lambda a: a.entry_shape[:2] if a.layout in BLOCKED else ())

    @property
    def grid(self):
        """The shape of the grid's indices."""
        placed = self.shape[: self.batch_dim + self.sparse_dim]
        if not self.block:
            return placed
        rows, columns = (size // width for size, width in zip(placed[-2:], self.block, strict=True))
        return (*placed[:-2], rows, columns)

    def assemble(self, entries):
        """Return the dense form of the entries of the whole grid, one after the other, as an array or tensor."""
        entries = entries.reshape((*self.grid, *self.entry_shape))
        return (swap_blocks(entries, self.batch_dim) if self.block else entries).reshape(self.shape)

    def take_apart(self, dense):
        """Return the entries of the whole grid, as an array or tensor [*grid, *entry]: the inverse of ``assemble``."""
        return cut(dense, self.batch_dim, self.block)

    @property
    def nbytes(self):
        """Bytes of all elements, as if it were dense; RuntimeError in the layout sparse_coo, as in PyTorch."""
        if self.layout is COO:
            raise RuntimeError(
                "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add the nbytes "
                "of the indices and values.  If you want the size of the  equivalent dense tensor, multiply numel() by "
                "element_size()"
            )
        return self.size * self.itemsize

    def replace_values(self, values, kind=None):
        """Return a sparse array with other values at these indices."""
        return (kind or type(self))(values, self.indices, self.shape, self.layout, self.coalesced)

    def share_apart(self):
        """Return another array over these indices and values."""
        return self.replace_values(self.values)

    def copy(self, order="C"):
        """Copy the indices and the values."""
        indices = tuple([each.copy() for each in self.indices])
        return Sparse(self.values.copy(), indices, self.shape, self.layout, self.coalesced)

    def __reduce__(self):
        return rebuild_sparse_array, (self.values, self.indices, self.shape, self.layout, self.coalesced)

    def __getattr__(self, name):
        raise Sparsity

    def __array__(self, *args, **options):
        raise Sparsity

    __array_ufunc__ = __array_function__ = __array__
    __array_struct__ = __array_interface__ = property(__array__)
    __hash__ = object.__hash__


for _name in (
    "iter contains len getitem setitem bool int float complex index eq ne lt le gt ge neg pos abs invert add radd iadd sub "
    "rsub isub mul rmul imul truediv rtruediv itruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul and rand iand or "
    "ror ior xor rxor ixor lshift rshift"
).split():
    setattr(Sparse, f"__{_name}__", Sparse.__array__)


def rebuild_sparse_array(values, indices, *facts):
    """Return the array of a pickled sparse tensor."""
    return Sparse(canonical(values), tuple([canonical(each) for each in indices]), *facts)


rebuild = rebuild_sparse_array  # the name in pickles of earlier versions


def swap_blocks(entries, batch_dim):
    """Exchange the dimensions of the grid's columns and of a block's rows."""
    return entries.swapaxes(batch_dim + 1, batch_dim + 2)


def cut(dense, batch_dim, block):
    """Return a dense array or tensor in blocks [*grid, *block, *], unchanged without blocks."""
    if not block:
        return dense
    shape, (height, width) = tuple(dense.shape), block
    n, m = shape[batch_dim : batch_dim + 2]
    parts = dense.reshape(*shape[:batch_dim], n // height, height, m // width, width, *shape[batch_dim + 2 :])
    return swap_blocks(parts, batch_dim)


def places(array):
    """Return the grid indices of the entries [dims of the grid, number of entries], in the order of the values."""
    if array.layout is COO:
        return array.indices[0]
    compressed, plain = array.indices
    steps = np.diff(compressed)
    *batch, lines = np.indices(steps.shape).reshape(steps.ndim, -1).repeat(steps.reshape(-1), 1)
    plain = plain.reshape(-1)
    return np.stack([*batch, *((lines, plain) if array.layout in BY_ROWS else (plain, lines))]).astype(np.int64)


def flat_places(array):
    """Return the flat grid index of each entry; raise IndexError if out of range."""
    index, sizes = places(array), array.grid
    if not index.shape[1]:
        return np.zeros(0, np.int64)
    for dim, size in enumerate(sizes):
        if index[dim].max() >= size:
            raise IndexError(f"index {index[dim].max()} is out of bounds for dimension {dim} with size {size}")
    return np.ravel_multi_index(tuple(index), sizes) if sizes else np.zeros(index.shape[1], np.int64)


class SparseGradient(np.lib.mixins.NDArrayOperatorsMixin):
    """A gradient with a ``Sparse``; it remains sparse in sums, products with a number, and casts."""

    __slots__ = ("sparse",)
    base = None

    def __init__(self, sparse):
        self.sparse = sparse

    shape = property(lambda g: g.sparse.shape)
    dtype = property(lambda g: g.sparse.dtype)
    ndim = property(lambda g: g.sparse.ndim)
    size = property(lambda g: g.sparse.size)

    def densify(self):
        """The array with all its elements."""
        a = self.sparse
        out = np.zeros((prod(a.grid), *a.entry_shape), a.dtype)
        np.add.at(out, flat_places(a), a.values.reshape(-1, *a.entry_shape))
        return a.assemble(out)

    def copy(self, order="C"):
        return SparseGradient(self.sparse.replace_values(self.sparse.values.copy()))

    def astype(self, dtype, **options):
        return SparseGradient(self.sparse.replace_values(self.sparse.values.astype(dtype)))

    def __getattr__(self, name):
        return getattr(self.densify(), name)

    def __array__(self, dtype=None, copy=None):
        return self.densify() if dtype is None else self.densify().astype(dtype)

    def __getitem__(self, index):
        return self.densify()[index]

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if out is not None:
            raise Sparsity
        if method == "__call__" and ufunc is np.add and all(type(each) is SparseGradient for each in inputs):
            arrays = [each.sparse for each in inputs]
            if not any(each.block for each in arrays) or arrays[0].indices[0] is arrays[1].indices[0]:
                return SparseGradient(add_arrays(*arrays))
        if method == "__call__" and ufunc is np.multiply and any(np.ndim(each) == 0 for each in inputs):
            values = [each.sparse.values if type(each) is SparseGradient else each for each in inputs]
            return SparseGradient(self.sparse.replace_values(ufunc(*values)))
        return getattr(ufunc, method)(*map(as_dense, inputs), **options)

    def __array_function__(self, function, types, args, options):
        return function(*[as_dense(each) for each in args], **options)


def as_dense(value):
    return value.densify() if type(value) is SparseGradient else value


def add_arrays(a, b):
    """Add two sparse arrays: values at the same indices, in the order of PyTorch's sums."""
    if a.indices[0] is b.indices[0] and (a.layout is not COO or are_contiguous(a, b)):
        return a.replace_values(a.values + b.values)
    index, (first, second), count = merge_places(a, b)
    values = np.zeros((count, *a.entry_shape), np.result_type(a.dtype, b.dtype))
    values[first] = a.values.reshape(-1, *a.entry_shape)
    values[second] += b.values.reshape(-1, *b.entry_shape)
    return Sparse(values, (index,), a.shape, coalesced=a.coalesced and b.coalesced)


def are_contiguous(a, b):
    return a.values.flags.c_contiguous and b.values.flags.c_contiguous


def merge_places(a, b):
    """Merge two lists of indices; return the indices of a sum, and the position in it of each value of both.

    Both are walked through as if they were sorted; if values are not contiguous, one list follows the other.
    """
    if not are_contiguous(a, b):
        index, count = np.concatenate([places(a), places(b)], 1), places(a).shape[1]
        return index, (np.arange(count), np.arange(count, index.shape[1])), index.shape[1]
    first, second = flat_places(a), flat_places(b)
    if np.array_equal(first, second):
        return places(a), (np.arange(len(first)),) * 2, len(first)
    if (np.diff(first) > 0).all() and (np.diff(second) > 0).all():
        flat, numbers = np.unique(np.concatenate([first, second]), return_inverse=True)
        sizes = a.grid
        index = np.stack(np.unravel_index(flat, sizes)) if sizes else np.zeros((0, len(flat)), np.int64)
        return index, (numbers[: len(first)], numbers[len(first) :]), len(flat)
    one, two = first.tolist(), second.tolist()
    i = j = 0
    taken, numbers = [], ([], [])
    while i < len(one) or j < len(two):
        from_one = j >= len(two) or i < len(one) and one[i] <= two[j]
        from_two = i >= len(one) or j < len(two) and two[j] <= one[i]
        taken.append(i if from_one else len(one) + j)
        if from_one:
            numbers[0].append(len(taken) - 1)
            i += 1
        if from_two:
            numbers[1].append(len(taken) - 1)
            j += 1
    index = np.concatenate([places(a), places(b)], 1)[:, taken]
    return index, tuple(np.array(each, np.int64) for each in numbers), len(taken)


SPARSE[Sparse] = lambda array: array
SPARSE[SparseGradient] = lambda gradient: gradient.sparse
