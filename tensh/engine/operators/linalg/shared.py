"""Helpers of linear algebra: PyTorch's checks, their error, and words of derivatives."""

import functools
import math

import numpy as np

from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, word
from tensh.engine.core.tensor import wrap
from tensh.engine.dtypes.dtype import BY_NUMPY, DIFFERENTIABLE
from tensh.engine.errors.messages import broadcast_clash

BLAS_LETTERS = "fdFD"
"""The letters of NumPy's dtypes that BLAS and LAPACK compute."""


class LinAlgError(RuntimeError):
    """Raised for a matrix that is singular, not positive-definite, or otherwise without the requested decomposition."""

    __module__ = "torch._C"


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


# ── checks ───────────────────────────────────────────────────────────────────
def check_floating(name, array, kernel_name=None):
    """Raise unless the dtype is floating point or complex of at least 32 bits.

    The error for integers names ``name``, or the kernel ``called`` if it is None; the error for few bits names the
    kernel.
    """
    title = BY_NUMPY[array.dtype].title
    if array.dtype.kind not in DIFFERENTIABLE and name is not None:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {title}")
    if array.dtype.char not in BLAS_LETTERS:
        if kernel_name is None:
            raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {title}")
        raise NotImplementedError(f"\"{kernel_name}\" not implemented for '{title}'")


def empty_in_any_dtype(kernel=None, *, integers=False):
    """Make a kernel of matrices accept empty matrices of dtypes that LAPACK lacks, without calling LAPACK.

    These are the 16 bit floating point dtypes, and with ``integers`` integers and bool.
    """
    if kernel is None:
        return functools.partial(empty_in_any_dtype, integers=integers)

    @functools.wraps(kernel)
    def function(A, *args, **options):
        own = A.dtype
        if A.size or not (own.kind == "V" or own == np.float16 or integers and own.kind in "biu"):
            return kernel(A, *args, **options)
        results = kernel(A.astype(np.float32), *args, **options)
        if not isinstance(results, tuple):
            return results.astype(own)
        return tuple(each.astype(own) if each.dtype == np.float32 else each for each in results)

    return function


def make_columns(array):
    """Return matrices whose columns are contiguous, as LAPACK computes them and PyTorch returns them."""
    return np.ascontiguousarray(array.swapaxes(-2, -1)).swapaxes(-2, -1) if array.ndim > 1 else array


def return_columns(*places):
    """Decorate a kernel: its results at these places, or its only result, are matrices with contiguous columns."""

    def decorate(kernel):
        @functools.wraps(kernel)
        def function(*args, **options):
            results = kernel(*args, **options)
            if not places:
                return make_columns(results)
            return tuple(make_columns(each) if place in places else each for place, each in enumerate(results))

        return function

    return decorate


def check_dimensions(name, array):
    """Raise for fewer dimensions than a matrix has, in the words of the decompositions."""
    if array.ndim < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(array.shape)} instead")


def check_matrix(name, array, letter="A"):
    if array.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {letter} must have at least 2 dimensions.")


def check_square(name, array):
    check_matrix(name, array)
    rows, columns = array.shape[-2:]
    if rows != columns:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices")


def require_pivots(name, letters, factors, pivots):
    """Raise RuntimeError unless there is a pivot for every row of the factors."""
    if factors.shape[:-1] != pivots.shape:
        raise RuntimeError(
            f"{name}: Expected {letters}.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )


def require_batches(first, second):
    """Raise RuntimeError unless the batch dimensions of two stacks of matrices broadcast."""
    clash = broadcast_clash((first.shape[:-2], second.shape[:-2]))
    if clash:
        raise RuntimeError(clash)


def check_same_dtype(name, first, second, letters="AB"):
    if first.dtype != second.dtype:
        a, b = letters
        raise RuntimeError(
            f"{name}: Expected {a} and {b} to have the same dtype, but found {a} of type "
            f"{BY_NUMPY[first.dtype].title} and {b} of type {BY_NUMPY[second.dtype].title} instead"
        )


SINGULAR = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."


def first_failure(info):
    """Return ("(Batch element 3): " or "", the number) of the first matrix that failed, or None."""
    if not info.any():
        return None
    if info.ndim == 0:
        return "", int(info)
    place = int(np.flatnonzero(info)[0])
    return f"(Batch element {place}): ", int(info.reshape(-1)[place])


def each(A, compute, *others):
    """Call ``compute(matrix, …)`` for every matrix of a batch; return the results stacked, as a list of arrays."""
    batch = A.shape[:-2]
    flat = [a.reshape(math.prod(batch), *a.shape[len(batch) :]) for a in (A, *others)]
    results = [compute(*matrices) for matrices in zip(*flat)]
    return [np.stack(parts).reshape((*batch, *np.shape(parts[0]))) for parts in zip(*results)]


# ── words of derivatives ─────────────────────────────────────────────────────
@word
def as_columns(x, vector):
    """Vectors as matrices of one column."""
    return x.reshape((*x.shape, 1)) if vector else x


@word
def of_matrices(g):
    """A number per matrix, ready to be multiplied with the matrices."""
    return g.reshape((*g.shape, 1, 1))


@word
def in_columns(x):
    """A vector per matrix, ready to scale the columns."""
    return x.reshape((*x.shape[:-1], 1, x.shape[-1]))


@word
def in_rows(x):
    """A vector per matrix, ready to scale the rows."""
    return x.reshape((*x.shape, 1))


def identity(n, dtype):
    """The identity matrix."""
    return np.eye(n, dtype=dtype)


ARRAYS["identity"] = identity
TENSORS["identity"] = lambda n, dtype: wrap(identity(n, dtype))
