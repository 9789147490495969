"""Conversions as ``aten`` records them: the overload of ``to`` follows from the arguments: a dtype, a device, or neither."""

from tensh._aten.calls import aten, call_overload
from tensh._aten.overloads import schemas
from tensh.engine.arguments.binding import bind
from tensh.engine.dtypes.device import device, preserve_format, strided
from tensh.engine.dtypes.dtype import ALL, BY_NUMPY
from tensh.engine.dtypes.dtype import dtype as dtype_class
from tensh.engine.methods.conversion import CASTS, TO, is_in_order
from tensh.engine.methods.creation.legacy import dtype_of_legacy

__all__ = ["as_dtype", "choose_conversion", "conversion", "convert_to", "copy_conversion"]


def choose_conversion(name, args, kwargs):
    """Return the operator call (overload, args, kwargs) of a converting method; None if the method returns the tensor."""
    input, *rest = args
    if name in CASTS:
        return call(input, dtype=ALL[CASTS[name]], memory_format=kwargs.get("memory_format"))
    if name == "cpu":
        return call(input, device=device("cpu"), memory_format=kwargs.get("memory_format"))
    if name == "type":
        return choose_type(input, *rest, **kwargs)
    given = bind("to", TO, tuple(rest), kwargs)
    given = {key: value for key, value in given.items() if value is not None and value is not False}
    if (other := given.pop("tensor", None)) is not None:
        given |= {"dtype": other.dtype, "device": other.device}
    if "device" in given:
        given["device"] = device(given["device"])
    return call(input, **given) if given.keys() - {"non_blocking"} else None


def choose_type(input, dtype=None, non_blocking=False):
    """Return the operator of ``x.type(...)``; a class of tensors or its name is a device, too."""
    if dtype is None:
        return None
    if isinstance(dtype, dtype_class):
        return call(input, dtype=dtype, non_blocking=non_blocking)
    return call(input, dtype=dtype_of_legacy(dtype), device=device("cpu"), non_blocking=non_blocking)


def call(input, **given):
    """Return (overload, args, kwargs) of ``to`` with the given arguments."""
    overloads = schemas()["to"]
    if "dtype" in given and "device" in given:
        chosen = overloads["device"]
    elif "dtype" in given:
        chosen = overloads["dtype"]
    else:
        chosen = overloads["dtype_layout"]
        given = {"dtype": input.dtype, "layout": strided, "device": input.device} | given
    return chosen, *chosen.bind((input,), given)


def copy_conversion(overload, *args, **kwargs):
    """Return what a conversion consists of: the tensor if it changes nothing, else a call of ``aten._to_copy``."""
    given = dict(zip([each.name for each in overload.parameters], args)) | kwargs
    input = given.pop("self")
    copy, order = given.pop("copy", False), given.get("memory_format")
    kept = order is None or order is preserve_format or is_in_order(input.array, order)
    placed = "device" not in given or given["device"] == input.device
    if not copy and kept and placed and given.get("dtype", input.dtype) is input.dtype:
        return input
    copying = schemas()["_to_copy"]["default"]
    return call_overload(copying, *copying.bind((input,), given))


def as_dtype(value):
    """Return the dtype of a tensor, of NumPy's."""
    return value if isinstance(value, dtype_class) else BY_NUMPY[value]


def convert_to(input, dtype):
    return input if input.dtype is dtype else aten("_to_copy", input, dtype=dtype)


def conversion(name):
    """Return the steps of a method that converts a tensor."""

    def steps(*args, **kwargs):
        found = choose_conversion(name, args, kwargs)
        return args[0] if found is None else copy_conversion(found[0], *found[1], **found[2])

    return steps
