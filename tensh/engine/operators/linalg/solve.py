"""Systems of linear equations: inverse, solve, triangular systems, and systems with a Cholesky factor."""

import functools

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import word
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.warnings import warn_once
from tensh.engine.operators.linalg.factor import lower_upper, row_order
from tensh.engine.operators.linalg.products import mH
from tensh.engine.operators.linalg.shared import (
    SINGULAR,
    LinAlgError,
    check_floating,
    check_same_dtype,
    check_square,
    each,
    first_failure,
    make_columns,
    return_columns,
)


# ── general matrices ─────────────────────────────────────────────────────────
def zero_pivot(A):
    """Return the index of the first zero pivot of every matrix, from 1; 0 if there is none."""
    return lower_upper(A)[2]


@op(public=False, outs=("inverse", "info"), A="-(mH(inverse) @ (g @ mH(inverse)))")
@return_columns(0)
def linalg_inv_ex(A):
    """The inverses of square matrices, and which pivot was zero."""
    check_square("linalg.inv", A)
    check_floating("linalg.inv", A)
    try:
        return np.linalg.inv(A), np.zeros(A.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        return each(A, lambda matrix: (inverse_or_inf(matrix),))[0], zero_pivot(A)


def inverse_or_inf(matrix):
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return np.full_like(matrix, np.inf)


@op(
    public=False,
    outs=("result", "info"),
    let={"gB": "linalg_solve_ex(mH(A), g, left, vector)[0]"},
    A="-(as_columns(gB, vector) @ mH(as_columns(result, vector))) if left else -(mH(result) @ gB)",
    B="gB",
)
def linalg_solve_ex(A, B, left=True, vector=False):
    """The solutions of A X = B (of X A = B if not ``left``), and which pivot was zero."""
    if not left:
        result, info = linalg_solve_ex.kernel(A.swapaxes(-2, -1), B.swapaxes(-2, -1))
        return result.swapaxes(-2, -1), info
    right = B[..., None] if vector else B
    try:
        result, info = np.linalg.solve(A, right), np.zeros(A.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        batch = np.broadcast_shapes(A.shape[:-2], right.shape[:-2])
        whole = np.broadcast_to(A, (*batch, *A.shape[-2:])), np.broadcast_to(right, (*batch, *right.shape[-2:]))
        result, info = each(whole[0], solution_or_inf, whole[1])[0], zero_pivot(A)
    return make_columns(result[..., 0] if vector else result), info


def solution_or_inf(matrix, right):
    try:
        return (np.linalg.solve(matrix, right),)
    except np.linalg.LinAlgError:
        return (np.full_like(right, np.inf),)


# ── triangular matrices ──────────────────────────────────────────────────────
SPLIT = 16  # the size up to which equations are solved one by one, or by LAPACK; larger systems are split in two


def substitute(A, B, upper, unit):
    """Return X of A X = B for triangular A, whose other half is not read; a zero on the diagonal gives inf."""
    n = A.shape[-1]
    if n > SPLIT:
        half = n // 2
        first, last = (slice(half), slice(half, None)) if not upper else (slice(half, None), slice(half))
        one = substitute(A[..., first, first], B[..., first, :], upper, unit)
        rest = B[..., last, :] - A[..., last, first] @ one
        two = substitute(A[..., last, last], rest, upper, unit)
        return np.concatenate([two, one] if upper else [one, two], -2)
    if n > 1 and B.size and A.dtype is B.dtype:
        X = solve_as_factored(A, B, upper, unit)
        if X is not None and np.isfinite(X).all():
            return X
    return substitute_rows(A, B, upper, unit)


def solve_as_factored(A, B, upper, unit):
    """Return X by LAPACK, to which an upper triangular matrix is its own factor U; None for a zero on the diagonal.

    Rows and columns of a lower triangular one are reversed.
    """
    if not upper:
        A, B = A[..., ::-1, ::-1], B[..., ::-1, :]
    above = triangle(A.shape[-1])
    whole = np.where(above, A, above.dtype.type(0))
    if unit:
        each = np.arange(A.shape[-1])
        whole[..., each, each] = 1
    try:
        X = np.linalg.solve(whole, B)
    except np.linalg.LinAlgError:
        return None
    return X if upper else X[..., ::-1, :].copy()


@functools.lru_cache(SPLIT)
def triangle(n):
    """Return the mask of the upper half of a matrix."""
    return np.triu(np.ones((n, n), bool))


def substitute_rows(A, B, upper, unit):
    """Return X row by row: that has infinities where LAPACK gives up."""
    n = A.shape[-1]
    X = np.array(np.broadcast_to(B, (*np.broadcast_shapes(A.shape[:-2], B.shape[:-2]), *B.shape[-2:])))
    for i in reversed(range(n)) if upper else range(n):
        done = slice(i + 1, None) if upper else slice(i)
        row = X[..., i, :]
        row -= (A[..., i, None, done] @ X[..., done, :])[..., 0, :]
        if not unit:
            row /= A[..., i, i, None]
    return X


HALF = "triu({}, 1 if unitriangular else 0) if upper else tril({}, -1 if unitriangular else 0)"
SLOPE = "(-(gB @ mH(out)) if left else -(mH(out) @ gB))"


@op(
    public=False,
    let={"gB": "linalg_solve_triangular(mH(A), g, not upper, left, unitriangular)"},
    A=HALF.format(SLOPE, SLOPE),
    B="gB",
)
def linalg_solve_triangular(A, B, upper, left=True, unitriangular=False):
    """The solutions of A X = B (of X A = B if not ``left``) for triangular A."""
    name = "linalg.solve_triangular"
    check_same_dtype(name, A, B)
    for letter, each_one in (("A", A), ("B", B)):
        if each_one.ndim < 2:
            raise RuntimeError(f"{name}: The input tensor {letter} must have at least 2 dimensions.")
    check_square(name, A)
    check_fit(name, A.shape, B.shape, left)
    check_floating(None, A, "triangular_solve_cpu")
    if left:
        return make_columns(substitute(A, B, upper, unitriangular))
    X = substitute(A.swapaxes(-2, -1), B.swapaxes(-2, -1), not upper, unitriangular)
    return make_columns(X.swapaxes(-2, -1))


def check_fit(name, A, B, left):
    """Return True if the rows (or columns) of B fit the matrices; A and B are shapes."""
    if A[-2 if left else -1] != B[-2 if left else -1]:
        (n, m), (p, q) = A[-2:], B[-2:]
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(f"{name}: Incompatible shapes of A and B for the equation {equation} ({n}x{m} and {p}x{q})")


@op(
    outs=("solution", "cloned_coefficient"),
    many=True,
    let={
        "gB": "solve_triangle(conj(A), g_solution, upper, not transpose, unitriangular)",
        "slope": "-(conj(solution) @ mT(gB)) if transpose else -(gB @ mH(solution))",
        "half": HALF.format("slope", "slope"),
    },
    b="gB",
    A="half + g_cloned_coefficient",
)
@return_columns(0, 1)
def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False):
    """The solutions of A X = b for triangular A (of the transposed equations with ``transpose``), and A.

    Differentiable.  Shapes: b [..., n, k], A [..., n, n]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.triangular_solve(torch.tensor([[2.0]]), torch.tensor([[4.0]])).solution
    tensor([[0.5000]])
    """
    for each_one in (A, b):
        if each_one.ndim < 2:
            raise RuntimeError(
                "torch.triangular_solve: Expected " + ("A" if each_one is A else "b")
                + f" to have at least 2 dimensions, but it has {each_one.ndim} dimensions instead"
            )  # fmt: skip
    check_equations("triangular_solve", A, b)
    warn_once(
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future "
        "PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the "
        "inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\n"
        "X = torch.linalg.solve_triangular(A, B)."
    )
    check_floating(None, A, "triangular_solve_cpu")
    batch = np.broadcast_shapes(A.shape[:-2], b.shape[:-2])
    return solve_triangle.kernel(A, b, upper, transpose, unitriangular), np.array(
        np.broadcast_to(A, (*batch, *A.shape[-2:]))
    )


@op(
    public=False,
    node="TriangularSolveBackward0",
    let={
        "gB": "solve_triangle(conj(A), g, upper, not transpose, unitriangular)",
        "slope": "-(conj(out) @ mT(gB)) if transpose else -(gB @ mH(out))",
    },
    A=HALF.format("slope", "slope"),
    B="gB",
)
def solve_triangle(A, B, upper, transpose, unitriangular):
    """Return X of A X = B, or of A^T X = B, for triangular A."""
    return substitute(A.swapaxes(-2, -1) if transpose else A, B, upper != transpose, unitriangular)


def check_equations(name, A, b):
    """Raise RuntimeError for equations A X = b of two dtypes, without square matrices, or of sizes that do not fit."""
    if A.dtype is not b.dtype:
        one, other = BY_NUMPY[b.dtype].title, BY_NUMPY[A.dtype].title
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {one} and A of type {other} instead."
        )
    rows, columns = A.shape[-2:]
    if rows != columns:
        raise RuntimeError(f"A must be batches of square matrices, but they are {rows} by {columns} matrices")
    if columns != b.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {rows} by {columns} but each b matrix is "
            f"{b.shape[-2]} by {b.shape[-1]}"
        )


