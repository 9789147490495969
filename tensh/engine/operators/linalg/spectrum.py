"""Eigenvalues and singular values.

Vectors are unique up to a sign (or a complex phase); derivatives are valid for functions that do not depend on it.
For equal values the derivative of the vectors is infinite.
"""

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.operators.linalg.shared import (
    LinAlgError,
    check_floating,
    check_matrix,
    check_square,
    empty_in_any_dtype,
    return_columns,
)

OVER_GAPS = "only({0} / E, {0} != 0)"  # a zero gradient stays zero, also between equal values
SHORT = {
    "L": "eigenvalues",
    "V": "eigenvectors",
    "one": "identity(L.shape[-1], A.dtype)",
    "P": "mH(V) @ g_eigenvectors",
}


# ── symmetric matrices ───────────────────────────────────────────────────────
@op(
    public=False,
    outs=("eigenvalues", "eigenvectors"),
    many=True,
    let=SHORT
    | {
        "E": "in_columns(L) - in_rows(L) + one",
        "skew": "(P - mH(P)) * 0.5",
        "inner": OVER_GAPS.format("skew") + " + diag_embed(g_eigenvalues, 0, -2, -1)",
    },
    A="V @ inner @ mH(V)",
)
@empty_in_any_dtype(integers=True)
@return_columns(1)
def linalg_eigh(A, UPLO="L"):
    """The eigenvalues, in ascending order, and the eigenvectors of symmetric matrices, of which one half is read."""
    check_symmetric(A, UPLO)
    try:
        return tuple(np.linalg.eigh(A, UPLO.upper()))
    except np.linalg.LinAlgError:
        raise convergence_error("linalg.eigh") from None


def check_symmetric(A, UPLO):
    check_square("linalg.eigh", A)
    check_floating(None, A, "linalg_eigh_cpu")
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")


def convergence_error(name):
    return LinAlgError(
        f"{name}: The algorithm failed to converge because the input matrix contained non-finite values."
    )


@op(public=False, A=None)
@empty_in_any_dtype(integers=True)
def eigenvalues_of_symmetric(A, UPLO="L"):
    """The eigenvalues only, for calls without gradient."""
    check_symmetric(A, UPLO)
    return np.linalg.eigvalsh(A, UPLO.upper())


# ── square matrices ──────────────────────────────────────────────────────────
def as_complex(array):
    """Return complex eigenvalues: NumPy's are real if all imaginary parts are zero, PyTorch's never."""
    return (
        array.astype(np.complex64 if array.dtype.itemsize == 4 else np.complex128) if array.dtype.kind == "f" else array
    )


@op(
    public=False,
    outs=("eigenvalues", "eigenvectors"),
    many=True,
    let=SHORT
    | {
        "E": "conj(in_columns(L) - in_rows(L)) + one",
        "tangent": "(P - mH(V) @ (V * in_columns(diagonal(P, 0, -2, -1).real))) * (1 - one)",
        "inner": OVER_GAPS.format("tangent") + " + diag_embed(g_eigenvalues, 0, -2, -1)",
    },
    A="linalg_solve_ex(mH(V), inner @ mH(V))[0]",
)
@return_columns(1)
def linalg_eig(A):
    """The eigenvalues and eigenvectors of square matrices, complex also for real ones."""
    check_general(A)
    return tuple(map(as_complex, np.linalg.eig(A)))


def check_general(A, name="linalg.eig"):
    if A.dtype.kind in "biu":
        raise RuntimeError(f"Unknown Complex ScalarType for {BY_NUMPY[A.dtype].title}")
    check_square(name, A)
    check_floating("linalg.eig", A, "linalg_eig_out_cpu")
    if not np.isfinite(A).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")


@op(public=False, A=None)
def eigenvalues_of(A):
    """The eigenvalues only, for calls without gradient."""
    check_general(A, "linalg.eigvals")
    return as_complex(np.linalg.eigvals(A))


# ── singular values ──────────────────────────────────────────────────────────
@op(
    public=False,
    outs=("U", "S", "Vh"),
    many=True,
    let={
        "k": "S.shape[-1]",
        "U1": "U[..., :, :k]",
        "V1": "Vh[..., :k, :]",
        "gU": "g_U[..., :, :k]",
        "gV": "g_Vh[..., :k, :]",
        "E": "in_columns(S * S) - in_rows(S * S) + identity(k, S.dtype)",
        "P": "mH(U1) @ gU",
        "Q": "V1 @ mH(gV)",
        "turn": "(P - mH(P)) * in_columns(S) + in_rows(S) * (Q - mH(Q))",
        "spin": "diagonal(P - mH(P), 0, -2, -1)",
        "phase": "only(spin / (2 * S), spin != 0)",
        "inner": OVER_GAPS.format("turn") + " + diag_embed(g_S + phase if A.dtype.kind == 'c' else g_S, 0, -2, -1)",
        "outer_U": "gU - U1 @ P",
        "outer_V": "gV - mH(Q) @ V1",
        "left": "only(outer_U / in_columns(S), outer_U != 0)",
        "right": "only(outer_V / in_rows(S), outer_V != 0)",
    },
    A="(U1 @ inner + left) @ V1 if A.shape[-2] > k else U1 @ (inner @ V1 + right) if A.shape[-1] > k else U1 @ inner @ V1",
)
@empty_in_any_dtype
@return_columns(0, 2)
def linalg_svd(A, full_matrices=True):
    """A = U diag(S) Vh with orthonormal columns of U and rows of Vh."""
    check_matrix("linalg.svd", A)
    check_floating("linalg.svd", A, "linalg_svd_cpu")
    try:
        return tuple(np.linalg.svd(A, full_matrices))
    except np.linalg.LinAlgError:
        raise convergence_error("linalg.svd") from None


@op(public=False, A=None)
@empty_in_any_dtype
def singular_values(A):
    """The singular values only, for calls without gradient."""
    check_matrix("linalg.svd", A)
    check_floating("linalg.svd", A, "linalg_svd_cpu")
    try:
        return np.linalg.svd(A, compute_uv=False)
    except np.linalg.LinAlgError:
        raise convergence_error("linalg.svd") from None
