"""Kernels of powers, roots and inverses."""

import numpy as np

from tensh.engine.arrays.halves import convert
from tensh.engine.codegen.scalars import FITTING
from tensh.engine.dtypes.dtype import HALF_COMPLEX
from tensh.engine.errors.messages import refuse_dtype
from tensh.engine.operators.elementwise.vectors import VECTORS, compute_in_vectors
from tensh.engine.operators.kernels import ONE, reusable, ufunc_except
from tensh.engine.operators.precision import F2, F4, is_half


def rsqrt(input):
    if is_half(input.dtype):
        return compute_in_vectors(VECTORS, rsqrt_at_once, rsqrt_in_steps, input)
    out = np.sqrt(input)
    return invert(out, reusable(out))


def rsqrt_at_once(input):
    return rsqrt(input.astype(F4)).astype(input.dtype)


def rsqrt_in_steps(input):
    return ONE[input.dtype] / np.sqrt(input)


FEW = 1 << 11  # elements


def invert(array, out=None):
    """One divided by the array.

    NumPy's reciprocal is faster for few numbers; its complex zeros have another sign.
    """
    if array.size < FEW and array.dtype.kind != "c":
        return np.reciprocal(array, out)
    return np.divide(ONE[array.dtype], array, out)


def reciprocal(input):
    return invert(input)


reciprocal.write_into, reciprocal.light = lambda out, input: invert(input, out), True


def write_rsqrt(out, input):
    if is_half(input.dtype):
        out[...] = rsqrt(input)
    else:
        invert(np.sqrt(input, out), out)


rsqrt.write_into, rsqrt.by_position = write_rsqrt, True  # at the end of rows of 16 bit numbers
square = ufunc_except("b", lambda input: input.astype(np.int64), np.square)


def copy_array(array):
    return array.copy()


def cube(input):
    return input * input * input


def reciprocal_square(input):
    return invert(input * input)


EASY = {2: np.square, 3: cube, 0.5: np.sqrt, 1: copy_array, -0.5: rsqrt, -1: reciprocal, -2: reciprocal_square}
SIGNED = 128  # elements from which a power of absolute values and its signs take less time than a power with signs
EASY_INTEGERS = {n: EASY[n] for n in (1, 2, 3)}
"""Functions for exponents that need no power function: exact, and several times as fast."""
ROOTS = {0.5, -0.5}
"""Exponents that mean a root if they are Python numbers.

As an element of a tensor, or with a float16 base, they are powers: (-inf) ** 0.5 is infinity, not nan, and the sign of
zero does not matter.
"""


def power(input, exponent):
    kind = input.dtype.kind
    if kind in "iu":
        return integer_power(input, exponent)
    if kind == "b":
        if exponent.flags.writeable:  # a bool base takes a Python number only, whose array is read-only
            np.broadcast_shapes(input.shape, exponent.shape)  # report shapes that do not broadcast first
            refuse_dtype("pow", input.dtype)
        return np.logical_or(input, np.logical_not(exponent))
    if (
        exponent.size == 1
        and (kind not in "cW" or input.dtype.char not in HALF_COMPLEX and not exponent.flags.writeable)
        and (easy := EASY.get(number := exponent.item())) is not None
    ):
        if number in ROOTS and kind != "c" and (exponent.flags.writeable or input.dtype is F2):
            input = np.where(np.isneginf(input), -input, input) + input.dtype.type(0)
        if exponent.ndim > input.ndim:
            input = np.broadcast_to(input, np.broadcast_shapes(input.shape, exponent.shape))
        return easy(input) if input.dtype is not F2 else easy(input.astype(F4)).astype(F2)
    if kind == "c":
        return complex_power(input, exponent)
    if input.size < SIGNED > exponent.size and input.itemsize > 2:
        return np.power(input, exponent)
    return real_power(input, exponent)


def real_power(base, exponent):
    """Powers of real numbers.

    NumPy's loop takes 50 times as long for a negative base with a whole exponent as for its absolute value, and 8 times
    for another exponent, so the sign is applied afterwards.
    """
    if is_half(base.dtype):
        return convert(real_power(convert(base, F4), convert(exponent.view(np.ndarray), F4)), base.dtype)
    if not base.size or not np.fmin.reduce(base, None) < 0:
        return np.power(base, exponent)
    powers = np.asarray(np.power(np.abs(base), exponent))  # powers of numbers are numbers
    whole, half = np.rint(exponent) == exponent, exponent * 0.5
    odd = whole & (np.rint(half) != half)
    if odd.all():
        np.copysign(powers, base, powers)
    elif odd.any():
        np.copysign(powers, np.where(odd, base, powers), powers)
    if not whole.all():
        np.copyto(powers, np.nan, where=(base < 0) & ~whole & np.isfinite(base))
    return powers


def is_number(array, value):
    """Return True for the array, which is read-only, of a Python number with this value."""
    return not array.ndim and not array.flags.writeable and array == value


def complex_power(input, exponent):
    """Powers of complex numbers by way of the logarithm; NumPy's multiplies if the exponent is a small whole number."""
    if is_number(exponent, 0) or is_number(input, 1):
        return np.ones(np.broadcast_shapes(input.shape, exponent.shape), input.dtype)
    logarithm = np.log(input)
    size, angle, real, imaginary = logarithm.real, logarithm.imag, exponent.real, exponent.imag
    out = np.empty(np.broadcast_shapes(input.shape, exponent.shape), input.dtype)
    np.subtract(real * size, imaginary * angle, out.real)
    np.add(real * angle, imaginary * size, out.imag)
    return np.exp(out, out)


def check_exponent(one, two, number):
    """Raise unless a number as exponent fits the base's dtype and, for integers, is not negative."""
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
    out = np.power(input, np.maximum(exponent, 0))
    below = np.where(input == 1, 1, np.where(input == -1, 1 - 2 * (exponent & 1), 0)).astype(out.dtype)
    return np.where(exponent < 0, below, out)
