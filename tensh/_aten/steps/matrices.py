"""Linear algebra as PyTorch's functions call it: operators on tensors of wrapper subclasses, which modes and graphs see."""

import math

import tensh as torch
from tensh._aten.calls import aten


def check(info, name, A):
    """Call the operator that raises for matrices that failed."""
    aten("_linalg_check_errors", info, name, is_matrix=A.dim() == 2)


def name_parts(name, *parts):
    """Return a named tuple of ``torch.return_types``."""
    return getattr(torch.return_types, name)(parts)


def given(**options):
    """Return the options that differ from their defaults, which are False."""
    return {name: value for name, value in options.items() if value}


def factor(A, upper=False, name=None):
    """Compute Cholesky factors; ``name``, which tensh's operator takes for its errors, is ignored."""
    return aten("linalg_cholesky_ex", A, **given(upper=upper))


def cholesky(A, *, upper=False):
    L, info = factor(A, upper)
    check(info, "linalg.cholesky", A)
    return L


def inv(A):
    inverse, info = aten("linalg_inv_ex", A)
    check(info, "linalg.inv", A)
    return inverse


def solve(A, B, *, left=True):
    found, _, _, info = aten("_linalg_solve_ex", A, B, **({} if left else {"left": False}))
    check(info, "torch.linalg.solve", A)
    return found


def solve_ex(A, B, *, left=True, check_errors=False):
    if check_errors:
        return NotImplemented
    found, _, _, info = aten("_linalg_solve_ex", A, B, **({} if left else {"left": False}))
    return name_parts("linalg_solve_ex", found, info)


def slogdet(A):
    return name_parts("linalg_slogdet", *aten("_linalg_slogdet", A)[:2])


def logdet(A):
    sign, logarithm = aten("_linalg_slogdet", A)[:2]
    negative = aten("eq", sign, -1.0)
    missing = torch.ops.aten.scalar_tensor.default(
        math.nan, dtype=logarithm.dtype, layout=torch.strided, device=torch.device("cpu")
    )
    return aten("where", negative, missing, logarithm)


def eigh(A, UPLO="L"):
    return name_parts("linalg_eigh", *aten("_linalg_eigh", A, *([] if UPLO == "L" else [UPLO])))


def svd(A, full_matrices=True, *, driver=None):
    return name_parts("linalg_svd", *aten("_linalg_svd", A, full_matrices))


def lu_factor(A, *, pivot=True):
    LU, pivots, info = aten("linalg_lu_factor_ex", A, **({} if pivot else {"pivot": False}))
    check(info, "torch.linalg.lu_factor", A)
    return name_parts("linalg_lu_factor", LU, pivots)


def vector_norm(x, ord=2, dim=None, keepdim=False, dtype=None):
    """Compute norms; dimensions are a number or a sequence, as for tensh's operator."""
    dims = None if dim is None else [dim] if isinstance(dim, int) else list(dim)
    return aten("linalg_vector_norm", x, ord, *([] if dims is None else [dims, *([True] if keepdim else [])]))


STEPS = {
    "linalg_cholesky": cholesky, "linalg_inv": inv, "inv": inv, "inverse": inv, "linalg_solve": solve, "solve": solve,
    "linalg_solve_ex": solve_ex, "solve_ex": solve_ex, "linalg_slogdet": slogdet, "slogdet": slogdet, "logdet": logdet,
    "linalg_eigh": eigh, "eigh": eigh, "linalg_svd": svd, "linalg_lu_factor": lu_factor, "lu_factor": lu_factor,
}  # fmt: skip
"""Function -> its operators."""
LIFTED = {"linalg_cholesky_ex": factor, "linalg_slogdet": slogdet, "vector_norm": vector_norm}
"""Operator of tensh -> PyTorch's, with PyTorch's arguments."""
