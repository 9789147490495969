"""A value as the fields of a record: plain JSON where possible, else an object with a type."""

import math
import sys

from tensh.show.reading import reprs
from tensh.show.reading.describe import (
    dtype,
    has_history,
    is_array,
    is_dense,
    is_nested,
    is_tensor,
    layout,
    module,
    numel,
)

MOST = 1000  # most values of a tensor, or items of a container, that are written by default
MOST_DENSE = 10**7  # most elements of a sparse tensor that are written on request
CONTAINERS = (list, tuple, set, frozenset, dict)


def fields(value, whole=False, around=()):
    """Return the fields of a value: its type, and its data or its text.

    `around` are the ids of the enclosing containers.
    """
    kind = type(value)
    if not reprs.is_bounded(value):
        return {"type": kind.__qualname__, "data": None, "truncated": True, "repr": reprs.brief(value)}
    return fields_of(value, kind, whole, around)


def fields_of(value, kind, whole, around):
    """Return the fields of a value whose containers are not nested excessively."""
    if is_tensor(value):
        found = parts(value, whole) if is_nested(value) else facts(value) | places(value) | elements(value, whole)
        return {"type": "tensor"} | found | history(value)
    if is_array(value) or is_number_of_numpy(value):
        return {"type": "array"} | facts(value) | elements(value, whole)
    if value is None or kind in (bool, int, float, complex, str):
        return {"type": "none" if value is None else kind.__name__, "data": spell_out(value)}
    base = next((base for base in CONTAINERS if issubclass(kind, base)), None)
    if base:
        return {"type": base.__name__} | container(value, base, whole, around)
    return {"type": kind.__qualname__, "repr": reprs.exact(repr(value))}


def has_too_many_digits(number):
    """Return True if Python refuses to write a whole number in decimal."""
    most = sys.get_int_max_str_digits()
    return most > 0 and number.bit_length() > 3.32 * most


def is_number_of_numpy(value):
    return module(type(value)) == "numpy" and hasattr(value, "dtype") and getattr(value, "shape", None) == ()


# ── arrays ───────────────────────────────────────────────────────────────────


def facts(value):
    return {"shape": list(value.shape), "dtype": dtype(value)}


def history(value):
    """Describe a tensor's part in autograd."""
    is_known = has_history(value)
    node = value.grad_fn if is_known else None
    return {
        "requires_grad": value.requires_grad,
        "is_leaf": is_known and value.is_leaf,
        "grad_fn": node and node.name().rpartition("::")[2],
    }


def places(value):
    """Return the device and layout of a tensor, unless it is an ordinary one."""
    return {} if is_dense(value) else {"device": value.device.type, "layout": layout(value) or "strided"}


def parts(value, whole):
    """Return the tensors of a nested tensor; sizes that differ are null in its shape."""
    found = value.detach().unbind()
    sizes = [list(each.shape) for each in found]
    shape = [len(found)] + [axis[0] if len({*axis}) == 1 else None for axis in zip(*sizes, strict=True)]
    facts = {"shape": shape, "dtype": dtype(value), "layout": layout(value) or "strided", "nested": True}
    if not whole and sum(map(numel, found)) + len(found) > MOST:
        return facts | {"data": None, "truncated": True}
    return facts | {"data": [spell_out(each.tolist()) for each in found]}


def elements(value, whole):
    """Return the elements of an array, or statistics if there are too many; null if there are none in memory."""
    if not is_dense(value):
        if value.device.type == "meta":
            return {"data": None}
        if numel(value) > (MOST_DENSE if whole else MOST):
            return {"data": None, "truncated": True}
        value = value.detach().to_dense()
    try:
        if whole or numel(value) <= MOST:
            return {"data": spell_out((value.detach() if is_tensor(value) else value).tolist())}
        return {"data": None, "truncated": True, "stats": statistics(value)}
    except RuntimeError:  # a class without `tolist`, such as masked tensors
        return {"data": None, "repr": reprs.exact(repr(value))}


def statistics(value):
    """Compute statistics of an array's elements; None if they are not numbers."""
    from tensh.show import statistics

    try:
        found = statistics(value)
    except TypeError:
        return None
    low, high = (int(each) if found.is_whole and each is not None else each for each in (found.low, found.high))
    return {
        "min": spell_out(low), "max": spell_out(high), "mean": spell_out(found.mean), "std": spell_out(found.std),
        "zeros": found.zeros, "nan": found.nans, "inf": found.infinities,
    }  # fmt: skip


def spell_out(data):
    """Convert numbers, text and lists of them to JSON."""
    match data:
        case list() | tuple():
            return [spell_out(each) for each in data]
        case float() if not math.isfinite(data):
            return "nan" if math.isnan(data) else "inf" if data > 0 else "-inf"
        case complex():
            return [spell_out(data.real), spell_out(data.imag)]
        case int() if has_too_many_digits(data):
            return hex(data)
        case None | bool() | int() | float() | str():
            return data
    return repr(data)  # other contents of a NumPy array


# ── containers ───────────────────────────────────────────────────────────────


def container(value, base, whole, around):
    """Return the items of a container."""
    found = {}
    if type(value) is not base:
        found["class"] = type(value).__qualname__
    names = getattr(type(value), "_fields", None) or getattr(type(value), "__match_args__", None)
    if base is tuple and names:
        found["fields"] = list(names)
    if id(value) in around:
        return found | {"repr": "..."}
    length = base.__len__(value)  # the class may override methods
    if not whole and length > MOST:
        return found | {"data": None, "truncated": True, "length": length}
    around = (*around, id(value))
    if base is not dict:
        return found | {"data": [item(each, whole, around) for each in base.__iter__(value)]}
    if all(type(key) is str for key in dict.keys(value)):
        return found | {"data": {key: item(each, whole, around) for key, each in dict.items(value)}}
    return found | {"data": [[item(key, whole, around), item(each, whole, around)] for key, each in dict.items(value)]}


def item(value, whole, around):
    """Convert an item of a container: as it is if JSON has it, else an object with its type."""
    if type(value) is int and has_too_many_digits(value):
        return fields_of(value, int, whole, around)
    if value is None or type(value) in (bool, int, str) or type(value) is float and math.isfinite(value):
        return value
    if type(value) is list and id(value) not in around and (whole or len(value) <= MOST):
        return [item(each, whole, (*around, id(value))) for each in value]
    return fields_of(value, type(value), whole, around)
