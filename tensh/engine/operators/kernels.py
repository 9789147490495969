"""Helpers of pointwise kernels, and kernels that choose between values.

A kernel works on arrays of the right dtype.  For 0-d arrays NumPy returns scalars, which have no memory to write into:
``reusable`` tells the two apart.  Zeros and ones are cached, because NumPy takes 300 ns to convert a Python number.
"""

import functools
import math

import numpy as np
from numpy import ndarray

from tensh.engine.arguments.kinds import NO_FIT, take_float
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays.halves import CLIP, convert
from tensh.engine.arrays.threads import parallel_map
from tensh.engine.codegen.mixing import COMMON_WITH_NUMBER, SCALARS, WEAK, ZERO, dtype_of_all, promote
from tensh.engine.codegen.scalars import FITTING
from tensh.engine.dtypes.dtype import BY_NUMPY, DIFFERENTIABLE, get_default_dtype, of_scalar
from tensh.engine.errors.messages import refuse_dtype
from tensh.engine.operators.precision import F2, F4, imaginary_of, is_half


class Ones(dict):
    """NumPy dtype -> a read-only 0-d array with the number one."""

    def __missing__(self, dtype):
        one = self[dtype] = SCALARS[1, dtype]
        return one


ONE = Ones()


def reusable(array):
    """Return a result as memory for the next step; None for a NumPy scalar."""
    return array if type(array) is ndarray else None


def is_real(array):
    return array.dtype.kind not in "cW"


def promote_arrays(*arrays):
    """Return the arrays (or None) in the dtype in which PyTorch combines them."""
    if len({id(a.dtype) for a in arrays if a is not None}) == 1:
        return arrays
    to = dtype_of_all([a for a in arrays if a is not None]).numpy
    return [a if a is None or a.dtype is to else a.astype(to) for a in arrays]


def all_in_float32(kernel):
    """Make a kernel of several arrays of one dtype compute 16 bit floating point numbers in float32."""

    @functools.wraps(kernel)
    def wide(input, *others):
        if is_half(input.dtype):
            others = (convert(o, F4) if isinstance(o, ndarray) else o for o in others)
            return convert(kernel(convert(input, F4), *others), input.dtype)
        return kernel(input, *others)

    return wide


def number(value, name, parameter, position):
    """Return an argument as a float; raise PyTorch's error for anything else."""
    taken = take_float(value)
    if taken is NO_FIT:
        raise TypeError(f"{name}(): argument '{parameter}' (position {position}) must be float, not {type_name(value)}")
    return taken


def ufunc_except(kinds, otherwise, function, name=None):
    """Return a kernel that calls a ufunc of one array, but ``otherwise`` for dtypes of some kinds."""

    def kernel(input):
        return otherwise(input) if input.dtype.kind in kinds else function(input)

    def write(out, input):
        if input.dtype.kind in kinds:
            out[...] = otherwise(input)
        else:
            function(input, out)

    kernel.write_into, kernel.light, kernel.__name__ = write, True, name or function.__name__
    return kernel


# ── choosing between values ──────────────────────────────────────────────────
BITS = {1: np.dtype(np.int8), 2: np.dtype(np.int16), 4: np.dtype(np.int32), 8: np.dtype(np.int64)}
MASKED, RARE = (
    1 << 14,
    16,
)  # elements from which a mask is applied to bits, unless one in so many differs from the others
LARGE = 512  # elements from which multiplying the bits by the mask is faster than np.where, up to ten times


def has_true(mask):
    """``mask.any()``, in a third of the time for few elements."""
    return mask.size > 0 and mask.item(mask.argmax())


def zero_unless(input, mask):
    """``input`` where the mask is true, zero elsewhere, even for nan: the bits times 1 or 0."""
    if input.size >= LARGE and (bits := BITS.get(input.itemsize)) is not None:
        return np.multiply(input.view(bits), mask).view(input.dtype)
    return np.where(mask, input, ZERO[input.dtype])


