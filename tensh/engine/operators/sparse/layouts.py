"""Conversions of tensors between layouts."""

from math import prod

import numpy as np

from tensh.engine.arrays.absent import is_absent
from tensh.engine.core.tensor import wrap
from tensh.engine.dtypes.device import strided
from tensh.engine.errors.unavailable import NO_KERNEL
from tensh.engine.operators.sparse.array import BLOCKED, BSC, BSR, BY_ROWS, COO, CSC, CSR, Sparse, cut
from tensh.engine.operators.sparse.forms import (
    bounds_of_lines,
    coalesce_as,
    compress_lines,
    dense_of,
    elements_of,
    entries_of,
    is_sparse,
    sparse_tensor,
    values_of,
)

TITLES = {COO: "Sparse", CSR: "SparseCsr", CSC: "SparseCsc", BSR: "SparseBsr", BSC: "SparseBsc", strided: "Strided"}


def to_coo(t):
    """Convert a sparse tensor to the layout sparse_coo, with its values in their order."""
    layout = t.array.layout
    if layout is COO:
        return t
    index, values = elements_of(t) if layout in BLOCKED else entries_of(t)
    ordered = layout in BY_ROWS and t.array.block[:1] in ((), (1,))
    return sparse_tensor(values, (index,), t.array.shape, COO, ordered, "ToSparseBackward0")


def to_lines(t, layout, label):
    """Convert a tensor of the layout sparse_coo to sparse_csr or sparse_csc; raise RuntimeError unless it is a matrix."""
    require_matrix(t, layout)
    t = coalesce_as(t)
    index = t.array.indices[0]
    first = 0 if layout is CSR else 1
    order = np.lexsort((index[1 - first], index[first]))
    lines, others = index[first][order], index[1 - first][order]
    values = values_of(t) if (order[1:] > order[:-1]).all() else values_of(t).index_select(0, wrap(order))
    indices = compress_lines(lines, t.array.shape[first]), others
    return sparse_tensor(values, indices, t.array.shape, layout, False, label)


def require_matrix(t, layout):
    """Raise RuntimeError unless a tensor of the layout sparse_coo has two sparse dimensions."""
    if t.array.sparse_dim != 2:
        raise RuntimeError(
            f"coo_to_{layout.name}: conversion from Sparse to {TITLES[layout]} for input tensors with sparse_dim()!=2 is not "
            "supported"
        )


def turn_lines(t, layout, label):
    """Convert a compressed tensor to compression along the other dimension."""
    a, (index, entries) = t.array, entries_of(t)
    *batch, line, other = index if layout in BY_ROWS else (*index[:-2], index[-1], index[-2])
    *outer, rows, columns = a.grid
    sizes = (*outer, rows if layout in BY_ROWS else columns)
    order = np.lexsort((other, line, *batch[::-1]))
    counts = np.bincount(np.ravel_multi_index((*batch, line), sizes), minlength=prod(sizes)).reshape(sizes)
    indices = bounds_of_lines(counts), other[order].reshape(a.indices[1].shape)
    values = entries.index_select(0, wrap(order)).reshape(a.values.shape)
    return sparse_tensor(values, indices, a.shape, layout, False, label)


def dense_to_compressed(t, layout, block, dense_dim, label):
    """Convert a dense matrix, or a batch of them, to a compressed layout, with blocks of a size in the blocked ones.

    Raise RuntimeError for sizes that blocks do not divide, and for matrices with different numbers of values.
    """
    name, shape = layout.name, t.array.shape
    batch = t.array.ndim - 2 - (dense_dim or 0)
    if batch < 0:
        raise RuntimeError(
            f"to_{name}: expected input tensor to have at least {2 + (dense_dim or 0)} dimensions, got {t.array.ndim}-D instead"
        )
    if 0 in shape[:batch]:
        raise RuntimeError(f"to_{name}: Expected product of batch dimensions to be non-zero.")
    if block:
        (n, m), (height, width) = shape[batch : batch + 2], block
        if height <= 0 or width <= 0:
            raise RuntimeError(f"dense_to_{name}: blocksize needs to be positive, but got {list(block)}")
        if n % height or m % width:
            raise RuntimeError(
                f"dense_to_{name}: tensor sparse size ({n},{m}) must be divisible by given blocksize ({height},{width})"
            )
    entries = cut(t, batch, block)
    filled = (entries.array != 0).any(tuple(range(batch + 2, entries.array.ndim)))
    filled = filled if layout in BY_ROWS else filled.swapaxes(-1, -2)
    totals = filled.sum((-1, -2))
    if (totals != totals.flat[0]).any():
        raise RuntimeError("Expect the same number of specified elements per batch.")
    *outer, line, other = np.nonzero(filled)
    index = (*outer, *((line, other) if layout in BY_ROWS else (other, line)))
    sizes = (*shape[:batch], int(totals.flat[0]))
    values = entries[tuple(wrap(each) for each in index)].reshape(*sizes, *entries.shape[batch + 2 :])
    indices = bounds_of_lines(filled.sum(-1)), other.reshape(sizes).astype(np.int64)
    return sparse_tensor(values, indices, shape, layout, False, label)


def dense_to_coo(t, sparse_dim):
    """Convert a dense tensor to the layout sparse_coo, with its first dimensions sparse."""
    array = t.array
    dims = array.ndim if sparse_dim is None else sparse_dim
    filled = (array != 0).any(tuple(range(dims, array.ndim))) if dims < array.ndim else array != 0
    index = np.stack(np.nonzero(filled)) if dims else np.zeros((0, int(bool(filled))), np.int64)
    values = t[tuple(wrap(each) for each in index)] if dims else t.reshape(1)[: index.shape[1]]
    return sparse_tensor(values, (index.astype(np.int64),), array.shape, COO, True, "ToSparseBackward1")


