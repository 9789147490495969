"""Products of few numbers, which have PyTorch's bits: each product is rounded, and they are added one after the other.

BLAS, and PyTorch for larger matrices, adds products that are not rounded.

Note [Sums without terms]
c_einsum takes elements that lie after an empty array for terms if strides are alike (NumPy 2.4); BLAS returns zeros.
"""

import numpy as np
from numpy._core.multiarray import c_einsum

from tensh.engine.operators.precision import ONES

ROWS, COLUMNS = 4, 12  # rows and columns from which PyTorch multiplies matrices in another way
DEPTH, DEPTH_OF_LINES, DEPTH_OF_VECTORS = 16, 3, 4  # most products of a sum, of rows by columns in memory, of vectors
PRODUCTS = 1 << 11  # products of two numbers, which take up to two microseconds; more would take five times BLAS's time
BATCH = 400  # products of each of several pairs of matrices from which PyTorch multiplies them as single ones
LANES = 16  # bytes from which c_einsum adds several products of a row in parallel
BATCHES = 1 << 13  # products of all pairs


def has_few(rows, depth, columns):
    """Return True if a product of matrices of these sizes may be written out."""
    return depth <= DEPTH and (rows < ROWS or columns < COLUMNS) and rows * depth * columns <= PRODUCTS


def multiply_few(first, second):
    """Return the product of two matrices of one dtype that are small in one dimension, or None for BLAS to compute."""
    (rows, inner), (depth, columns) = first.shape, second.shape
    # BLAS refuses other sizes, c_einsum would repeat a single column; for empty ones see Note [Sums without terms].
    if not inner == depth > 0:
        return None
    if rows * depth * columns > PRODUCTS or second.dtype not in ONES:
        return None
    if second.strides[1] != second.itemsize:
        if depth > DEPTH_OF_LINES and first.strides[0] != first.itemsize:
            return None
        second = np.ascontiguousarray(second)  # c_einsum would add products that are adjacent in another order
    return c_einsum("ik,kj->ij", first, second, order="C")


def multiply_few_by_vector(matrix, vector):
    """Return the product of a matrix and a vector of up to DEPTH_OF_VECTORS elements."""
    if vector.dtype not in ONES or not matrix.shape[1] == len(vector) > 0:  # Note [Sums without terms]
        return matrix.dot(vector)
    if len(vector) == 2 or vector.nbytes < LANES:
        return c_einsum("ik,k->i", matrix, vector)
    return np.add.reduce(matrix.T * vector[:, None], 0)


def multiply_few_in_batches(first, second):
    """Return the products of two stacks of few matrices of few elements, or None for BLAS to compute."""
    number, rows, depth = first.shape
    columns = second.shape[2]
    work = rows * depth * columns
    if (
        not work  # Note [Sums without terms]
        or (work >= BATCH and (rows >= ROWS and columns >= COLUMNS or depth > DEPTH))
        or number * work > BATCHES
        or second.dtype not in ONES
    ):
        return None
    return c_einsum("bik,bkj->bij", first, second, order="C")
