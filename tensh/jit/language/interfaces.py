"""The methods that a class of the program needs to have an interface, with the same arguments and results."""

import functools
import inspect

from tensh.jit.language.classes import describe_class_of, methods_of
from tensh.jit.language.typed_signatures import TypedSignature
from tensh.jit.language.types import class_path

__all__ = ["explain_misfit", "implements"]


def implements(cls, interface):
    """Return True if instances of a class can stand for an interface."""
    return explain_misfit(cls, interface) == ""


@functools.cache
def explain_misfit(cls, interface):
    """Return why instances of a class cannot stand for an interface; an empty text if they can."""
    name, wanted = describe_class_of(cls, class_path(cls)), class_path(interface)
    own = dict(inspect.getmembers(cls, inspect.isfunction)) | methods_of(cls)
    for method, fn in sorted(vars(interface).items()):
        if not inspect.isfunction(fn):
            continue
        if method not in own:
            return f"Class '{name}' does not have method '{method}' but '{wanted}' does.\n"
        if declare(own[method], "self") != declare(fn, "self"):
            return (
                f"Method on class '{name}' (1) is not compatible with interface '{wanted}' (2)\n"
                f"  (1) {declare(own[method], cls)}\n  (2) {declare(fn, interface)}\n"
            )
    return ""


def declare(fn, owner):
    """Return a method with its types, as messages show it."""
    return TypedSignature(fn, owner).declaration
