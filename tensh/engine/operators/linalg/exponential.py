"""The exponential of matrices, by scaling, a rational approximation, and squaring."""

import math

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.operators.linalg.shared import check_floating, check_square
from tensh.engine.operators.precision import F8, widen

DEGREE = 13
COEFFICIENTS = [
    math.factorial(2 * DEGREE - k) * math.factorial(DEGREE)
    / (math.factorial(2 * DEGREE) * math.factorial(k) * math.factorial(DEGREE - k))
    for k in range(DEGREE + 1)
]  # fmt: skip
LARGEST = 5.37  # the norm up to which the approximation is exact in float64


@op(
    public=False,
    A="matrix_exp(with_corner(mH(A), g))[..., :A.shape[-1], A.shape[-1]:]",
    node="LinalgMatrixExpBackward0",
)
def matrix_exp(A):
    """The exponential of square matrices."""
    check_square("linalg.matrix_exp", A)
    check_floating("linalg.matrix_exp", widen(A))
    if not A.size:
        return A.copy()
    dtype = A.dtype
    A = widen(A)
    A = A.astype(np.result_type(A, F8))  # squaring loses accuracy
    norm = np.abs(A).sum(-2).max(-1)
    halvings = np.maximum(0, np.ceil(np.log2(np.where(norm > LARGEST, norm / LARGEST, 1))))
    halvings = np.where(np.isfinite(halvings), halvings, 0).astype(np.int64)
    scaled = A / np.exp2(halvings)[..., None, None]
    result = rational(scaled)
    for step in range(int(halvings.max())):
        result = np.where((step < halvings)[..., None, None], result @ result, result)
    return result.astype(dtype, copy=False)


def rational(A):
    """The diagonal Pade approximation of the exponential."""
    one = np.eye(A.shape[-1], dtype=A.dtype)
    square = A @ A
    power, even, odd = one, COEFFICIENTS[0] * one, COEFFICIENTS[1] * one
    for k in range(2, DEGREE, 2):
        power = power @ square
        even = even + COEFFICIENTS[k] * power
        odd = odd + COEFFICIENTS[k + 1] * power
    odd = A @ odd
    return np.linalg.solve(even - odd, even + odd)


@op(
    public=False,
    A="g[..., :A.shape[-1], :A.shape[-1]] + g[..., A.shape[-1]:, A.shape[-1]:]",
    corner="g[..., :corner.shape[-1], corner.shape[-1]:]",
)
def with_corner(A, corner):
    """Block matrices with A twice on the diagonal, and ``corner`` at the upper right."""
    n = A.shape[-1]
    result = np.zeros((*A.shape[:-2], 2 * n, 2 * n), np.result_type(A, corner))
    result[..., :n, :n] = result[..., n:, n:] = A
    result[..., :n, n:] = corner
    return result
