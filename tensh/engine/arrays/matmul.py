"""Matrix products in blocks, which the engine's threads share.

Where a block begins depends on shapes alone, so that any number of threads gives the same bits.  Waiting threads sleep,
and blocks of late threads are done by others.
"""

import math

import numpy as np

from tensh.engine.arrays.blas import LIMIT
from tensh.engine.arrays.integers import MANY as INTEGERS
from tensh.engine.arrays.integers import multiply_integers
from tensh.engine.arrays.pieces import F4, multiply_stacks, suits
from tensh.engine.arrays.threads import pool, run
from tensh.engine.arrays.vectors import BLAS_HAS_AVX512

# Products of two numbers from which a matrix product is shared, and in a block of it where there are more than two.  One core
# takes 40 to 80 microseconds for 2**22 of float32 with AVX-512, up to 250 without, and another core begins after 20 to 50.
# BLAS lays the smaller matrix in order again for every block: 1024 x 128 x 512 takes 1.03 times as long in four blocks as in
# one, 1.3 times in sixteen.
PARALLEL_PRODUCT, BLOCK = (1 << 23 if BLAS_HAS_AVX512 else 1 << 22), 1 << 24
MOST = 8  # blocks of a product; sixteen of 1024 x 1024 x 1024 take 1.1 to 1.4 times as long, eight 1.05 times
COPIED = 512  # rows from which pieces pay even if a transposed second factor is copied for them: 0.93 of the time
LEAST = 32  # rows or columns of a block; BLAS is slow with fewer
STEP = 16  # rows or columns that BLAS processes at a time
# Where factors are exchanged: rows up to which it pays, and the least columns, sums and products of two numbers
FEW_ROWS, WIDE, EXCHANGED = 64, 128, 1 << 19
# Products of two numbers that the calling thread computes before another core begins.  The first of two blocks is larger by that:
# 64 x 784 x 256 takes 100 to 150 microseconds instead of 120 to 165 in equal blocks.
LEAD = 1 << 21


# ── the memory of BLAS ───────────────────────────────────────────────────────
ORDERED = 1 << 17  # products of two numbers from which BLAS copies factors to its own buffers
FILLING = (128, 128), (128, 776)  # shapes of a product that fills these buffers as far as BLAS prefetches


class Workspaces:
    """The buffers to which BLAS copies factors, one for each multiplying thread, and mostly unused.

    Its loops for AVX2 prefetch memory after the columns in use, and every prefetch from a page that was never written
    is a slow miss: 128 x 256 x 128 takes 840 microseconds instead of 230.  One product that fills more of the buffer
    takes 2 milliseconds and prevents that.
    """

    filled = 0

    def fill(self, number):
        """Fill the buffers of several threads, which must run at the same time."""
        self.filled = number
        first, second = (np.zeros(shape, np.float32) for shape in FILLING)
        run(lambda i: np.matmul(first, second), number, limit=LIMIT)


workspaces = Workspaces()


def prepare(work, blocks=1):
    """Prepare BLAS for a matrix product with that number of multiplications and blocks."""
    if work >= ORDERED and workspaces.filled < blocks:
        number = min(pool.size(), blocks, LIMIT)
        if workspaces.filled < number:
            workspaces.fill(number)


# ── products ─────────────────────────────────────────────────────────────────
def multiply_matrices(first, second):
    """Compute ``first.dot(second)`` of two matrices."""
    work = first.size * second.shape[1]
    if work >= INTEGERS and first.dtype.kind in "iu":
        return multiply_integers(multiply_matrices, first, second)
    if work < PARALLEL_PRODUCT or first.shape[1] != len(second):
        prepare(work)
        if work >= EXCHANGED and is_exchanged(first, second):
            return np.ascontiguousarray(second.T.dot(first.T).T)
        return first.dot(second)
    return multiply_in_blocks(first, second, np.empty((len(first), second.shape[1]), np.result_type(first, second)))


