"""Kernels of pointwise operators that are more than one function of NumPy's, on raw arrays of the right dtype.

NumPy answers 0-d arrays with its scalars, which have no memory to write into: ``own`` says where a next step may put
its result.  Zeros and ones come ready made, because NumPy needs 300 ns to convert a Python number.
"""

import functools
import math

import numpy as np
from numpy import ndarray

from tensh.engine.dtype import BY_NUMPY, combine_categories, get_default_dtype, of_scalar, promote_types
from tensh.engine.errors import refuse_dtype
from tensh.engine.mixing import COMMON_WITH_NUMBER, SCALARS, WEAK, ZERO, promote
from tensh.engine.numbers import fitting, take_number
from tensh.engine.ops.precision import F4, in_float32, is_half
from tensh.engine.signatures import NO_FIT, take_float

LN2, PI = math.log(2), math.pi


class Fitting(dict):
    """(number, NumPy dtype) -> a 0-d array of it, if it fits the dtype: RuntimeError otherwise."""

    def __missing__(self, key):
        number, dtype = key
        if type(number) is int and not number:
            return ZERO[dtype]
        array = SCALARS[fitting(number, BY_NUMPY[dtype]), dtype]
        if number and number == number and len(self) < SCALARS.LIMIT:
            self[key] = array
        return array


FITTING = Fitting()


class Ones(dict):
    """NumPy dtype -> a read-only 0-d one of it."""

    def __missing__(self, dtype):
        one = self[dtype] = SCALARS[1, dtype]
        return one


ONE = Ones()


def own(array):
    """The memory of a result that a next step may write into."""
    return array if type(array) is ndarray else None


def is_real(array):
    return array.dtype.kind not in "cW"


def promoted(*arrays):
    """Arrays (or None) in the dtype in which PyTorch computes with all of them."""
    if len({id(a.dtype) for a in arrays if a is not None}) == 1:
        return arrays
    first, *others = (a for a in arrays if a is not None)
    ranks = [[BY_NUMPY[a.dtype] for a in (first, *others) if (a.ndim == 0) is zero] for zero in (False, True)]
    vectors, points = (functools.reduce(promote_types, rank) if rank else None for rank in ranks)
    to = combine_categories(vectors, points).numpy
    return [a if a is None or a.dtype is to else a.astype(to) for a in arrays]


def all_in_float32(kernel):
    """A kernel of several arrays of one dtype that computes 16 bit floating point numbers in float32."""

    @functools.wraps(kernel)
    def wide(input, *others):
        if is_half(input.dtype):
            others = (o.astype(F4) if isinstance(o, ndarray) else o for o in others)
            return kernel(input.astype(F4), *others).astype(input.dtype)
        return kernel(input, *others)

    return wide


def number(value, name, parameter, position):
    """A float from an argument; PyTorch's error for what is none."""
    taken = take_float(value)
    if taken is NO_FIT:
        raise TypeError(
            f"{name}(): argument '{parameter}' (position {position}) must be float, not {type(value).__name__}"
        )
    return taken


# ── choosing between values ──────────────────────────────────────────────────
BITS = {2: np.dtype(np.int16), 4: np.dtype(np.int32), 8: np.dtype(np.int64)}
LARGE = 512  # elements; from here on multiplying the bits with the mask is faster than np.where, up to ten times


def zero_unless(input, mask):
    """``input`` where the mask is true, zero elsewhere, nan or not: the bits times 1 or 0."""
    if input.size >= LARGE and (bits := BITS.get(input.itemsize)) is not None:
        return np.multiply(input.view(bits), mask).view(input.dtype)
    return np.where(mask, input, ZERO[input.dtype])


def fill_where(input, mask, value):
    """``input`` with the number ``value`` where the mask is true."""
    if type(value) is int and not value and input.size >= LARGE:
        return zero_unless(input, np.logical_not(mask))
    if input.shape == mask.shape and input.ndim:
        out = input.copy()
        np.putmask(out, mask, SCALARS[value, input.dtype] if value else ZERO[input.dtype])
        return out
    return np.where(mask, SCALARS[value, input.dtype], input)


def choose(condition, input, other):
    """The elements of ``input`` where the condition is true, those of ``other`` elsewhere."""
    if input.dtype is not other.dtype:
        input, other = promote(input, other)
    if condition.shape == input.shape == other.shape and input.ndim:
        out = other.copy()
        np.putmask(out, condition, input)  # 300 ns less than np.where
        return out
    return np.where(condition, input, other)


