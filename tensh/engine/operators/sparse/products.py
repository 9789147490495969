"""Products of sparse matrices, given as rows, columns and values, with dense ones."""

import numpy as np

from tensh.engine.codegen.table import op


@op(public=False, values="sampled_product(rows, cols, g, conj(mat))",
    mat="sparse_product(cols, rows, conj(values), g, mat.shape[0])")  # fmt: skip
def sparse_product(rows, cols, values, mat, n):
    """The matrix [n, m] of ``values[k] * mat[cols[k]]`` added in row ``rows[k]``, in the order of k."""
    out = np.zeros((n, mat.shape[1]), np.result_type(values, mat))
    if not len(rows):
        return out
    if len(rows) > 1 and (rows[1:] < rows[:-1]).any():
        order = np.argsort(rows, kind="stable")
        rows, cols, values = rows[order], cols[order], values[order]
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    out[rows[starts]] = np.add.reduceat(values[:, None] * mat[cols], starts, 0)
    return out


@op(public=False, a="sparse_product(rows, cols, g, conj(b), a.shape[0])",
    b="sparse_product(cols, rows, g, conj(a), b.shape[0])")  # fmt: skip
def sampled_product(rows, cols, a, b):
    """The elements of ``a @ b.T`` at ``rows`` and ``cols``."""
    if not a.shape[1]:  # Note [Sums without terms] in linalg/few.py
        return np.zeros(len(rows), a.dtype)
    return np.einsum("ij,ij->i", a[rows], b[cols])
