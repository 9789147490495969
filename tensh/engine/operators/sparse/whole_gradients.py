"""Products of a sparse and a dense matrix whose gradients are dense for both, as those of ``mm`` are in PyTorch."""

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.operators.sparse.array import places
from tensh.engine.operators.sparse.products import sparse_product


@op(public=False, node="MmBackward0", input="mm(g, tH(mat2))", mat2="mm_from_sparse(input, g)")
def mm_of_sparse(input, mat2):
    """``input @ mat2`` for a sparse ``input`` without blocks."""
    rows, cols = places(input)
    return sparse_product.kernel(rows, cols, input.values, mat2, input.shape[0])


@op(public=False, node="MmBackward0", input="mm(mat2, tH(g))", mat2="mm_of_sparse(input, g)")
def mm_from_sparse(input, mat2):
    """``input.mH @ mat2`` for a sparse ``input`` without blocks."""
    rows, cols = places(input)
    return sparse_product.kernel(cols, rows, np.conj(input.values), mat2, input.shape[1])


@op(public=False, node="MmBackward0", input="mm_by_adjoint(g, mat2)", mat2="mm(tH(input), g)")
def mm_by_sparse(input, mat2):
    """``input @ mat2`` for a sparse ``mat2`` without blocks."""
    rows, cols = places(mat2)
    return sparse_product.kernel(cols, rows, mat2.values, input.T, mat2.shape[1]).T


@op(public=False, node="MmBackward0", input="mm_by_sparse(g, mat2)", mat2="mm(tH(g), input)")
def mm_by_adjoint(input, mat2):
    """``input @ mat2.mH`` for a sparse ``mat2`` without blocks."""
    rows, cols = places(mat2)
    return sparse_product.kernel(rows, cols, np.conj(mat2.values), input.T, mat2.shape[0]).T
