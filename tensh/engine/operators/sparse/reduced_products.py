"""Products of a sparse and a dense matrix with another reduction than the sum."""

import numpy as np

from tensh.engine.core.tensor import wrap
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.unavailable import could_not_run
from tensh.engine.operators.sparse.array import COO, CSR
from tensh.engine.operators.sparse.forms import entries_of, is_sparse, rename_node
from tensh.engine.operators.sparse.layouts import TITLES
from tensh.engine.operators.sparse.products import sparse_product

FIRST = {"amax": np.maximum, "amin": np.minimum, "max": np.maximum, "min": np.minimum}


def reduce_product(mat1, mat2, reduce):
    """``sum``, ``mean``, ``amax`` or ``amin`` of the terms of each element of a product; 0 in rows without a value.

    Differentiable: the gradient of an extreme goes to the first term that has its value.
    """
    require_layouts(mat1, mat2)
    require_matching(mat1, mat2)
    (rows, cols), values = entries_of(mat1)
    height = mat1.array.shape[0]
    if reduce in FIRST:
        result = reduce_extreme(rows, values[:, None] * mat2[wrap(cols)], height, FIRST[reduce])
    elif reduce in ("sum", "mean"):
        result = sparse_product.fn(rows, cols, values, mat2, height)
        if reduce == "mean":
            counts = np.maximum(np.bincount(rows, minlength=height), 1)[:, None]
            result = result / wrap(counts)
    elif reduce == "prod":
        raise RuntimeError("sparse_mm_reduce: reduce type of prod has not been enabled.")
    else:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    return rename_node(result, "SparseMmReduceImplBackward0")


def reduce_extreme(rows, terms, height, extreme):
    """Return the extreme of the terms [number of values, columns] of each row, or 0, as [rows, columns]."""
    numbers = terms.array
    counts = np.bincount(rows, minlength=height)
    full = counts > 0
    places = np.zeros((height, numbers.shape[1]), np.int64)
    if len(rows) and numbers.shape[1]:
        starts = (np.cumsum(counts) - counts)[full]
        best = extreme.reduceat(numbers, starts, axis=0)[np.cumsum(full)[rows] - 1]
        hits = (numbers == best) | ((numbers != numbers) & (best != best))
        order = np.where(hits, np.arange(len(rows))[:, None], len(rows))
        places[full] = np.minimum.reduceat(order, starts, axis=0)
        return terms.gather(0, wrap(places)) * wrap(full[:, None])
    return terms.new_zeros(height, numbers.shape[1])


def require_layouts(mat1, mat2):
    """Raise PyTorch's errors unless the first matrix is compressed by rows and the second is dense."""
    if not is_sparse(mat1) or mat1.array.layout is COO:
        raise could_not_run("_sparse_mm_reduce_impl", "SparseCPU" if is_sparse(mat1) else "CPU")
    if mat1.array.layout is not CSR:
        raise RuntimeError(f"sparse_mm_reduce: expect self to be SparseCsr, got {TITLES[mat1.array.layout]}")
    if is_sparse(mat2):
        raise RuntimeError(
            f"Expected tensor to have Strided Layout, but got tensor with {TITLES[mat2.array.layout]} Layout "
            "(while checking arguments for sparse_mm_reduce)"
        )


def require_matching(mat1, mat2):
    """Raise PyTorch's errors for dtypes and shapes that do not fit."""
    if mat1.array.dtype != mat2.array.dtype:
        raise RuntimeError(
            f"Expected tensor for argument #1 'other' to have scalar type {mat1.dtype.ctype.title()}; but got "
            f"torch.{mat2.dtype.ctype.title()}Tensor instead (while checking arguments for sparse_mm_reduce)"
        )
    wanted, shape = mat1.array.shape[1], mat2.array.shape
    if len(shape) != 2 or shape[0] != wanted:
        raise RuntimeError(
            f"Expected a tensor of dimension 2 and tensor.size[0] == {wanted} but got: dimension {len(shape)} and "
            f"tensor.size[0] = {shape[0] if shape else 0}"
        )
    if mat1.array.dtype.kind in "biu":
        raise NotImplementedError(f"\"spmm_reduce_kernel\" not implemented for '{BY_NUMPY[mat1.array.dtype].title}'")