# ── sums and products ────────────────────────────────────────────────────────
SUB_BOOLS = RuntimeError(
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
    "instead."
)
NEG_BOOL = RuntimeError(
    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
    "`logical_not()` operator instead."
)


def no_bool(one, two, number):
    """Bools are not subtracted, from whatever."""
    if one.kind == "b" or two.kind == "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )


def times(array, alpha, name):
    """The array times a number that its dtype can hold."""
    dtype = array.dtype
    kind = dtype.kind
    if type(alpha) is float and kind == "f" or type(alpha) is int:
        return np.multiply(array, SCALARS[alpha, dtype])
    if (alpha := take_number(given := alpha)) is NO_FIT:
        raise TypeError(f"{name}(): argument 'alpha' must be Number, not {type(given).__name__}")
    if type(alpha) is bool and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if type(alpha) is float and kind in "iub":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if type(alpha) is complex and kind not in "cW":
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    return array * SCALARS[alpha, array.dtype]


def reversed_difference(input, other):
    return np.subtract(other, input)


def add_scaled(input, other, alpha):
    return np.add(input, times(other, alpha, "add"))


def sub_scaled(input, other, alpha):
    return np.subtract(input, times(other, alpha, "sub"))


def rsub_scaled(input, other, alpha):
    return np.subtract(other, times(input, alpha, "rsub"))


# ── signs and parts ──────────────────────────────────────────────────────────
def sign(input):
    """-1, 0 or 1; 0 for nan; x / |x| for complex numbers."""
    kind = input.dtype.kind
    if kind in "iufV":
        out = np.sign(input)
        if kind in "fV" and np.count_nonzero(nan := np.isnan(out)):
            out = np.where(nan, ZERO[input.dtype], out)
        return out if kind != "V" else out + ZERO[input.dtype]  # bfloat16 knows a sign -0
    if kind == "b":
        return input.copy()
    return np.where(input == 0, ZERO[input.dtype], input / np.abs(input).astype(input.dtype))


def signbit(input):
    return np.signbit(input) if input.dtype.kind in "fV" else np.less(input, ZERO[input.dtype])


def angle(input):
    """The angle to the positive real axis: 0 or pi for real numbers."""
    if not is_real(input):
        return np.arctan2(input.imag, input.real)
    turned = np.where(np.less(input, ZERO[input.dtype]), SCALARS[PI, input.dtype], ZERO[input.dtype])
    return np.where(np.isnan(input), input, turned)


def frac(input):
    """The part after the point, with the number's sign."""
    return np.subtract(input, np.trunc(input))


def complex_from(real, imag):
    """Real and imaginary parts as complex numbers."""
    require_parts(real.dtype, imag.dtype)
    parts = np.empty((*np.broadcast_shapes(real.shape, imag.shape), 2), real.dtype)
    parts[..., 0], parts[..., 1] = real, imag
    return parts.view(BY_NUMPY[real.dtype].to_complex().numpy)[..., 0]


def polar(abs, angle):
    """Complex numbers of the given absolute values and angles."""
    require_parts(abs.dtype, angle.dtype)
    if abs.itemsize == 2:
        refuse_dtype("polar", abs.dtype)
    return complex_from(abs * np.cos(angle), abs * np.sin(angle))


def require_parts(one, two, number=None):
    """The parts of complex numbers are floating point numbers of one dtype."""
    if one.kind != "f" or two.kind != "f":
        raise RuntimeError(
            "Expected both inputs to be Half, Float or Double tensors but got "
            f"{BY_NUMPY[one].title} and {BY_NUMPY[two].title}"
        )
    if one is not two:
        raise RuntimeError(
            f"Expected object of scalar type {BY_NUMPY[one].title} but got scalar type {BY_NUMPY[two].title} for second "
            "argument"
        )


# ── rounding ─────────────────────────────────────────────────────────────────
def ceil(input):
    return input.copy() if input.dtype.kind in "iu" else np.ceil(input)


def floor(input):
    return input.copy() if input.dtype.kind in "iu" else np.floor(input)


def trunc(input):
    return input.copy() if input.dtype.kind in "iu" else np.trunc(input)


def round(input):
    return input.copy() if input.dtype.kind in "iu" else np.rint(input)


