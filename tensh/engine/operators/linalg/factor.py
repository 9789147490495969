"""Factorizations: Cholesky, LU, QR."""

import math

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import word
from tensh.engine.operators.linalg.shared import (
    check_dimensions,
    check_floating,
    check_matrix,
    check_square,
    each,
    empty_in_any_dtype,
    return_columns,
)

# ── Cholesky ─────────────────────────────────────────────────────────────────
CHOLESKY = {
    "lower": "mH({0}) if upper else {0}",
    "gL": "mH(g) if upper else g",
    "phi": "tril(mH(lower) @ gL, 0)",
    "half": "(phi + mH(tril(phi, -1))) * 0.5",
    "right": "linalg_solve_triangular(lower, half, False, False)",
}
"""The derivative of a Cholesky factor ``lower`` = {0} (or its adjoint)."""
CHOLESKY_SLOPE = "linalg_solve_triangular(mH(lower), right, True)"


@op(
    public=False,
    outs=("L", "info"),
    let=CHOLESKY | {"lower": CHOLESKY["lower"].format("L")},
    A=CHOLESKY_SLOPE,
)
@empty_in_any_dtype
@return_columns(0)
def linalg_cholesky_ex(A, upper=False, name="linalg.cholesky"):
    """The Cholesky factors, and the order of the first minor that is not positive-definite."""
    check_square(name, A)
    check_floating(name if name != "cholesky" else None, A, "cholesky_cpu")
    source = A.swapaxes(-2, -1).conj() if upper else A
    try:
        L, info = factor_cholesky(source), np.zeros(A.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        L, info = each(source, factor_or_minor)
    return L.swapaxes(-2, -1).conj() if upper else L, info


def factor_cholesky(matrices):
    """Return Cholesky factors; raise LinAlgError, also for nan, which not every LAPACK detects."""
    L = np.linalg.cholesky(matrices)
    if np.isnan(L.diagonal(0, -2, -1)).any():
        raise np.linalg.LinAlgError
    return L


def factor_or_minor(matrix):
    """Return (factor, 0), or (the lower half, the order of the first leading minor that is not positive-definite)."""
    try:
        return factor_cholesky(matrix), np.int32(0)
    except np.linalg.LinAlgError:
        for order in range(1, len(matrix) + 1):
            try:
                factor_cholesky(matrix[:order, :order])
            except np.linalg.LinAlgError:
                return np.tril(matrix), np.int32(order)
        return np.tril(matrix), np.int32(len(matrix))


@op(public=False, let=CHOLESKY | {"lower": CHOLESKY["lower"].format("out")}, node="CholeskyBackward0", A=CHOLESKY_SLOPE)
def cholesky_factor(A, upper):
    """The Cholesky factors of matrices known to be positive-definite."""
    return linalg_cholesky_ex.kernel(A, upper, "cholesky")[0]


# ── LU ───────────────────────────────────────────────────────────────────────
def lower_upper(A):
    """Return (LU, pivots, info): both triangles in one array, the row swaps, the first zero pivot."""
    *batch, rows, columns = A.shape
    work = A.reshape(math.prod(batch), rows, columns).copy()
    steps = min(rows, columns)
    pivots = np.empty((len(work), steps), np.int32)
    matrices = np.arange(len(work))
    for j in range(min(steps, rows - 1)):
        below = work[:, j:, j]
        size = np.abs(below.real) + np.abs(below.imag) if A.dtype.kind == "c" else np.abs(below)
        pivot = size.argmax(1)
        pivot += j
        pivots[:, j] = pivot
        row = work[matrices, pivot]
        work[matrices, pivot] = work[:, j]
        work[:, j] = row
        top = row[:, j : j + 1]
        quotients, rest = work[:, j + 1 :, j], work[:, j + 1 :, j + 1 :]
        quotients /= top if top.all() else np.where(top == 0, 1, top)
        rest -= quotients[:, :, None] * row[:, None, j + 1 :]
    pivots[:, rows - 1 :] = rows - 1  # the last row has no row below it
    pivots += 1
    return work.reshape(A.shape), pivots.reshape(*batch, steps), find_zero(work).reshape(batch)


def find_zero(work):
    """Return the number of the first zero pivot of matrices [N, rows, columns], from 1, or 0 if there is none."""
    zero = work.diagonal(0, 1, 2) == 0
    return ((zero.argmax(1) + 1 if zero.size else 0) * zero.any(1)).astype(np.int32)


def row_order(pivots, rows):
    """Return the permutation of rows by the swaps ``pivots``."""
    *batch, steps = pivots.shape
    flat = pivots.reshape(math.prod(batch), steps)
    order = np.tile(np.arange(rows), (len(flat), 1))
    matrices = np.arange(len(flat))
    for j in range(steps):
        other = flat[:, j] - 1
        order[matrices, j], order[matrices, other] = order[matrices, other], order[matrices, j].copy()
    return order.reshape(*batch, rows)


def permutation(pivots, rows, dtype):
    """P of A = P L U."""
    order = row_order(pivots, rows)
    P = np.zeros((*order.shape, rows), dtype)
    np.put_along_axis(P, order[..., None, :], 1, -2)
    return P


def unpack_triangles(LU):
    """Return (L, U): the unit lower and the upper triangle."""
    *_, rows, columns = LU.shape
    k = min(rows, columns)
    L = np.tril(LU[..., :k], -1)
    L[..., np.arange(k), np.arange(k)] = 1
    return L, np.triu(LU[..., :k, :])


# gL and gU of A = P L U give the gradient of A; k is the smaller side
LU_BACK = {
    "k": "smaller(L.shape[-2], U.shape[-1])",
    "L1": "L[..., :k, :]",
    "U1": "U[..., :, :k]",
    "inner": "tril(mH(L1) @ gL[..., :k, :] - (gU[..., :, k:] @ mH(U[..., :, k:])), -1)"
    " + triu(gU[..., :, :k] @ mH(U1) - mH(L[..., k:, :]) @ gL[..., k:, :], 0)",
    "corner": "linalg_solve_triangular(mH(U1), linalg_solve_triangular(mH(L1), inner, True, True, True), False, False)",
    "right": "linalg_solve_triangular(mH(L1), gU[..., :, k:], True, True, True)",
    "below": "linalg_solve_triangular(mH(U1), gL[..., k:, :], False, False)",
}
LU_SLOPE = "P @ join_blocks(corner, right, below)"


@op(public=False, node="CatBackward0", corner="g[..., :corner.shape[-2], :corner.shape[-1]]",
    right="g[..., :right.shape[-2], corner.shape[-1]:]", below="g[..., corner.shape[-2]:, :below.shape[-1]]")  # fmt: skip
def join_blocks(corner, right, below):
    """Join a square block and a block to its right or below it."""
    if right.shape[-1]:
        return np.concatenate([corner, right], -1)
    return np.concatenate([corner, below], -2)


@op(public=False, outs=("L", "U", "P"), many=True, let={"gL": "g_L", "gU": "g_U"} | LU_BACK, A=LU_SLOPE)
@empty_in_any_dtype(integers=True)
def linalg_lu(A):
    """L, U and P of A = P L U; PyTorch numbers outputs without P, which has no gradient."""
    check_dimensions("linalg.lu", A)
    check_floating(None, A, "lu_cpu")
    LU, pivots, _ = lower_upper(A)
    return (*unpack_triangles(LU), permutation(pivots, A.shape[-2], A.dtype))


@op(
    public=False,
    outs=("LU", "pivots", "info"),
    let={"L": "plu(LU, pivots)[0]", "U": "plu(LU, pivots)[1]", "P": "plu(LU, pivots)[2]",
         "gL": "tril(g[..., :L.shape[-1]], -1)", "gU": "triu(g[..., :L.shape[-1], :], 0)"} | LU_BACK,
    A=LU_SLOPE,
)  # fmt: skip
@empty_in_any_dtype(integers=True)
@return_columns(0)
def linalg_lu_factor_ex(A):
    """L and U of A = P L U in one array, the swaps of rows, and the first zero pivot."""
    check_dimensions("torch.lu_factor", A)
    check_floating(None, A, "lu_cpu")
    return lower_upper(A)


@op(
    outs=("L", "U", "P"),
    many=True,
    public=False,
    node="LuUnpackBackward0",
    LU="at_upper_left(tril(g_L, -1), LU.shape) + at_upper_left(triu(g_U, 0), LU.shape)",
    pivots=None,
)
def plu(LU, pivots):
    """L, U and P of a result of ``lu_factor``."""
    if ((pivots < 1) | (pivots > LU.shape[-2])).any():
        raise RuntimeError(
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
            "Did you properly pass the result of lu_factor?"
        )
    return (*unpack_triangles(LU), permutation(pivots, LU.shape[-2], LU.dtype))


@op(public=False, node="ConstantPadNdBackward0", input="g[..., :input.shape[-2], :input.shape[-1]]")
def at_upper_left(input, shape):
    """The input padded with zeros at the right and the bottom, to ``shape``."""
    result = np.zeros(shape, input.dtype)
    result[..., : input.shape[-2], : input.shape[-1]] = input
    return result


@word
def smaller(n, m):
    return n if n < m else m


# ── QR ───────────────────────────────────────────────────────────────────────
@word
def differentiable(kind, shape):
    """Return the case of the derivative; raise unless Q and R are unique and both computed."""
    if kind == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to be using the backward."
        )
    if kind == "complete" and shape[-2] > shape[-1]:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols")
    return kind


QR_BACK = {
    "checked": "differentiable(kind, A.shape)",
    "n": "R.shape[-2]",
    "R1": "R[..., :, :n]",
    "gQ": "g_Q + A[..., :, n:] @ mH(g_R[..., :, n:])",
    "M": "R1 @ mH(g_R[..., :, :n]) - mH(gQ) @ Q",
    "half": "tril(M, -1)",
    "symmetric": "half + mH(half) + triu(tril((M + mH(M)) * 0.5, 0), 0)",
    "left": "linalg_solve_triangular(mH(R1), gQ + Q @ symmetric, False, False)",
}


@op(public=False, outs=("Q", "R"), many=True, let=QR_BACK, A="join_blocks(left, Q @ g_R[..., :, n:], left[..., :0, :])")
@return_columns(0, 1)
def linalg_qr(A, kind="reduced"):
    """A = Q R with orthonormal columns of Q and upper triangular R."""
    check_matrix("linalg.qr", A)
    check_floating("linalg.qr", A, "geqrf_cpu")
    if kind not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{kind}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    if kind == "r":
        return np.zeros(0, A.dtype), np.linalg.qr(A, "r")
    return tuple(np.linalg.qr(A, kind))
