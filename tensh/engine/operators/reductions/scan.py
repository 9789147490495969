"""Running sums and products along a dimension, and the accumulation shared with running extremes.

``step`` is the direction: 1 from the first element on, -1 from the last.  Every derivative is a running sum or a
recurrence in the other direction, for any order and also where factors are zero.
"""

from functools import lru_cache

import numpy as np

from tensh.engine.arrays.halves import convert
from tensh.engine.arrays.orders import move_axis
from tensh.engine.arrays.threads import PARALLEL, PARALLEL_LIGHT, map_rows
from tensh.engine.arrays.vectors import HAS_AVX512
from tensh.engine.codegen.mixing import ZERO
from tensh.engine.codegen.table import op
from tensh.engine.dtypes.dtype import BUILTIN, FEW_BITS
from tensh.engine.errors.messages import OTHER_DTYPE, refuse_dtype, wrap_dim
from tensh.engine.operators.precision import F4, I8, WIDER, is_half, take_real
from tensh.engine.operators.reductions.summation import add_rows, times

LINES = 96  # numbers per step from which a loop over steps is faster than NumPy's accumulate
BLOCK, FOUR = 16, 4
GROUP = FOUR * BLOCK
SMALL = 1 << 11  # elements from which blocks pay
LOCKED = 500  # see ``accumulate_rows``
PART = 1 << 12  # groups of running sums to which the sums before them are added at a time
CHUNK = 1 << 17  # elements that are accumulated in a wider dtype at a time
SHORT = 16  # elements of rows that are accumulated across a copy: a third to a fifth of the time
NEAR = 1 << 15  # elements that stay in the cache from step to step
ROUNDED = frozenset((np.add, np.multiply, np.logaddexp))
EXTREMES = frozenset((np.maximum, np.minimum))
SUMS = frozenset((np.add, np.logaddexp))


# ── machinery ────────────────────────────────────────────────────────────────
def reverse_along(array, axis):
    return array[(slice(None),) * axis + (slice(None, None, -1),)]


def accumulate(ufunc, input, dim, step, dtype=None):
    """Accumulate ``ufunc`` along ``dim`` in a new array, in higher precision and rounded once for every element."""
    dtype = dtype or input.dtype
    wide = F4 if is_half(dtype) else WIDER.get(dtype, dtype) if ufunc in ROUNDED else dtype
    source = input if input.dtype is dtype else take_real(input, dtype).astype(dtype, copy=False)
    axis = wrap_dim(dim, input.ndim)
    if input.ndim == 0:
        return source.copy()
    backwards = step != 1 and source.shape[axis] > 1  # no tensor has a negative stride, not even of one element
    if backwards:
        source = reverse_along(source, axis)
    result = (accumulate_lines if source.size > LINES else accumulate_at_once)(ufunc, source, axis, wide)
    if ufunc in SUMS and dtype.kind in "fcV" and (source.size < SMALL or begins_with_negative_zero(source, axis)):
        np.add(result, ZERO[dtype], result)  # as in PyTorch, which begins with zero, -0 becomes 0
    return np.ascontiguousarray(reverse_along(result, axis) if backwards else result)  # in rows, as PyTorch's


def begins_with_negative_zero(source, axis):
    """Return True if a line begins with -0."""
    first = source[(slice(None),) * axis + (0,)]
    parts = (first.real, first.imag) if source.dtype.kind == "c" else (first,)
    return any([bool((np.signbit(part) & (part == 0)).any()) for part in parts])


def accumulate_at_once(ufunc, source, axis, wide):
    if is_half(source.dtype):
        return ufunc.accumulate(source.astype(wide), axis).astype(source.dtype)
    return ufunc.accumulate(source, axis, wide).astype(source.dtype, copy=False)


def accumulate_lines(ufunc, source, axis, wide):
    """Accumulate across many lines at once, ten times as fast as NumPy's accumulation of one line after the other."""
    dtype = source.dtype
    if axis == source.ndim - 1:
        return accumulate_contiguous(ufunc, source, wide)
    if source.size <= LINES * source.shape[axis]:
        return accumulate_at_once(ufunc, source, axis, wide)
    if source.size < PARALLEL_LIGHT:  # small enough for a copy, which halves the time
        result = source.astype(wide)
        before, *lines = move_axis(result, axis, 0)
        for line in lines:
            before = ufunc(before, line, out=line)
        return result.astype(dtype, copy=False)
    result = np.empty(source.shape, dtype)
    lines, into = move_axis(source, axis, 0), move_axis(result, axis, 0)
    before = lines[0].astype(wide)
    into[0] = before
    for line, out in zip(lines[1:], into[1:], strict=True):
        before = ufunc(before, line.astype(wide, copy=False), out=before)
        out[...] = before
    return result


