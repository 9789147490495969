"""Kernels of arithmetic: sums with factors, division and its remainders."""

import numpy as np
from numpy import ndarray

from tensh.engine.arguments.kinds import NO_FIT
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays.halves import HalfNumber, convert
from tensh.engine.codegen.chains import FEW, Chain
from tensh.engine.codegen.mixing import NUMBERS, SCALARS, ZERO
from tensh.engine.codegen.scalars import FITTING, take_number
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import BY_NUMPY, HALF_COMPLEX, combine_categories, of_scalar
from tensh.engine.errors.messages import broadcast_clash, refuse_dtype
from tensh.engine.operators.elementwise import quotients
from tensh.engine.operators.elementwise.vectors import VECTORS, compute_in_vectors
from tensh.engine.operators.kernels import all_in_float32, choose, promote_arrays
from tensh.engine.operators.precision import F4, is_half

# ── sums and products ────────────────────────────────────────────────────────
SUB_BOOLS = RuntimeError(
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
    "instead."
)
NEG_BOOL = RuntimeError(
    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
    "`logical_not()` operator instead."
)


def refuse_bools(one, two, number):
    """Raise if an operand of a subtraction is bool."""
    if one.kind == "b" == two.kind:
        raise SUB_BOOLS
    if one.kind == "b" or two.kind == "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )


def times(array, alpha, name, sign=1):
    """Return the array times a number of its dtype, or its negative: PyTorch subtracts by adding ``-alpha``."""
    dtype = array.dtype
    kind = dtype.kind
    if type(alpha) is float and kind == "f" or type(alpha) is int:
        return np.multiply(array, FITTING[alpha * sign, dtype])
    if (alpha := take_number(given := alpha)) is NO_FIT:
        raise TypeError(f"{name}(): argument 'alpha' must be Number, not {type_name(given)}")
    if type(alpha) is bool and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if type(alpha) in (float, complex) and kind in "iub":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if type(alpha) is complex and kind not in "cW":
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    return array * FITTING[alpha if type(alpha) is bool else alpha * sign, dtype]


def reversed_difference(input, other):
    return np.subtract(other, input)


def add_scaled_halves(base, array, alpha):
    """``base + alpha * array`` of 16 bit numbers, ``alpha`` among them."""
    alpha = np.asarray(alpha, array.dtype)
    if array.ndim or base.ndim:
        return compute_in_vectors(
            VECTORS, scale_at_once, lambda base, array, alpha: base + array * alpha, base, array, alpha
        )
    return base + array * alpha


def scale_at_once(base, array, alpha):
    return (base.astype(F4) + array.astype(F4) * alpha.astype(F4)).astype(array.dtype)


def is_half_sum(base, array, alpha):
    return (
        array.itemsize == 2 and array.dtype.kind in "fV" and base.dtype is array.dtype and type(alpha) in (int, float)
    )


def add_scaled(input, other, alpha):
    if is_half_sum(input, other, alpha):
        return add_scaled_halves(input, other, alpha)
    part = times(other, alpha, "add")
    return np.add(input, part, room(part, input))


def sub_scaled(input, other, alpha):
    if other.dtype.kind == "b":
        raise RuntimeError(*SUB_BOOLS.args)
    if is_half_sum(input, other, alpha):
        return add_scaled_halves(input, other, -alpha)
    part = times(other, alpha, "sub", -1)
    return np.add(input, part, room(part, input))


def write_sum(kernel, name, sign):
    """Return the function that writes the result of ``kernel``, an array plus a multiple of another, into a third."""

    def write(out, input, other, alpha):
        if out.dtype is input.dtype is other.dtype and input.itemsize > 2 and input.dtype.kind in "fc":
            np.add(input, times(other, alpha, name, sign), out)
        else:
            out[...] = kernel(input, other, alpha)

    return write


add_scaled.write_into, sub_scaled.write_into = write_sum(add_scaled, "add", 1), write_sum(sub_scaled, "sub", -1)


def rsub_scaled(input, other, alpha):
    if input.dtype.kind == "b":
        raise RuntimeError(*SUB_BOOLS.args)
    if is_half_sum(other, input, alpha):
        return add_scaled_halves(other, input, -alpha)
    part = times(input, alpha, "rsub", -1)
    return np.add(other, part, room(part, other))


def room(part, other):
    """Return the memory of ``part``, which is free, for a result with ``other`` of its dtype; None if it is too small."""
    return part if type(part) is ndarray and part.shape == other.shape else None