@in_float32
def round_decimals(input, decimals):
    """Half to even at a digit after the point (or before it, for negative ``decimals``)."""
    if decimals == 0:
        return np.rint(input)
    step = SCALARS[float(10 ** abs(decimals)), input.dtype]
    return np.rint(input * step) / step if decimals > 0 else np.rint(input / step) * step


# ── exponentials, logarithms, trigonometry ───────────────────────────────────
def rsqrt(input):
    out = np.sqrt(input)
    return np.reciprocal(out, own(out))


def deg2rad(input):
    return input * SCALARS[PI / 180, input.dtype]


def rad2deg(input):
    return input * SCALARS[180 / PI, input.dtype]


def ldexp(input, other):
    return input * exp2(other)


def exp2(input):
    return np.exp2(input) if is_real(input) else np.exp(input * SCALARS[LN2, input.dtype])


def sigmoid(input):
    """1 / (1 + exp(-x)), in one array."""
    if is_half(input.dtype):
        return sigmoid(input.astype(F4)).astype(input.dtype)
    out = np.negative(input)
    into = own(out)
    return np.reciprocal(np.add(np.exp(out, into), ONE[input.dtype], into), into)


@in_float32
def logit(input, eps=None):
    """log(x / (1 - x)), of x kept away from 0 and 1 by ``eps``."""
    if eps is not None:
        eps = number(eps, "logit", "eps", 2)
        input = np.maximum(np.minimum(input, SCALARS[1 - eps, input.dtype]), SCALARS[eps, input.dtype])
    return np.log(input / (SCALARS[1, input.dtype] - input))


@in_float32
def sinc(input):
    """sin(pi x) / (pi x), and 1 at 0."""
    angle = input * SCALARS[PI, input.dtype]
    return np.where(input == ZERO[input.dtype], SCALARS[1, input.dtype], np.sin(angle) / angle)


@in_float32
def entr(input):
    """-x log(x); 0 at 0 and -inf below."""
    out = -input * np.log(input)
    zero = ZERO[input.dtype]
    return np.where(input == zero, zero, np.where(input < zero, SCALARS[-math.inf, input.dtype], out))


def logaddexp(input, other):
    """log(exp(x) + exp(y)), without overflow; of complex numbers, too."""
    if is_real(input):
        return np.logaddexp(input, other)
    larger = input.real >= other.real
    high, low = np.where(larger, input, other), np.where(larger, other, input)
    out = high + np.log1p(np.exp(low - high))
    equal = np.isinf(input.real) & (input.real == other.real)  # where high - low is nan
    return np.where(equal, np.where(input.real < 0, input, np.log(np.exp(low) + np.exp(high))), out)


def product_unless_zero(function):
    """x * function(y), and 0 where x is 0 unless y is nan."""

    @all_in_float32
    def kernel(input, other):
        zero = ZERO[input.dtype]
        out = input * function(other)
        return np.where((input == zero) & ~np.isnan(other), zero, out)

    return kernel


# ── division ─────────────────────────────────────────────────────────────────
def require_divisor(other):
    """Integers are not divided by zero."""
    if np.count_nonzero(other) != other.size:
        raise RuntimeError("ZeroDivisionError")


def floor_divide(input, other):
    """The quotient rounded down."""
    if input.dtype.kind in "iu":
        require_divisor(other)
    return np.floor_divide(input, other)


def trunc_divide(input, other):
    """The quotient rounded towards zero."""
    if input.dtype.kind not in "iu":
        return np.trunc(input / other)
    require_divisor(other)
    down = np.floor_divide(input, other)
    return down + ((down < 0) & (down * other != input)).astype(input.dtype)


def divide_rounded(input, other, rounding_mode):
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return (trunc_divide if rounding_mode == "trunc" else floor_divide)(input, other)


def require_true_division(one, two):
    """Two integers are not divided by addcdiv."""
    if one.dtype.kind in "biu" and two.dtype.kind in "biu":
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
            "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
            "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) "
            "for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / "
            "tensor2), for all dtypes."
        )


def remainder(input, other):
    """What is left of the division that rounds down: zero, or of the divisor's sign."""
    if input.dtype.kind in "iu":
        require_divisor(other)
        return np.remainder(input, other)
    out = np.remainder(input, other)
    if np.count_nonzero(out) == out.size:
        return out
    exact = np.equal(out, ZERO[input.dtype])  # NumPy's zero has the divisor's sign
    if type(out) is ndarray:
        return np.copysign(out, input, out, where=exact)
    return np.copysign(out, input) if exact else out


