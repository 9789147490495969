"""Mixed operands: dtype promotion and Python numbers, the slow path of every pointwise operator.

PyTorch's rule has three ranks: tensors, 0-d tensors, numbers.  A lower rank decides the dtype only when its category
(bool, integer, float, complex) is higher.
"""

import functools
from math import copysign, inf

import numpy as np

from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays.halves import make_half_number
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.dtype import (
    BY_NUMPY,
    FEW_BITS,
    FLOAT,
    can_cast,
    combine_categories,
    get_default_dtype,
    of_scalar,
    promote_types,
)
from tensh.engine.errors.messages import broadcast_clash, cannot_cast, comes_last, does_not_fit, refuse_dtype, too_large
from tensh.engine.errors.out_words import refused_cast

NUMBERS = (bool, int, float, complex)
OF_NUMBERS = {"add", "add_scaled", "sub", "sub_scaled", "mul", "div", "div_rounded", "floor_divide"}
"""Operators that PyTorch also applies to two numbers."""

NO_ARRAY = np.empty((), object)  # placeholder for an operand whose dtype differs from all others

# kind of a NumPy dtype -> the Python types that do not change it ("V" is bfloat16, "W" complex32)
WEAK = {
    "b": frozenset({bool}),
    "i": frozenset({bool, int}),
    "u": frozenset({bool, int}),
    "f": frozenset({bool, int, float}),
    "V": frozenset({bool, int, float}),
    "c": frozenset({bool, int, float, complex}),
    "W": frozenset({bool, int, float, complex}),
}

STRICT = {kind: types - {bool} if float in types else frozenset() for kind, types in WEAK.items()}
"""The kinds of dtypes for operators that treat integers, or bools, specially."""


# ── numbers ──────────────────────────────────────────────────────────────────
class Scalars(dict):
    """(number, NumPy dtype) -> a read-only 0-d array.

    A cache, because NumPy needs 300 ns to convert a Python number and a look-up takes 75.  Zeros, nan, complex numbers,
    tensors as numbers, and numbers of more than 64 bits are not cached: 0.0 == -0.0, nan != nan, and an invalid integer
    equals a valid float.
    """

    LIMIT = 4096

    def __missing__(self, key):
        number, dtype = key
        if not number and type(number) is not complex and (type(number) is int or copysign(1, number) > 0):
            return ZERO[dtype]
        array = np.array(wrap_integer(number, dtype) if type(number) is int else number, dtype)
        if array.ndim:
            raise TypeError(f"expected a number, not {type(number).__name__}")
        array.flags.writeable = False
        kept = isinstance(number, int | float) and (-(2**63) <= number < 2**64 or abs(number) == inf)
        if number and kept and len(self) < self.LIMIT:
            self[key] = array
        return array


def wrap_integer(number, dtype):
    """Return an integer as the dtype stores it: PyTorch keeps the low bits of one that does not fit, NumPy raises."""
    if not -(2**63) <= number < 2**64:
        raise OverflowError("int too big to convert")
    if dtype.kind not in "iu":
        return number
    bits = dtype.itemsize * 8
    number &= (1 << bits) - 1
    return number - (1 << bits) if dtype.kind == "i" and number >> (bits - 1) else number


class Zeros(dict):
    """NumPy dtype -> a read-only 0-d zero of it."""

    def __missing__(self, dtype):
        zero = self[dtype] = np.zeros((), dtype)
        zero.flags.writeable = False
        return zero


class ExactScalars(Scalars):
    """Scalars for products and quotients: of a 16 bit floating point dtype as numbers that are not rounded to it."""

    def __missing__(self, key):
        made = SCALARS[key]
        if made.dtype.itemsize == 2 and made.dtype.kind in "fV":
            made = make_half_number(key[0], made.dtype)
        if key in SCALARS and len(self) < self.LIMIT:
            self[key] = made
        return made


SCALARS, EXACT_SCALARS, ZERO = Scalars(), ExactScalars(), Zeros()


