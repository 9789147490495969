"""The methods and properties in the classes that a user wrote."""

import inspect

from tensh.nn.modules.module import Module
from tensh.support.naming import is_of_torch

__all__ = ["read_properties", "written_methods"]


def own_classes(cls):
    """Return the bases of a class that the user wrote."""
    return [each for each in cls.__mro__ if not is_of_torch(each.__module__)]


def read_properties(cls):
    """Return the functions of properties in the user's own classes, without those that scripts leave out."""
    unused = getattr(cls, "__jit_unused_properties__", ())
    found = {name: value for each in own_classes(cls)[::-1] for name, value in vars(each).items()}
    return [
        value.fget
        for name, value in found.items()
        if isinstance(value, property) and name not in unused and not hasattr(value.fget, "_torchscript_modifier")
    ]


def written_methods(cls):
    """Return the names of methods that stand in the user's own classes."""
    return {
        name
        for each in own_classes(cls)
        for name, value in vars(each).items()
        if inspect.isfunction(value) and not name.startswith("__") and not hasattr(Module, name)
    }
