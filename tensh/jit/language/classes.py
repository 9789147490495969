"""Classes of the program, and enums, as types of scripts: what they are called, and what their instances have."""

import enum
import functools
import inspect
import weakref

from tensh.engine.core.tensor import Tensor
from tensh.jit.language.dataclass_methods import write_methods
from tensh.nn.modules.module import Module
from tensh.support.naming import is_of_torch

__all__ = [
    "MAGIC", "attributes_of", "describe_class_of", "find_static", "functions_of", "is_compiled", "is_enum", "is_interface", "is_script_class",
    "methods_of",
    "name_enum", "name_interface", "own_methods_of", "properties_of",
]  # fmt: skip

MAGIC = {
    "add": "__add__", "sub": "__sub__", "mul": "__mul__", "div": "__truediv__", "floordiv": "__floordiv__", "remainder": "__mod__",
    "pow": "__pow__", "neg": "__neg__", "__and__": "__and__", "__or__": "__or__", "__xor__": "__xor__", "__lshift__": "__lshift__",
    "__rshift__": "__rshift__", "eq": "__eq__", "ne": "__ne__", "lt": "__lt__", "le": "__le__", "gt": "__gt__", "ge": "__ge__",
    "len": "__len__", "__getitem__": "__getitem__", "_set_item": "__setitem__", "__contains__": "__contains__", "Bool": "__bool__",
    "Int": "__int__", "Float": "__float__", "Complex": "__complex__", "str": "__str__",
}  # fmt: skip
"""Operator -> the method that computes it where its first operand is an instance of a class of the program."""
NOT_COMPILED = ("ignore", "unused")
attributes = weakref.WeakKeyDictionary()
"""Class -> the types of its attributes by name, as its ``__init__`` assigns them; only of checked classes."""


def is_enum(kind):
    """Return True for a class of enumerated values."""
    return isinstance(kind, type) and issubclass(kind, enum.Enum)


def is_script_class(kind):
    """Return True for a class of the program whose instances scripts can hold."""
    return isinstance(kind, type) and has_held_instances(kind)


def is_interface(kind):
    """Return True for a class that lists the methods of other values: ``torch.jit.interface``."""
    return isinstance(kind, type) and "__torch_script_interface__" in vars(kind)


@functools.cache
def has_held_instances(kind):
    """Return True for a class, as ``is_script_class`` does."""
    if kind is inspect.Parameter.empty or is_enum(kind) or hasattr(kind, "__torch_script_interface__"):
        return False
    if issubclass(kind, (Tensor, Module, BaseException)) or is_of_torch(kind.__module__) or kind.__module__ == "typing":
        return False
    if any(each.__module__ == "builtins" for each in kind.__mro__[:-1]):
        return False
    return all(hasattr(each, "__code__") for name in vars(kind) if inspect.isroutine(each := getattr(kind, name, None)))


def own_methods_of(cls):
    """Return name -> function of the methods of a class as Python has them."""
    return {name: each for name, each in vars(cls).items() if inspect.isfunction(each) and each.__name__ == name}


def methods_of(cls):
    """Return name -> function of the methods of a class, ``__init__`` first, because it makes the attributes."""
    found = own_methods_of(cls) | write_methods(cls)
    return {name: found[name] for name in sorted(found, key=lambda name: (name != "__init__", name))}


def is_compiled(fn):
    """Return True for a method that scripts compile, and do not leave to Python."""
    return getattr(fn, "_torchscript_modifier", None) not in NOT_COMPILED


def properties_of(cls):
    """Return name -> property of a class."""
    return {name: each for name, each in vars(cls).items() if isinstance(each, property)}


def functions_of(cls):
    """Return name -> function of the methods of a class, and of its properties."""
    found = dict(methods_of(cls))
    for name, each in properties_of(cls).items():
        found |= {
            f"__{name}_{part}": fn for part, fn in (("getter", each.fget), ("setter", each.fset)) if fn is not None
        }
    return found


def find_static(cls, name):
    """Return the function of a static method; None if there is none of this name."""
    found = inspect.getattr_static(cls, name, None)
    return found.__func__ if isinstance(found, staticmethod) else None


def attributes_of(cls):
    """Return name -> type of the attributes of instances; an empty dictionary for a class that is not checked."""
    return attributes.get(cls, {})


def name_enum(path):
    """Return the type of enumerated values as graphs and errors name it."""
    return f"Enum<{path}>"


def name_interface(cls):
    """Return the type of values with an interface as graphs and declarations name it."""
    return f"InterfaceType<{cls.__name__}>"


def describe_class_of(cls, path):
    """Return a class as errors name it."""
    return f"{path} (of Python compilation unit at: {id(cls):#x})"