def accumulate_contiguous(ufunc, source, wide):
    """Accumulate along the last dimension, block by block.

    Sums of many float32 numbers use single precision, which takes half the time and costs a digit in the last place.
    """
    length, dtype = source.shape[-1], source.dtype
    if source.size < SMALL:
        return accumulate_at_once(ufunc, source, -1, wide)
    many = source.size >= PARALLEL
    by_blas = ufunc is np.add and dtype.kind == "f" and (many or dtype == F4 and HAS_AVX512)
    inner = dtype if by_blas and many and dtype == F4 else wide
    rows = source.reshape(-1, length)
    if length <= SHORT:
        return np.ascontiguousarray(accumulate_lines(ufunc, rows.T.copy(), 0, wide).T).reshape(source.shape)
    results = np.empty(rows.shape, dtype)

    def work(part):
        if ufunc in EXTREMES and not is_half(dtype):
            accumulate_extremes(ufunc, rows[part], results[part])
            return
        if not by_blas:
            one_by_one(ufunc, rows[part], results[part], inner)
            return
        some = rows[part].astype(inner, copy=False)
        sums = results[part] if inner == dtype else np.empty(some.shape, inner)
        running_sums(some, sums)
        if not np.isfinite(sums[:, -1]).all():  # zero times infinity is nan
            one_by_one(ufunc, some, sums, inner)
        if inner != dtype:
            results[part] = sums

    map_rows(work, len(rows), length, least=PARALLEL_LIGHT if by_blas else PARALLEL)
    return results.reshape(source.shape)


