"""Types in a script, and the values that have them: which type fits where, and which type two branches have in common."""

import inspect
import typing
from typing import Any, TypeVar, get_args

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.engine.dtypes.dtype import dtype
from tensh.jit.language.classes import is_enum, is_interface, is_script_class
from tensh.jit.language.interfaces import implements
from tensh.jit.language.types import (
    is_any_number,
    is_named_tuple,
    members_of_union,
    name_of,
    optional_of,
    origin_of,
    title_of,
)
from tensh.jit.scripting.kinds import ANY_CLASS, ANY_ENUM, NUMBER, element_of, fields_of, none, parts_of, uniform

__all__ = [
    "ANYTHING", "UNKNOWN", "Value", "bind", "convert", "describe", "fits", "is_known", "join", "members", "settle",
]  # fmt: skip

ANYTHING = object
"""The type ``Any`` of a script; ``typing.Any`` stands for a type that is not known here."""
PLAIN = frozenset({Tensor, int, float, bool, complex, str, none, device, NUMBER, ANYTHING, ANY_CLASS, ANY_ENUM})
NUMBERS = (int, float, complex, NUMBER)
MISSING = object()


class Value:
    """A value: its type, whether the type is assumed for lack of an annotation, and the constant.

    ``empty`` is True for ``[]``, which becomes a list of any type as long as it has no name; ``parts`` are the values in a tuple.
    """

    def __init__(self, kind, inferred=False, constant=MISSING, empty=False, parts=None):
        self.kind, self.inferred, self.constant, self.empty, self.parts = kind, inferred, constant, empty, parts

    def __repr__(self):
        return describe(self)


UNKNOWN = Value(Any)


def settle(note):
    """Return the type of an annotation; Any for one that is not known here."""
    if note is inspect.Parameter.empty:
        return Tensor
    if note is None:
        return none
    if note is dtype:
        return int
    kind = name_anything(uniform(note))
    return kind if is_known(kind) else Any


def name_anything(kind):
    """Return a type with ``ANYTHING`` for ``typing.Any``."""
    if kind is Any:
        return ANYTHING
    origin, parts = origin_of(kind), get_args(kind)
    if origin not in (list, dict, tuple) or ... in parts or Any not in parts:
        return kind
    return origin[tuple(map(name_anything, parts))]


def is_known(kind):
    """Return True for a type all of whose parts are known."""
    if kind in PLAIN or is_enum(kind) or is_script_class(kind) or is_interface(kind):
        return True
    if is_named_tuple(kind):
        return all(map(is_known, fields_of(kind).values()))
    parts = get_args(kind)
    return origin_of(kind) in (list, dict, tuple, typing.Union) and ... not in parts and all(map(is_known, parts))


def members(kind):
    """Return the types that a value may have."""
    return get_args(kind) if origin_of(kind) is typing.Union else (kind,)


def describe(thing):
    """Return a type, or the type of a value, as errors name it."""
    if isinstance(thing, Value):
        return f"{describe(thing.kind)} (inferred)" if thing.inferred else describe(thing.kind)
    return title_of(thing) if is_enum(thing) or is_script_class(thing) else write_kind(thing)


def write_kind(thing):
    """Return a type as others in errors contain it."""
    if thing is NUMBER:
        return "number"
    if thing is ANYTHING:
        return "Any"
    if (inner := optional_of(thing)) is not None:
        return f"Optional[{write_kind(inner)}]"
    names = [write_kind(each) for each in members_of_union(thing) or get_args(thing)]
    if origin_of(thing) is typing.Union:
        return "number" if is_any_number(thing) else f"Union[{', '.join(names)}]"
    head, bracket, _ = name_of(thing).partition("[")
    return f"{head}[{', '.join(names)}]" if bracket and names else name_of(thing)


def fits(kind, wanted):
    """Return True if a value of a type is one of another type; True if either is not known."""
    if is_interface(wanted) and is_script_class(kind):
        return implements(kind, wanted)
    if kind == wanted or wanted is ANYTHING or not is_known(kind) or not is_known(wanted):
        return True
    if wanted in NUMBERS and (kind is bool or wanted is NUMBER and kind in NUMBERS):
        return True
    if wanted is NUMBER and origin_of(kind) is typing.Union:
        return all(each in NUMBERS for each in members(kind))
    if wanted in (ANY_ENUM, ANY_CLASS):
        return is_enum(kind) if wanted is ANY_ENUM else is_script_class(kind)
    if origin_of(wanted) is typing.Union:
        return all(any(fits(one, other) for other in members(wanted)) for one in members(kind))
    own, other = parts_of(kind), parts_of(wanted)
    if own is not None and other is not None and not is_named_tuple(wanted):
        return len(own) == len(other) and all(map(fits, own, other))
    return False


def join(one, other):
    """Return the type of a value that comes from one of two branches; None if there is none."""
    if not is_known(one) or not is_known(other):
        return Any
    if one == other or fits(one, other):
        return other
    if fits(other, one):
        return one
    if none in (one, other):
        return (other if one is none else one) | none
    own, wanted = parts_of(one), parts_of(other)
    if own is not None and wanted is not None and len(own) == len(wanted):
        parts = list(map(join, own, wanted))
        return None if None in parts else tuple[tuple(parts)]
    return None


def convert(value, kind, loose=True):
    """Return a value as one of a type where scripts convert it; ``loose`` also from tensors and numbers."""
    if not is_known(value.kind) or fits(value.kind, kind):
        return value
    inner = optional_of(kind)
    if inner is not None and optional_of(value.kind) is None and value.kind is not none:
        return convert(value, inner, loose)
    element, parts, wanted = element_of(kind), parts_of(value.kind), parts_of(kind)
    if element is not None and (value.empty or parts is not None and all(fits(each, element) for each in parts)):
        return Value(kind)
    if parts is not None and wanted is not None and len(parts) == len(wanted) and not is_named_tuple(kind):
        own = value.parts or list(map(Value, parts))
        return Value(tuple[tuple(convert(each, other, loose).kind for each, other in zip(own, wanted))])
    if loose and (value.kind is Tensor and kind in NUMBERS or value.kind is NUMBER and kind in NUMBERS):
        return Value(kind)
    return Value(kind) if loose and value.kind is str and kind is device else value


def bind(formal, kind, known, shown=None):
    """Fill ``known`` (variable -> type) from an argument of a type; return why the two do not match, or None.

    ``shown`` is the type as the reason names it.
    """
    if isinstance(formal, TypeVar):
        joined = join(known[formal], kind) if formal in known else kind
        if joined is None:
            return (
                f"Type variable '{formal.__name__}' previously matched to type {describe(known[formal])} is matched to type "
                f"{shown or describe(kind)}."
            )
        known.setdefault(formal, joined)
        return None
    if (inner := optional_of(formal)) is not None:
        own = optional_of(kind)
        return None if kind is none else bind(inner, kind if own is None else own, known)
    origin, inside = origin_of(formal), get_args(formal)
    if not has_variable(formal):
        return None
    if origin is list and parts_of(kind):
        return next(filter(None, (bind(inside[0], each, known) for each in parts_of(kind))), None)
    if origin is not origin_of(kind) or len(inside) != len(get_args(kind)):
        return f"Cannot match {'a dict' if origin is dict else describe(formal)} to {describe(kind)}."
    return next(filter(None, (bind(each, own, known) for each, own in zip(inside, get_args(kind)))), None)


def has_variable(kind):
    return isinstance(kind, TypeVar) or any(map(has_variable, get_args(kind)))
