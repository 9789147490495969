"""Types of TorchScript: the names of annotations, and the values that they accept."""

import collections.abc
import contextlib
import enum
import inspect
import math
import types
import typing

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.engine.dtypes.dtype import dtype
from tensh.futures import Future
from tensh.jit.language.classes import (
    describe_class_of,
    is_enum,
    is_interface,
    is_script_class,
    name_enum,
    name_interface,
)
from tensh.jit.language.constants import float_text

PLAIN = {
    Tensor: "Tensor", int: "int", float: "float", bool: "bool", complex: "complex", str: "str", device: "Device", dtype: "int",
    type(None): "NoneType", typing.Any: "Any", inspect.Parameter.empty: "Tensor", list: "List[Tensor]",
}  # fmt: skip


KEYS = (bool, int, float, complex, str, Tensor, device)
"""Types of keys of dictionaries."""
IN_UNIONS = (Tensor, tuple, list, dict, float, complex, int, type(None), str, bool, device)
"""Types in the order in which a union names them, before classes."""
ESCAPED = str.maketrans({"\n": "\\n", "\t": "\\t", "\r": "\\r", "'": "\\'", '"': '\\"', "\\": "\\\\"})
"""Characters of text as declarations write them."""
NO_KEY = "Cannot create dict for key type '{}', only int, float, complex, Tensor, device and string keys are supported"


def origin_of(kind):
    """Return the class of an annotation with parameters: list, dict, tuple, Union; None for others."""
    found = typing.get_origin(kind)
    return typing.Union if found is types.UnionType else found


def optional_of(kind):
    """Return the other type of an ``Optional``; None for other annotations."""
    if origin_of(kind) is not typing.Union:
        return None
    rest = [each for each in typing.get_args(kind) if each is not type(None)]
    return rest[0] if len(rest) == 1 and len(typing.get_args(kind)) == 2 else None


def members_of_union(kind):
    """Return the types of a union in PyTorch's order; None for other types, and for the union that is any number."""
    if origin_of(kind) is not typing.Union or is_any_number(kind):
        return None
    kinds = [origin_of(each) or each for each in typing.get_args(kind)]
    places = [IN_UNIONS.index(each) if each in IN_UNIONS else len(IN_UNIONS) for each in kinds]
    return [
        each for _, each in sorted(zip(places, typing.get_args(kind)), key=lambda pair: (pair[0], name_of(pair[1])))
    ]


def is_any_number(kind):
    """Return True for the union of all numbers, which is a separate type in scripts."""
    return origin_of(kind) is typing.Union and set(typing.get_args(kind)) == {int, float, complex}


def is_named_tuple(kind):
    """Return True for a class of named tuples."""
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def class_path(thing):
    """Return the full name of a class or a function in graphs and files."""
    space = "" if thing.__module__ in ("__main__", None) else f"{thing.__module__}."
    return f"__torch__.{space}{thing.__name__}".replace("__torch__.tensh.", "__torch__.torch.")


def name_of(kind):
    """Return a type as TorchScript writes it: ``Dict[str, Tensor]``."""
    if kind in PLAIN:
        return PLAIN[kind]
    if is_named_tuple(kind) or is_enum(kind) or is_script_class(kind) or is_interface(kind):
        return class_path(kind)
    if (inner := optional_of(kind)) is not None:
        return f"Optional[{name_of(inner)}]"
    if is_any_number(kind):
        return "number"
    origin, args = origin_of(kind), members_of_union(kind) or typing.get_args(kind)
    if origin in (list, dict, tuple, typing.Union, Future):
        name = {list: "List", dict: "Dict", tuple: "Tuple", typing.Union: "Union", Future: "Future"}[origin]
        return f"{name}[{', '.join(map(name_of, args)) or '()'}]"
    return getattr(kind, "__name__", str(kind))


def title_of(kind):
    """Return a type as errors name it."""
    if is_enum(kind):
        return name_enum(class_path(kind))
    return describe_class_of(kind, class_path(kind)) if is_script_class(kind) else name_of(kind)


