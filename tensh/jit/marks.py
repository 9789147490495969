"""Marks that programs written for TorchScript carry: what is compiled, what stays Python, which type a value has."""

import builtins
import threading
import typing
from typing import Final

__all__ = [
    "Attribute", "Final", "ScriptWarning", "annotate", "export", "export_opnames", "ignore", "interface", "isinstance",
    "is_scripting", "script_method", "unused",
]  # fmt: skip


class ScriptWarning(Warning):
    """A program does something that TorchScript takes in another way."""


class Running(threading.local):
    """How many scripted functions run, one inside the other."""

    depth = 0


running = Running()


def is_scripting():
    """Does a scripted function run?

    >>> import tensh as torch
    >>> torch.jit.is_scripting()
    False
    >>> torch.jit.script(lambda: torch.jit.is_scripting())()
    True
    """
    return running.depth > 0


def annotate(the_type, the_value):
    """Give ``the_value`` back; ``the_type`` tells a compiler, and the reader, its type.

    >>> import tensh as torch
    >>> torch.jit.annotate(list[int], [])
    []
    """
    return the_value


class Attribute(typing.NamedTuple):
    """A value with its type, for an attribute of a module."""

    value: object
    type: object


def export(fn):
    """Mark a method, beside ``forward``, as part of a scripted module."""
    fn._torchscript_modifier = "export"
    return fn


def ignore(drop=False, **kwargs):
    """Mark a function as Python that a scripted program calls: it runs as it is.  ``drop`` refuses calls of it.

    >>> import tensh as torch
    >>> @torch.jit.ignore
    ... def describe(x):
    ...     return f"{x.dim()} dimensions"
    >>> describe(torch.ones(2))
    '1 dimensions'
    """
    if callable(drop):
        drop._torchscript_modifier = "ignore"
        return drop
    if not builtins.isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")

    def mark(fn):
        fn._torchscript_modifier = "unused" if drop else "ignore"
        return fn

    return mark


def unused(fn):
    """Mark a function as one that a scripted program never calls: a call from one raises."""
    fn._torchscript_modifier = "unused"
    return fn


def interface(obj):
    """Give a class back: what it lists, modules are expected to have."""
    return obj


def script_method(fn):
    """Give a method of a ScriptModule back."""
    return fn


def _overload(func):
    """Give a declaration back, of which a function has several."""
    return func


def _overload_method(func):
    """Give a declaration back, of which a method has several."""
    return func


def isinstance(obj, target_type):
    """``isinstance`` for types with parameters, too, such as ``List[int]``: their elements are looked at.

    >>> import tensh as torch
    >>> torch.jit.isinstance([1, 2], list[int]), torch.jit.isinstance([1, "2"], list[int])
    (True, False)
    """
    from tensh.jit.types import is_of

    kinds = target_type if builtins.isinstance(target_type, tuple) else (target_type,)
    return any(is_of(obj, each, exact=True) for each in kinds)


def export_opnames(m):
    """The names of the operators that a traced module calls, sorted."""
    return sorted({line.target.name() for line in m._program.graph.nodes if hasattr(line.target, "_opname")})
