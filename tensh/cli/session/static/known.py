"""Facts about an expression that is not evaluated: the value of a name, else the type of the result.

No user code runs: attributes are looked up in the dictionaries of instances and classes, properties are not evaluated,
and for calls only the type of the result is known.
"""

import ast
import builtins
import inspect
import os
import re
import types
from functools import cache
from typing import NamedTuple

from tensh.alias.parts import own_dict, own_name
from tensh.engine.codegen.public_forms import name_in_space
from tensh.support.naming import is_of_torch

UNKNOWN = object()
NOTHING = object()


class Tensors(tuple):
    """The type of a tuple of tensors."""


class Known(NamedTuple):
    """A value; if it is UNKNOWN, at least its type."""

    value: object
    kind: type

    @property
    def has_value(self):
        return self.value is not UNKNOWN


def find_known(source, namespace):
    """Find the facts about the expression in a text; None if nothing is known."""
    try:
        return find_facts(ast.parse(source.strip(), mode="eval").body, namespace)
    except (SyntaxError, ValueError, RecursionError):
        return None


def find_facts(node, namespace):
    """Find the facts about a syntax tree."""
    match node:
        case ast.Name(name):
            value = namespace.get(name, vars(builtins).get(name, NOTHING))
            return None if value is NOTHING else Known(value, type(value))
        case ast.Attribute(owner, name):
            base = find_facts(owner, namespace)
            return base and attribute(base, name)
        case ast.Call(function):
            called = find_facts(function, namespace)
            return called and result(called, function)
        case ast.Subscript(container, index):
            base = find_facts(container, namespace)
            return base and element(base, index)
        case ast.Constant(value):
            return Known(UNKNOWN, type(value))
        case ast.BinOp(left, _, right):
            sides = [find_facts(left, namespace), find_facts(right, namespace)]
            return next((Known(UNKNOWN, side.kind) for side in sides if side and is_tensor(side.kind)), sides[0])
        case ast.UnaryOp(_, operand):
            base = find_facts(operand, namespace)
            return base and Known(UNKNOWN, base.kind)
    kind = LITERALS.get(type(node))
    return Known(UNKNOWN, kind) if kind else None


LITERALS = {ast.List: list, ast.ListComp: list, ast.Tuple: tuple, ast.Dict: dict, ast.DictComp: dict, ast.Set: set,
            ast.SetComp: set, ast.JoinedStr: str, ast.Lambda: types.FunctionType}  # fmt: skip


# ── attributes ───────────────────────────────────────────────────────────────


def attribute(base, name):
    """Find the facts about an attribute."""
    if issubclass(type(base.value), types.ModuleType):
        return find_in_module(base.value, name)
    found = resolve_member(base, name, static(base, name))
    if found is NOTHING:
        return None
    if isinstance(found, property) or inspect.isdatadescriptor(found):
        return declared_type(base.kind, name)
    if isinstance(found, staticmethod | classmethod):
        found = found.__func__
    return Known(found, type(found))


def find_in_module(module, name):
    """Find a name in a module. Modules of tensh load names on demand; in others only loaded names count."""
    own = own_dict(module)
    if name in own:
        return Known(own[name], type(own[name]))
    if own_name(module).partition(".")[0] == "tensh":
        value = getattr(module, name, NOTHING)
        return None if value is NOTHING else Known(value, type(value))
    return None


def static(base, name):
    """Return an attribute from the dictionary of an instance or a class; NOTHING if there is none."""
    own = instance_dict(base.value) if base.has_value else {}
    if name in own:
        return own[name]
    if issubclass(type(base.value), type):
        kinds = mro(base.value)
    else:
        parts = find_parts(base.value) if base.has_value else {}
        if name in parts:
            return parts[name]
        kinds = mro(base.kind)
    return next((vars(kind)[name] for kind in kinds if name in vars(kind)), NOTHING)


def static_members(base):
    """Return name -> attribute for all that `static` finds."""
    is_class = issubclass(type(base.value), type)
    found = {}
    for kind in reversed(mro(base.value if is_class else base.kind)):
        found.update(vars(kind))
    if base.has_value:
        found.update({} if is_class else find_parts(base.value))
        found.update(instance_dict(base.value))
    return found


