"""Products of matrices and vectors.

Matrices are multiplied by ``ndarray.dot``, in half of np.matmul's time. Products of a column and a row are not, because
``dot`` skips zeros, even those to be multiplied by infinity. 16 bit floating point numbers are multiplied in float32.
Factors must have one dtype: nothing is promoted.
"""

from functools import cache

import numpy as np

from tensh.engine.arrays.integers import MANY as INTEGERS
from tensh.engine.arrays.matmul import PARALLEL_PRODUCT, matmul, multiply_matrices
from tensh.engine.arrays.threads import PARALLEL_LIGHT, parallel_map
from tensh.engine.arrays.vectors import BLAS_HAS_AVX512
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, on_tensors, word
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.messages import OTHER_DTYPE
from tensh.engine.operators.basic import conj, conj_array
from tensh.engine.operators.linalg.few import (
    COLUMNS,
    DEPTH,
    DEPTH_OF_LINES,
    DEPTH_OF_VECTORS,
    ROWS,
    multiply_few,
    multiply_few_by_vector,
    multiply_few_in_batches,
)
from tensh.engine.operators.linalg.shared import BLAS_LETTERS
from tensh.engine.operators.precision import is_half, widen
from tensh.engine.operators.reductions.product_sums import PRODUCTS, add_vector_products
from tensh.engine.operators.reductions.summation import SMALL, add_along


# ── words and checks ─────────────────────────────────────────────────────────
@word
def mT(matrix):
    """The transpose of matrices."""
    return matrix.swapaxes(-2, -1)


@word
def mH(matrix):
    """The conjugate transpose of matrices."""
    return conj(matrix.swapaxes(-2, -1))


def tH(matrix):
    """The conjugate transpose of one matrix."""
    return conj_array(matrix.T)


ARRAYS["tH"], TENSORS["tH"] = tH, lambda matrix: conj(on_tensors("t")(matrix))


@word
def by_columns(strides):
    """Return True for a column-major factor, such as ``weight.t()``.

    Its gradient is then column-major, so that the gradient of ``weight`` is row-major and need not be copied: for one
    row of 3072 numbers and 512 outputs the copy takes ten times as long as the product.
    """
    return strides is not None and 0 < strides[-2] < strides[-1]


def bmm_like(first, second, strides):
    """Multiply two stacks; the result is column-major if ``strides`` are."""
    return mT(batches(mT(second), mT(first))) if by_columns(strides) else batches(first, second)


ARRAYS["bmm_like"], TENSORS["bmm_like"] = bmm_like, lambda first, second, strides: on_tensors("bmm")(first, second)


@word
def outer_product(first, second):
    """The products of all pairs of elements of two vectors."""
    return first.reshape(-1, 1) * second


# Messages of two kernels for an ``out=`` of another dtype.
OTHER_VECTOR = "addmv input tensors must have the same dtype, but got {1.title}, {0.title}, and {0.title}"
OTHER_NUMBER = "result dtype {1.title} does not match input dtype {0.title}"


# ── long inner dimensions ────────────────────────────────────────────────────
LONG_LINE = 1024  # elements of an inner dimension from which products with a vector are computed in blocks
LONG = 257 if BLAS_HAS_AVX512 else LONG_LINE  # the same, for matrices with few sums and AVX-512
BLOCK = 256  # elements per block there: BLAS's loops for few sums add all of them one after the other
# elements of a product up to which blocks pay: a thousand take half the time, ten some µs more
FEW_SUMS = 2048


def multiply(first, second):
    """Multiply two matrices or stacks of them, accurately for any length of the inner dimension."""
    if first.dtype.kind in "iu":
        return multiply_matrices(first, second) if first.ndim == 2 else matmul(first, second)
    length, width = second.shape[-2:]
    height, depth = first.shape[-2:]
    least = LONG if min(height, width) > 1 else LONG_LINE
    if length < least or height * width > FEW_SUMS or first.dtype.kind not in "fc" or depth != length:
        return multiply_matrices(first, second) if first.ndim == 2 else matmul(first, second)
    number, size = cut(length)
    whole = number * size
    rows = first[..., :whole].reshape(*first.shape[:-1], number, size).swapaxes(-3, -2)
    columns = second[..., :whole, :].reshape(*second.shape[:-2], number, size, width)
    sums = add_along(matmul(rows, columns), first.ndim - 2)
    return sums if whole == length else sums + np.matmul(first[..., whole:], second[..., whole:, :])


