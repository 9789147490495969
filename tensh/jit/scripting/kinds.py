"""Types of values in a script: classes and annotations of ``typing``, with those of modules and functions."""

import functools
import re
from typing import Any, TypeVar, Union, get_args, get_type_hints

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.futures import Future
from tensh.jit.language.classes import is_enum, is_interface, is_script_class
from tensh.jit.language.interfaces import implements
from tensh.jit.language.types import (
    default_text,
    is_any_number,
    is_named_tuple,
    name_of,
    optional_of,
    origin_of,
    short_name_of,
)

__all__ = [
    "ANY_CLASS", "ANY_ENUM", "NUMBER", "FunctionKind", "ModuleKind", "element_of", "fields_of", "fits", "is_complete", "join", "members_of", "optional_of", "parts_of", "read_kind",
    "text_of", "uniform", "without_none",
]  # fmt: skip

none = type(None)


class NUMBER:
    """The type of an ``int``, a ``float`` or a ``complex``."""

    __name__ = "Scalar"


class FunctionKind:
    """The type of a function that is called by name."""


class ANY_ENUM:
    """The type of any enumerated value."""


class ANY_CLASS:
    """The type of an instance of any class of the program."""


FunctionKind.__name__ = "Function"
NUMBER.__name__ = "Scalar"
ANY_ENUM.__name__ = "AnyEnumType"
ANY_CLASS.__name__ = "AnyClassType"


class ModuleKind:
    """The type of a module, under the name that graphs show."""

    def __init__(self, name):
        self.__name__ = name

    def __eq__(self, other):
        return isinstance(other, ModuleKind) and other.__name__ == self.__name__

    def __hash__(self):
        return hash(self.__name__)


NAMES = {
    "Tensor": Tensor, "int": int, "float": float, "bool": bool, "str": str, "complex": complex, "Scalar": NUMBER, "ScalarType": int,
    "Layout": int, "MemoryFormat": int, "Device": device, "NoneType": none, "Any": Any, "number": NUMBER,
    "AnyEnumType": ANY_ENUM, "AnyClassType": ANY_CLASS,
}  # fmt: skip


def text_of(kind):
    """Return a type as graphs print it, such as ``int[]`` or ``(Tensor, int)``."""
    return short_name_of(kind, describe_class)


def describe_class(kind):
    """Return a type without parameters as graphs print it, such as ``NamedTuple(x : int, y : float)``."""
    if not is_named_tuple(kind):
        return name_of(kind)
    defaults = {name: f" = {default_text(value)}" for name, value in kind._field_defaults.items()}
    parts = [f"{name} : {text_of(each)}{defaults.get(name, '')}" for name, each in fields_of(kind).items()]
    return f"NamedTuple({', '.join(parts)})"


@functools.cache
def fields_of(kind):
    """Return name -> type of the fields of a class of named tuples."""
    try:
        hints = get_type_hints(kind)
    except NameError:  # an annotation that only type checkers know
        hints = {}
    return {name: uniform(hints.get(name, Any)) for name in kind._fields}


def parts_of(kind):
    """Return the types of the elements of a tuple; None for other types."""
    if is_named_tuple(kind):
        return tuple(fields_of(kind).values())
    return tuple(each for each in get_args(kind) if each != ()) if origin_of(kind) is tuple else None


def element_of(kind):
    """Return the type of the elements of a list; None for other types."""
    return get_args(kind)[0] if origin_of(kind) is list else None


def is_complete(kind):
    """Return True for a type all of whose parts are known."""
    return kind not in (Any, object) and all(map(is_complete, get_args(kind)))


def read_kind(text):
    """Return the type that a signature names, such as ``Dict(str, t)[]?``."""
    text = text.strip()
    if text.endswith("?"):
        return read_kind(text[:-1]) | None
    if found := re.fullmatch(r"(.*)\[\d*\]", text):
        return list[read_kind(found[1])]
    if text.startswith("("):
        parts = [read_kind(each) for each in split_at_commas(text[1:-1])]
        return none if not parts else parts[0] if len(parts) == 1 else tuple[tuple(parts)]
    if text.startswith("Dict("):
        key, value = split_at_commas(text[5:-1])
        return dict[read_kind(key), read_kind(value)]
    word = text.partition(" ")[0]  # results may have names
    if word in NAMES:
        return NAMES[word]
    return variable(word) if word.startswith("t") else Any


