"""Determinants."""

import numpy as np

from tensh.engine.arrays.absent import is_absent
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import word
from tensh.engine.operators.linalg.shared import check_floating, check_square, empty_in_any_dtype


@word
def regular(determinant):
    """Return True if no determinant is zero."""
    return is_absent(determinant) or not bool((determinant == 0).any())


@op(
    public=False,
    A="of_matrices(g * conj(out)) * mH(linalg_inv_ex(A)[0]) if regular(out) else of_matrices(g) * conj(cofactors(A))",
)
@empty_in_any_dtype
def linalg_det(A):
    """The determinants of square matrices."""
    check_square("linalg.det", A)
    check_floating("linalg.det", A, "lu_cpu")
    return np.linalg.det(A)


@op(public=False, A=None)
def cofactors(A):
    """The derivative of the determinant, also for singular matrices, from singular values: A = U S Vh."""
    U, S, Vh = np.linalg.svd(A)
    others = np.stack([np.prod(np.delete(S, i, -1), -1) for i in range(S.shape[-1])], -1)
    turn = np.linalg.det(U) * np.linalg.det(Vh)
    return (turn[..., None, None] * np.conj(U * others[..., None, :] @ Vh)).astype(A.dtype, copy=False)


@op(
    public=False,
    outs=("sign", "logabsdet"),
    many=True,
    let={"slope": "g_logabsdet + (g_sign * conj(sign)).imag * 1j if A.dtype.kind == 'c' else g_logabsdet"},
    A="of_matrices(slope) * mH(linalg_inv_ex(A)[0])",
)
def linalg_slogdet(A):
    """The sign of the determinants, and the logarithm of their magnitude."""
    check_square("linalg.slogdet", A)
    check_floating("linalg.slogdet", A)
    return tuple(map(np.asarray, np.linalg.slogdet(A)))
