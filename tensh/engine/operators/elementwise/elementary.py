"""Kernels of elementary functions: signs and parts, rounding, exponentials and logarithms."""

import math

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.arrays.orders import order_of
from tensh.engine.arrays.vectors import HAS_AVX512
from tensh.engine.codegen.chains import FEW, Chain
from tensh.engine.codegen.mixing import SCALARS, ZERO
from tensh.engine.codegen.scalars import FITTING
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.messages import refuse_dtype
from tensh.engine.operators.elementwise import avx512, hyperbolic, single
from tensh.engine.operators.elementwise.avx512 import compute_by_double
from tensh.engine.operators.kernels import LARGE, ONE, choose, fill_where, is_real, number, reusable, ufunc_except
from tensh.engine.operators.precision import F4, F8, compute_in_float32, is_half

LN2, PI = math.log(2), math.pi


# ── signs and parts ──────────────────────────────────────────────────────────
def write_sign(out, input):
    """Write -1, 0 or 1 into ``out``, which may be the input; 0 for nan."""
    if input.dtype.kind not in "fV":
        out[...] = sign(input)
        return
    zero = ZERO[input.dtype]
    above, below = np.greater(input, zero).view(np.int8), np.less(input, zero).view(np.int8)
    np.copyto(out, np.subtract(above, below, above))


def sign(input):
    """-1, 0 or 1; 0 for nan; x / |x| for complex numbers."""
    kind = input.dtype.kind
    if kind in "fV" and input.size >= LARGE:  # half of the time of np.sign
        out = np.empty_like(input)
        write_sign(out, input)
        return out
    if kind in "iufV":
        out = np.sign(input)
        if kind in "fV" and True in (nan := np.isnan(out)).tobytes():  # a third of the time of nan.any()
            out = np.where(nan, ZERO[input.dtype], out)
        return out if kind != "V" else out + ZERO[input.dtype]  # the sign of a bfloat16 may be -0
    if kind == "b":
        return memory.copy(input)
    return np.where(input == 0, ZERO[input.dtype], input / np.abs(input).astype(input.dtype))


sign.write_into = write_sign


def signbit(input):
    return np.signbit(input) if input.dtype.kind in "fV" else np.less(input, ZERO[input.dtype])


def angle(input):
    """The angle to the positive real axis: 0 or pi for real numbers."""
    if not is_real(input):
        return np.ascontiguousarray(np.arctan2(input.imag, input.real)).reshape(input.shape)
    turned = np.multiply(np.less(input, ZERO[input.dtype]), SCALARS[PI, input.dtype])
    if (lost := np.isnan(input)).any():
        np.copyto(turned, input, where=lost)
    return turned


frac = Chain("frac", "input", "input - trunc(input)", doc="The fractional part, with the sign of the number.")


def complex_from(real, imag):
    """Complex numbers of the given real and imaginary parts."""
    require_parts(real.dtype, imag.dtype)
    if real.shape == imag.shape and not real.flags.c_contiguous:  # the result has the order of its parts
        order = order_of(real.shape, real.strides, imag.strides)
        if order != [*range(real.ndim)]:
            return join_parts(real.transpose(order), imag.transpose(order)).transpose(np.argsort(order))
    return join_parts(real, imag)


def join_parts(real, imag):
    """Complex numbers in rows."""
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
    """Raise unless the parts of complex numbers are floating point numbers of one dtype."""
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


def one_dtype(one, two, number):
    """Raise PyTorch's error for operands of heaviside with two dtypes or complex ones."""
    kind = "complex tensors" if "c" in (one.kind, two.kind) else "tensors with different dtypes"
    raise RuntimeError(f"heaviside is not yet implemented for {kind}.")


def heaviside(input, values):
    """0 below zero, ``values`` at zero, 1 above."""
    zero = ZERO[input.dtype]
    return choose(input == zero, values, (input > zero).astype(input.dtype))


def frexp(input):
    """Mantissa and exponent of floating point numbers."""
    if input.dtype.kind not in "fV":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(input)
    return mantissa, exponent.astype(np.int32, copy=False)


# ── rounding ─────────────────────────────────────────────────────────────────
ceil, floor, trunc = (ufunc_except("iu", memory.copy, function) for function in (np.ceil, np.floor, np.trunc))
round = ufunc_except("iu", memory.copy, np.rint, "round")


@compute_in_float32
def round_decimals(input, decimals):
    """Half to even at a digit after the point (or before it, for negative ``decimals``)."""
    if decimals == 0:
        return np.rint(input)
    step = SCALARS[float(f"1e{min(abs(decimals), 309)}"), input.dtype]  # 1e309 is infinite; 10**(10**9) takes forever
    return np.rint(input * step) / step if decimals > 0 else np.rint(input / step) * step


# ── exponentials, logarithms, trigonometry ───────────────────────────────────
@compute_in_float32
def deg2rad(input):
    return input * SCALARS[PI / 180, input.dtype]


