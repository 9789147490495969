"""Functions of linear algebra that PyTorch composes of ``aten`` operators."""

import math

import tensh as torch
from tensh._aten.calls import aten


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    if isinstance(p, str) and p != "fro" or out is not None or dtype is not None:
        return NotImplemented
    if dim is None:
        return aten("linalg_vector_norm", input, *(() if p in ("fro", 2) else (p,)))
    dims = [dim] if isinstance(dim, int) else list(dim)
    return aten("linalg_vector_norm", input, 2 if p == "fro" else p, dims, *([True] if keepdim else ()))


def linalg_norm(A, ord=None, dim=None, keepdim=False, dtype=None):
    """``torch.linalg.norm`` as a norm of vectors; NotImplemented for one of matrices."""
    dims = A.dim() if dim is None else 1 if isinstance(dim, int) else len(dim)
    if isinstance(ord, str) or dtype is not None or (ord is not None and dims != 1):
        return NotImplemented
    return norm(A, 2 if ord is None else ord, dim, keepdim)


def lu_solve(a, b, c, **options):
    """``torch.lu_solve(B, LU, pivots)`` and ``torch.linalg.lu_solve(LU, pivots, B)``."""
    return aten("linalg_lu_solve", *((b, c, a) if b.is_floating_point() or b.is_complex() else (a, b, c)), **options)


def tensorinv(input, ind=2):
    first, last = list(input.shape[:ind]), list(input.shape[ind:])
    matrix = input.reshape([math.prod(first), math.prod(last)])
    return torch.linalg.inv(matrix).reshape([*last, *first])
