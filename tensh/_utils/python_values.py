"""Exceptions, imports and states of objects: what libraries import from ``torch._utils``."""

import importlib.util
import sys
import traceback
import warnings

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.support.processors import count_processors
from tensh.support.sent_exceptions import make_exception


class ExceptionWrapper:
    """An exception as text that can be sent to another thread or process and raised there."""

    def __init__(self, exc_info=None, where="in background"):
        kind, value, place = sys.exc_info() if exc_info is None else exc_info
        self.exc_type, self.where = kind, where
        self.exc_msg = "".join(traceback.format_exception(kind, value, place))

    def reraise(self):
        """Raise an exception of the same type, whose message holds the traceback."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        raise make_exception(self.exc_type, message) from None


class classproperty:
    """A class property: decorates a function of the class."""

    def __init__(self, func):
        self.fget = func.__func__ if isinstance(func, (classmethod, staticmethod)) else func

    def __get__(self, instance, owner=None):
        return self.fget(type(instance) if owner is None else owner)


def _dummy_type(name):
    """Return a stand-in for a class that a build lacks: making an object of it raises RuntimeError."""

    def refuse(what):
        def method(self, *args, **kwargs):
            raise RuntimeError(f"Tried to instantiate dummy base class {what}")

        return method

    return type(name, (object,), {"__init__": refuse(name), "__new__": lambda cls, *args, **kwargs: refuse(name)(cls)})


def _import_dotted_name(name):
    """Return the object of a dotted name whose first part is a module."""
    first, *rest = name.split(".")
    found = importlib.import_module(first)
    for part in rest:
        found = getattr(found, part)
    return found


def try_import(module_name):
    """Import a module by name; return None if it is not installed."""
    if importlib.util.find_spec(module_name) is None:
        return None
    return importlib.import_module(module_name)


def cpu_count():
    """Return the number of processors that this process may use."""
    return count_processors()


def is_compiling():
    """Return whether ``torch.compile`` is recording a call."""
    return torch.compiler.is_compiling()


def _get_async_or_non_blocking(function_name, non_blocking, kwargs):
    """Return the argument ``non_blocking``, also under its former name ``async``."""
    if not kwargs:
        return non_blocking
    if len(kwargs) != 1 or "async" not in kwargs:
        unexpected = next(name for name in kwargs if name != "async")
        raise TypeError(f"{function_name}() got an unexpected keyword argument '{unexpected}'")
    warnings.warn("'async' is deprecated; use 'non_blocking'", stacklevel=2)
    return kwargs["async"]


def _get_obj_state(obj):
    """Return the result of ``__getstate__``, or the attributes of an object."""
    get = getattr(obj, "__getstate__", None)
    return get() if get else obj.__dict__


def _set_obj_state(obj, state):
    """Set the state of an object, as returned by ``_get_obj_state``."""
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if attributes:
        obj.__dict__.update(attributes)
    for name, value in (slots or {}).items():
        setattr(obj, name, value)
    return obj


def render_call(fn, args, kwargs):
    """Format a call, with the shapes of tensors in place of their elements."""
    name = torch.overrides.resolve_name(fn) or str(fn)

    def render(value):
        if isinstance(value, Tensor):
            return f"tensor([...], size={tuple(value.shape)})"
        if isinstance(value, (list, tuple)):
            brackets = "[]" if isinstance(value, list) else "()"
            comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
            return brackets[0] + ", ".join(map(render, value)) + comma + brackets[1]
        return repr(value)

    return f"{name}({', '.join([*map(render, args), *(f'{key}={render(value)}' for key, value in kwargs.items())])})"