# ── promotion ────────────────────────────────────────────────────────────────
class Common(dict):
    """(dtype, dtype, first is 0-d, second is 0-d) -> the dtype in which PyTorch computes (all NumPy's)."""

    def __missing__(self, key):
        one, two = BY_NUMPY[key[0]], BY_NUMPY[key[1]]
        if key[2] == key[3]:
            common = promote_types(one, two)
        else:
            common = combine_categories(one, two) if key[3] else combine_categories(two, one)
        self[key] = common.numpy
        return common.numpy


class CommonWithNumber(dict):
    """(dtype, Python type of a number, integers count as floats, default dtype) -> the dtype to compute in."""

    def __missing__(self, key):
        array, kind, floats, default = key
        common = combine_categories(BY_NUMPY[array], of_scalar[kind])
        if floats and common.category < FLOAT:
            common = default
        self[key] = common.numpy
        return common.numpy


COMMON, COMMON_WITH_NUMBER = Common(), CommonWithNumber()


def promote(first, second, name=None):
    """Two arrays cast to the dtype in which PyTorch computes with them (in the operator ``name``)."""
    one, two = first.dtype, second.dtype
    op = None if name is None else OPS[name]
    if op is not None and op.mixing is not None:
        op.mixing(one, two, None)
    if op is not None and op.floats and one.kind in "biu" and two.kind in "biu":
        to = get_default_dtype().numpy  # directly: an integer may be too large for the common integer dtype
    else:
        to = COMMON[one, two, first.ndim == 0, second.ndim == 0]
    if op is not None and op.exact and to.itemsize == 2 and to.kind in "fV":
        return [
            make_half_number(array, to) if parameter in op.exact and not array.ndim else cast(array, to)
            for parameter, array in zip(op.inputs, (first, second), strict=True)
        ]
    return first if one is to else cast(first, to), second if two is to else cast(second, to)


def cast(array, dtype):
    """Return an array in another dtype; PyTorch's error where there is no memory for it."""
    try:
        return array.astype(dtype)
    except MemoryError as error:
        raise too_large(error) from None


def dtype_of_all(arrays):
    """Return the dtype in which PyTorch computes with all of these arrays."""
    ranks = [[BY_NUMPY[a.dtype] for a in arrays if (a.ndim == 0) is zero] for zero in (False, True)]
    vectors, points = (functools.reduce(promote_types, rank) if rank else None for rank in ranks)
    return combine_categories(vectors, points)


def make_write_error(error, input, *others):
    """PyTorch's error for an element-wise write of several tensors that refuses a dtype; shapes are checked first."""
    arrays = [t.array for t in (input, *others) if isinstance(t, Tensor)]
    own = arrays[0]
    if (clash := broadcast_clash([a.shape for a in arrays])) is not None:
        return RuntimeError(clash)
    if (shape := np.broadcast_shapes(*[a.shape for a in arrays])) != own.shape:
        return RuntimeError(does_not_fit(own.shape, shape))
    result, target = dtype_of_all(arrays), BY_NUMPY[own.dtype]
    return error if can_cast(result, target) else cannot_cast(result, target)


def make_cast_error(error, name, input, other, out=None):
    """PyTorch's error for a write that refuses a dtype: the shape of ``out`` (or the input) is checked first."""
    op = OPS[name]
    if type(error) is RuntimeError and not comes_last(error):
        return error
    if (out is None or out is input or out is other) and isinstance(input, Tensor) and isinstance(other, Tensor):
        own = (input if out is None else out).array.shape
        if (shape := np.broadcast_shapes(input.array.shape, other.array.shape)) != own:
            return RuntimeError(does_not_fit(own, shape))
    if op.returns_bool:
        return error
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        one, _ = promote(input.array, other.array)
    else:
        array, number = (input.array, other) if isinstance(input, Tensor) else (other.array, input)
        one, _ = promote_number(array, as_number(number), op.floats)
    result, target = BY_NUMPY[one.dtype], BY_NUMPY[(input if out is None else out).array.dtype]
    if op.floats and result.category < FLOAT:
        result = get_default_dtype()
    return error if can_cast(result, target) else refused_cast(result, target, name)