def short_name_of(kind, name=name_of):
    """Return a type as declarations write it: ``float[]?``; ``name`` writes types other than lists and optional ones."""
    if (inner := optional_of(kind)) is not None:
        return f"{short_name_of(inner, name)}?"
    if is_any_number(kind):
        return "Scalar"
    if (members := members_of_union(kind)) is not None:
        return f"Union({', '.join(short_name_of(each, name) for each in members)})"
    origin, args = origin_of(kind), typing.get_args(kind)
    inside = name_of if origin is dict else name
    parts = [short_name_of(each, inside) for each in args if each != ()] if origin in (list, tuple, dict) else ()
    if origin is Future:
        return name_of(kind)
    if origin is list:
        return f"{parts[0]}[]"
    if origin in (tuple, dict):
        return f"{'' if origin is tuple else 'Dict'}({', '.join(parts)})"
    if is_interface(kind):
        return name_interface(kind)
    return name_enum(class_path(kind)) if is_enum(kind) else name(kind)


def fits_type(value, kind, exact=False):
    """Return True if a value has a type.  Integers and bools are accepted as numbers, unless ``exact``."""
    if kind in (typing.Any, object) or isinstance(kind, (str, typing.TypeVar)):
        return True
    if kind in (inspect.Parameter.empty, Tensor):
        return isinstance(value, Tensor)
    if kind in (None, type(None)):
        return value is None
    if kind is float:
        return (
            isinstance(value, float) or not exact and isinstance(value, (int, float)) and not isinstance(value, Tensor)
        )
    if kind is int:
        return isinstance(value, (int, dtype)) and not (exact and isinstance(value, (bool, dtype)))
    if kind is device:
        return isinstance(value, (device, str))
    if is_interface(kind):
        names = [name for name, each in vars(kind).items() if inspect.isfunction(each)]
        return all(callable(getattr(value, name, None)) for name in names)
    origin, args = origin_of(kind), typing.get_args(kind)
    if getattr(value, "is_script_container", False):  # whatever it contains, as in PyTorch
        return origin in (list, dict)
    if origin is typing.Union:
        return any(fits_type(value, each, exact) for each in args)
    if origin is list:
        fits = isinstance(value, list if exact else (list, tuple))
        return fits and all(fits_type(each, args[0], exact) for each in value)
    if origin is dict:
        return isinstance(value, dict) and all(
            fits_type(k, args[0], exact) and fits_type(v, args[1], exact) for k, v in value.items()
        )
    if origin is tuple:
        kinds = tuple if exact else (tuple, list)  # PyTorch makes tuples of lists
        if args[1:] == (...,):
            args = args[:1] * len(value) if isinstance(value, kinds) else args
        return (
            isinstance(value, kinds)
            and len(value) == len(args)
            and all(map(lambda v, k: fits_type(v, k, exact), value, args))
        )
    if origin is typing.Final or origin is typing.Annotated:
        return fits_type(value, args[0], exact)
    if origin is collections.abc.Callable or not isinstance(kind, type):
        return True
    return isinstance(value, kind)


def default_text(value, kind=None):
    """Return a default as declarations write it, for a parameter of a type."""
    if value is None and kind in (Tensor, inspect.Parameter.empty):
        return "[ Tensor (undefined) ]"
    kind = optional_of(kind) or kind
    if isinstance(value, tuple) and origin_of(kind) is tuple:
        return f"({', '.join(map(default_text, value, typing.get_args(kind)))})"
    if kind is float and type(value) is int:
        value = float(value)
    if isinstance(value, str):
        return f'"{value.translate(ESCAPED)}"'
    if isinstance(value, enum.Enum):
        return name_enum(f"{type(value).__name__}.{value.name}")
    return float_text(value) if isinstance(value, float) and math.isfinite(value) else f"{value}"


def names_around(fn):
    """Return name -> value of the variables of enclosing functions that a function reads, as far as they are assigned.

    Those of its annotations are included: from Python 3.14 on, a separate function reads them.
    """
    found = {}
    for reader in (fn, getattr(fn, "__annotate__", None)):
        names = getattr(getattr(reader, "__code__", None), "co_freevars", ())
        for name, cell in zip(names, getattr(reader, "__closure__", None) or ()):
            with contextlib.suppress(ValueError):
                found[name] = cell.cell_contents
    return found