@cache
def cut(length):
    """Return (the number of blocks, their size): equal blocks without remainder, if about this size is possible."""
    least = -(-length // BLOCK)
    number = next((n for n in range(least, least + 4) if length % n == 0), least)
    return number, length // number


def narrow(product, name, first, second):
    """Multiply numbers of one or two bytes: 16 bit floating point in float32; bools are refused."""
    if first.dtype.kind == "b" and (first.size and second.size or name == "dot"):
        raise NotImplementedError(f"\"{name}\" not implemented for '{BY_NUMPY[first.dtype].title}'")
    if is_half(first.dtype):
        return product(widen(first), widen(second)).astype(first.dtype)
    return product(first, second)


# ── two factors ──────────────────────────────────────────────────────────────
@op(
    out=OTHER_DTYPE,
    input="t(mm(conj(mat2), t(g))) if by_columns(input.strides) else mm(g, tH(mat2))",
    mat2="t(mm(t(g), conj(input))) if by_columns(mat2.strides) else mm(tH(input), g)",
)
def mm(input, mat2):
    """The product of two matrices, (n, k) and (k, m).  Differentiable.

    Raise RuntimeError if the shapes do not fit or the dtypes differ.  Shapes: [n, k] and [k, m] to [n, m].

    >>> import tensh as torch
    >>> torch.mm(torch.tensor([[1, 2]]), torch.tensor([[3], [4]]))
    tensor([[11]])
    """
    dtype = input.dtype
    if dtype is mat2.dtype and dtype.char in BLAS_LETTERS and input.ndim == 2 == mat2.ndim:
        try:
            depth = len(mat2)
            if 1 != depth < LONG:
                few = depth <= DEPTH and (mat2.shape[1] < COLUMNS or len(input) < ROWS)  # checked here to save a call
                if few and (product := multiply_few(input, mat2)) is not None:
                    return product
                size = input.size * mat2.size  # the cheapest form of this check
                if size < PARALLEL_PRODUCT and (size < INTEGERS or dtype.kind in "fc"):
                    return input.dot(mat2)
                return multiply_matrices(input, mat2)
            return multiply(input, mat2) if depth != 1 else column_by_row(input, mat2)
        except ValueError:
            raise RuntimeError(cannot_multiply(input, mat2)) from None
    check_matrices(input, mat2)
    return narrow(multiply, "addmm_impl_cpu_", input, mat2)


def column_by_row(column, row):
    """Multiply a matrix of one column by one of one row: np.matmul takes three to five times as long."""
    if column.shape[1] != 1:
        raise ValueError("shapes do not fit")
    if column.size * row.size < PARALLEL_LIGHT:
        return np.multiply(column, row, order="C")
    return parallel_map(np.multiply, (column, row))


def check_matrices(input, mat2):
    if input.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError(f"{'self' if input.ndim != 2 else 'mat2'} must be a matrix")
    if input.shape[1] != mat2.shape[0]:
        raise RuntimeError(cannot_multiply(input, mat2))
    if input.dtype != mat2.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {BY_NUMPY[input.dtype].spoken} != "
            + BY_NUMPY[mat2.dtype].spoken
        )


def cannot_multiply(mat1, mat2):
    return "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})".format(*mat1.shape, *mat2.shape)


@op(
    out=OTHER_DTYPE,
    input="bmm_like(g, mH(mat2), input.strides)",
    mat2="bmm_like(mH(input), g, mat2.strides)",
)
def bmm(input, mat2):
    """The products of two stacks of matrices, (b, n, k) and (b, k, m).  Differentiable.

    Shapes: [b, n, k] and [b, k, m] to [b, n, m]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 4, 5)).shape
    torch.Size([2, 3, 5])
    """
    check_batches(input, mat2)
    if (input.dtype is not mat2.dtype or input.dtype.kind == "b") and input.size and mat2.size:
        refuse_dtypes(
            "bmm", input, mat2, "expected m1 and m2 to have the same dtype, but got: {0.spoken} != {1.spoken}"
        )
    if input.dtype is not mat2.dtype:  # without elements
        return np.zeros((*input.shape[:2], mat2.shape[2]), mat2.dtype)
    return batches(input, mat2)


def batches(first, second):
    if first.dtype.kind in "iu":
        return matmul(first, second)
    if first.dtype.itemsize > 2:
        if (product := multiply_few_in_batches(first, second)) is not None:
            return product
        if first.strides[0] and second.strides[0] and first.shape[2] != 1:
            return matmul(first, second) if first.shape[2] < LONG else multiply(first, second)
        return multiply_by_shared(first, second)
    return narrow(matmul, "bmm", first, second)


def multiply_by_shared(first, second):
    """Multiply stacks if a factor is the same in the whole stack, or for columns by rows, in a third of np.matmul's time."""
    b, n, k = first.shape
    m = second.shape[2]
    if k == 1:
        return np.multiply(first, second, order="C")
    if not second.strides[0] and second.size:
        return multiply_matrices(first.reshape(b * n, k), second[0]).reshape(b, n, m)
    if m == 1 and not first.strides[0] and first.size:
        return second.reshape(b, k).dot(first[0].T).reshape(b, n, 1)
    return matmul(first, second)