def mix(name, input, other):
    """Return (array, array, node, node) of two operands that are not both tensors."""
    op = OPS[name]
    (first, second), numbers = op.inputs, op.numbers
    if isinstance(input, Tensor):
        if second in numbers and (number := as_number(other)) is not None:
            if op.mixing is not None:
                op.mixing(input.array.dtype, of_scalar[type(number)].numpy, number)
            array, scalar = promote_number(input.array, number, op.floats, second in op.exact)
            return array, scalar, refresh_node(input), None
    elif first in numbers and (number := as_number(input)) is not None:
        if isinstance(other, Tensor):
            if op.mixing is not None:
                op.mixing(of_scalar[type(number)].numpy, other.array.dtype, None)
            array, scalar = promote_number(other.array, number, op.floats, first in op.exact)
            return scalar, array, None, refresh_node(other)
        if name in OF_NUMBERS and (second_number := as_number(other)) is not None:
            scalar = SCALARS[number, of_scalar[type(number)].numpy]
            return *promote_number(scalar, second_number, op.floats), None, None
    if not isinstance(input, Tensor) and (first not in numbers or as_number(input) is None or name not in OF_NUMBERS):
        refuse(name, first, 1, input)
    refuse(name, second, 2, other)


def as_number(number):
    """Return a Python or NumPy number as a Python number; None for anything else.

    NumPy's truth values are floats, as in PyTorch.
    """
    if type(number) in NUMBERS:
        return number
    if isinstance(number, (np.number, np.bool_)):
        return float(number) if isinstance(number, np.bool_) else number.item()
    return next((kind(number) for kind in NUMBERS if isinstance(number, kind)), None)


def promote_number(array, number, floats, exact=False):
    """``array`` and ``number`` in their common dtype; ``floats``: integers count as the default dtype."""
    common = COMMON_WITH_NUMBER[array.dtype, type(number), floats, of_scalar[float]]
    return array if array.dtype is common else cast(array, common), (EXACT_SCALARS if exact else SCALARS)[
        number, common
    ]


def keep_dtype(t, *bounds):
    """Raise if numbers would change the dtype of ``t``, the target of a write; the message names dtypes as C++ does."""
    if not isinstance(t, Tensor) or t.dtype.category >= FLOAT:
        return
    result = t.dtype
    for bound in bounds:
        if type(bound) in NUMBERS:
            result = combine_categories(result, of_scalar[type(bound)])
    if result is not t.dtype:
        raise RuntimeError(f"result type {result.title} can't be cast to the desired output type {t.dtype.spoken}")


def as_float(array, name=None):
    """Cast integers and bools to the default dtype, as PyTorch does before a floating point function; refuse other dtypes."""
    if array.dtype.char in FEW_BITS:
        refuse_dtype(name, array.dtype)
    return cast(array, get_default_dtype().numpy)


# ── arguments ────────────────────────────────────────────────────────────────
def refuse(name, parameter, position, value, expected="Tensor"):
    """Raise PyTorch's error for an argument of the wrong type."""
    raise TypeError(
        f"{name}(): argument '{parameter}' (position {position}) must be {expected}, not {type_name(value)}"
    )


def require_operand(name, value):
    """Raise unless ``value``, which is not a tensor, can be the second operand of the operator's in-place form."""
    second = list(OPS[name].inputs)[1]
    if second not in OPS[name].numbers or as_number(value) is None:
        refuse(f"{name}_", second, 1, value)


def take_operand(value, name, parameter, position):
    """Return (array, node) of a tensor argument."""
    if isinstance(value, Tensor):
        return value.array, refresh_node(value)
    refuse(name, parameter, position, value)


def take_operands(values, name, parameter, position):
    """Return (arrays, nodes) of a sequence of tensors."""
    if not isinstance(values, (list, tuple)):
        refuse(name, parameter, position, values, "tuple of Tensors")
    try:
        return [t.array for t in values], [t.node if t._base is None else refresh_node(t) for t in values]
    except AttributeError:
        number = next(n for n, value in enumerate(values) if not isinstance(value, Tensor))
        raise TypeError(
            f"expected Tensor as element {number} in argument {position - 1}, but got {type_name(values[number])}"
        ) from None
