"""Operands of different kinds: dtype promotion and Python numbers, the slow path of every pointwise operator.

PyTorch's rule has three ranks: tensors, 0-d tensors, numbers.  A lower rank decides the dtype only when its category
(bool, integer, float, complex) is higher.
"""

import numpy as np

from tensh.engine.dtype import BY_NUMPY, combine_categories, get_default_dtype, promote_types, scalar_dtype
from tensh.engine.graph import edge
from tensh.engine.tensor import Tensor

NUMBERS = (bool, int, float, complex)

# kind of a NumPy dtype -> the Python types that do not change it ("V" is bfloat16)
WEAK = {
    "b": frozenset({bool}),
    "i": frozenset({bool, int}),
    "u": frozenset({bool, int}),
    "f": frozenset({bool, int, float}),
    "V": frozenset({bool, int, float}),
    "c": frozenset({bool, int, float, complex}),
}


class Scalars(dict):
    """(number, NumPy dtype) -> a read-only 0-d array.

    Kept because NumPy needs 300 ns to convert a Python number, every time; a look-up here takes 75.  Zeros and nan are
    not kept: 0.0 == -0.0 and nan != nan.
    """

    LIMIT = 4096

    def __missing__(self, key):
        number, dtype = key
        array = np.array(_low_bits(number, dtype) if type(number) is int and dtype.kind in "iu" else number, dtype)
        array.flags.writeable = False
        if number and number == number and len(self) < self.LIMIT:
            self[key] = array
        return array


def _low_bits(number, dtype):
    """An integer as the dtype holds it: PyTorch keeps the low bits of one that does not fit, NumPy raises."""
    bits = dtype.itemsize * 8
    number &= (1 << bits) - 1
    return number - (1 << bits) if dtype.kind == "i" and number >> (bits - 1) else number


SCALARS = Scalars()


def promote(first, second):
    """Two arrays cast to the dtype in which PyTorch computes with them."""
    one, two = BY_NUMPY[first.dtype], BY_NUMPY[second.dtype]
    if one is two:
        return first, second
    if (first.ndim == 0) == (second.ndim == 0):
        common = promote_types(one, two)
    else:
        common = combine_categories(one, two) if second.ndim == 0 else combine_categories(two, one)
    to = common.numpy
    return first.astype(to, copy=False), second.astype(to, copy=False)


def mix(name, input, other):
    """(array, array, node, node) of two operands, at least one of which is a number (or neither is a tensor)."""
    if isinstance(input, Tensor):
        return *with_number(name, input.array, other, "other", 2), edge(input), None
    if isinstance(other, Tensor):
        return *reversed(with_number(name, other.array, input, "input", 1)), None, edge(other)
    refuse(name, "input", 1, input)


def with_number(name, array, number, parameter, position):
    """``array`` and ``number`` in their common dtype."""
    if isinstance(number, np.generic) and not isinstance(number, (np.str_, np.bytes_, np.void)):
        number = number.item()
    if not isinstance(number, NUMBERS):
        refuse(name, parameter, position, number)
    common = combine_categories(BY_NUMPY[array.dtype], scalar_dtype(number)).numpy
    return array.astype(common, copy=False), SCALARS[number, common]


def refuse(name, parameter, position, value, expected="Tensor"):
    """Raise PyTorch's error for an argument of the wrong type."""
    raise TypeError(
        f"{name}(): argument '{parameter}' (position {position}) must be {expected}, not {type(value).__name__}"
    )


def given(value, name, parameter, position, optional=False):
    """(array, node) of a tensor argument; (None, None) for an optional one that is not there."""
    if isinstance(value, Tensor):
        return value.array, edge(value)
    if value is None and optional:
        return None, None
    refuse(name, parameter, position, value)


def given_list(values, name, parameter, position):
    """(arrays, nodes) of a sequence of tensors."""
    if not isinstance(values, (list, tuple)):
        refuse(name, parameter, position, values, "tuple of Tensors")
    for number, value in enumerate(values):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"expected Tensor as element {number} in argument {position - 1}, but got {type(value).__name__}"
            )
    return [value.array for value in values], [edge(value) for value in values]


def as_float(array):
    """Integers and bools in the default dtype: what PyTorch computes a floating point function of."""
    return array.astype(get_default_dtype().numpy)