def check_batches(batch1, batch2):
    for name, batch in (("batch1", batch1), ("batch2", batch2)):
        if batch.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if batch2.shape[:2] != (batch1.shape[0], batch1.shape[2]):
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{batch1.shape[0]}, {batch1.shape[2]}] but got: {list(batch2.shape[:2])}."
        )


def refuse_dtypes(name, batch1, batch2, unequal):
    """Raise for two dtypes or bools.

    The message depends on PyTorch's kernel: for few numbers, for floating point, for others.
    """
    one, two = BY_NUMPY[batch1.dtype], BY_NUMPY[batch2.dtype]
    if batch1.shape[1] * batch1.shape[2] * batch2.shape[2] < 400:
        if batch1.dtype.kind == "b":
            raise NotImplementedError(f"\"{name}\" not implemented for 'Bool'")
        raise RuntimeError(f"expected scalar type {one.title} but found {two.title}")
    if batch2.dtype.kind in "fc" and batch2.dtype.itemsize > 2:
        raise RuntimeError(f"expected scalar type {two.title} but found {one.title}")
    if one is not two:
        raise RuntimeError(unequal.format(one, two))
    raise NotImplementedError("\"addmm_impl_cpu_\" not implemented for 'Bool'")


@op(out=OTHER_VECTOR, input="outer_product(g, conj(vec))", vec="mv(tH(input), g)")
def mv(input, vec):
    """The product of a matrix (n, m) and a vector (m).  Differentiable.

    Shapes: [n, m] and [m] to [n]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.mv(torch.tensor([[1, 2], [3, 4]]), torch.tensor([1, 1]))
    tensor([3, 7])
    """
    if input.ndim != 2 or vec.ndim != 1:
        if not input.ndim:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}")
    if input.dtype is not vec.dtype or input.shape[1] != vec.size:
        check_vector(None, input, vec)
    if input.dtype.itemsize > 2:
        if 1 != len(vec) < LONG_LINE:
            return input.dot(vec) if len(vec) > DEPTH_OF_VECTORS else multiply_few_by_vector(input, vec)
        return multiply(input, vec[:, None])[:, 0] if len(vec) != 1 else np.matmul(input, vec)
    return narrow(np.dot, "addmv_impl_cpu", input, vec)


def check_vector(input, mat, vec):
    rows, columns = mat.shape
    length = rows if input is None else input.size
    if columns != vec.shape[0] or length not in (rows, 1):
        size = vec.shape[0] if input is None else length
        raise RuntimeError(
            f"size mismatch, got input ({rows if input is None else size}), mat ({rows}x{columns}), vec ({vec.shape[0]})"
        )
    if not (mat.dtype == vec.dtype == (vec if input is None else input).dtype):
        own = vec if input is None else input
        titles = [BY_NUMPY[a.dtype].title for a in (own, mat, vec)]
        raise RuntimeError("addmv input tensors must have the same dtype, but got {}, {}, and {}".format(*titles))


def check_dot(first, second):
    if first.ndim != 1 or second.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {first.ndim}D and {second.ndim}D tensors")
    if first.dtype != second.dtype:
        one, two = BY_NUMPY[first.dtype].title, BY_NUMPY[second.dtype].title
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {one} and {two}")
    n, m = first.size, second.size
    if n != m:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same number of elements, "
            f"but got {n} and {m} elements respectively"
        )


@op(out=OTHER_NUMBER, input="g * conj(tensor)", tensor="g * conj(input)")
def dot(input, tensor):
    """The sum of the products of two vectors' elements.  Differentiable.

    Shapes: [n] and [n] to []. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.dot(torch.tensor([2, 3]), torch.tensor([2, 1]))
    tensor(7)
    """
    if input.dtype is not tensor.dtype or not input.ndim == 1 == tensor.ndim or input.size != tensor.size:
        check_dot(input, tensor)
    if input.size > SMALL and input.dtype in PRODUCTS:
        return add_vector_products(input, tensor)
    if input.size <= DEPTH_OF_LINES and input.dtype in PRODUCTS:
        return np.add.reduce(input * tensor)
    return input.dot(tensor) if input.dtype.itemsize > 2 else narrow(np.dot, "dot", input, tensor)


@op(input="conj(g) * other", other="g * input")
def vdot(input, other):
    """The dot product with the conjugate of the first vector.  Differentiable.

    Shapes: [n] and [n] to []. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.vdot(torch.tensor([2, 3]), torch.tensor([2, 1]))
    tensor(7)
    """
    check_dot(input, other)
    return np.vdot(input, other) if input.dtype.itemsize > 2 else narrow(np.dot, "dot", input, other)
