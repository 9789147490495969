"""Sums, means and products, over all elements or along dimensions, and words that restore a reduced shape.

``dim`` is None (all), an int or a sequence of ints.  Integers are summed in int64; 16 bit floating point numbers in
float32.
"""

import math

import numpy as np

from tensh.engine.arguments.checks import dims, is_empty
from tensh.engine.arrays.absent import is_absent
from tensh.engine.arrays.orders import move_axis
from tensh.engine.arrays.threads import PARALLEL
from tensh.engine.codegen.mixing import EXACT_SCALARS
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, on_tensors, word
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import BY_NUMPY, DIFFERENTIABLE, FEW_BITS
from tensh.engine.errors.messages import refuse_dtype, wrap_dim
from tensh.engine.operators.kernels import zero_unless
from tensh.engine.operators.precision import F4, I8, ONES, WIDER, is_half, take_real, with_both_parts
from tensh.engine.operators.reductions.rows import reduce_rows
from tensh.engine.operators.reductions.small import COLUMN, FEW, MOST, add_all, add_columns
from tensh.engine.operators.reductions.summation import (
    AT_ONCE,
    BATCH,
    FOLDED,
    FOUR,
    PAIRS,
    SMALL,
    STEP,
    add_along,
    add_few_in_rows,
    add_in_order,
    add_last,
    add_middle_on_cores,
    fold,
)

multiply = np.multiply.reduce
FACTORS, MORE_FACTORS, LONG = 64, 256, 1 << 12  # running products of rows shorter than LONG, and of others
HALF_LANES = 16  # 16 bit numbers that PyTorch multiplies at a time, on processors with longer vectors, too
LARGE = 1 << 15  # elements from which several running products are computed, and halves are multiplied in float32


# ── shapes ───────────────────────────────────────────────────────────────────
def keep_dims(shape, dim):
    """Return ``shape`` with the reduced dimensions as 1: the result's shape under ``keepdim``."""
    reduced = dims(dim, len(shape))
    return tuple(1 if i in reduced else n for i, n in enumerate(shape))


def restore(g, shape, dim, keepdim):
    """A reduction's result with its reduced dimensions as 1, broadcastable to the input's ``shape``."""
    return g if keepdim or dim is None else g.reshape(keep_dims(shape, dim))


def record_restore(g, shape, dim, keepdim):
    """Restore reduced dimensions as 1, one after the other, as recorded operations."""
    if not keepdim and dim is not None:
        for d in sorted(dims(dim, len(shape))):
            g = on_tensors("unsqueeze")(g, d)
    return g


def evenly(g, shape, number):
    """``g`` divided by a ``number`` of elements, in a separate array, as in PyTorch: it may be written."""
    if g.itemsize == 2:
        g, number = np.asarray(g), EXACT_SCALARS[number, g.dtype]
    shares = np.empty(shape, g.dtype)
    shares[...] = g / number
    return shares


def record_evenly(g, shape, number):
    return on_tensors("div_number")(on_tensors("expand")(g, shape), number)


ARRAYS |= {"restore": restore, "evenly": evenly}
TENSORS |= {"restore": record_restore, "evenly": record_evenly}


@word
def count(shape, dim):
    """Return the number of input elements per element of the result."""
    if type(dim) is int and -len(shape) <= dim < len(shape):
        return shape[dim]
    return math.prod(shape if dim is None else [shape[d] for d in dims(dim, len(shape))])


def axes_of(dim, ndim):
    """Return ``dim`` as NumPy's axis: an int or a tuple of ints."""
    return dim if type(dim) is int and -ndim <= dim < ndim else dims(dim, ndim)


# ── sums ─────────────────────────────────────────────────────────────────────
def sum_as(input, axes, keepdim, dtype, name="sum"):
    """Sum in PyTorch's dtype: ``dtype`` if given, int64 for bools and integers; the function's ``name`` is for errors."""
    if dtype is None:
        dtype = I8 if input.dtype.kind in "biu" else input.dtype
    elif dtype is not input.dtype:
        input = take_real(input, dtype)
    if dtype.char in FEW_BITS and input.size:
        refuse_dtype(name, dtype)
    if dtype.kind not in DIFFERENTIABLE:
        return reduce_rows(np.add.reduce, input, axes, keepdim, dtype)
    return add_in_order(input.astype(dtype, copy=False), axes, keepdim)


