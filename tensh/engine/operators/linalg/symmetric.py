"""The factorization of symmetric matrices that need not be positive: A = L D L^T by symmetric pivoting.

D has blocks of one or two rows.  In LAPACK's form, L and D are in the lower half of one array; ``pivots`` are the rows
(from 1) that each row was swapped with, negative and in pairs for a block of two.
"""

import math

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.dtypes.dtype import BY_NUMPY, DIFFERENTIABLE
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.linalg.shared import (
    check_floating,
    check_square,
    each,
    empty_in_any_dtype,
    require_batches,
    require_pivots,
    return_columns,
)

GROWTH = (1 + math.sqrt(17)) / 8  # the ratio below which a block of two rows bounds the growth of the elements


def size(x):
    """Return LAPACK's measure of complex numbers, for comparisons only."""
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)


def factor_symmetric(matrix, hermitian):
    """Return (LD, pivots, info) of one matrix, of which the lower half is read."""
    a = np.array(matrix)
    n = len(a)
    pivots, info = np.zeros(n, np.int32), 0
    conj = np.conj if hermitian else np.asarray
    k = 0
    while k < n:
        pivot, step = choose(a, k, hermitian)
        if pivot is None:
            info = info or k + 1
            pivots[k] = k + 1
            k += 1
            continue
        row = k + step - 1
        if pivot != row:
            swap(a, row, pivot, conj)
            if step == 2:
                a[k + 1, k], a[pivot, k] = a[pivot, k], a[k + 1, k]
        if hermitian:
            for i in range(k, min(k + step, n)):
                a[i, i] = a[i, i].real
        eliminate(a, k, step, conj)
        pivots[k] = pivot + 1 if step == 1 else -(pivot + 1)
        if step == 2:
            pivots[k + 1] = pivots[k]
        k += step
    upper = np.triu_indices(n, 1)
    a[upper] = 0
    return a, pivots, np.int32(info)


def choose(a, k, hermitian):
    """Return (the row to swap here, the number of rows of the block); (None, 1) for a column of zeros."""
    diagonal = abs(a[k, k].real) if hermitian else size(a[k, k])
    below = size(a[k + 1 :, k])
    if not below.size:
        return (k, 1) if diagonal != 0 else (None, 1)
    largest = int(below.argmax()) + k + 1
    column = below.max()
    if max(diagonal, column) == 0 or np.isnan(diagonal):
        return None, 1
    if diagonal >= GROWTH * column:
        return k, 1
    row = size(a[largest, k:largest]).max()
    if largest < len(a) - 1:
        row = max(row, size(a[largest + 1 :, largest]).max())
    if diagonal >= GROWTH * column * (column / row):
        return k, 1
    own = abs(a[largest, largest].real) if hermitian else size(a[largest, largest])
    return (largest, 1) if own >= GROWTH * row else (largest, 2)


def swap(a, i, j, conj):
    """Swap rows and columns i < j of the part that is not yet factored, in the lower half."""
    a[j + 1 :, i], a[j + 1 :, j] = a[j + 1 :, j].copy(), a[j + 1 :, i].copy()
    a[i + 1 : j, i], a[j, i + 1 : j] = conj(a[j, i + 1 : j]).copy(), conj(a[i + 1 : j, i]).copy()
    a[j, i] = conj(a[j, i])
    a[i, i], a[j, j] = a[j, j], a[i, i]


def eliminate(a, k, step, conj):
    """Divide the block's columns by it, and update the rest of the matrix."""
    rest = slice(k + step, None)
    columns = a[rest, k : k + step].copy()
    block = a[k : k + step, k : k + step].copy()
    if step == 2:
        block[0, 1] = conj(block[1, 0])
    quotients = np.linalg.solve(block.T, columns.T).T if step == 2 else columns / block[0, 0]
    a[rest, rest] -= np.tril(quotients @ conj(columns).T)
    a[rest, k : k + step] = quotients


