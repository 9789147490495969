"""Reductions through exponentials: logsumexp and softmax, some lines at a time."""

import math

import numpy as np

from tensh.engine.arguments.checks import dims
from tensh.engine.arrays import memory
from tensh.engine.arrays.threads import map_rows
from tensh.engine.codegen.table import op
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.precision import F4, ONES, is_half, narrow_result, widen
from tensh.engine.operators.reductions.reductions import LARGE
from tensh.engine.operators.reductions.rows import as_little, largest_by_places, places_in_rows
from tensh.engine.operators.reductions.summation import AT_ONCE, ROW, SMALL, add_along, add_rows

maximum, every = np.maximum.reduce, np.logical_and.reduce


def top_of(input, axes):
    """Return the numbers to subtract before the exponentials, so that none overflows."""
    top = maximum(input.real, axes, None, None, True, initial=-np.inf)
    finite = np.isfinite(top)
    return top if every(finite, None) else np.where(finite, top, 0)


@op(
    floats=True,
    input="restore(g, input.shape, dim, keepdim) * conj(exp(input - restore(out, input.shape, dim, keepdim)))",
)
def logsumexp(input, dim, keepdim=False):
    """The logarithm of the sum of exponentials along ``dim`` (an int or a sequence of them), without overflow.

    Differentiable.  Shape: [*] without ``dim``.

    >>> import tensh as torch
    >>> torch.tensor([[0.0, 0.0], [1000.0, 1000.0]]).logsumexp(1)
    tensor([6.9315e-01, 1.0007e+03])
    """
    if dim is None:
        raise TypeError("logsumexp(): argument 'dim' must be tuple of ints, not NoneType")
    axes = dims(dim, input.ndim)
    if is_half(input.dtype):
        return log_sum_exp_of_halves(input, axes, keepdim)
    if input.size >= LARGE and axes == (input.ndim - 1,) and input.flags.c_contiguous:
        rows = input.reshape(-1, input.shape[-1])
        result = np.empty((len(rows), 1), input.dtype)
        map_rows(lambda part: result.__setitem__(part, log_sum_exp(rows[part], 1)), *rows.shape)
        result = result.reshape(*input.shape[:-1], 1)
    else:
        result = log_sum_exp(input, axes)
    return result if keepdim or not input.ndim else result.squeeze(axes)


def log_sum_exp_of_halves(input, axes, keepdim):
    """The logarithm of a sum of exponentials of 16 bit numbers, each step of which is rounded."""

    def rounded(array):
        return widen(narrow_result(array, input.dtype))

    top = top_of(widen(input), axes)
    terms = rounded(np.exp(rounded(widen(input) - top)))
    result = rounded(np.log(rounded(add_along(terms, axes, True)))) + top
    return narrow_result(result if keepdim else result.squeeze(axes), input.dtype)


def log_sum_exp(input, axes):
    """The logarithm of the sum of exponentials of an array, with its dimensions kept."""
    top = top_of(input, axes)
    terms = np.exp(np.subtract(input, top))
    return np.log(sum_along(terms, 1) if axes == 1 else add_along(terms, axes, True)) + top


SAFE = math.exp(-10), math.exp(60)  # range of the mean exponential in which none overflowed or lost digits


def sum_along(array, axis):
    """Return the sums along ``axis``, which is kept."""
    if axis == array.ndim - 1 and (ones := ONES.get(array.dtype)) is not None:
        length = array.shape[axis]
        if array.size <= AT_ONCE and length <= ROW[array.dtype]:
            return array.dot(ones[length])[..., None]
        return add_rows(array.reshape(-1, length)).reshape(*array.shape[:-1], 1)
    return add_along(array, axis if array.ndim else None, True)


SHORT = 24  # elements of rows up to which maxima are computed along the columns of a copy, in a fifth of the time


def largest(input, axis):
    """Return the largest elements along ``axis``, which is kept."""
    if input.ndim == 2 and axis == 1 and input.size > SMALL and 0 < input.shape[1] <= SHORT:
        return maximum(np.ascontiguousarray(input.T), 0)[:, None]
    return largest_by_places(input, axis if input.ndim else None, None, None, True)


def powers(input, axis, out):
    """Write the exponentials to ``out``; return their sums along ``axis``.

    The largest elements are subtracted only if the exponentials require it.
    """
    if input.size <= SMALL:  # the printed digits are those of PyTorch, which subtracts always
        np.subtract(input, maximum(input, axis if input.ndim else None, None, None, True), out)
    else:
        np.exp(input, out)
        total = sum_along(out, axis)
        least, most = SAFE
        # The extremes by their places: a third of the time of ``min`` and ``max``.
        if least * input.shape[axis] < total.item(total.argmin()) and total.item(total.argmax()) < most:
            return total
        np.subtract(input, largest(input, axis), out)
    np.exp(out, out)
    return sum_along(out, axis)


