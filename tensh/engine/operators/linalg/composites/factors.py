"""torch.linalg: factorizations of matrices, and their older forms in torch."""

import numpy as np

from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.codegen.return_types import return_type
from tensh.engine.core import lift
from tensh.engine.core.tensor import wrap
from tensh.engine.dispatch.override.points import watch_check
from tensh.engine.dtypes.dtype import DIFFERENTIABLE
from tensh.engine.errors.warnings import warn_once
from tensh.engine.inplace.out import write_out
from tensh.engine.operators.forms import require
from tensh.engine.operators.linalg import factor, householder
from tensh.engine.operators.linalg import solve as solving
from tensh.engine.operators.linalg.composites.equations import raise_failed
from tensh.engine.operators.linalg.shared import (
    check_floating,
    check_matrix,
    check_same_dtype,
    check_square,
    require_batches,
    require_pivots,
)
from tensh.engine.operators.namespaces import linalg

OLD = "torch.{} is deprecated in favor of torch.linalg.{} and will be removed in a future PyTorch release.\n"
OUTDATED = {
    "cholesky": OLD.format("cholesky", "cholesky")
    + "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = torch.cholesky(A, upper=True)\n"
    "should be replaced with\nU = torch.linalg.cholesky(A).mH\n"
    "This transform will produce equivalent results for all valid (symmetric positive definite) inputs.",
    "qr": OLD.format("qr", "qr")
    + "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\n"
    "should be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
    "lu": OLD.format("lu", "lu_factor / torch.linalg.lu_factor_ex")
    + "LU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\n"
    "LU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\n"
    "should be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
}

MINOR = (
    "The factorization could not be completed because the input is not positive-definite "
    "(the leading minor of order {} is not positive-definite)."
)


# ── Cholesky ─────────────────────────────────────────────────────────────────
@linalg
def linalg_cholesky(input, *, upper=False):
    """The lower triangular L of A = L L^H for positive-definite A (the upper U of A = U^H U with ``upper``).

    Raise LinAlgError if A is not positive-definite.  Differentiable.  Shape: [..., n, n].

    >>> import tensh as torch
    >>> torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 2.0]]))
    tensor([[2., 0.],
            [1., 1.]])
    """
    L, info = factor.linalg_cholesky_ex.fn(input, upper)
    raise_failed("linalg.cholesky", info, MINOR)
    return L


@linalg
def cholesky_ex(input, *, upper=False, check_errors=False):
    """The Cholesky factor, and the order of the first leading minor that is not positive-definite (or 0).  Differentiable.

    Shape: [..., n, n]. Raise LinAlgError with ``check_errors``.
    """
    result = factor.linalg_cholesky_ex.fn(input, upper)
    if check_errors:
        raise_failed("linalg.cholesky_ex", result[1], MINOR)
    return result


@composite(out=True)
def cholesky(input, upper=False):
    """The Cholesky factor: ``torch.linalg.cholesky``.  Differentiable.

    Shape: [..., n, n]. Raise LinAlgError if a matrix is not positive-definite.
    """
    require(input, "cholesky", "input", 1)
    warn_once(OUTDATED["cholesky"])
    raise_failed("cholesky", factor.linalg_cholesky_ex.fn(input.detach(), upper, "cholesky")[1], MINOR)
    return factor.cholesky_factor.fn(input, upper)


# ── QR ───────────────────────────────────────────────────────────────────────
@linalg
def linalg_qr(A, mode="reduced"):
    """Q with orthonormal columns and upper triangular R of A = Q R.

    ``mode`` is "reduced", "complete" (a square Q) or "r" (R only).  Differentiable.  Shape: [..., m, n] to [..., m, k]
    and [..., k, n].

    >>> import tensh as torch
    >>> Q, R = torch.linalg.qr(torch.tensor([[3.0], [4.0]]))
    >>> R.abs()
    tensor([[5.]])
    """
    return factor.linalg_qr.fn(A, mode)


QR = return_type("qr", ("Q", "R"))


@composite(out=True)
def qr(input, some=True):
    """Q and R of A = Q R: ``torch.linalg.qr``, complete unless ``some``.  Differentiable.  Shape: [..., m, n]."""
    require(input, "qr", "input", 1)
    warn_once(OUTDATED["qr"])
    return QR(factor.linalg_qr.fn(input, "reduced" if some else "complete"))


