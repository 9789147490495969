"""Determinants."""

import struct

import numpy as np

from tensh.engine.arrays.absent import is_absent
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import word
from tensh.engine.operators.linalg.shared import check_floating, check_square, empty_in_any_dtype
from tensh.engine.operators.precision import F4, F8


@word
def regular(determinant):
    """Return True if no determinant is zero."""
    return is_absent(determinant) or not bool((determinant == 0).any())


@op(
    public=False,
    A="of_matrices(g * conj(out)) * mH(linalg_inv_ex(A)[0]) if regular(out) else of_matrices(g) * conj(cofactors(A))",
)
@empty_in_any_dtype
def linalg_det(A):
    """The determinants of square matrices."""
    check_square("linalg.det", A)
    check_floating("linalg.det", A, "lu_cpu")
    if not 0 < A.size <= FEW or A.shape[-1] > SMALL.get(A.dtype, 0):
        return np.linalg.det(A)
    rounded = float if A.dtype is F8 else to_single
    try:
        if A.ndim == 2:
            return np.array(eliminate(A.T.tolist(), rounded), A.dtype)
        matrices = A.reshape(-1, *A.shape[-2:]).swapaxes(1, 2).tolist()
        return np.array([eliminate(rows, rounded) for rows in matrices], A.dtype).reshape(A.shape[:-2])
    except OverflowError:  # a step is beyond float32
        return np.linalg.det(A)


SMALL = {F4: 3, F8: 3}  # rows of matrices whose determinants have PyTorch's bits
FEW = 32  # elements of all matrices up to which this is done, in less time than NumPy takes
SINGLE = struct.Struct("f")


def to_single(number):
    """Round a number to float32; raise OverflowError if it is beyond."""
    return SINGLE.unpack(SINGLE.pack(number))[0]


def eliminate(rows, rounded):
    """Return the determinant of up to three rows by elimination, in the order of the library that PyTorch calls.

    ``rounded`` rounds the result of every step.  NumPy's determinant is the exponential of a logarithm, which is hardly
    ever a whole number.
    """
    if len(rows) == 1:
        return rows[0][0]
    if len(rows) == 2:
        return multiply_pivots(1.0, *rows[0], *rows[1], rounded)
    heads = abs(rows[0][0]), abs(rows[1][0]), abs(rows[2][0])
    place = 2 if heads[2] > heads[0] and heads[2] > heads[1] else 1 if heads[1] > heads[0] else 0
    rows[0], rows[place] = rows[place], rows[0]
    (head, x, y), (second, a, b), (third, c, d) = rows
    if head:
        inverse = rounded(1 / head)
        second, third = rounded(second * inverse), rounded(third * inverse)
        a, b = rounded(a - rounded(second * x)), rounded(b - rounded(second * y))
        c, d = rounded(c - rounded(third * x)), rounded(d - rounded(third * y))
    return multiply_pivots(-head if place else head, a, b, c, d, rounded)


def multiply_pivots(product, a, b, c, d, rounded):
    """Return ``product`` times the determinant of [[a, b], [c, d]], after one step of elimination."""
    if abs(c) > abs(a):
        a, b, c, d, product = c, d, a, b, -product
    return rounded(rounded(product * a) * (rounded(d - rounded(rounded(c / a) * b)) if a else d))


@op(public=False, A=None)
def cofactors(A):
    """The derivative of the determinant, also for singular matrices, from singular values: A = U S Vh."""
    U, S, Vh = np.linalg.svd(A)
    others = np.stack([np.prod(np.delete(S, i, -1), -1) for i in range(S.shape[-1])], -1)
    turn = np.linalg.det(U) * np.linalg.det(Vh)
    return (turn[..., None, None] * np.conj(U * others[..., None, :] @ Vh)).astype(A.dtype, copy=False)


@op(
    public=False,
    outs=("sign", "logabsdet"),
    many=True,
    let={"slope": "g_logabsdet + (g_sign * conj(sign)).imag * 1j if A.dtype.kind == 'c' else g_logabsdet"},
    A="of_matrices(slope) * mH(linalg_inv_ex(A)[0])",
)
def linalg_slogdet(A):
    """The sign of the determinants, and the logarithm of their magnitude."""
    check_square("linalg.slogdet", A)
    check_floating("linalg.slogdet", A)
    return tuple(map(np.asarray, np.linalg.slogdet(A)))
