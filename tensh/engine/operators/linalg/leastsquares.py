"""Pseudo-inverses and least squares, by singular values."""

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.operators.linalg.shared import check_floating

PINV = (
    "-mH({X} @ ({G} @ {X})) + ({G} @ {X}) @ mH({X}) - ({A} @ {X}) @ (({G} @ {X}) @ mH({X}))"
    " + (mH({X}) @ {X}) @ ({G} - ({G} @ {X}) @ {A})"
)
"""The derivative of a pseudo-inverse X of A for the adjoint G of X's gradient."""


@op(public=False, A=PINV.format(A="A", X="out", G="mH(g)"))
def linalg_pinv(A, atol, rtol, hermitian):
    """The pseudo-inverses; singular values up to ``max(atol, rtol * largest)`` count as zero."""
    check_floating("linalg.pinv", A)
    left, values, right = decompose(A, hermitian)
    return right * invert_values(values, atol, rtol)[..., None, :] @ np.conj(left.swapaxes(-2, -1))


def decompose(A, hermitian=False):
    """Return (left, values, right) of A = left diag(values) right^H."""
    if hermitian:
        values, vectors = np.linalg.eigh(A)
        return vectors, values, vectors
    left, values, right = np.linalg.svd(A, full_matrices=False)
    return left, values, np.conj(right.swapaxes(-2, -1))


def invert_values(values, atol, rtol):
    """Return the reciprocals of the values, and 0 for those that count as zero."""
    return np.where(exceed_tolerances(values, atol, rtol), 1 / values, 0).astype(values.dtype)


def exceed_tolerances(values, atol, rtol):
    """Return True for values above both tolerances for zero."""
    sizes = np.abs(values)
    return sizes > np.maximum(atol, rtol * sizes.max(-1, initial=0))[..., None]


@op(
    public=False,
    outs=("solution", "residuals", "rank", "singular_values"),
    many=True,
    let={
        "X": "as_columns(solution, vector)",
        "columns": "as_columns(B, vector)",
        "gX": "as_columns(g_solution, vector)",
        "pinv": "linalg_pinv(A, 0.0, rcond, False)",
        "rest": "(columns - A @ X) * in_columns(2 * g_residuals) if measured else None",
        "gB": "mH(pinv) @ gX + rest if measured else mH(pinv) @ gX",
        "gA": PINV.format(A="A", X="pinv", G="(columns @ mH(gX))"),
    },
    A="gA - rest @ mH(X) if measured else gA",
    B="gB.reshape(gB.shape[:-1]) if vector else gB",
)
def linalg_lstsq(A, B, rcond, driver, vector, measured):
    """The solutions X of minimum norm that minimize the norm of A X - B."""
    right = B[..., None] if vector else B
    left, values, basis = decompose(A)
    zero = np.zeros(values.shape[:-1], values.dtype)
    if driver == "gels":
        rcond = 0.0  # LAPACK assumes independent columns
    kept = exceed_tolerances(values, zero, rcond)
    if driver == "gelsy" and values.size and not kept.all():
        X, rank = solve_in_order(A, right, rcond)
    else:
        X = (basis * invert_values(values, zero, rcond)[..., None, :]) @ (np.conj(left.swapaxes(-2, -1)) @ right)
        rank = np.count_nonzero(kept, -1) if driver != "gels" else np.zeros(0, np.int64)
    rest = right - A @ X
    residuals = (rest.real**2 + rest.imag**2).sum(-2) if measured else np.zeros(0, values.dtype)
    shown = values if driver in ("gelsd", "gelss") else np.zeros(0, values.dtype)
    X = lengthen_columns(X, A.shape[-2])
    return X[..., 0] if vector else X, residuals, np.asarray(rank), shown


def lengthen_columns(X, rows):
    """Return solutions in the memory that LAPACK leaves them in: columns long enough for right sides of this many rows."""
    *batch, n, k = X.shape
    result = np.empty((*batch, k, max(n, rows)), X.dtype)[..., :n].swapaxes(-2, -1)
    result[...] = X
    return result


def solve_in_order(A, B, rcond):
    """Return (the solutions of minimum norm, the ranks) after the last columns have been dropped, if they are dependent.

    A column counts as dependent on those before it if it makes their triangle worse conditioned than ``1 / rcond``.
    LAPACK's gelsy would begin with the largest column; as PyTorch calls it, the columns stay in their order.
    """
    shape = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    matrices = np.broadcast_to(A, shape + A.shape[-2:]).reshape(-1, *A.shape[-2:])
    sides = np.broadcast_to(B, shape + B.shape[-2:]).reshape(-1, *B.shape[-2:])
    solutions, ranks = [], []
    for matrix, side in zip(matrices, sides, strict=True):
        basis, triangle = np.linalg.qr(matrix)
        rank = 0
        while rank < len(triangle):
            values = np.linalg.svd(triangle[: rank + 1, : rank + 1], compute_uv=False)
            if not values[0] or values[-1] < rcond * values[0]:
                break
            rank += 1
        solutions.append(np.linalg.pinv(triangle[:rank]) @ (np.conj(basis[:, :rank].T) @ side))
        ranks.append(rank)
    X = np.array(solutions, A.dtype).reshape(*shape, A.shape[-1], B.shape[-1])
    return X, np.array(ranks, np.int64).reshape(shape)
