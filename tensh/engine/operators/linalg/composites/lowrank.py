"""Low-rank factorizations by random projection, and factorizations of symmetric matrices."""

from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.public_forms import function
from tensh.engine.codegen.return_types import return_type
from tensh.engine.core import lift
from tensh.engine.dispatch.override.points import watch_check, watch_inner
from tensh.engine.operators.linalg import shared, symmetric
from tensh.engine.operators.linalg.composites.factors import linalg_qr
from tensh.engine.operators.linalg.composites.products import matmul
from tensh.engine.operators.linalg.composites.spectra import linalg_svd
from tensh.engine.operators.namespaces import linalg
from tensh.engine.operators.random.composites.drawing import randn


# ── low rank ─────────────────────────────────────────────────────────────────
def directions(A, q, niter, M):
    """Q with orthonormal columns that approximate the range of ``A - M``, from ``q`` random vectors."""
    start = function(randn)(A.shape[-1], q, dtype=A.dtype)
    Q = linalg_qr(multiply_difference(A, M, start))[0]
    for _ in range(niter or 0):
        Q = linalg_qr(multiply_difference(A.mH, None if M is None else M.mH, Q))[0]
        Q = linalg_qr(multiply_difference(A, M, Q))[0]
    return Q


def multiply_difference(A, M, Q):
    """Return ``(A - M) Q`` as the difference of two products."""
    product = matmul(A, Q)
    return product if M is None else product - matmul(M, Q)


@composite(method=False)
def svd_lowrank(A, q=6, niter=2, M=None):
    """U, S and V of approximately ``A - M = U diag(S) V^H`` with ``q`` columns, from random directions.  Differentiable.

    Shapes: [..., m, n] to [..., m, q], [..., q], [..., n, q]. Raise RuntimeError for a negative ``q``.
    """
    m, n = A.shape[-2:]
    M = None if M is None else M.broadcast_to(A.shape)
    wide = m < n
    if wide:
        A, M = A.mH, None if M is None else M.mH
    Q = directions(A, q, niter, M)
    core = matmul(Q.mH, A)
    if M is not None:
        core = core - matmul(Q.mH, M)
    U, S, Vh = linalg_svd(core, full_matrices=False)
    U, V = matmul(Q, U), Vh.mH
    return (V, S, U) if wide else (U, S, V)


@composite(method=False)
def pca_lowrank(A, q=None, center=True, niter=2):
    """U, S and V of the ``q`` main directions of the rows of A (minus their mean if ``center``).  Differentiable.

    Shapes: [..., m, n] to [..., m, q], [..., q], [..., n, q]. Raise ValueError for a ``q`` out of range.
    """
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(dim=(-2,), keepdim=True) if center else A, q, niter=niter)


# ── symmetric matrices ───────────────────────────────────────────────────────
Factored = return_type("linalg_ldl_factor", ("LD", "pivots"))
ZERO = (
    'false INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src/ATen/native/BatchLinearAlgebra.cpp":1642, please report a bug to '
    "PyTorch. {}: Unknown error code: {}."
)


def refuse_zero(name, info, words):
    """Raise RuntimeError for the first matrix with a zero block."""
    failure = shared.first_failure(lift.all_samples(info))
    if failure is not None:
        raise RuntimeError(words.format(name, failure[1]))


watch_inner(refuse_zero, "raise_failed")
watch_check(refuse_zero)


@linalg
def ldl_factor(input, *, hermitian=False):
    """L and D of A = L D L^T in one array, for symmetric (``hermitian``: Hermitian) A, and the rows that were swapped.

    Shape: [..., n, n]. Raise RuntimeError if a block of D is zero.
    """
    LD, pivots, info = symmetric.linalg_ldl_factor_ex.fn(input, hermitian)
    refuse_zero("torch.linalg.ldl_factor", info, ZERO)
    return Factored((LD, pivots))


@linalg
def ldl_factor_ex(input, *, hermitian=False, check_errors=False):
    """The result of ``ldl_factor``, and the index of the first zero block of D, from 1 (or 0).

    Shape: [..., n, n]. Raise RuntimeError with ``check_errors`` if there is one.
    """
    result = symmetric.linalg_ldl_factor_ex.fn(input, hermitian)
    if check_errors:
        refuse_zero("torch.linalg.ldl_factor_ex", result[2], ZERO)
    return result


@linalg
def ldl_solve(LD, pivots, B, *, hermitian=False):
    """The solutions X of A X = B from the result of ``ldl_factor`` for A.  Shapes: [..., n, n] and B [..., n, k]."""
    return symmetric.linalg_ldl_solve.fn(LD, pivots, B, hermitian)