def is_exchanged(first, second):
    """Return True if ``(second.T @ first.T).T`` is faster: few rows by a transposed matrix, as a layer multiplies a batch.

    8 or 16 rows of 784 numbers by 256 take 0.55 of the time, 64 rows 0.85; without AVX-512 0.8 and 0.97, others up to 1.2.
    """
    return (
        first.shape[1] == len(second) >= WIDE
        and 1 < len(first) <= FEW_ROWS
        and second.shape[1] >= WIDE
        and first.dtype is second.dtype is F4
        and second.flags.f_contiguous
        and first.flags.c_contiguous
        and BLAS_HAS_AVX512
    )


def matmul(first, second, out=None):
    """Compute ``np.matmul(first, second, out)`` of stacks of matrices."""
    stack, other = second.shape[:-2], first.shape[:-2]
    if other != stack and (len(other) > len(stack) or math.prod(other) != 1):
        stack = np.broadcast_shapes(other, stack)
    (n, k), m = first.shape[-2:], second.shape[-1]
    work = math.prod(stack) * n * k * m
    if work >= INTEGERS and first.dtype.kind in "iu" and out is None:
        return multiply_integers(matmul, first, second)
    if work < PARALLEL_PRODUCT or k != second.shape[-2]:
        prepare(n * k * m)
        return np.matmul(first, second, out)
    if out is None:
        out = np.empty((*stack, n, m), np.result_type(first, second))
    axis = max(range(len(stack)), key=stack.__getitem__, default=None)
    if axis is None or stack[axis] == 1:
        multiply_in_blocks(first.reshape(n, k), second.reshape(k, m), out.reshape(n, m))
        return out
    first, second = (np.broadcast_to(a, (*stack, *a.shape[-2:])) for a in (first, second))
    before = (slice(None),) * axis
    size = -(-stack[axis] // number_of_blocks(work, stack[axis]))

    def work_on(i):
        part = (*before, slice(i * size, (i + 1) * size))
        multiply_stacks(first[part], second[part], out[part])

    blocks = -(-stack[axis] // size)
    prepare(n * k * m, blocks)
    run(work_on, blocks, limit=LIMIT)
    return out


def multiply_in_blocks(first, second, out):
    """Multiply two matrices in blocks of rows or of columns, along the longer of the two."""
    (n, k), m = first.shape, second.shape[1]
    first, second = lay_in_lines(first), lay_in_lines(second)
    if n >= COPIED and second.flags.f_contiguous and suits(first, second):
        second = np.ascontiguousarray(second)
    parts = cut_product(n * k * m, max(n, m))

    def multiply(i):
        part = parts[i]
        if n >= m:
            multiply_stacks(first[part], second, out[part])
        else:
            multiply_stacks(first, second[:, part], out[:, part])

    def multiply_exchanged(i):
        part = parts[i]
        out[:, part] = np.matmul(second[:, part].T, first.T).T

    prepare(n * k * m, len(parts))
    run(multiply_exchanged if is_exchanged(first, second) else multiply, len(parts), limit=LIMIT)
    return out


def cut_product(work, lines):
    """Return the blocks of a product with that number of multiplications, as slices of its rows or columns."""
    number = number_of_blocks(work, lines // LEAST)
    share = lines / number if number != 2 else lines * (0.5 + LEAD / (2 * work))
    size = math.ceil(share / STEP) * STEP
    return [slice(start, start + size) for start in range(0, lines, size)]


def lay_in_lines(matrix):
    """Return a matrix with rows or columns that BLAS can read: itself, or a copy if its strides prevent that."""
    one, other = matrix.strides
    size = matrix.itemsize
    fits = one == size and other >= size * matrix.shape[0] or other == size and one >= size * matrix.shape[1]
    return matrix if fits else np.ascontiguousarray(matrix)


def number_of_blocks(work, most):
    """Return the number of blocks: a power of two up to ``most``, each block of at least BLOCK products, but two at least."""
    return 1 << (max(1, min(max(work // BLOCK, 2), most, MOST)).bit_length() - 1)