# ── matrices given by their Cholesky factor ──────────────────────────────────
@op(
    let={
        "gB": "cholesky_solve(g, L, upper)",
        "common": "gB @ mH(out)",
        "both": "common + mH(common)",
    },
    B="gB",
    L="-(L @ both) if upper else -(both @ L)",
)
@return_columns()
def cholesky_solve(B, L, upper=False):
    """The solutions of A X = B for A = L L^H (A = L^H L if ``upper``).  Differentiable.

    Shapes: B [..., n, k], L [..., n, n]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.cholesky_solve(torch.tensor([[8.0]]), torch.tensor([[2.0]]))
    tensor([[2.]])
    """
    for array, letter in ((B, "b"), (L, "u")):
        if array.ndim < 2:
            raise RuntimeError(f"{letter} should have at least 2 dimensions, but has {array.ndim} dimensions instead")
    check_equations("cholesky_solve", L, B)
    check_floating(None, L, "cholesky_solve_cpu")
    adjoint = np.conj(L.swapaxes(-2, -1))
    first, second = (adjoint, L) if upper else (L, adjoint)
    return substitute(second, substitute(first, B, False, False), True, False)


@op(
    let={"common": "out @ (g + mH(g)) @ out"},
    L="-(L @ common) if upper else -(common @ L)",
)
@return_columns()
def cholesky_inverse(L, upper=False):
    """The inverse of A = L L^H (A = L^H L if ``upper``).  Differentiable.

    Shape: [..., n, n]. Raise RuntimeError for other shapes, LinAlgError for a factor with a zero on its diagonal.

    >>> import tensh as torch
    >>> torch.cholesky_inverse(torch.tensor([[2.0]]))
    tensor([[0.2500]])
    """
    check_square("cholesky_inverse", L)
    check_floating(None, L, "cholesky_inverse_out_cpu")
    require_invertible("cholesky_inverse", L)
    eye = np.broadcast_to(np.eye(L.shape[-1], dtype=L.dtype), L.shape)
    return cholesky_solve.kernel(eye, L, upper)