def fill_where(input, mask, value):
    """``input`` with the number ``value`` where the mask is true."""
    if type(value) is int and not value and input.size >= LARGE:
        return zero_unless(input, np.logical_not(mask))
    value = SCALARS[value, input.dtype] if value else ZERO[input.dtype]
    if input.shape == mask.shape and input.ndim:
        if input.size >= LARGE and input.itemsize < 8:
            return blend(mask, value, input)
        if input.flags.c_contiguous:
            return put(input, mask, value)
    return np.where(mask, value, input)


def choose(condition, input, other):
    """The elements of ``input`` where the condition is true, those of ``other`` elsewhere."""
    if input.dtype is not other.dtype:
        input, other = promote(input, other)
    if condition.shape == input.shape == other.shape and input.ndim:
        if input.size >= LARGE and input.itemsize < 8:
            return blend(condition, input, other)
        if other.flags.c_contiguous:
            return put(other, condition, input)  # takes 300 ns less than np.where
    return np.where(condition, input, other)


def put(array, mask, values):
    """A copy of ``array``, which is in rows, with ``values`` where the mask is true."""
    out = array.copy()
    np.putmask(out, mask, values)
    return out


def blend(condition, input, other, out=None):
    """``np.where`` for arrays of one shape, in half the time, by flipping the bits in which they differ.

    ``out`` must not share memory with ``other``.
    """
    bits = BITS[input.itemsize]
    other = other.view(bits)
    out = np.bitwise_xor(input.view(bits), other, out if out is None else out.view(bits))
    np.multiply(out, condition, out)
    return np.bitwise_xor(out, other, out).view(input.dtype)


# Large results are written block by block into ``out``; copying them would take up to half of the time.
def write_unless(out, input, mask):
    """Write what ``zero_unless`` returns."""
    if (bits := BITS.get(input.itemsize)) is not None:
        np.multiply(input.view(bits), mask, out.view(bits))
    else:
        out[...] = zero_unless(input, mask)


def write_filled(out, input, mask, value=0):
    """Write what ``fill_where`` returns."""
    if type(value) is int and not value:
        write_unless(out, input, np.logical_not(mask))
    else:
        write_chosen(out, mask, SCALARS[value, input.dtype], input)


def write_chosen(out, condition, input, other):
    """Write what ``choose`` returns."""
    fits = input.dtype is other.dtype and input.itemsize < 8 and condition.shape == other.shape == out.shape
    if fits and input.shape in ((), out.shape) and not np.may_share_memory(out, other):
        blend(condition, input, other, out)
    else:
        out[...] = choose(condition, input, other)


# ── bounds ───────────────────────────────────────────────────────────────────
def clamp(input, min, max):
    """``input`` clamped between two bounds (arrays of its dtype, or None)."""
    if input.dtype.kind in "cW" or input.dtype.kind == "b" and min is not None is not max:
        kernel = "maximum" if max is None else "minimum" if min is None else "clamp"
        raise NotImplementedError(f"\"{kernel}_cpu\" not implemented for '{BY_NUMPY[input.dtype].title}'")
    out = input if min is None else np.maximum(input, min)
    return out if max is None else np.minimum(out, max)


def write_clamped(out, input, min=None, max=None):
    """Write what ``clamp`` returns for operands that are promoted."""
    if (
        min is None
        or max is None
        or not out.dtype is input.dtype is min.dtype is max.dtype
        or np.may_share_memory(out, max)
    ):
        out[...] = clamp(*promote_arrays(input, min, max))
    else:
        np.maximum(input, min, out=out)
        np.minimum(out, max, out=out)


CLIPPED = 1 << 13  # elements from which clipping, which makes use of scalar bounds, is faster than maximum and minimum