def fmod(input, other):
    """What is left of the division that rounds towards zero, of the dividend's sign."""
    if input.dtype.kind in "iu":
        require_divisor(other)
    return np.fmod(input, other)


# ── powers ───────────────────────────────────────────────────────────────────
def copied(array):
    return array.copy()


def cube(input):
    return input * input * input


def reciprocal_square(input):
    return np.reciprocal(input * input)


EASY = {2: np.square, 3: cube, 0.5: np.sqrt, 1: copied, -0.5: rsqrt, -1: np.reciprocal, -2: reciprocal_square}
EASY_INTEGERS = {n: EASY[n] for n in (1, 2, 3)}
"""Exponents that need no power function: exact, and several times as fast."""


def power(input, exponent):
    kind = input.dtype.kind
    if kind in "iu":
        return integer_power(input, exponent)
    if kind == "b":
        if exponent.flags.writeable:  # only the number True, as mixing makes it, is an exponent of bools
            refuse_dtype("pow", input.dtype)
        return np.logical_or(input, np.logical_not(exponent))
    if not exponent.ndim and kind not in "cW" and (easy := EASY.get(exponent.item())) is not None:
        return easy(input)
    return np.power(input, exponent)


def fitting_exponent(one, two, number):
    """An exponent that is a number must fit the base's dtype, and not be negative for integers."""
    if one.kind in "biu" and two.kind in "iu" and number is not None:
        if number < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        if one.kind != "b":
            FITTING[number, one]


def integer_power(input, exponent):
    """Powers of integers, 1 / x ** n being rounded towards zero."""
    if not exponent.ndim and (easy := EASY_INTEGERS.get(exponent.item())) is not None:
        return easy(input)
    if exponent.dtype.kind == "u" or not np.less(exponent, 0).any():
        return np.power(input, exponent)
    out = np.power(input, np.abs(exponent))
    below = np.where(np.abs(input) == 1, out, 0).astype(input.dtype)
    return np.where(exponent < 0, below, out)


# ── other functions of two or three ──────────────────────────────────────────
def one_dtype(one, two, number):
    """What heaviside asks for."""
    raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


def heaviside(input, values):
    """0 below zero, ``values`` at zero, 1 above."""
    zero = ZERO[input.dtype]
    return np.where(input == zero, values, (input > zero).astype(input.dtype))


def lerp_number(input, end, weight):
    """input + weight * (end - input) for a weight that is one number, computed from the nearer end."""
    dtype = input.dtype
    if end.dtype is not dtype:
        require_dtype(input, end, "end")
    if input.itemsize == 2:
        return lerp_number(input.astype(F4), end.astype(F4), weight).astype(dtype)
    span = np.subtract(end, input)
    if abs(weight) < 0.5:
        return np.add(input, np.multiply(span, FITTING[weight, dtype], own(span)), own(span))
    return np.subtract(end, np.multiply(span, FITTING[1 - weight, dtype], own(span)), own(span))


def require_dtype(input, array, name):
    if array.dtype is not input.dtype:
        expected, got = BY_NUMPY[input.dtype].ctype, BY_NUMPY[array.dtype].ctype
        raise RuntimeError(f"expected dtype {expected} for `{name}` but got dtype {got}")


def lerp(input, end, weight):
    """The same for weights of each element."""
    require_dtype(input, end, "end")
    require_dtype(input, weight, "weight")
    return _lerp(input, end, weight)


@all_in_float32
def _lerp(input, end, weight):
    span = end - input
    return np.where(np.abs(weight) < 0.5, input + weight * span, end - span * (SCALARS[1, input.dtype] - weight))


def weighted(array, value, name):
    """The array times ``value`` as its dtype holds it."""
    if value is ONE_NUMBER:
        return array
    number = take_number(value)
    if number is NO_FIT:
        raise TypeError(f"{name}(): argument 'value' must be Number, not {type(value).__name__}")
    return array * FITTING[number, array.dtype]


ONE_NUMBER = 1


