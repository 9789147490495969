"""Values of Python as the types that a script declares for its arguments."""

import typing

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.engine.dtypes.dtype import dtype
from tensh.jit.language.types import fits_type, is_any_number, optional_of, origin_of

WHOLE = range(-(2**63), 2**63)
"""Integers of scripts."""
NUMBERS = (bool, int, float)
"""Types whose lists any sequence can become; lists of others come from lists and tuples."""


class Unfit(Exception):
    """A value that cannot become one of the declared type."""


def convert(value, kind):
    """Return a value as one of a declared type.  Raise Unfit where PyTorch refuses to call a script with it."""
    if (inner := optional_of(kind)) is not None:
        return None if value is None else convert(value, inner)
    origin, args = origin_of(kind), typing.get_args(kind)
    if origin in CONTAINERS and args and not getattr(value, "is_script_container", False):
        return CONTAINERS[origin](value, *args)
    if kind in SINGLE:
        return convert_single(value, kind)
    # a value of a union keeps its type
    if not fits_type(value, kind, exact=origin is typing.Union and not is_any_number(kind)):
        raise Unfit
    return value


def convert_single(value, kind):
    """Return a number, a truth value or a device."""
    try:
        return SINGLE[kind](value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise Unfit from None


def to_bool(value):
    """Return the truth of a number or None."""
    if value is not None and not hasattr(value, "__bool__"):
        raise TypeError
    return bool(value)


def to_int(value):
    """Return an integer of 64 bits; dtypes are numbers in scripts, and tensors lose their fraction."""
    if isinstance(value, dtype):
        return value
    if isinstance(value, float) or not hasattr(value, "__int__"):
        raise TypeError
    whole = value if isinstance(value, int) and not isinstance(value, bool) else int(value)
    if whole not in WHOLE:
        raise OverflowError
    return whole


def to_float(value):
    """Return a floating point number."""
    if not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError
    return float(value)


def to_complex(value):
    """Return a complex number."""
    return complex(value if hasattr(value, "__complex__") or isinstance(value, complex) else to_float(value))


def to_list(value, kind):
    """Return a list of converted elements."""
    if not isinstance(value, (list, tuple)) and (kind not in NUMBERS or isinstance(value, (str, bytes, dict, Tensor))):
        raise Unfit
    try:
        return [convert(each, kind) for each in value]
    except TypeError:  # not a sequence
        raise Unfit from None


def to_dict(value, key_kind, kind):
    """Return a dictionary of converted keys and values."""
    if not isinstance(value, dict):
        raise Unfit
    return {convert(key, key_kind): convert(each, kind) for key, each in value.items()}


def to_tuple(value, *kinds):
    """Return a tuple of converted elements; PyTorch makes tuples of lists."""
    if not isinstance(value, (tuple, list)):
        raise Unfit
    if kinds[1:] == (...,):
        kinds = kinds[:1] * len(value)
    if kinds == ((),):
        kinds = ()
    if len(value) != len(kinds):
        raise Unfit
    return tuple(map(convert, value, kinds))


SINGLE = {bool: to_bool, int: to_int, float: to_float, complex: to_complex, device: device}
"""Type -> the function that makes a value of it."""
CONTAINERS = {list: to_list, dict: to_dict, tuple: to_tuple}
"""Class -> the function that makes one, of the types of its elements."""
