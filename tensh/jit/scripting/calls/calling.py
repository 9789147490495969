"""Calls of operators in a script: the overload that takes the arguments, and the line for it with all its defaults."""

from typing import get_args

from tensh import return_types
from tensh._aten.overloads import REDUCTIONS, REQUIRED
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.jit.language.types import optional_of, origin_of
from tensh.jit.scripting.calls.signatures import overloads_of
from tensh.jit.scripting.graphs.blocks import ScriptValue
from tensh.jit.scripting.kinds import NUMBER, element_of, fill, fits, none, parts_of

__all__ = ["call_operator", "hand_over", "pack", "unpack"]

WRITERS = {"append", "extend", "insert", "pop", "clear", "remove", "reverse", "sort", "update", "_set_item", "Delete",
           "popitem", "setdefault", "backward"}  # fmt: skip
"""Operators without an underscore after their names that change their first argument."""


def call_operator(builder, name, args, options, at):
    """Emit the call of an operator, such as ``add``; return its result, or None if no overload takes the arguments."""
    for loose in (False, True):
        for signature in overloads_of(name):
            found = {}
            chosen = match(signature, args, options, found, loose)
            if chosen is not None:
                return emit_call(builder, signature, chosen, found, at)
    return None


def match(signature, args, options, found, loose):
    """Return the argument of each parameter (REQUIRED where its default is meant); None if they do not fit."""
    places = [each for each in signature.formals if not each.named]
    if len(args) > len(places) or (args and places and len(args) == len(places) and spreads(places[-1], args[-1])):
        last = places[-1] if places else None
        rest = args[len(places) - 1 :]
        if (
            last is None
            or not last.list
            or not all(fits(each.value_kind, element_of(strip(last.kind))) for each in rest)
        ):
            return None
        args = [*args[: len(places) - 1], list(rest)]
    given = dict(zip((each.name for each in places), args))
    for name, value in options.items():
        name = "self" if name == "input" and places and places[0].name == "self" else name
        if name in given or all(each.name != name for each in signature.formals):
            return None
        given[name] = value
    chosen = []
    for formal in signature.formals:
        value = given.get(formal.name, REQUIRED)
        if value is REQUIRED and formal.default is REQUIRED and not formal.optional:
            return None
        if value is not REQUIRED and not takes(formal, value, found, loose):
            return None
        chosen.append(value)
    return chosen


def strip(kind):
    """Return a type without Optional around it."""
    return kind if optional_of(kind) is None else optional_of(kind)


def spreads(formal, value):
    """Return True for a number that is the only element of a list of sizes."""
    return formal.list and not formal.length and value.value_kind is int and strip(formal.kind) == list[int]


def takes(formal, value, found, loose):
    """Return True if a parameter takes a value, as it is or converted."""
    if isinstance(value, list):
        return True
    kind, wanted = value.value_kind, strip(formal.kind)
    if fits(kind, formal.kind, found):
        return True
    element = element_of(wanted)
    if element is not None and is_empty(value):
        return True
    if element is not None:
        if formal.length and fits(kind, element, found):
            return True
        parts = get_args(kind) or None if origin_of(kind) is list else parts_of(kind)
        return parts is not None and all(fits(each, element, found) for each in parts)
    if formal.name == "reduction" and kind is str:
        return True
    if not loose:
        return False
    if kind is str and wanted is device:
        return True
    if kind is bool and wanted in (NUMBER, int, float):
        return wanted is NUMBER
    return kind is int and wanted is float or kind is Tensor and wanted in (NUMBER, int, float)


def is_empty(value):
    """Return True for an empty list without a name, which is one of any type."""
    return value.node().kind() == "prim::ListConstruct" and not value.node().taken and not value.assigned


def emit_call(builder, signature, chosen, found, at):
    taken = [
        default_of(builder, formal)
        if value is REQUIRED
        else hand_over(builder, value, fill(formal.kind, found), formal.length)
        for formal, value in zip(signature.formals, chosen)
    ]
    result = fill(signature.result, found)
    several = origin_of(result) is tuple and not signature.name.startswith("__") and signature.name != "popitem"
    gives = () if result is none else get_args(result) if several else (result,)
    made = builder.emit(f"aten::{signature.name}", taken, gives, at)
    line = builder.block.lines[-1]
    line.parameters = signature.formals
    line.writes = signature.name in WRITERS or signature.name.endswith("_") and not signature.name.endswith("__")
    if not several:
        return made if gives else builder.constant(None)
    packed = pack(builder, made)
    maker = return_types.find_makers().get(signature.name)
    packed.fields = maker.outs if maker and len(maker.outs) == len(gives) else ()
    return packed


def default_of(builder, formal):
    if formal.default is REQUIRED:
        return builder.constant(None)
    value = (
        REDUCTIONS.get(str(formal.default).lower(), formal.default) if formal.name == "reduction" else formal.default
    )
    value = 0 if value == "contiguous_format" else value
    if formal.list and value is not None:
        value = [value] * formal.length if isinstance(value, (int, float)) else list(value)
    if strip(formal.kind) is float and isinstance(value, int):
        value = float(value)
    return builder.constant(value)


def hand_over(builder, value, kind, length=0):
    """Return an argument as a parameter of a type takes it."""
    wanted = strip(kind)
    element = element_of(wanted)
    if isinstance(value, list):
        return builder.emit("prim::ListConstruct", value, [list[element]])
    if element is not None and is_empty(value):
        value.value_kind = wanted
    own = value.value_kind
    if element is not None and element_of(own) is None and own is not none and optional_of(own) is None:
        parts = [value] * (length or 1) if parts_of(own) is None else unpack(builder, value)
        return builder.emit("prim::ListConstruct", parts, [list[element]])
    if own is str and wanted is int:  # the name of a reduction
        return builder.constant(REDUCTIONS[value.node().constant])
    if own is str and wanted is device:
        return builder.emit("aten::device", [value], [device])
    if own is Tensor and wanted in (NUMBER, int, float):
        name = {NUMBER: "Scalar", int: "Int", float: "Float"}[wanted]
        return builder.emit(f"aten::{name}Implicit", [value], [wanted])
    if own is int and wanted is float:
        constant = value.node().kind() == "prim::Constant"
        return (
            builder.constant(float(value.node().constant))
            if constant
            else builder.emit("aten::Float", [value], [float])
        )
    return value


def pack(builder, values, kind=None, at=None):
    """Return a tuple of values; ``kind`` is the class of a named tuple."""
    kind = kind or tuple[tuple(each.value_kind for each in values)]
    return builder.emit("prim::TupleConstruct", values, [kind], at)


def unpack(builder, value, count=None, at=None):
    """Return the elements of a tuple or of a list with ``count`` elements."""
    if value.node().kind() in ("prim::TupleConstruct", "prim::ListConstruct") and not value.named:
        return list(value.node().taken)
    kind = value.value_kind
    if parts_of(kind) is not None:
        made = builder.emit("prim::TupleUnpack", [value], parts_of(kind))
    elif element_of(kind) is not None and count is not None:
        made = builder.emit("prim::ListUnpack", [value], [element_of(kind)] * count)
    else:
        builder.source.refuse(at, f"a value of type {kind} cannot be taken apart")
    return [made] if isinstance(made, ScriptValue) else made