@op(public=False, node="SumBackward0", input="expand(g, input.shape)")
def sum_all(input, dtype=None):
    """The sum of all elements."""
    if dtype is None and (vectors := ONES.get(input.dtype)) is not None:
        size = input.size
        if 0 < size < FEW and input.flags.forc:
            return add_all(input)
        if size <= SMALL:
            return input.ravel().dot(vectors[size])
        return np.add.reduce(input, None) if size <= PAIRS and input.flags.forc else add_along(input)
    return sum_as(input, None, False, dtype)


@op(public=False, node="SumBackward1", input="expand(restore(g, input.shape, dim, keepdim), input.shape)")
def sum_dim(input, dim, keepdim=False, dtype=None):
    """The sum along ``dim``."""
    if type(dim) is tuple and len(dim) == 1:
        dim = dim[0]
    if dtype is None and type(dim) is int and input.ndim == 2 and -2 <= dim < 2 and input.flags.forc:
        vectors = ONES.get(input.dtype)
        if vectors is not None:
            return sum_matrix(input, dim, keepdim, vectors)
    return sum_as(input, axes_of(dim, input.ndim), keepdim, dtype)


def sum_matrix(matrix, dim, keepdim, vectors):
    """Sum a dense matrix's columns (0) or rows (1); columns by a product with ones unless there are few or many numbers."""
    rows = matrix if dim % 2 else matrix.T
    number, in_rows = rows.shape[1], rows.flags.c_contiguous
    if in_rows:
        sums = add_few_in_rows(rows)
        sums = add_last(rows) if sums is None else sums
    elif number <= COLUMN and 0 < matrix.size <= MOST:
        sums = add_columns(rows.T)
    elif matrix.size <= AT_ONCE and number <= (BATCH if number <= STEP or not len(rows) % FOUR else STEP):
        sums = rows.dot(vectors[number])
    elif number <= FOLDED and matrix.size <= AT_ONCE and not number % (side := fold(number)):
        lines = rows.T.reshape(number // side, -1)
        sums = vectors[side].dot(vectors[number // side].dot(lines).reshape(side, -1))
    else:
        sums = add_middle_on_cores(rows.T[None])[0]
    return sums if not keepdim else sums[:, None] if dim % 2 else sums[None]


@op(public=False, input="expand(restore(g, input.shape, dim, keepdim), input.shape) * (input == input)")
def nansum(input, dim=None, keepdim=False, dtype=None):
    """The sum of the elements that are not nan."""
    axes = axes_of(dim, input.ndim)
    if input.dtype.kind in "cW":
        raise RuntimeError("nansum on CPU does not support complex inputs")
    if input.dtype.kind in "fV":
        numbers = input == input
        if not numbers.all():
            input = zero_unless(input, numbers)
    return sum_as(input, axes, keepdim, dtype, "nansum")


# ── means ────────────────────────────────────────────────────────────────────
def mean_dtype(dtype, wanted):
    """Return the dtype of a mean; raise unless it is floating point or complex."""
    if wanted is not None:
        if wanted.kind not in DIFFERENTIABLE:
            raise RuntimeError(NO_MEAN.format("mean", "Optional", BY_NUMPY[wanted].title))
        return wanted
    if dtype.kind not in DIFFERENTIABLE:
        raise RuntimeError(NO_MEAN.format("mean", "Input", BY_NUMPY[dtype].title))
    return dtype


NO_MEAN = "{}(): could not infer output dtype. {} dtype must be either a floating point or complex dtype. Got: {}"


@op(public=False, node="MeanBackward0", input="evenly(g, input.shape, count(input.shape, None))")
def mean_all(input, dtype=None):
    """The mean of all elements."""
    if input.dtype in ONES and dtype is None:
        return sum_all.kernel(input) / (input.size or NAN)
    return mean_dim.kernel(input, None, False, dtype)


@op(
    public=False,
    node="MeanBackward1",
    input="evenly(restore(g, input.shape, dim, keepdim), input.shape, count(input.shape, dim))",
)
def mean_dim(input, dim, keepdim=False, dtype=None):
    """The mean along ``dim``."""
    if type(dim) is tuple and len(dim) == 1:
        dim = dim[0]
    is_kept = dtype is None or dtype is input.dtype
    if is_kept and type(dim) is int and -input.ndim <= dim < input.ndim and input.dtype in ONES:
        return sum_dim.kernel(input, dim, keepdim) / (input.shape[dim] or NAN)
    dtype = mean_dtype(input.dtype, dtype)
    axes = dims(dim, input.ndim)
    number = math.prod([input.shape[axis] for axis in axes]) or NAN
    if is_half(dtype):
        return (sum_as(input, axes, keepdim, F4) / number).astype(dtype)
    return sum_as(input, axes, keepdim, dtype) / number


NAN = float("nan")


# ── products ─────────────────────────────────────────────────────────────────
def product(input, axes, keepdim, dtype):
    if dtype is None:
        dtype = I8 if input.dtype.kind in "biu" else input.dtype
    if dtype.char in FEW_BITS and input.size:
        refuse_dtype("prod_out", dtype)
    input = take_real(input, dtype)
    if axes is None and input.flags.c_contiguous:
        input, axes = input.reshape(-1), 0
    if is_half(dtype):
        if not 0 < input.size < LARGE or not input.ndim:
            return reduce_rows(multiply, input, axes, keepdim, F4, PARALLEL).astype(dtype)
        result = multiply_halves(input.astype(dtype, copy=False), axes)
        return np.expand_dims(result, axes) if keepdim else result
    return reduce_rows(factors_side_by_side, input, axes, keepdim, dtype, PARALLEL)


def multiply_halves(input, axis):
    """Multiply 16 bit numbers along one dimension, or all, rounding every step, in PyTorch's order.

    That takes 4 times as long as to round the result alone, so large arrays are not multiplied like this.
    """
    if axis is not None:
        if input.shape[axis] < 4 * HALF_LANES or input.strides[axis] != input.itemsize:
            return np.multiply.accumulate(input, axis).take(-1, axis)
        return multiply_steps(multiply_lanes(move_axis(input, axis, -1)))
    rows = input.transpose(sorted(range(input.ndim), key=input.strides.__getitem__, reverse=True))
    return multiply_steps(multiply_lanes(rows.reshape(-1) if rows.flags.c_contiguous else rows).reshape(-1))


def multiply_lanes(rows):
    """Multiply what of rows that are dense in memory fills four vectors of the processor; return the product and the rest."""
    whole = rows.shape[-1] // (4 * HALF_LANES) * (4 * HALF_LANES)
    if not whole or rows.strides[-1] != rows.itemsize:
        return rows
    vectors = rows[..., :whole].reshape(*rows.shape[:-1], -1, 4, HALF_LANES)
    lanes = multiply_steps(move_axis(vectors, -3, -1))
    lanes = (lanes[..., 0, :] * lanes[..., 1, :]) * (lanes[..., 2, :] * lanes[..., 3, :])
    return np.concatenate([multiply_steps(lanes)[..., None], rows[..., whole:]], -1)


def multiply_steps(rows):
    """Multiply the last dimension one by one; unlike a reduction, a running product rounds every step."""
    return np.multiply.accumulate(rows, -1)[..., -1].copy()


def factors_side_by_side(input, axes, dtype, out=None, keepdim=False):
    """Compute ``multiply.reduce`` in half of the time, by FACTORS running products that do not wait for each other.

    They are kept in higher precision, because products of factors near 1 round in one direction.
    """
    if axes != input.ndim - 1 or input.size < LARGE or input.shape[axes] < 2 * FACTORS:
        return multiply(input, axes, dtype, out, keepdim)
    wide = WIDER.get(dtype, dtype)
    factors = FACTORS if input.shape[-1] < LONG else MORE_FACTORS
    whole = input.shape[-1] // factors * factors
    side_by_side = multiply(input[..., :whole].reshape(*input.shape[:-1], -1, factors), -2, wide)
    product = multiply(side_by_side, -1, wide, None, keepdim) * multiply(input[..., whole:], -1, wide, None, keepdim)
    if out is None:
        return product.astype(dtype, copy=False)
    out[...] = product
    return out


@word
def free_of_zeros(input):
    """Return True if no element is zero, so that a product without one factor is a quotient."""
    return is_absent(input) or not bool((input == 0).any())


@word
def nothing_left(g, input):
    """Return True if every product without one factor is zero; PyTorch checks only if no higher derivative is recorded."""
    return not isinstance(g, Tensor) and np.count_nonzero(input) + 1 < input.size


OTHERS = "shift(products({0}, {1}, 1), {1}, 1, 1) * shift(products({0}, {1}, -1), {1}, -1, 1)"
"""Multiply all other elements, where some are zero: the product before each times the product after it."""


@op(
    public=False,
    node="ProdBackward0",
    let={"flat": "input.reshape(-1)"},
    input="g if not input.ndim else g * conj(out / input) if free_of_zeros(input) else"
    " zeros_as(g, input.shape) if nothing_left(g, input) else"
    f" (g if flat.shape[0] == 1 else g * conj({OTHERS.format('flat', 0)})).reshape(input.shape)",
)
def prod_all(input, dtype=None):
    """The product of all elements."""
    if dtype is None and input.dtype in ONES and input.size < LARGE:
        return multiply(input, None)
    return product(input, None, False, dtype)


@op(
    public=False,
    node="ProdBackward1",
    let={"back": "restore(g, input.shape, dim, keepdim)"},
    input="g if not input.ndim else back * conj(restore(out, input.shape, dim, keepdim) / input)"
    " if free_of_zeros(input) else"
    f" back if input.shape[dim] == 1 else back * conj({OTHERS.format('input', 'dim')})",
)
def prod_dim(input, dim, keepdim=False, dtype=None):
    """The product along ``dim``."""
    return product(input, wrap_dim(dim, input.ndim) if input.ndim else wrap_dim(dim, 0) or (), keepdim, dtype)


# ── logic ────────────────────────────────────────────────────────────────────
def make_test(reduce):
    """Make the kernel of ``any`` and ``all``: bool, or uint8 for uint8."""

    def kernel(input, dim=None, keepdim=False):
        axes = () if is_empty(dim) else axes_of(dim, input.ndim)  # here () means no dimensions, not all
        input = with_both_parts(input)
        result = reduce(input, axes, None, None, keepdim)
        return result.astype(np.uint8) if input.dtype == np.uint8 else result

    return kernel


def only_bool(name):
    """Check ``out=`` of a function that returns bools or bytes."""

    def check(result, target):
        if target.name not in ("bool", "uint8"):
            raise RuntimeError(f"{name} only supports bool tensor for result, got: {target.title}")

    return check


op(
    make_test(np.logical_or.reduce),
    name="any",
    out=only_bool("any"),
    doc="True where any element (along ``dim``) is not zero.  Shape: [*] to [], or without ``dim``.",
    input=None,
)
op(
    make_test(np.logical_and.reduce),
    name="all",
    out=only_bool("all"),
    doc="True where all elements (along ``dim``) are not zero.  Shape: [*] to [], or without ``dim``.",
    input=None,
)


@op(out=False, input=None)
def count_nonzero(input, dim=None):
    """The number of elements (along ``dim``) that are not zero.  Shape: [*] to [], or without ``dim``."""
    counted = np.count_nonzero(with_both_parts(input), dims(dim, input.ndim))
    return np.ascontiguousarray(counted) if np.ndim(counted) > 1 else counted
