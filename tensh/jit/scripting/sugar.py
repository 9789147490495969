"""Expressions of a script that are no values: an object known when the script is compiled, a module, a method."""

import inspect

from tensh.engine.core.tensor import Tensor
from tensh.jit.language.classes import attributes, is_enum
from tensh.jit.language.types import class_path, is_named_tuple
from tensh.jit.scripting.kinds import FunctionKind, ModuleKind, none

__all__ = ["Bound", "Cut", "Items", "Known", "ModuleRef", "class_name", "class_of", "kind_of_object", "path_of"]


class Known:
    """An object of Python: a function, a class, a dtype, a module of functions."""

    def __init__(self, value):
        self.value = value


class Bound:
    """A method that has not been called yet."""

    def __init__(self, owner, name):
        self.owner, self.name = owner, name


class Items:
    """A sequence of known elements, such as the layers of a ``Sequential``."""

    def __init__(self, parts):
        self.parts = parts


class Cut:
    """A slice that a call makes, with the values of its start, end and step."""

    def __init__(self, lower, upper, step):
        self.lower, self.upper, self.step = lower, upper, step


class ModuleRef:
    """A module within the scripted one; ``read`` makes its lines at the first use."""

    def __init__(self, module, read):
        self.module, self.read = module, read


def class_of(module):
    """Return the class in which the user, or the library, wrote a module."""
    if "_original" in module.__dict__:  # a trace
        return type(module.__dict__["_original"])
    cls = getattr(type(module), "_original", None)
    return cls if isinstance(cls, type) and issubclass(type(module), cls) and type(module) is not cls else type(module)


def path_of(thing):
    """Return the full name of a class or a function in graphs and files."""
    if hasattr(thing, "form"):
        return thing.path
    return class_path(thing)


def class_name(module):
    """Return the name of a module's class in graphs."""
    return path_of(class_of(module))


def kind_of_module(module):
    return ModuleKind(class_name(module))


def kind_of_object(value):
    """Return the type of an attribute; None for an object that graphs cannot hold."""
    from tensh.nn.modules.module import Module

    if isinstance(value, Tensor):
        return Tensor
    if value is None:
        return none
    if isinstance(value, Module):
        return kind_of_module(value)
    if type(value) in (bool, int, float, str, complex) or is_enum(type(value)) or type(value) in attributes:
        return type(value)
    if is_named_tuple(type(value)):
        return type(value)
    if isinstance(value, tuple):
        parts = [kind_of_object(each) for each in value]
        return tuple[tuple(parts)] if None not in parts else None
    if isinstance(value, list) and value:
        kind = kind_of_object(value[0])
        return list[kind] if kind is not None else None
    if isinstance(value, dict) and value:
        key, inner = next(iter(value.items()))
        kinds = kind_of_object(key), kind_of_object(inner)
        return dict[kinds] if None not in kinds else None
    return FunctionKind if inspect.isfunction(value) else None