def accumulate_extremes(ufunc, rows, out):
    """Accumulate along rows by doubling: after the n-th step every element includes the 2**n elements before it.

    A thousand columns take ten steps over all numbers, in less than half of the time of sequential accumulation. Rows
    are joined to one line, and the first elements of each row are restored: NumPy takes three times as long row by row.
    """
    length, number = rows.shape[1], max(1, NEAR // rows.shape[1])
    for start in range(0, len(rows), number):
        some = rows[start : start + number].copy()
        spare, step = np.empty_like(some), 1
        while step < length:
            line = some.reshape(-1)
            ufunc(line[step:], line[:-step], out=spare.reshape(-1)[step:])
            spare[:, :step] = some[:, :step]
            some, spare, step = spare, some, 2 * step
        out[start : start + number] = some


def one_by_one(ufunc, rows, out, wide):
    """Call ``ufunc.accumulate`` along rows in the dtype ``wide``, in parts of the columns that continue one another."""
    columns, before = max(1, CHUNK // max(len(rows), 1)), None
    for start in range(0, rows.shape[1], columns):
        some = rows[:, start : start + columns].astype(wide)
        if before is not None:
            some[:, 0] = ufunc(before, some[:, 0])
        sums = np.empty(some.shape, wide)
        accumulate_rows(ufunc, some, sums)
        out[:, start : start + columns] = sums
        before = sums[:, -1].copy()


def accumulate_rows(ufunc, rows, out):
    """Accumulate all columns at once.  NumPy keeps Python's lock for up to LOCKED rows, but not for a single one."""
    if len(rows) > LOCKED or rows.shape[1] <= LOCKED:
        ufunc.accumulate(rows, 1, None, out)
    else:
        for row, into in zip(rows, out, strict=True):
            ufunc.accumulate(row, 0, None, into)


def running_sums(rows, out):
    """Compute running sums of rows of finite floats by BLAS.

    This takes a quarter of the time of NumPy's sequential additions (in double precision only with AVX-512; elsewhere
    in twice that time). Each block of 16 is multiplied by a triangle of ones. Then the sums of earlier blocks are
    added: those of the same group of four blocks by another product, and those of earlier groups recursively, in double
    precision.
    """
    length = rows.shape[1]
    if length <= GROUP:
        times(np.ascontiguousarray(rows), ones_above(rows.dtype)[:length, :length], out)
        return
    full = length // GROUP * GROUP
    groups = out if full == length and out.flags.c_contiguous else np.empty((len(rows), full), out.dtype)
    triangle = ones_above(rows.dtype)[:BLOCK, :BLOCK]
    times(np.ascontiguousarray(rows[:, :full]).reshape(-1, BLOCK), triangle, groups.reshape(-1, BLOCK))
    ends = groups.reshape(-1, FOUR, BLOCK)[..., -1].copy()
    before = np.zeros((len(rows), full // GROUP + 1))
    running_sums(add_rows(ends).reshape(len(rows), -1).astype(before.dtype), before[:, 1:])
    ends[:, -1] = before[:, :-1].reshape(-1)  # no block of the group follows its last one
    grouped = groups.reshape(-1, GROUP)
    for start in range(0, len(grouped), PART):
        grouped[start : start + PART] += times(ends[start : start + PART], ones_after(rows.dtype))
    if groups is not out:
        out[:, :full] = groups
    if full < length:
        rest = rows[:, full:].astype(before.dtype)
        rest[:, 0] += before[:, -1]
        running_sums(rest, out[:, full:])


@lru_cache(2)
def ones_above(dtype):
    """Return ones on and above the diagonal: running sums are products with this matrix."""
    return np.triu(np.ones((GROUP, GROUP), dtype))


@lru_cache(2)
def ones_after(dtype):
    """Return the matrix that adds the sums of a group's first three blocks to all later numbers, and a fourth sum to all."""
    return (np.arange(GROUP) // BLOCK > [[0], [1], [2], [-1]]).astype(dtype)


@op(public=False, input="shift(g, dim, -by, 0)")
def shift(input, dim, by, fill):
    """The input shifted by one element along ``dim`` (forwards for 1, backwards for -1), with ``fill`` at the free end."""
    result = np.full_like(input, fill)
    if input.ndim:
        before = (slice(None),) * wrap_dim(dim, input.ndim)
        to, source = (slice(1, None), slice(None, -1)) if by == 1 else (slice(None, -1), slice(1, None))
        result[*before, to] = input[*before, source]
    return result


@op(
    public=False,
    let={"carried": "recur(g, conj(shift(factors, dim, -step, 0)), dim, -step)"},
    input="carried",
    factors="carried * conj(shift(out, dim, step, 0))",
)
def recur(input, factors, dim, step):
    """The linear recurrence ``out[i] = input[i] + factors[i] * out[i - step]`` along ``dim``."""
    if input.ndim == 0:
        return input.copy()
    dtype = np.result_type(input, factors)
    if wrap_dim(dim, input.ndim) == input.ndim - 1 and input.size >= SMALL and dtype.kind == "f":
        result = recur_by_doubling(input, factors, step, dtype)
        if np.isfinite(result).all():  # a product of factors may overflow where the recurrence does not
            return result
    result = np.array(move_axis(input, dim, 0), dtype)
    factors = move_axis(factors, dim, 0)
    order = range(1, len(result)) if step == 1 else range(len(result) - 2, -1, -1)
    for i in order:
        result[i] += factors[i] * result[i - step]
    return move_axis(result, 0, dim)


def recur_by_doubling(input, factors, step, dtype):
    """Compute the recurrence along rows by doubling: after the n-th step every element includes the 2**n - 1 before it.

    Rows are joined to one line; a factor of zero at each start separates them.
    """
    length, result = input.shape[-1], np.empty(input.shape, dtype)
    rows, others, out = (a.reshape(-1, length)[:, ::step] for a in (input, factors, result))
    number = max(1, NEAR // length)
    for start in range(0, len(rows), number):
        part = slice(start, start + number)
        found, carry = (np.array(a[part], dtype, order="C") for a in (rows, others))
        carry[:, 0] = 0
        found, carry = found.reshape(-1), carry.reshape(-1)
        spare, by = np.zeros_like(carry), 1
        while by < length:
            moved = np.multiply(carry[by:], found[:-by], spare[by:])
            np.add(found[by:], moved, found[by:])
            np.multiply(carry[by:], carry[:-by], moved)
            spare[:by] = 0
            carry, spare, by = spare, carry, 2 * by
        out[part] = found.reshape(-1, length)
    return result


# ── sums and products ────────────────────────────────────────────────────────
REFUSED = "?" + FEW_BITS  # the letters of dtypes without running sums


def running_dtype(name, input, dim, dtype):
    """Return the dtype to accumulate in: by default int64 for bools and integers."""
    own = I8 if input.dtype.kind in "biu" else input.dtype
    found = own if dtype is None else BUILTIN.get(dtype, dtype).numpy
    if found.char in REFUSED and input.ndim and input.size:
        wrap_dim(dim, input.ndim)
        refuse_dtype(f"{name}_out", found)
    return found


WRITTEN = {"inplace": True, "out": OTHER_DTYPE, "into_dtype": True}


@op(public=False, node="CumsumBackward0", input="sums(g, dim, -step)")
def sums(input, dim, step):
    """Running sums in either direction."""
    return accumulate(np.add, input, dim, step)


@op(**WRITTEN, input="sums(g, dim, -1)")
def cumsum(input, dim, *, dtype=None):
    """The running sum along ``dim``, of the same shape; int64 for bools and integers unless ``dtype`` is given.

    Differentiable.  Shape: [*], kept.

    >>> import tensh as torch
    >>> torch.tensor([1, 2, 3]).cumsum(0)
    tensor([1, 3, 6])
    """
    return accumulate(np.add, input, dim, 1, running_dtype("cumsum", input, dim, dtype))


PRODUCT = "conj(shift(out, dim, {0}, 1)) * recur(g, conj(shift(input, dim, -{0}, 0)), dim, -{0})"


def derive_products_of_halves(g, input, out, dim, step=1, **_):
    """The gradient of running products of 16 bit numbers: sums over quotients, as in PyTorch, unless a factor is zero."""
    if not input.ndim or 0 in input.shape or input.shape[dim] == 1:
        return (g,)
    if input.all():
        return (accumulate(np.add, out * g, dim, -step) / input,)
    wide, carried = (convert(each, F4) for each in (out, input))
    return (convert(carry_back(convert(g, F4), carried, wide, dim, step), g.dtype),)


def carry_back(g, input, out, dim, step):
    back = recur.kernel(g, shift.kernel(input, dim, -step, 0), dim, -step)
    return shift.kernel(out, dim, step, 1) * back


@op(public=False, fused=derive_products_of_halves, node="CumprodBackward0", input=PRODUCT.format("step"))
def products(input, dim, step):
    """Running products in either direction."""
    return accumulate(np.multiply, input, dim, step)


@op(
    **WRITTEN,
    fused=derive_products_of_halves,
    input=f"{PRODUCT.format('1')} if input.ndim and input.shape[dim] != 1 and 0 not in input.shape else g",
)
def cumprod(input, dim, *, dtype=None):
    """The running product along ``dim``, of the same shape; int64 for bools and integers unless ``dtype`` is given.

    Differentiable, also where elements are zero.  Shape: [*], kept.

    >>> import tensh as torch
    >>> torch.tensor([1, 2, 3]).cumprod(0)
    tensor([1, 2, 6])
    """
    return accumulate(np.multiply, input, dim, 1, running_dtype("cumprod", input, dim, dtype))


def log_add_exp(first, second):
    """``log(exp(first) + exp(second))`` of complex numbers, on the branch of the one with the larger real part."""
    larger = first.real >= second.real
    top, other = np.where(larger, first, second), np.where(larger, second, first)
    return np.where(np.isfinite(top), top + np.log1p(np.exp(other - top)), top)


LEAST_BFLOAT16 = -3.3895313892515355e38
OTHER_SCALAR_TYPE = "expected scalar_type {0.title} but found {1.title}"


def derive_logcumsumexp_of_halves(g, input, out, dim, **_):
    """The gradient of 16 bit numbers from the logarithms of positive and of negative gradients, as in PyTorch."""
    size, least = np.log(np.abs(g)), np.finfo(g.dtype).min if g.dtype.kind == "f" else LEAST_BFLOAT16
    parts = [np.where(chosen, size, g.dtype.type(least)) for chosen in (g > 0, g < 0)]
    above, below = (np.exp(accumulate(np.logaddexp, part - out, dim, -1) + input) for part in parts)
    return (above - below,)


@op(
    fused=derive_logcumsumexp_of_halves,
    kernel_name="logcumsumexp_out_cpu",
    out=OTHER_SCALAR_TYPE,
    input="conj(exp(input - out)) * recur(g, conj(exp(out - shift(out, dim, -1, float('inf')))), dim, -1)"
    " if input.ndim and 0 not in input.shape else g",
)
def logcumsumexp(input, dim):
    """The logarithm of the running sum of exponentials along ``dim``.  Differentiable.  Shape: [*], kept.

    >>> import tensh as torch
    >>> torch.tensor([0.0, 0.0]).logcumsumexp(0)
    tensor([0.0000, 0.6931])
    """
    axis = wrap_dim(dim, input.ndim)
    if input.dtype.char not in "efdEFD":
        refuse_dtype("logcumsumexp", input.dtype)
    if input.dtype.kind != "c":
        return accumulate(np.logaddexp, input, dim, 1)
    result = input.copy()
    lines = move_axis(result, axis, 0) if input.ndim else ()
    for i in range(1, len(lines)):
        lines[i] = log_add_exp(lines[i - 1], lines[i])
    return result