# ── division ─────────────────────────────────────────────────────────────────
def require_divisor(input, other):
    """Raise for integers divided by zero."""
    if not other.ndim and other:
        return
    if 0 in other.strides:  # check each element of an expanded array once
        other = other[tuple(slice(None, None if step else 1) for step in other.strides)]
    if np.count_nonzero(other) != other.size and input.size:
        raise RuntimeError("ZeroDivisionError")


def floor_divide(input, other):
    """The quotient rounded down."""
    if input.dtype.kind in "iu":
        require_divisor(input, other)
    elif quotients.many(input, other):
        return quotients.floor_divide(input, other)
    elif type(other) is HalfNumber:
        return convert(np.asarray(floor_divide(convert(input, F4), other.exact)), input.dtype)
    elif is_half(input.dtype):
        return quotients.floor_divide_halves(input, other)
    return np.floor_divide(input, other)


def trunc_divide(input, other):
    """The quotient rounded towards zero."""
    if type(other) is HalfNumber:
        return convert(np.trunc(convert(input, F4) / other.exact), input.dtype)
    if input.dtype.kind not in "iu":
        return np.trunc(input / other)
    require_divisor(input, other)
    down = np.floor_divide(input, other)
    return down + ((down < 0) & (down * other != input)).astype(input.dtype)


def divide_rounded(input, other, rounding_mode):
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    if input.dtype.kind in "bcW":
        if (clash := broadcast_clash([input.shape, other.shape])) is not None:
            raise RuntimeError(clash)
        title = BY_NUMPY[input.dtype].title
        raise NotImplementedError(f"\"div_{rounding_mode}_cpu\" not implemented for '{title}'")
    return (trunc_divide if rounding_mode == "trunc" else floor_divide)(input, other)


def require_true_division(one, two):
    """Raise if addcdiv would divide two integers."""
    if one.dtype.kind in "biu" and two.dtype.kind in "biu":
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
            "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
            "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) "
            "for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / "
            "tensor2), for all dtypes."
        )


def remainder(input, other):
    """The remainder of division rounded down: zero, or with the divisor's sign."""
    if input.dtype.kind in "iu":
        require_divisor(input, other)
        return np.remainder(input, other)
    if is_half(input.dtype):
        return convert(np.asarray(remainder(convert(input, F4), convert(other.view(ndarray), F4))), input.dtype)
    if quotients.many(input, other):
        return quotients.remainder(input, other)
    out = np.remainder(input, other)
    if np.count_nonzero(out) == out.size:
        return out
    exact = np.equal(out, ZERO[input.dtype])  # NumPy's zero has the divisor's sign
    if type(out) is ndarray:
        return np.copysign(out, input, out, where=exact)
    return np.copysign(out, input) if exact else out


def fmod(input, other):
    """The remainder of division rounded towards zero, with the dividend's sign."""
    if input.dtype.kind in "iu":
        require_divisor(input, other)
    elif quotients.many(input, other):
        return quotients.fmod(input, other)
    return np.fmod(input, other)


def lcm(input, other):
    """The least common multiple; beyond the dtype it is positive, but in small dtypes, as in PyTorch."""
    out = np.lcm(input, other)
    return np.abs(out) if out.itemsize >= 4 else out


def check_bound(name):
    """Make the check of the operator ``name`` that a whole number fits the integers that it bounds; a bool bounds none."""

    def check(one, two, number):
        if number is not None and one.kind in "iu" and two.kind in "iu":
            FITTING[number, one]
        elif number is not None and one.kind == two.kind == "b":
            raise NotImplementedError(f"\"{name}_scalar_cpu\" not implemented for 'Bool'")

    return check


def require_dtype_of_bounded(name, input, *bounds_and_out):
    """Raise if ``out=`` is of another dtype than the result; tensors as bounds allow any."""
    *bounds, out = bounds_and_out
    if not (isinstance(input, Tensor) and isinstance(out, Tensor)) or any(isinstance(each, Tensor) for each in bounds):
        return
    expected = input.dtype
    for bound in bounds:
        if type(bound) in NUMBERS:
            expected = combine_categories(expected, of_scalar[type(bound)])
    if out.dtype is not expected:
        raise RuntimeError(f"Found dtype {out.dtype.title} but expected {expected.title}")


# ── weighted sums ────────────────────────────────────────────────────────────
def lerp_number(input, end, weight):
    """Return input + weight * (end - input) for a weight that is one number, computed from the nearer end."""
    dtype = input.dtype
    if end.dtype is not dtype:
        require_dtype(input, end, "end")
    if input.itemsize == 2:
        return lerp_in_one_step(input.astype(F4), end.astype(F4), float(weight)).astype(dtype)
    steps, factor = from_nearer_end(weight)
    FITTING[factor, dtype]  # or its error
    if dtype is F4 and input.size < FEW > end.size:
        return lerp_in_one_step(input, end, weight)
    return steps.quick(input, end, factor)