# ── LU ───────────────────────────────────────────────────────────────────────
Factored = return_type("linalg_lu_factor", ("LU", "pivots"))
ZERO = (
    "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform the "
    "factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)


def require_pivot(name, pivot):
    if not pivot:
        raise RuntimeError(f"{name}: LU without pivoting is not implemented on the CPU")


@linalg
def lu_factor(A, *, pivot=True):
    """L and U of A = P L U in one array, and the rows that were swapped.  Raise RuntimeError if U has a zero.

    Differentiable.  Shapes: [..., m, n] and pivots [..., min(m, n)].
    """
    require_pivot("linalg.lu_factor", pivot)
    LU, pivots, info = factor.linalg_lu_factor_ex.fn(A)
    raise_zero(info)
    return Factored((LU, pivots))


@watch_check
def raise_zero(info):
    """Raise RuntimeError for the first matrix whose U has a zero."""
    failures = lift.all_samples(info)
    if failures.any():
        number = int(failures[failures != 0].flat[0])
        place = f"(Batch element {int(np.flatnonzero(failures)[0])}): " if failures.ndim else ""
        raise RuntimeError(f"torch.linalg.lu_factor: {place}" + ZERO.format(number))


@linalg
def lu_factor_ex(A, *, pivot=True, check_errors=False):
    """L and U of A = P L U in one array, the row swaps, and the index of the first zero pivot, from 1 (or 0).

    Differentiable.

    Shape: [..., m, n]. Raise LinAlgError with ``check_errors``.
    """
    require_pivot("linalg.lu_factor", pivot)
    result = factor.linalg_lu_factor_ex.fn(A)
    if check_errors:
        raise_failed("torch.linalg.lu_factor_ex", result[2], ZERO)
    return result


@linalg
def linalg_lu(A, *, pivot=True):
    """P, L and U of A = P L U: a permutation, a unit lower and an upper triangular matrix.  Differentiable.

    Shapes: [..., m, n] to [..., m, m], [..., m, k], [..., k, n]. Raise RuntimeError without pivots.
    """
    require_pivot("linalg.lu_factor", pivot)
    L, U, P = factor.linalg_lu.fn(A)
    return Factors((P, L, U))


Factors = return_type("linalg_lu", ("P", "L", "U"))


@composite(method=False)
def lu(A, pivot=True, get_infos=False, out=None):
    """L and U of A = P L U in one array, and the rows that were swapped: ``torch.linalg.lu_factor``.

    With ``get_infos`` also the index of the first zero pivot, from 1 (or 0).  Differentiable.  Shape: [..., m,
    n]. Raise RuntimeError without pivots.
    """
    warn_once(OUTDATED["lu"])
    require_pivot("linalg.lu_factor", pivot)
    LU, pivots, info = factor.linalg_lu_factor_ex.fn(require(A, "_lu_with_info", "input", 1))
    result = WithInfo((LU, pivots, info)) if get_infos else (LU, pivots)
    return result if out is None else write_out(out, result, "lu")


@composite(function=False)
def lu_method(self, pivot=True, get_infos=False):
    """L and U of A = P L U in one array, and the rows that were swapped.  Differentiable.

    Shape: [..., m, n]. Raise RuntimeError without pivots.
    """
    return tuple(lu(self, pivot, get_infos))


METHODS["lu"] = METHODS.pop("lu_method")
WithInfo = return_type("_lu_with_info", ("LU", "pivots", "info"))


@composite(method=False, out=True)
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """P, L and U from the result of ``lu_factor``.  Differentiable.

    Shapes: [..., m, n], pivots [..., min(m, n)]. Raise RuntimeError for other shapes.
    """
    if LU_pivots.array.dtype != np.int32:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
            "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    if LU_data.array.ndim < 2:
        raise RuntimeError("torch.lu_unpack: The input tensor LU_data must have at least 2 dimensions.")
    L, U, P = factor.plu.fn(LU_data, LU_pivots)
    none = np.zeros(0, LU_data.array.dtype)
    return Unpacked((P if unpack_pivots else wrap(none), *((L, U) if unpack_data else (wrap(none), wrap(none)))))


Unpacked = return_type("lu_unpack", ("P", "L", "U"))


@linalg
def linalg_lu_solve(LU, pivots, B, *, left=True, adjoint=False):
    """The solutions X of A X = B (X A = B if not ``left``) from the result of ``lu_factor`` for A.  Differentiable.

    Shapes: LU [..., n, n], B [..., n, k]. Raise RuntimeError if the pivots do not fit.
    """
    name, A = "linalg.lu_solve", LU.array
    if A.dtype.kind not in DIFFERENTIABLE:
        check_floating(f"torch.{name}", A)
    check_same_dtype(name, A, B.array, ("LU", "B"))
    if pivots.array.dtype != np.int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    check_square(f"torch.{name}", A)
    check_matrix(name, B.array, "B")
    solving.check_fit(name, A.shape, B.array.shape, left)
    if not pivots.array.ndim or A.shape[-1] != pivots.array.shape[-1]:
        raise RuntimeError(f"{name}: Number of pivots per batch should be same as the dimension of the matrix")
    require_pivots(name, "LU", A, pivots.array)
    require_batches(B.array, A)
    check_floating(name, A, "linalg.lu_solve_cpu")
    return solving.linalg_lu_solve.fn(LU, pivots, B, left, adjoint)


@composite(out=True)
def lu_solve(input, LU_data, LU_pivots):
    """The solutions X of A X = b from the result of ``lu_factor`` for A.  Differentiable.

    Shapes: b [..., n, k]. Raise RuntimeError if the pivots do not fit.
    """
    (
        require(input, "lu_solve", "input", 1),
        require(LU_data, "lu_solve", "LU_data", 2),
        require(LU_pivots, "lu_solve", "LU_pivots", 3),
    )
    warn_once(
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch release.\n"
        "Note that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\nshould be replaced with\n"
        "X = torch.linalg.lu_solve(LU, pivots, B)"
    )
    return linalg_lu_solve(LU_data, LU_pivots, input)


@linalg
def householder_product(input, tau):
    """The first columns of Q, from the reflections of ``torch.geqrf``.  Differentiable.

    Shapes: [..., m, n] with ``tau`` [..., k] to [..., m, n].
    """
    return householder.linalg_householder_product.fn(input, tau)


PUBLIC["orgqr"] = METHODS["orgqr"] = householder_product