def resolve_member(base, name, found):
    """Load a lazy member of Tensor."""
    if type(found).__module__ == "tensh.engine.methods.attachment":
        return getattr(base.value if issubclass(type(base.value), type) else base.kind, name)
    return found


def instance_dict(value):
    """Return the dictionary of an instance, bypassing its `__getattribute__`; {} if it has none."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except (AttributeError, TypeError):
        return {}
    return own if type(own) is dict else {}


def find_parts(value):
    """Return name -> parameter, buffer or submodule of a torch.nn module, bypassing its methods; {} for other values."""
    own = instance_dict(value)
    return {
        name: part
        for kind in ("_modules", "_buffers", "_parameters")
        if type(own.get(kind)) is dict
        for name, part in own[kind].items()
    }


def mro(kind):
    """Return the mro of a class, bypassing its metaclass."""
    return type.__dict__["__mro__"].__get__(kind)


# ── types ────────────────────────────────────────────────────────────────────


def is_tensor(kind):
    """Return True if a type is a tensor class."""
    return any(each.__name__ == "Tensor" and is_of_torch(each.__module__) for each in mro(kind))


def is_model(kind):
    """Return True if a type is a torch.nn module class, whose calls usually return a tensor."""
    return any(each.__name__ == "Module" and is_of_torch(each.__module__) for each in mro(kind))


def element(base, index):
    """Find the facts about an element: the value for a list, tuple or dict, the type for a tensor."""
    if is_tensor(base.kind):
        return Known(UNKNOWN, base.kind)
    if base.kind is Tensors:
        return declared_type(None, "tensor")
    try:
        key = ast.literal_eval(index)
        if base.has_value and isinstance(key, int | str):
            found = contents(base)[key]
            return Known(found, type(found))
    except (ValueError, LookupError, TypeError):
        pass
    return None


def contents(base):
    """Return what an index of a value selects from: a list, tuple or dict, or a container's layers or parameters."""
    if base.kind in (list, tuple, dict):
        return base.value
    container = next((vars(kind)["__getitem__"] for kind in mro(base.kind) if "__getitem__" in vars(kind)), None)
    if not is_model(base.kind) or not is_of_torch(getattr(container, "__module__", "")):
        raise LookupError
    own = instance_dict(base.value)
    found = (own.get("_modules") or {}) | (own.get("_parameters") or {})
    return [*found.values()] if all(name.isdecimal() for name in found) else found


def result(called, node):
    """Find the type of a call's result."""
    if issubclass(type(called.value), type):
        return Known(UNKNOWN, called.value)
    if is_model(called.kind):
        return declared_type(None, "tensor")
    name = node.attr if isinstance(node, ast.Attribute) else name_in_space(called.value)
    module = getattr(called.value, "__module__", None) if issubclass(type(called.value), types.FunctionType) else None
    if isinstance(module, str) and is_of_torch(module):
        return declared_type(None, name)
    if issubclass(type(called.value), types.FunctionType):
        returned = called.value.__annotations__.get("return")
        return Known(UNKNOWN, returned) if isinstance(returned, type) else None
    return None


def declared_type(kind, name):
    """Find the type that tensh's stubs declare for a function, method or property."""
    import tensh

    types_ = {"Tensor": tensh.Tensor, "Size": tensh.Size, "_dtype": tensh.dtype, "_device": tensh.device,
              "_int": int, "_float": float, "_bool": bool, "_str": str}  # fmt: skip
    if kind is None or is_tensor(kind):
        text = returns().get(name, "")
        found = types_.get(text.partition(" | ")[0]) or (Tensors if text.startswith("tuple[Tensor") else None)
        return Known(UNKNOWN, found) if found else None
    return None


@cache
def returns():
    """Return name -> declared return type in the stubs, for functions, methods and properties."""
    import tensh

    folder = os.path.dirname(tensh.__file__)
    found = {}
    for file in ("__init__.pyi", os.path.join("engine", "core", "tensor.pyi")):
        with open(os.path.join(folder, file), encoding="utf-8") as stub:
            # getters, not setters
            found |= reversed(re.findall(r"^ *def (\w+)\(.*\) -> (.*?):", stub.read(), re.MULTILINE))
    return found