@compute_in_float32
def rad2deg(input):
    return input * SCALARS[180 / PI, input.dtype]


def compute_in_double(function, exact=None, single=None):
    """Return a kernel that computes float32 in float64, but many numbers by ``single``, if given, where float64 is slow.

    NumPy converts one buffer at a time, without an array of float64. ``exact`` computes float64.
    """
    many = None if HAS_AVX512 else single

    def compute(input):
        if input.dtype is not F4:
            return function(input) if exact is None or input.dtype is not F8 else exact(input)
        if input.size < FEW:
            return function(input.astype(F8)).astype(F4)
        return many(input) if many else function(input, np.empty_like(input), dtype=F8, casting="same_kind")

    def write(out, input):
        if input.dtype is not F4 or out.dtype is not F4:
            out[...] = compute(input)
        elif many:
            many.write_into(out, input)
        else:
            function(input, out, dtype=F8, casting="same_kind")

    compute.write_into = write
    return compute


exp = compute_by_double(np.exp, single.exp)
log = compute_by_double(np.log, single.log)
tanh_by_library = compute_by_double(np.tanh, hyperbolic.tanh)
FEWER = 64  # elements below which longdouble is faster than a polynomial
LINE = 1 << 13  # elements per block, so that intermediate results stay in the cache
CURVED = 0.625  # bounds and coefficients of Cephes' tanh
ABOVE = -9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3
BELOW = 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3


def replace_near_zero(out, input):
    """Write tanh of float64 numbers near zero: x + x³ P(x²) / Q(x²), off by 0.8 ulp at most, where NumPy's is off by 1.2."""
    near = (np.abs(input) < CURVED) & (input != 0)
    z = input * input
    quotient, below = z * ABOVE[0] + ABOVE[1], (z + BELOW[0]) * z + BELOW[1]
    quotient *= z
    quotient += ABOVE[2]
    below *= z
    below += BELOW[2]
    quotient /= below
    quotient *= z
    quotient *= input
    quotient += input
    np.copyto(out, quotient, where=near)
    return out


def tanh(input):
    if input.dtype is not F8:
        return tanh_by_library(input)
    if input.size < FEWER:
        return np.tanh(input.astype(np.longdouble)).astype(F8)
    out = np.tanh(input)
    if input.size <= LINE or not input.flags.c_contiguous:
        return replace_near_zero(out, input)
    line, x = out.reshape(-1), input.reshape(-1)
    for start in range(0, x.size, LINE):
        replace_near_zero(line[start : start + LINE], x[start : start + LINE])
    return out


def write_tanh(out, input):
    if input.dtype is F8:
        out[...] = tanh(input)  # not block by block: both may be one array
    else:
        tanh_by_library.write_into(out, input)


tanh.write_into = write_tanh
sin, cos = (avx512.sin, avx512.cos) if HAS_AVX512 else (single.sin, single.cos)
# In NumPy's float32, 8 and 9 percent of the results differ from PyTorch's; computed in float64, 0.7 and 0.1 percent.
log1p = compute_by_double(np.log1p, single.log1p)
expm1 = compute_by_double(np.expm1, hyperbolic.expm1)
log2, tan, real_exp2 = (compute_by_double(function, function) for function in (np.log2, np.tan, np.exp2))


def compute_in_longdouble(function, single=None):
    """Compute float32 as ``compute_in_double`` does, and float64 in NumPy's longdouble."""
    return compute_in_double(function, lambda input: function(input.astype(np.longdouble)).astype(F8), single)


# NumPy's functions are off by 1.0 to 2.0 units in the last place, PyTorch's by 0.5 to 0.8.  float32 takes 0.6 to 1.2
# times the time and float64 in longdouble 3 to 5 times.
atanh = compute_in_longdouble(np.arctanh)
cosh, sinh = compute_in_longdouble(np.cosh, hyperbolic.cosh), compute_in_longdouble(np.sinh, hyperbolic.sinh)


def ldexp(input, other):
    """Input times 2 to the power of other; a whole power changes the exponent alone, so that it does not overflow."""
    if not is_real(input):
        return input * exp2(other)
    whole = (np.rint(other) == other) & (np.abs(other) < FARTHEST)
    scaled = scale_by_power(input, np.where(whole, other, 0).astype(np.int32))
    return scaled if whole.all() else np.where(whole, scaled, input * exp2(other))


def check_power(one, two, number):
    """Raise for an exponent of a dtype that PyTorch does not count among the integers, beside floating point numbers."""
    if one.kind in "fV" and (two.kind == "b" or two.kind == "u" and two.itemsize > 1):
        raise NotImplementedError(f"\"ldexp_cpu_exp\" not implemented for '{BY_NUMPY[two].title}'")


FARTHEST = 2.0**31
"""The exponent from which on integers do not fit the type of exponents."""