def convert_layout(t, layout, blocksize=None, sparse_dim=None, label=None, dense_dim=None):
    """Convert a dense or sparse tensor to a layout."""
    if layout in BLOCKED and blocksize is None:
        raise RuntimeError(
            f"dense_to_sparse: conversion from {TITLES[t.layout]} to {TITLES[layout]} without blocksize argument given is not supported"
        )
    blocksize = blocksize if layout in BLOCKED else ()
    if not is_sparse(t):
        if layout is strided:
            return t
        if is_absent(t):
            raise NotImplementedError(NO_KERNEL.format("_to_sparse" if layout is COO else f"_to_{layout.name}"))
        if layout is COO:
            return dense_to_coo(t, sparse_dim)
        return dense_to_compressed(t, layout, blocksize, dense_dim, label)
    if layout is strided:
        return dense_of(t)
    if layout is COO:
        return to_coo(t)
    held = t.array.layout
    if held is COO:
        if layout not in BLOCKED:
            return to_lines(t, layout, label)
        require_matrix(t, layout)
    elif t.array.block == blocksize:
        return t if held is layout else turn_lines(t, layout, label)
    else:
        refuse_blocks(t.array, layout, blocksize)
    return dense_to_compressed(dense_of(t), layout, blocksize, t.array.ndim - 2, label)


def count_sparse_dims(array, sparse_dim, dense_dim):
    """Return the number of sparse dimensions in the layout sparse_coo; raise PyTorch's error for an invalid number."""
    held, ndim = TITLES[array.layout] if type(array) is Sparse else None, array.ndim
    if held:
        name = "to_sparse" if array.layout is COO else "sparse_compressed_to_sparse"
        wrong = "dense_dim argument given" if dense_dim is not None else None
        if sparse_dim not in (None, array.sparse_dim):
            wrong = f"sparse_dim argument !={'self.sparse_dim()' if array.layout is COO else 2}"
        if wrong:
            raise RuntimeError(f"{name}: conversion from {held} to Sparse with {wrong} is not supported")
        return sparse_dim
    for given, least, name in ((sparse_dim, 0, "sparse_dim"), (dense_dim, ndim, "dense_dim")):
        if given is not None and not 0 <= given <= ndim:
            raise RuntimeError(f"dense_to_sparse: {name} argument must be in [0,{ndim}] range, but {given} is given")
        if given is not None and given == least and ndim:
            what = "in >0" if name == "sparse_dim" else "!=self.dim()"
            raise RuntimeError(f"dense_to_sparse: {name} argument must be {what} when self.dim()>0")
    return sparse_dim if dense_dim is None else ndim - dense_dim


def pair(blocksize):
    """Return the size of blocks, of which one number stands for two."""
    return tuple(blocksize) if isinstance(blocksize, (tuple, list)) else (blocksize, blocksize)


def require_request(t, name, layout, blocksize, dense_dim):
    """Raise PyTorch's error for a size of blocks, or a number of dense dimensions, that a conversion does not take."""
    held, most, blocked = t.layout, t.array.ndim - 2, layout in BLOCKED
    kind = "dense" if held is strided else "coo" if held is COO else "sparse_compressed"
    if name == "sparse":
        kind = "sparse_coo" if held is COO else kind
        name = "to_sparse" if held is layout else f"{kind}_to_sparse"
    else:
        name = f"{kind}_to_{name}"
    conversion = f"{name}: conversion from {TITLES[held]} to {TITLES[layout]}"
    if held is COO is not layout and t.array.sparse_dim != 2:
        raise RuntimeError(f"{conversion} for input tensors with sparse_dim()!=2 is not supported")
    size = () if blocksize is None else pair(blocksize)
    if size and len(size) != 2:
        raise RuntimeError(f"{name}: blocksize needs to be a tuple of size 2, but got {len(size)}")
    if blocked is not bool(size):
        raise RuntimeError(f"{conversion} {'without' if blocked else 'with'} blocksize argument given is not supported")
    if dense_dim is not None and held is strided and not 0 <= dense_dim <= most:
        raise RuntimeError(f"{name}: dense_dim argument must be in [0,{most}] range, but {dense_dim} is given")
    first = most - (dense_dim or 0) if held is strided else t.array.batch_dim
    if blocked and first >= 0 and min(size) > 0:
        (n, m), (height, width) = t.array.shape[first : first + 2], size
        if n % height or m % width:
            raise RuntimeError(
                f"{name}: tensor sparse size ({n},{m}) must be divisible by given blocksize ({height},{width})"
            )
    if dense_dim is not None and held is not strided:
        raise RuntimeError(f"{conversion} with dense_dim argument given is not supported")


def refuse_blocks(array, layout, blocksize):
    """Raise RuntimeError for conversions to or from blocks that PyTorch lacks."""
    held, wanted = TITLES[array.layout], TITLES[layout]
    if layout not in BLOCKED:
        raise RuntimeError(f"sparse_compressed_to_{layout.name}: expected SparseCsr or SparseCsc layout but got {held}")
    if array.block:
        raise RuntimeError(
            f"to_{layout.name}: conversion from {held} to {wanted} with blocksize changed from {list(array.block)} to "
            f"{list(blocksize)} is not supported"
        )
    if array.batch_dim:
        raise RuntimeError(
            f"sparse_compressed_to_{layout.name}: conversion from {held} to {wanted} for batched inputs is not supported"
        )