VARIABLES = {}


def variable(name):
    return VARIABLES.setdefault(name, TypeVar(name))


def split_at_commas(text):
    """Split a text at commas that stand outside all brackets."""
    parts, depth = [""], 0
    for each in text:
        depth += (each in "([") - (each in ")]")
        if each == "," and not depth:
            parts.append("")
        else:
            parts[-1] += each
    return [each.strip() for each in parts if each.strip()]


def fits(kind, formal, found=None):
    """Return True if a value of a type can be handed to a parameter.

    ``found`` (variable -> type) gets the types of variables.
    """
    found = {} if found is None else found
    if isinstance(formal, TypeVar):
        return kind == found.setdefault(formal, kind)
    if kind == formal or formal is Any:
        return True
    if formal is NUMBER:
        return all(each in (int, float, complex) for each in members_of(kind))
    if formal in (ANY_ENUM, ANY_CLASS):
        return is_enum(kind) if formal is ANY_ENUM else is_script_class(kind)
    if is_interface(formal):
        return is_script_class(kind) and implements(kind, formal)
    if (inner := optional_of(formal)) is not None:
        given = optional_of(kind)
        return kind is none or fits(kind if given is None else given, inner, found)
    if origin_of(formal) is Union:
        return all(any(fits(each, other, found) for other in get_args(formal)) for each in members_of(kind))
    if is_named_tuple(kind) and origin_of(formal) is tuple:
        kind = tuple[parts_of(kind)]
    if origin_of(kind) is None or origin_of(kind) is not origin_of(formal):
        return False
    own, wanted = get_args(kind), get_args(formal)
    return len(own) == len(wanted) and all(fits(one, other, found) for one, other in zip(own, wanted))


def members_of(kind):
    """Return the types that a value may have."""
    return get_args(kind) if origin_of(kind) is Union else (kind,)


def is_union(kind):
    """Return True for a type of several, other than one and None."""
    return origin_of(kind) is Union and optional_of(kind) is None


def without_none(kind):
    """Return the type of a value without None; None for a type that cannot be None."""
    rest = tuple(each for each in members_of(kind) if each is not none)
    return Union[rest] if rest and len(rest) < len(members_of(kind)) else None  # noqa: UP007


def fill(kind, found):
    """Return a type with the types of its variables."""
    if isinstance(kind, TypeVar):
        return found.get(kind, Any)
    origin, args = origin_of(kind), tuple(fill(each, found) for each in get_args(kind))
    if (inner := optional_of(kind)) is not None:
        return fill(inner, found) | None
    return origin[args] if origin in (list, dict, tuple, Future) else kind


def uniform(kind):
    """Return a type with lists, dictionaries and tuples as classes of Python: ``list[int]`` for ``typing.List[int]``.

    The union of all numbers is NUMBER.
    """
    if is_any_number(kind):
        return NUMBER
    origin, args = origin_of(kind), tuple(uniform(each) for each in get_args(kind))
    if (inner := optional_of(kind)) is not None:
        return uniform(inner) | None
    return origin[args] if origin in (list, dict, tuple, Union, Future) and args else kind


def join(one, other):
    """Return the type of a value that comes from one of two branches; None if there is no such type."""
    if one == other or fits(one, other):
        return other
    if fits(other, one):
        return one
    if none in (one, other):
        kind = other if one is none else one
        return None if isinstance(kind, ModuleKind) else kind | None
    own, others = parts_of(one), parts_of(other)
    if own is not None and others is not None and len(own) == len(others):
        parts = list(map(join, own, others))
        return None if None in parts else tuple[tuple(parts)]
    return None
