"""Marks in programs written for TorchScript: compiled parts, parts that stay Python, types of values."""

import builtins
import threading
import typing
from typing import Final

from tensh.engine.errors.warnings import warn_quietly

__all__ = [
    "Attribute", "Final", "ScriptWarning", "annotate", "export", "ignore", "interface", "isinstance",
    "is_scripting", "script_method", "unused",
]  # fmt: skip


class ScriptWarning(Warning):
    """A program does something that TorchScript treats differently."""


class ScriptDepth(threading.local):
    """The number of nested scripted functions that run in a thread."""

    depth = 0
    instead = None  # computes a call of a script (script, args, kwargs, compute), where its branches are recorded


running = ScriptDepth()


def is_scripting():
    """Return True while a scripted function runs.

    >>> import tensh as torch
    >>> torch.jit.is_scripting()
    False
    >>> @torch.jit.script
    ... def ask():
    ...     return torch.jit.is_scripting()
    >>> ask()
    True
    """
    return running.depth > 0


def annotate(the_type, the_value):
    """Return ``the_value``; ``the_type`` is its type for a compiler, and for the reader.

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
    """Mark a method as part of a scripted module, in addition to ``forward``."""
    fn._torchscript_modifier = "export"
    return fn


def ignore(drop=False, **kwargs):
    """Mark a function as Python that a scripted program calls unchanged.  With ``drop``, calls are refused.

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
    """Mark a function that scripted programs must not call: calls from them raise."""
    for each in (fn.fget, fn.fset) if builtins.isinstance(fn, property) else (fn,):
        if each is not None:
            each._torchscript_modifier = "unused"
    return fn


def interface(obj):
    """Return the class, which lists the methods that modules are expected to have."""
    warn_quietly("`torch.jit.interface` is deprecated. Please use `torch.compile` instead.")
    obj.__torch_script_interface__ = f"__torch__.{obj.__module__}.{obj.__name__}"
    return obj


def script_method(fn):
    """Return a method of a ScriptModule unchanged."""
    warn_quietly("`torch.jit.script_method` is deprecated. Please switch to `torch.compile` or `torch.export`.")
    return fn


declared: dict = {}
"""Full name of a function -> its declarations, until the function is found that they belong to."""


def _overload(func):
    """Note a declaration of a function that follows, and return the declaration."""
    declared.setdefault((func.__module__, func.__qualname__), []).append(func)
    return func


_overload_method = _overload


def find_declarations(func):
    """Return the declarations of a function, in their order; none for one that has none."""
    if not hasattr(func, "_overloads"):
        func._overloads = tuple(declared.pop((func.__module__, func.__qualname__), ()))
    return func._overloads


def isinstance(obj, target_type):
    """Check the type like ``isinstance``, also for types with parameters such as ``List[int]``, by their elements.

    >>> import tensh as torch
    >>> torch.jit.isinstance([1, 2], list[int]), torch.jit.isinstance([1, "2"], list[int])
    (True, False)
    """
    from tensh.jit.language.types import fits_type

    kinds = target_type if builtins.isinstance(target_type, tuple) else (target_type,)
    return any(fits_type(obj, each, exact=True) for each in kinds)