@op(
    public=False,
    outs=("LD", "pivots", "info"),
    node="NotImplemented",
    A="not_differentiable('linalg_ldl_factor_ex')",
)
@empty_in_any_dtype
@return_columns(0)
def linalg_ldl_factor_ex(A, hermitian=False):
    """L and D in one array, the swaps, and the number of the first zero block of D."""
    check_square("torch.linalg.ldl_factor_ex", A)
    check_floating("torch.linalg.ldl_factor_ex", A, "ldl_factor_kernel_cpu")
    if not A.size:
        return A.copy(), np.zeros(A.shape[:-1], np.int32), np.zeros(A.shape[:-2], np.int32)
    return tuple(each(A, lambda matrix: factor_symmetric(matrix, hermitian)))


@op(
    public=False,
    node="NotImplemented",
    LD="not_differentiable('linalg_ldl_solve')",
    pivots=None,
    B="not_differentiable('linalg_ldl_solve')",
)
@return_columns()
def linalg_ldl_solve(LD, pivots, B, hermitian=False):
    """The solutions of A X = B from the factors of A."""
    check_factors(LD, pivots, B)
    batch = np.broadcast_shapes(LD.shape[:-2], B.shape[:-2])
    if pivots.size and not 1 <= np.abs(pivots).min() <= np.abs(pivots).max() <= LD.shape[-1]:
        raise RuntimeError("torch.linalg.ldl_solve: pivots must be numbers of rows, as linalg.ldl_factor gives them")
    whole = [np.broadcast_to(a, (*batch, *a.shape[len(a.shape) - own :])) for a, own in ((LD, 2), (pivots, 1), (B, 2))]
    if not whole[2].size:
        return whole[2].copy()
    return each(whole[0], lambda a, p, b: (solve_factored(a, p, b, hermitian),), *whole[1:])[0]


def check_factors(LD, pivots, B):
    """Raise RuntimeError unless the factors of a matrix fit together, and its equations fit the right sides."""
    name = "torch.linalg.ldl_solve"
    check_square(name, LD)
    if LD.dtype.kind not in DIFFERENTIABLE:
        check_floating(name, LD)
    if B.dtype != LD.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {BY_NUMPY[B.dtype].title} and A of type "
            f"{BY_NUMPY[LD.dtype].title} instead."
        )
    wrap_dim(-2, B.ndim, scalar=False)
    if LD.shape[-1] != B.shape[-2]:
        sizes = [" by ".join(map(str, each.shape[-2:])) for each in (LD, B)]
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {sizes[0]} but each b matrix is {sizes[1]}"
        )
    require_pivots(name, "LD", LD, pivots)
    if pivots.dtype.kind not in "iu":
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {BY_NUMPY[pivots.dtype].title}")
    require_batches(B, LD)
    check_floating(name, LD, "ldl_solve_kernel_cpu")


def solve_factored(LD, pivots, B, hermitian):
    """Return X of P L D L^T P^T X = B, for one matrix."""
    conj = np.conj if hermitian else np.asarray
    X, n, steps, k = np.array(B), len(LD), [], 0
    while k < n:
        step = 1 if pivots[k] > 0 else 2
        steps.append((k, step, abs(int(pivots[k])) - 1))
        k += step
    for k, step, pivot in steps:
        row = k + step - 1
        X[[row, pivot]] = X[[pivot, row]]
        rest = slice(k + step, None)
        X[rest] -= LD[rest, k : k + step] @ X[k : k + step]
        block = LD[k : k + step, k : k + step].copy()
        if step == 2:
            block[0, 1] = conj(block[1, 0])
            X[k : k + step] = np.linalg.solve(block, X[k : k + step])
        else:
            X[k] *= 1 / block[0, 0]  # infinite for a zero, as LAPACK computes it
    for k, step, pivot in reversed(steps):
        rest = slice(k + step, None)
        X[k : k + step] -= conj(LD[rest, k : k + step]).T @ X[rest]
        row = k + step - 1
        X[[row, pivot]] = X[[pivot, row]]
    return X
