"""Python numbers as elements of a dtype: range checks, conversion, PyTorch's error for numbers that do not fit."""

import math
from functools import cache

import numpy as np

from tensh.engine.arguments.kinds import NO_FIT, TAKERS
from tensh.engine.arrays.eight_bits import round_to_eight_bits
from tensh.engine.codegen.mixing import SCALARS
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import BOOL, BUILTIN, BY_NUMPY, COMPLEX, FLOAT, INTEGER, bfloat16, dtype, float64

REAL = frozenset({int, float})
SAFE = 6e4  # a number up to this fits every floating point dtype


def overflow(name):
    """Return the error for a number that a dtype cannot hold."""
    name = name.replace("at::", "c10::")
    return RuntimeError(f"value cannot be converted to type {name} without overflow")


def cast_scalar(number, to):
    """``number`` as an element of the dtype ``to``; RuntimeError if it does not fit.

    Floats are truncated to integers; negative numbers become unsigned integers by their low bits.
    """
    if to.category == BOOL:
        return bool(number)
    if isinstance(number, complex):
        if to.category == COMPLEX:
            return complex(cast_scalar(number.real, to.to_real()), cast_scalar(number.imag, to.to_real()))
        if number.imag:
            raise overflow(to.ctype)
        number = number.real
    if to.category == INTEGER:
        return _integer(number, to)
    if isinstance(number, int) and not -(2**63) <= number < 2**64:
        raise OverflowError("int too big to convert")
    real = to.to_real()
    if isinstance(number, (int, float)) and not fits(number, real):
        raise overflow(real.ctype)
    return np.float32(number) if to.itemsize < 3 else number  # PyTorch rounds twice for 16 and 8 bit dtypes


def cast_element(number, to):
    """``number`` as the one element of a tensor.

    Numbers of 16 and 8 bits are rounded from a double, whatever their size.
    """
    if to.itemsize > 2 or to.category != FLOAT:
        return cast_scalar(number, to)
    number = cast_scalar(number, float64)
    if to.itemsize == 1:
        return round_to_eight_bits(np.asarray(number), to.numpy)[()]
    return number if abs(number) <= largest(to) or number != number else math.copysign(math.inf, number)


@cache
def largest(to):
    """Return the largest finite number of a floating point dtype."""
    if to is bfloat16:
        return 3.3895313892515355e38
    if to.itemsize == 1:
        import ml_dtypes

        return float(ml_dtypes.finfo(to.numpy).max)
    return float(np.finfo(to.numpy).max)


def fits(number, to):
    """Return True if a floating point dtype has numbers about as large as a number, or its infinity."""
    if number < 0 and not to.is_signed:
        return False
    return not abs(number) > largest(to) or abs(number) == math.inf and has_infinity(to)


@cache
def has_infinity(to):
    """Return True unless a floating point dtype has only finite numbers and nan, as some of 8 bits."""
    return to.itemsize > 1 or to.name == "float8_e5m2"


limits_of = cache(lambda to: np.iinfo(to.numpy))


def _integer(number, to):
    limits = limits_of(to)
    if isinstance(number, float):
        if not limits.min <= number <= float(limits.max):
            raise overflow(to.ctype)
        return wrap_integer(int(number), limits)
    if not (limits.min or -limits.max) <= number <= limits.max:
        raise overflow(to.ctype)
    return wrap_integer(int(number), limits)


def wrap_integer(number, limits):
    """Return the low bits of an integer, as the integer dtype with these limits holds them."""
    number &= (1 << limits.bits) - 1
    return number - (1 << limits.bits) if number > limits.max else number


class FittingScalars(dict):
    """(number, NumPy dtype) -> a 0-d array of it, if it fits the dtype: RuntimeError otherwise."""

    def __missing__(self, key):
        number, dtype = key
        if not number and type(number) is not complex:
            return SCALARS[number, dtype]
        array = SCALARS[cast_scalar(number, BY_NUMPY[dtype]), dtype]
        if isinstance(number, int | float) and number == number and len(self) < SCALARS.LIMIT:
            self[key] = array
        return array


FITTING = FittingScalars()


# ── numbers and dtypes as arguments ──────────────────────────────────────────
def take_number(value):
    """Return a Python number from a number, a NumPy scalar or a 0-d tensor that is not recorded."""
    if type(value) in BUILTIN:
        return value
    if isinstance(value, Tensor):
        return value.item() if value.array.ndim == 0 and value.node is None else NO_FIT
    if isinstance(value, np.bool_):
        return float(value)
    if isinstance(value, (np.number, int, float, complex)):
        for kind in (int, float, complex):
            if isinstance(value, kind):
                return kind(value)
        return value.item()
    return NO_FIT


def take_dtype(value):
    """Return a dtype, or the one that a Python type stands for."""
    if isinstance(value, type) and value in BUILTIN:
        return BUILTIN[value]
    return value if isinstance(value, dtype) else NO_FIT


TAKERS["Number"] = take_number
TAKERS["Tensor~"] = lambda value: value if isinstance(value, Tensor) else take_number(value)
TAKERS["torch.dtype"] = take_dtype