def require_invertible(name, triangles):
    """Raise unless the diagonals of triangular matrices are without zeros."""
    zeros = triangles.diagonal(0, -2, -1) == 0
    failure = first_failure(np.where(zeros.any(-1), zeros.argmax(-1) + 1, 0)) if zeros.any() else None
    if failure is not None:
        place, number = failure
        raise LinAlgError(f"{name}: {place}{SINGULAR.format(number)}")


# ── matrices given by their LU factors ───────────────────────────────────────
@op(
    public=False,
    let={
        "gB": "linalg_lu_solve(LU, pivots, g, left, not adjoint)",
        "L": "plu(LU, pivots)[0]",
        "U": "plu(LU, pivots)[1]",
        "P": "plu(LU, pivots)[2]",
        "slope": "lu_slope(P, L, U, out, gB, left, adjoint)",
    },
    LU="tril(slope[0], -1) + triu(slope[1], 0)",
    pivots=None,
    B="gB",
)
def linalg_lu_solve(LU, pivots, B, left, adjoint):
    """The solutions of A X = B (X A = B if not ``left``, A^H in place of A with ``adjoint``) for A = P L U."""
    if not left:
        return np.conj(
            linalg_lu_solve.kernel(LU, pivots, np.conj(B.swapaxes(-2, -1)), True, not adjoint).swapaxes(-2, -1)
        )
    require_rows(pivots, LU.shape[-2])
    order = row_order(pivots, LU.shape[-2])
    batch = np.broadcast_shapes(LU.shape[:-2], B.shape[:-2])
    order = np.broadcast_to(order, (*batch, order.shape[-1]))[..., None]
    B = np.broadcast_to(B, (*batch, *B.shape[-2:]))
    if not adjoint:
        return make_columns(substitute(LU, substitute(LU, np.take_along_axis(B, order, -2), False, True), True, False))
    H = np.conj(LU.swapaxes(-2, -1))
    X = np.empty(B.shape, np.result_type(LU, B))
    np.put_along_axis(X, order, substitute(H, substitute(H, B, False, False), True, True), -2)
    return make_columns(X)


def require_rows(pivots, rows):
    """Raise RuntimeError unless the pivots are row indices, counted from 1."""
    for wrong, bound in ((pivots < 1, "greater or equal to 1"), (pivots > rows, "smaller or equal to LU.size(-2)")):
        if wrong.any():
            raise RuntimeError(
                f"Pivots given to lu_solve must all be {bound}. Did you properly pass the result of lu_factor?"
            )


@word
def lu_slope(P, L, U, X, gB, left, adjoint):
    """Return the gradients of L and U, from the gradient of A = P L U."""
    slope = -(mH(X) @ gB) if not left else -(gB @ mH(X))
    if adjoint:
        slope = mH(slope)
    back = mH(P) @ slope
    return back @ mH(U), mH(L) @ back
