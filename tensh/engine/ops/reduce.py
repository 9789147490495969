"""Sums, means and products, over all elements or along dimensions, and the words that undo a reduction's shape.

``dim`` is None (all), an int or a sequence of ints.  Integers are summed in int64; 16 bit floating point numbers in
float32.
"""

import numpy as np

from tensh.engine.arguments import dims
from tensh.engine.dtype import BY_NUMPY
from tensh.engine.errors import wrap_dim
from tensh.engine.ops.precision import F4, I8, ONES, is_half
from tensh.engine.table import op
from tensh.engine.vocabulary import word

add, multiply = np.add.reduce, np.multiply.reduce
SMALL = 256  # elements; up to here a product with ones is exact enough and takes half the time of np.add.reduce


# ── shapes ───────────────────────────────────────────────────────────────────
def kept(shape, dim):
    """``shape`` with the reduced dimensions as 1: the result's shape under ``keepdim``."""
    reduced = dims(dim, len(shape))
    return tuple(1 if i in reduced else n for i, n in enumerate(shape))


@word
def restore(g, shape, dim, keepdim):
    """A result of a reduction with its reduced dimensions as 1, ready to be broadcast to the input's ``shape``."""
    return g if keepdim else g.reshape(kept(shape, dim))


@word
def count(shape, dim):
    """The number of elements behind each element of the result."""
    number = 1
    for d in dims(dim, len(shape)):
        number *= shape[d] if shape else 1
    return number


# ── sums ─────────────────────────────────────────────────────────────────────
def summed(input, axes, keepdim, dtype):
    """The sum in PyTorch's dtype: ``dtype`` if given, int64 for bools and integers."""
    if dtype is None:
        dtype = I8 if input.dtype.kind in "biu" else input.dtype
    if is_half(dtype):
        return add(input, axes, F4, None, keepdim).astype(dtype)
    return add(input, axes, dtype, None, keepdim)


@op(public=False, node="SumBackward0", input="expand(g, input.shape)")
def sum_all(input, dtype=None):
    """The sum of all elements."""
    if dtype is None and (vectors := ONES.get(input.dtype)) is not None:
        size = input.size
        return input.ravel().dot(vectors[size]) if size <= SMALL else add(input, None)
    return summed(input, None, False, dtype)


@op(public=False, node="SumBackward1", input="expand(restore(g, input.shape, dim, keepdim), input.shape)")
def sum_dim(input, dim, keepdim=False, dtype=None):
    """The sum along ``dim``."""
    if dtype is None and type(dim) is int and input.ndim == 2 and input.dtype in ONES and not keepdim:
        return along(input, wrap_dim(dim, 2))
    return summed(input, dims(dim, input.ndim), keepdim, dtype)


def along(matrix, dim):
    """The sums of a matrix's columns (0) or rows (1): for BLAS a product with ones, in half of NumPy's time."""
    if not matrix.flags.forc:
        return add(matrix, dim)
    ones = ONES[matrix.dtype][matrix.shape[dim]]
    return matrix.dot(ones) if dim else ones.dot(matrix)


@op(public=False, input="expand(restore(g, input.shape, dim, keepdim), input.shape) * (input == input)")
def nansum(input, dim=None, keepdim=False, dtype=None):
    """The sum of the elements that are not nan."""
    if input.dtype.kind in "fV":
        input = np.where(input == input, input, input.dtype.type(0))
    return summed(input, dims(dim, input.ndim), keepdim, dtype)


# ── means ────────────────────────────────────────────────────────────────────
def mean_dtype(dtype, wanted):
    """The dtype of a mean; only floating point and complex numbers have one."""
    if wanted is not None:
        if wanted.kind not in "fcV":
            raise RuntimeError(NO_MEAN.format("Optional", BY_NUMPY[wanted].title))
        return wanted
    if dtype.kind not in "fcV":
        raise RuntimeError(NO_MEAN.format("Input", BY_NUMPY[dtype].title))
    return dtype


NO_MEAN = (
    "mean(): could not infer output dtype. {} dtype must be either a floating point or complex dtype. Got: {}"
)


@op(public=False, node="MeanBackward0", input="expand(g / count(input.shape, None), input.shape)")
def mean_all(input, dtype=None):
    """The mean of all elements."""
    if input.dtype in ONES and dtype is None:
        return sum_all.kernel(input) / (input.size or NAN)
    return mean_dim.kernel(input, None, False, dtype)


@op(
    public=False,
    node="MeanBackward1",
    input="expand(restore(g, input.shape, dim, keepdim) / count(input.shape, dim), input.shape)",
)
def mean_dim(input, dim, keepdim=False, dtype=None):
    """The mean along ``dim``."""
    dtype = mean_dtype(input.dtype, dtype)
    number = count(input.shape, dim) or NAN
    if is_half(dtype):
        return (add(input, dims(dim, input.ndim), F4, None, keepdim) / number).astype(dtype)
    return sum_dim.kernel(input, dim, keepdim, None if dtype is input.dtype else dtype) / number


NAN = float("nan")


# ── products ─────────────────────────────────────────────────────────────────
def product(input, axes, keepdim, dtype):
    if dtype is None:
        dtype = I8 if input.dtype.kind in "biu" else input.dtype
    if is_half(dtype):
        return multiply(input, axes, F4, None, keepdim).astype(dtype)
    return multiply(input, axes, dtype, None, keepdim)


@word
def free_of_zeros(input):
    """Is no element zero, so that a product without one factor is a quotient?"""
    return not bool((input == 0).any())


OTHERS = "shift(products({0}, {1}, 1), {1}, 1, 1) * shift(products({0}, {1}, -1), {1}, -1, 1)"
"""The product of all other elements, where some are zero: what comes before times what comes after."""


@op(
    public=False,
    node="ProdBackward0",
    let={"flat": "input.reshape(-1)"},
    input=f"g * conj(out / input if free_of_zeros(input) else ({OTHERS.format('flat', 0)}).reshape(input.shape))",
)
def prod_all(input, dtype=None):
    """The product of all elements."""
    return product(input, None, False, dtype)


@op(
    public=False,
    node="ProdBackward1",
    input="restore(g, input.shape, dim, keepdim) * conj(restore(out, input.shape, dim, keepdim) / input"
    f" if free_of_zeros(input) else {OTHERS.format('input', 'dim')})",
)
def prod_dim(input, dim, keepdim=False, dtype=None):
    """The product along ``dim``."""
    return product(input, wrap_dim(dim, input.ndim) if input.ndim else wrap_dim(dim, 0) or (), keepdim, dtype)


# ── logic ────────────────────────────────────────────────────────────────────
def truth(reduce):
    """The kernel of ``any`` and ``all``: bool, or uint8 for uint8."""

    def kernel(input, dim=None, keepdim=False):
        axes = () if dim == () or dim == [] else dims(dim, input.ndim)  # here () means none, not all
        result = reduce(input, axes, None, None, keepdim)
        return result.astype(np.uint8) if input.dtype == np.uint8 else result

    return kernel


op(truth(np.logical_or.reduce), name="any", doc="Is any element (along ``dim``) not zero?", input=None)
op(truth(np.logical_and.reduce), name="all", doc="Are all elements (along ``dim``) not zero?", input=None)


@op(input=None)
def count_nonzero(input, dim=None):
    """The number of elements (along ``dim``) that are not zero."""
    return np.count_nonzero(input, dims(dim, input.ndim))