def lerp_in_one_step(input, end, weight):
    """The interpolation of float32 numbers whose product and sum are rounded together, as in PyTorch."""
    span, weight = (end - input).astype(np.float64), np.float32(weight)
    if abs(weight) < 0.5:
        return (input + span * np.float64(weight)).astype(F4)
    return (end - span * np.float64(np.float32(1) - weight)).astype(F4)


def from_nearer_end(weight):
    """Return (the steps for a weight that is one number, their factor)."""
    return (FROM_INPUT, weight) if abs(weight) < 0.5 else (FROM_END, 1 - weight)


def write_lerp(out, input, end, weight):
    """Write what ``lerp_number`` returns."""
    if input.itemsize == 2:
        out[...] = lerp_number(input, end, weight)
        return
    steps, factor = from_nearer_end(weight)
    if out.size > SHORT or not out.dtype is input.dtype is end.dtype is F4 or input.shape != out.shape:
        steps.write_into(out, input, end, factor)
        return
    span = np.subtract(end, input)
    np.multiply(span, FITTING[factor, F4], span)
    np.add(span, input, out) if steps is FROM_INPUT else np.subtract(end, span, out)


FROM_INPUT = Chain("lerp", "input end", "(end - input) * weight + input", "weight")
FROM_END = Chain("lerp", "input end", "end - (end - input) * weight", "weight")
SHORT = 1 << 17  # elements that three calls of NumPy interpolate sooner than a chain


def require_dtype(input, array, name):
    if array.dtype is not input.dtype:
        expected, got = BY_NUMPY[input.dtype].spoken, BY_NUMPY[array.dtype].spoken
        raise RuntimeError(f"expected dtype {expected} for `{name}` but got dtype {got}")


def lerp(input, end, weight):
    """Linear interpolation with a weight for each element."""
    require_dtype(input, end, "end")
    require_dtype(input, weight, "weight")
    return _lerp(input, end, weight)


@all_in_float32
def _lerp(input, end, weight):
    span = end - input
    near = weight * span
    near = np.add(input, near, room(near, input))
    far = (SCALARS[1, input.dtype] - weight) * span
    far = np.subtract(end, far, room(far, end))
    return choose(np.abs(weight) < 0.5, near, far)


def multiply_by_value(array, value, name):
    """The array times ``value`` as its dtype holds it."""
    if value is ONE_NUMBER:
        return array
    number = take_number(value)
    if number is NO_FIT:
        raise TypeError(f"{name}(): argument 'value' must be Number, not {type_name(value)}")
    return array * FITTING[number, array.dtype]


ONE_NUMBER = 1


def add_to(combine, name, refused):
    """Return the kernel ``input + value * combine(tensor1, tensor2)``, which refuses dtypes with the ``refused`` letters."""

    def kernel(input, tensor1, tensor2, value):
        dtype = input.dtype
        if tensor1.dtype is not dtype or tensor2.dtype is not dtype:
            input, tensor1, tensor2 = promote_arrays(input, tensor1, tensor2)
        if input.dtype.char in refused:
            refuse_dtype(name, input.dtype)
        if input.itemsize == 2 and is_half(input.dtype):
            return kernel(input.astype(F4), tensor1.astype(F4), tensor2.astype(F4), value).astype(input.dtype)
        part = multiply_by_value(tensor1, value, name)
        if combine is np.multiply and part.dtype is F4 and part.size < FEW > tensor2.size:
            return (input + part.astype(np.float64) * tensor2).astype(F4)  # rounded once, as in PyTorch
        part = combine(part, tensor2, None if part is tensor1 else room(part, tensor2))
        return np.add(input, part, room(part, input))

    def write(out, input, tensor1, tensor2, value=1):
        if (
            not out.dtype is input.dtype is tensor1.dtype is tensor2.dtype is F4
            or tensor1.size < FEW > tensor2.size
            or out.shape != input.shape
        ):
            out[...] = kernel(input, tensor1, tensor2, value)
            return
        part = multiply_by_value(tensor1, value, name)
        np.add(input, combine(part, tensor2, None if part is tensor1 else room(part, tensor2)), out)

    kernel.write_into = write
    return kernel


addcmul, addcdiv = add_to(np.multiply, "addcmul", "?"), add_to(np.true_divide, "addcdiv", "?" + HALF_COMPLEX)