def finish_in_blocks(finish, input, axis):
    """Call ``finish(out, input, axis)`` for all lines along ``axis``, as many at a time as fit the cache."""
    out = np.empty(input.shape, input.dtype)
    if input.size < LARGE or not input.flags.c_contiguous:
        if input.size:
            finish(out, input, axis)
        return out
    outer = math.prod(input.shape[:axis])
    lines, target = (a.reshape(outer, *input.shape[axis:]) for a in (input, out))
    map_rows(lambda part: finish(target[part], lines[part], 1), outer, input.size // outer)
    return out


def finish_softmax(out, input, axis):
    total = powers(input, axis, out)
    np.multiply(out, 1 / total, out) if out.size > SMALL else np.divide(out, total, out)


def finish_log_softmax(out, input, axis):
    # Always subtract the largest: exact where one element dominates, and the logarithm is nearly 0.
    shifted = np.subtract(input, largest(input, axis))
    np.exp(shifted, out)
    np.subtract(shifted, np.log(sum_along(out, axis)), out)


def subtract_largest(matrix, axis):
    """The elements of a little matrix minus the largest along ``axis``."""
    top = matrix.take(places_in_rows(matrix, np.ndarray.argmax)) if axis else maximum(matrix, 0)
    return np.subtract(matrix, spread(top, matrix.shape, axis))


def add_little(matrix, axis):
    """The sums of a little matrix along ``axis``."""
    return matrix.dot(ONES[F4][matrix.shape[1]]) if axis else add_along(matrix, 0)


def spread(values, shape, axis):
    """Repeat one number for each line along ``axis``, in half of the time in which NumPy broadcasts a few numbers."""
    if values.size == 1:  # one number need not be repeated
        return values.reshape(())
    return values.repeat(shape[1]).reshape(shape) if axis else values[None].repeat(shape[0], 0)


def softmax_axis(input, dim, name):
    """Return ``dim`` from 0; raise NotImplementedError for a dtype without softmax, unless there are no elements."""
    axis = wrap_dim(dim, input.ndim)
    if input.dtype.kind not in "fV" and input.size:
        kernel = f"{name}_lastdim_kernel_impl" if axis >= input.ndim - 1 else f"{name}_kernel_impl"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{BY_NUMPY[input.dtype].title}'")
    return axis


@op(public=False, node="SoftmaxBackward0", input="softmax_backward(g, out, dim)")
def softmax_dim(input, dim):
    """The exponentials of the elements, divided by their sum along ``dim``."""
    axis = softmax_axis(input, dim, "softmax")
    if (matrix := as_little(input, axis)) is not None:
        axis = axis if matrix is input else 1
        out = subtract_largest(matrix, axis)
        np.exp(out, out)
        np.divide(out, spread(add_little(out, axis), matrix.shape, axis), out)
        return out if matrix is input else out.reshape(input.shape)
    if input.itemsize == 2:
        input = input if input.flags.c_contiguous else memory.row_major(input)
        if axis < input.ndim - 1 and input.size:
            return softmax_of_halves(input, axis)
        return narrow_result(finish_in_blocks(finish_softmax, widen(input), axis), input.dtype)
    return finish_in_blocks(finish_softmax, input, axis)


def softmax_of_halves(input, axis):
    """Softmax along a dimension other than the last: exponentials are rounded to 16 bits after they are added, not before."""
    wide = widen(input)
    terms = np.exp(wide - largest(wide, axis))
    total = sum_along(terms, axis)
    return narrow_result(widen(narrow_result(terms, input.dtype)) / total, input.dtype)


def log_softmax_of_halves(input):
    """The logarithm of softmax along the last dimension: sums of exponentials, and their logarithms, in 16 bits."""
    wide, dtype = widen(input), input.dtype
    shifted = wide - largest(wide, input.ndim - 1)
    total = widen(narrow_result(add_along(np.exp(shifted), input.ndim - 1, True), dtype))
    return narrow_result(shifted - widen(narrow_result(np.log(total), dtype)), dtype)


@op(public=False, node="LogSoftmaxBackward0", input="log_softmax_backward(g, out, dim)")
def log_softmax_dim(input, dim):
    """The logarithm of softmax."""
    axis = softmax_axis(input, dim, "log_softmax")
    if (matrix := as_little(input, axis)) is not None:
        axis = axis if matrix is input else 1
        out = subtract_largest(matrix, axis)
        total = np.log(add_little(np.exp(out), axis))
        np.subtract(out, spread(total, matrix.shape, axis), out)
        return out if matrix is input else out.reshape(input.shape)
    if input.itemsize == 2:
        input = input if input.flags.c_contiguous else memory.row_major(input)
        if input.ndim and axis == input.ndim - 1 and input.size:
            return log_softmax_of_halves(input)
        return narrow_result(finish_in_blocks(finish_log_softmax, widen(input), axis), input.dtype)
    return finish_in_blocks(finish_log_softmax, input, axis)
