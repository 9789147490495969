"""torch.linalg: inverses, systems of equations, determinants, and factorizations."""

import numpy as np

from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.return_types import return_type
from tensh.engine.codegen.table import OR_THE_SAME
from tensh.engine.core import lift
from tensh.engine.core.tensor import wrap
from tensh.engine.dispatch.override.points import watch_check, watch_inner
from tensh.engine.operators.elementwise.table import where
from tensh.engine.operators.linalg import determinant, shared
from tensh.engine.operators.linalg import solve as solving
from tensh.engine.operators.linalg.shared import SINGULAR, LinAlgError, check_floating, check_same_dtype, check_square
from tensh.engine.operators.namespaces import everywhere, linalg


def raise_failed(name, info, words):
    """Raise for the first matrix that failed."""
    failure = shared.first_failure(lift.all_samples(info))
    if failure is not None:
        place, number = failure
        raise LinAlgError(f"{name}: {place}{words.format(number)}")


watch_inner(raise_failed, "raise_failed")
watch_check(raise_failed)


# ── inverses ─────────────────────────────────────────────────────────────────
@linalg
def inv(A):
    """The inverses of square matrices.  Raise LinAlgError if one is singular.  Differentiable.  Shape: [..., n, n].

    >>> import tensh as torch
    >>> torch.linalg.inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    inverse, info = solving.linalg_inv_ex.fn(A)
    raise_failed("linalg.inv", info, SINGULAR)
    return inverse


@composite(out=True)
def inverse(input):
    """The inverses of square matrices: ``torch.linalg.inv``.  Differentiable.

    Shape: [..., n, n]. Raise LinAlgError if one is singular.
    """
    return inv(input)


@linalg
def inv_ex(A, *, check_errors=False):
    """The inverses of square matrices, and for each the index of the zero pivot, from 1 (or 0).  Differentiable.

    Shape: [..., n, n]. Raise LinAlgError with ``check_errors``.
    """
    result = solving.linalg_inv_ex.fn(A)
    if check_errors:
        raise_failed("linalg.inv_ex", result[1], SINGULAR)
    return result


# ── equations ────────────────────────────────────────────────────────────────
def is_vector(A, B):
    """Return True if B is a batch of vectors rather than of matrices."""
    return B.ndim == 1 or (A.ndim - 1 == B.ndim and B.shape == A.shape[:-1])


def solve_checked(name, A, B, left):
    a, b = A.array, B.array
    if a.dtype.kind in "biu":
        shared.check_floating("linalg.solve", a, "lu_cpu")
    check_same_dtype("linalg.solve", a, b)
    check_square("linalg.solve", a)
    if not b.ndim:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    vector = is_vector(a, b)
    solving.check_fit("linalg.solve", a.shape, (*b.shape, 1) if vector else b.shape, left)
    shared.check_floating("linalg.solve", a, "lu_cpu")
    return solving.linalg_solve_ex.fn(A, B, left, vector and left)


@linalg
def solve(A, B, *, left=True):
    """The solutions X of A X = B (of X A = B if not ``left``); B holds matrices or vectors.

    Raise LinAlgError if a matrix is singular.  Differentiable.  Shapes: A [..., n, n] with B [..., n, k] or [..., n].

    >>> import tensh as torch
    >>> torch.linalg.solve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.tensor([2.0, 2.0]))
    tensor([1.0000, 0.5000])
    """
    result, info = solve_checked("linalg.solve", A, B, left)
    raise_failed("torch.linalg.solve", info, "The solver failed because the input matrix is singular.")
    return result


@linalg
def solve_ex(A, B, *, left=True, check_errors=False):
    """The solutions X of A X = B, and for each matrix the index of the zero pivot, from 1 (or 0).  Differentiable.

    Shapes: A [..., n, n], B [..., n, k]. Raise LinAlgError with ``check_errors``.
    """
    result = solve_checked("linalg.solve_ex", A, B, left)
    if check_errors:
        raise_failed("torch.linalg.solve_ex", result[1], "The solver failed because the input matrix is singular.")
    return result


@linalg(apart=OR_THE_SAME)
def solve_triangular(input, B, *, upper, left=True, unitriangular=False):
    """The solutions X of A X = B (of X A = B if not ``left``) for triangular A; the other half is not read.

    Differentiable.  Shapes: A [..., n, n], B [..., n, k].

    >>> import tensh as torch
    >>> torch.linalg.solve_triangular(torch.tensor([[2.0, 1.0], [0.0, 4.0]]), torch.tensor([[3.0], [4.0]]), upper=True)
    tensor([[1.],
            [1.]])
    """
    B = B if B.dtype is input.dtype else B.to(input.dtype)
    return solving.linalg_solve_triangular.fn(input, B, upper, left, unitriangular)


# ── determinants ─────────────────────────────────────────────────────────────
@everywhere
@linalg
def det(input):
    """The determinants of square matrices.  Differentiable.  Shape: [..., n, n] to [...].

    >>> import tensh as torch
    >>> torch.linalg.det(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor(8.)
    """
    return determinant.linalg_det.fn(input)


@linalg
def linalg_slogdet(A):
    """The signs of the determinants [..., n, n] and the logarithms of their magnitudes.  Differentiable.

    >>> import tensh as torch
    >>> torch.linalg.slogdet(torch.tensor([[1.0, 0.0], [0.0, -1.0]])).sign
    tensor(-1.)
    """
    return determinant.linalg_slogdet.fn(A)


@composite(out=True)
def slogdet(input):
    """The signs of the determinants [..., n, n] and the logarithms of their magnitudes.  Differentiable.

    Shape: [..., n, n] to two of [...].
    """
    return SignAndLogarithm(determinant.linalg_slogdet.fn(input))


SignAndLogarithm = return_type("slogdet", ("sign", "logabsdet"))


@composite
def logdet(input):
    """The logarithms of the determinants, nan for negative ones.  Differentiable.  Shape: [..., n, n] to [...].

    >>> import tensh as torch
    >>> torch.logdet(torch.eye(3))
    tensor(0.)
    """
    check_square("logdet", input.array)
    check_floating("logdet", input.array)
    sign, logarithm = determinant.linalg_slogdet.fn(input)
    if sign.array.dtype.kind == "c":
        return sign.log() + logarithm
    nan = wrap(np.full((), np.nan, input.array.dtype))
    return where.fn(sign.detach() == -1, nan, logarithm)