class Bounds(dict):
    """NumPy dtype -> its smallest and its largest number as 0-d arrays."""

    def __missing__(self, dtype):
        ends = (-math.inf, math.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        self[dtype] = bounds = tuple(np.array(end, dtype) for end in ends)
        return bounds


BOUNDS = Bounds()


def fill_by_mask(array, mask, number):
    """Write a 0-d array where a mask of the same shape is true, by bits; return False if NumPy's loop takes no longer.

    It takes ten times as long if the processor mispredicts the mask.
    """
    if array.size < MASKED or array.itemsize not in (1, 2, 4) or type(array) is not ndarray:
        return False
    if not array.size < RARE * np.count_nonzero(mask) < (RARE - 1) * array.size:
        return False
    filled = parallel_map(lambda part, mask: blend(mask, number, part), (array, mask), (), array)
    if filled is not array:
        array[...] = filled
    return True


def clip(input, low, high, out=None):
    """``input`` clamped between two 0-d arrays, one of which may be None."""
    if input.dtype.kind in "fiu" and (out is not None or input.size >= CLIPPED or low is not None is not high):
        lowest, highest = BOUNDS[input.dtype]
        return CLIP(input, lowest if low is None else low, highest if high is None else high, out)
    if low is not None:
        input = np.maximum(input, low, out=out)
    return input if high is None else np.minimum(input, high, out=out)


def clamp_min(input, min):
    if input.size < CLIPPED or type(min) is not ndarray or min.ndim:
        return np.maximum(input, min)
    return clip(input, min, None)


def clamp_max(input, max):
    if input.size < CLIPPED or type(max) is not ndarray or max.ndim:
        return np.minimum(input, max)
    return clip(input, None, max)


def clamp_numbers(input, min, max, out=None):
    """``input`` clamped between two numbers, in their common dtype."""
    dtype = input.dtype
    weak = WEAK[dtype.kind]
    if type(min) not in weak and min is not None or type(max) not in weak and max is not None:
        for bound in (min, max):
            if bound is not None:
                dtype = COMMON_WITH_NUMBER[dtype, type(bound), False, of_scalar[float]]
        input = input.astype(dtype, copy=False)
    elif dtype.kind == "b":
        refuse_dtype(f"clamp_{'max_' if min is None else 'min_' if max is None else ''}scalar", dtype)
    return clip(input, *[None if bound is None else FITTING[bound, dtype] for bound in (min, max)], out)


def relu(input):
    zero = ZERO[input.dtype]
    if input.dtype is F2:
        return np.maximum(input, zero)  # the first of equal ones: -0 is kept
    if input.size < CLIPPED or input.dtype.kind == "V":  # np.maximum keeps the second of equal bfloat16 numbers
        return np.maximum(zero, input)
    return clip(input, zero, None)


relu.write_into = lambda out, input: clip(input, ZERO[input.dtype], None, out)
relu.light = True


# ── comparisons ──────────────────────────────────────────────────────────────
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """True where |input - other| is at most atol + rtol * |other|."""
    for position, (name, value) in enumerate((("rtol", rtol), ("atol", atol)), 3):
        if not number(value, "isclose", name, position) >= 0:  # nan, too
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value:g}")
    rtol, atol = float(rtol), float(atol)
    close = np.equal(input, other)
    if equal_nan and input.dtype.kind in DIFFERENTIABLE:
        close = close | (np.isnan(input) & np.isnan(other))
    if rtol == 0 and atol == 0:
        return close
    if input.dtype.kind in "biu":
        to = get_default_dtype().numpy
        input, other = input.astype(to), other.astype(to)
    error = np.abs(input - other)
    return close | (np.isfinite(error) & (error <= atol + np.abs(other * rtol)))


def infinity(sign):
    """True where a number is the infinity of this sign."""

    def kernel(input):
        if input.dtype.kind not in "fV":
            return np.zeros_like(input, bool)
        return np.equal(input, SCALARS[sign * math.inf, input.dtype])

    return kernel


def isreal(input):
    """True where the imaginary part is zero."""
    if is_real(input):
        return np.ones_like(input, bool)
    return np.equal(imaginary_of(input), 0)


def same_dtype(one, two, number):
    """Raise PyTorch's error for operands of two dtypes."""
    raise RuntimeError(f"{BY_NUMPY[one].title} did not match {BY_NUMPY[two].title}")