@compute_in_float32
def scale_by_power(input, power):
    return np.ldexp(input, power)


def exp2(input):
    if is_real(input):
        return real_exp2(input)
    scaled = np.empty_like(input)
    scaled.real, scaled.imag = input.real * LN2, input.imag * LN2  # a product with LN2 + 0j makes nan of infinity
    return np.exp(scaled, scaled)


def sigmoid(input):
    """1 / (1 + exp(-x)), in one array."""
    if input.itemsize == 2:
        return sigmoid(input.astype(F4)).astype(input.dtype)
    one = ONE[input.dtype]
    if input.dtype is F4 and input.size < FEW:
        wide = np.negative(input, dtype=F8)  # for exponentials as exact as those of ``exp``
        out = np.exp(wide, reusable(wide)).astype(F4)
        into = reusable(out)
    else:
        out = np.negative(input)
        into = reusable(out)
        out = np.exp(out, into)
    return np.divide(one, np.add(out, one, into), into)


SIGMOID = Chain("sigmoid", "input", "1 / (library_exp(-input) + 1)")


def write_sigmoid(out, input):
    """Write the sigmoid into ``out``, for real numbers block by block."""
    if is_real(input):
        SIGMOID.write_into(out, input)
    else:
        out[...] = sigmoid(input)


sigmoid.write_into = write_sigmoid


def logit(input, eps=None):
    """log(x / (1 - x)) of x clamped to [eps, 1 - eps]; in 16 bit dtypes, difference and quotient are rounded."""
    one = ONE[input.dtype]
    if eps is not None:
        least = FITTING[number(eps, "logit", "eps", 2), input.dtype]
        input = np.maximum(np.minimum(input, one - least), least)
    return log_wide(input / (one - input))


log_wide = compute_in_float32(np.log)


@compute_in_float32
def sinc(input):
    """sin(pi x) / (pi x), and 1 at 0."""
    angle = input * SCALARS[PI, input.dtype]
    return fill_where(np.sin(angle) / angle, input == ZERO[input.dtype], 1)


def entr(input):
    """-x log(x); 0 at 0 and -inf below; in 16 bit dtypes, the logarithm is rounded."""
    out = -input * (log_wide if is_half(input.dtype) else log)(input)
    zero = ZERO[input.dtype]
    return fill_where(fill_where(out, input < zero, -math.inf), input == zero, 0)


# Float32 by way of float64, as the sum cancels near zero.  NumPy's functions take five times as long for many numbers.
LOGADDEXP = Chain(
    "logaddexp", "input other",
    f"where(input == other, input + {math.log(2)}, maximum(input, other) + log1p(exp(-abs(input - other))))", wide=True,
)  # fmt: skip
LOGADDEXP2 = Chain(
    "logaddexp2", "input other",
    f"where(input == other, input + 1, maximum(input, other) + log1p(exp2(-abs(input - other))) * {1 / math.log(2)})", wide=True,
)  # fmt: skip


def logaddexp_in_double(function, chain, input, other):
    """Call NumPy's function for few numbers, the chain for many."""
    if input.size >= LARGE and not is_half(input.dtype):
        return chain(input, other)
    return function(input, other, dtype=F8).astype(F4) if input.dtype is F4 else function(input, other)


def logaddexp2(input, other):
    return logaddexp_in_double(np.logaddexp2, LOGADDEXP2, input, other)


def logaddexp(input, other):
    """log(exp(x) + exp(y)) without overflow, also of complex numbers."""
    if is_real(input):
        return logaddexp_in_double(np.logaddexp, LOGADDEXP, input, other)
    larger = input.real >= other.real
    high, low = np.where(larger, input, other), np.where(larger, other, input)
    out = high + np.log1p(np.exp(low - high))
    equal = np.isinf(input.real) & (input.real == other.real)  # where high - low is nan
    return np.where(equal, np.where(input.real < 0, input, np.log(np.exp(low) + np.exp(high))), out)


def hypot(input, other):
    """sqrt(x**2 + y**2), in float64 for float32: without overflow or loss of digits, in half of the time."""
    if input.dtype is not F4 or input.size < FEW:
        return np.hypot(input, other)
    out = HYPOT(input, other)
    if not np.isnan(np.maximum.reduce(out, None)):
        return out
    return np.where(np.isinf(input) | np.isinf(other), F4.type(math.inf), out)


HYPOT = Chain("hypot", "input other", "sqrt(input * input + other * other)", wide=True)


def product_unless_zero(function):
    """x * function(y), and 0 where x is 0 unless y is nan; in 16 bit dtypes the value of the function is rounded."""
    function = compute_in_float32(function)

    def kernel(input, other):
        zero = ZERO[input.dtype]
        out = input * function(other)
        return np.where((input == zero) & ~np.isnan(other), zero, out)

    return kernel