def add_to(combine, name):
    """The kernel ``input + value * combine(tensor1, tensor2)``."""

    def kernel(input, tensor1, tensor2, value):
        dtype = input.dtype
        if tensor1.dtype is not dtype or tensor2.dtype is not dtype:
            input, tensor1, tensor2 = promoted(input, tensor1, tensor2)
        if input.dtype.kind == "b":
            refuse_dtype(name, input.dtype)
        if input.itemsize == 2 and is_half(input.dtype):
            return kernel(input.astype(F4), tensor1.astype(F4), tensor2.astype(F4), value).astype(input.dtype)
        out = combine(weighted(tensor1, value, name), tensor2)
        return np.add(input, out, out if type(out) is ndarray and out.shape == input.shape else None)

    return kernel


addcmul, addcdiv = add_to(np.multiply, "addcmul"), add_to(np.true_divide, "addcdiv")


def clamp(input, min, max):
    """``input`` kept between two bounds (arrays of its dtype, or None)."""
    if input.dtype.kind in "cW":
        refuse_dtype("clamp_tensors", input.dtype)
    out = input if min is None else np.maximum(input, min)
    return out if max is None else np.minimum(out, max)


def clamp_min(input, min):
    return np.maximum(input, min)


def clamp_max(input, max):
    return np.minimum(input, max)


def clamp_numbers(input, min, max):
    """``input`` kept between two numbers, in their common dtype."""
    dtype = input.dtype
    weak = WEAK[dtype.kind]
    if type(min) not in weak and min is not None or type(max) not in weak and max is not None:
        for bound in (min, max):
            if bound is not None:
                dtype = COMMON_WITH_NUMBER[dtype, type(bound), False, of_scalar[float]]
        input = input.astype(dtype, copy=False)
    out = input if min is None else np.maximum(input, FITTING[min, dtype])
    return out if max is None else np.minimum(out, FITTING[max, dtype])


def relu(input):
    return np.maximum(ZERO[input.dtype], input)


def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    """Finite numbers for nan and the infinities: by default 0 and the largest of the dtype."""
    kind = input.dtype.kind
    nan = 0.0 if nan is None else number(nan, "nan_to_num", "nan", 2)
    posinf = posinf if posinf is None else number(posinf, "nan_to_num", "posinf", 3)
    neginf = neginf if neginf is None else number(neginf, "nan_to_num", "neginf", 4)
    if kind == "c":
        return complex_from(nan_to_num(input.real, nan, posinf, neginf), nan_to_num(input.imag, nan, posinf, neginf))
    if kind not in "fV":
        return input.copy()
    dtype = input.dtype
    largest = float(np.finfo(dtype).max if kind == "f" else 3.3895313892515355e38)
    out = np.where(np.isnan(input), SCALARS[nan, dtype], input)
    out = np.where(input == SCALARS[math.inf, dtype], SCALARS[largest if posinf is None else posinf, dtype], out)
    return np.where(input == SCALARS[-math.inf, dtype], SCALARS[-largest if neginf is None else neginf, dtype], out)


def frexp(input):
    """Mantissa and exponent of floating point numbers."""
    if input.dtype.kind not in "fV":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(input)
    return mantissa, exponent.astype(np.int32, copy=False)


# ── comparisons ──────────────────────────────────────────────────────────────
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Is |input - other| at most atol + rtol * |other|?"""
    for position, (name, value) in enumerate((("rtol", rtol), ("atol", atol)), 3):
        if number(value, "isclose", name, position) < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value:g}")
    close = np.equal(input, other)
    if equal_nan and input.dtype.kind in "fcVW":
        close = close | (np.isnan(input) & np.isnan(other))
    if rtol == 0 and atol == 0:
        return close
    if input.dtype.kind in "biu":
        to = get_default_dtype().numpy
        input, other = input.astype(to), other.astype(to)
    error = np.abs(input - other)
    return close | (np.isfinite(error) & (error <= atol + np.abs(other * rtol)))


def infinity(sign):
    """Is a number the infinity of this sign?"""

    def kernel(input):
        if input.dtype.kind not in "fV":
            return np.zeros(input.shape, bool)
        return np.equal(input, SCALARS[sign * math.inf, input.dtype])

    return kernel


def isreal(input):
    """Is the imaginary part zero?"""
    if is_real(input):
        return np.ones(input.shape, bool)
    return np.equal((input if input.dtype.kind == "c" else input.astype(np.complex64)).imag, 0)


def same_dtype(one, two, number):
    """Closeness is asked of one dtype."""
    raise RuntimeError(f"{BY_NUMPY[one].title} did not match {BY_NUMPY[two].title}")
