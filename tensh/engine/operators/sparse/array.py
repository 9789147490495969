"""The arrays of sparse tensors, which have indices and values in place of elements.

A sparse tensor is an ordinary ``Tensor`` over a ``Sparse``.  Whoever asks that for elements raises ``Sparsity``, and the
operator is answered by its rule in ``rules``; operators on dense tensors notice nothing.  On their way back gradients are
``SparseGradient``: arrays that stay sparse where they are added, and become dense wherever else they are used.
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
    """The error of an operator that was given a sparse tensor, for which no rule answers."""

    package = "operators.sparse"

    def __str__(self):
        return "this operation does not take sparse tensors: to_dense() gives one with all elements"


class Sparse:
    """Indices and values: ``indices`` is ([sparse dims, nnz],), or (compressed, plain) in the compressed layouts."""

    __slots__ = ("shape", "layout", "indices", "values", "coalesced", "__weakref__")
    base = None

    def __init__(self, values, indices, shape, layout=COO, coalesced=False):
        self.values, self.indices, self.shape = values, indices, tuple(shape)
        self.layout, self.coalesced = layout, coalesced

    dtype = property(lambda a: a.values.dtype)
    itemsize = property(lambda a: a.values.itemsize)
    ndim = property(lambda a: len(a.shape))
    size = property(lambda a: prod(a.shape))
    parts = property(lambda a: (a.values, *a.indices), doc="The arrays that it consists of.")
    nnz = property(lambda a: a.indices[-1].shape[-1])
    flags = SimpleNamespace(c_contiguous=False, forc=False, writeable=True)
    sparse_dim = property(lambda a: len(a.indices[0]) if a.layout is COO else 2)

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
        """Return a sparse array with other values at these places."""
        return (kind or type(self))(values, self.indices, self.shape, self.layout, self.coalesced)

    def view_as(self, layout):
        """Return another array over these indices and values."""
        return self.replace_values(self.values)

    def copy(self, order="C"):
        """Copy the indices and the values."""
        indices = tuple([each.copy() for each in self.indices])
        return Sparse(self.values.copy(), indices, self.shape, self.layout, self.coalesced)

    def __reduce__(self):
        return rebuild, (self.values, self.indices, self.shape, self.layout, self.coalesced)

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


def rebuild(values, indices, *facts):
    """The array of a pickled sparse tensor."""
    return Sparse(canonical(values), tuple([canonical(each) for each in indices]), *facts)


def places(array):
    """The indices of each value [sparse dims, nnz] in any layout but the blocked ones."""
    if array.layout is COO:
        return array.indices[0]
    compressed, plain = array.indices
    lines = np.repeat(np.arange(len(compressed) - 1), np.diff(compressed))
    return np.stack([lines, plain] if array.layout is CSR else [plain, lines]).astype(np.int64)


def flat_places(array):
    """The number of each value's place among those of the sparse dimensions; IndexError for one outside."""
    index, sizes = places(array), array.shape[: array.sparse_dim]
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
        sizes = a.shape[: a.sparse_dim]
        out = np.zeros((prod(sizes), *a.values.shape[1:]), a.dtype)
        np.add.at(out, flat_places(a), a.values)
        return out.reshape(a.shape)

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
            return SparseGradient(add_arrays(*[each.sparse for each in inputs]))
        if method == "__call__" and ufunc is np.multiply and any(np.ndim(each) == 0 for each in inputs):
            values = [each.sparse.values if type(each) is SparseGradient else each for each in inputs]
            return SparseGradient(self.sparse.replace_values(ufunc(*values)))
        return getattr(ufunc, method)(*map(as_dense, inputs), **options)

    def __array_function__(self, function, types, args, options):
        return function(*[as_dense(each) for each in args], **options)


def as_dense(value):
    return value.densify() if type(value) is SparseGradient else value


def add_arrays(a, b):
    """The sum of two sparse arrays: the values of the same places, or of both one after the other."""
    if a.indices[0] is b.indices[0]:
        return a.replace_values(a.values + b.values)
    index = np.concatenate([places(a), places(b)], 1)
    return Sparse(np.concatenate([a.values, b.values]), (index,), a.shape)


SPARSE[Sparse] = lambda array: array
SPARSE[SparseGradient] = lambda gradient: gradient.sparse
