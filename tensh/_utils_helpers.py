"""torch._utils beside pickles: helpers that libraries import from there."""

import importlib
import os
import sys
import traceback
import warnings
from collections import defaultdict

import tensh as torch
from tensh.engine.core.tensor import Tensor


# ── tensors in one block of memory ───────────────────────────────────────────
def _flatten_dense_tensors(tensors):
    """Concatenate all elements of tensors to a one-dimensional tensor."""
    return torch.cat([t.contiguous().view(-1) for t in tensors])


def _unflatten_dense_tensors(flat, tensors):
    """Return consecutive views of a flat tensor with the shapes of ``tensors``."""
    parts = flat.split([t.numel() for t in tensors])
    return tuple(part.view_as(t) for part, t in zip(parts, tensors))


def _reorder_tensors_as(tensors, ordered_tensors):
    """Reorder tensors so that their types follow each other as in ``ordered_tensors``."""
    by_type = defaultdict(list)
    for t in tensors:
        by_type[t.type()].append(t)
    rows = {kind: iter(row) for kind, row in by_type.items()}
    return tuple(next(rows[t.type()]) for t in ordered_tensors)


def _take_tensors(tensors, size_limit):
    """Group tensors of the same type, up to a size in bytes."""
    groups = defaultdict(lambda: [[], 0])
    for t in tensors:
        size = t.numel() * t.element_size()
        group = groups[t.type()]
        if group[0] and group[1] + size > size_limit:
            yield group[0]
            group = groups[t.type()] = [[], 0]
        group[0].append(t)
        group[1] += size
    yield from (group for group, _ in groups.values() if group)


def _element_size(dtype):
    """Return the bytes per element of a dtype."""
    return dtype.itemsize


def _handle_complex(tensor):
    """View a complex tensor as pairs of real numbers; return others unchanged."""
    return (
        torch.view_as_real(tensor)
        if not isinstance(tensor, torch.nn.UninitializedParameter) and tensor.is_complex()
        else tensor
    )


# ── devices ──────────────────────────────────────────────────────────────────
def _get_available_device_type():
    """Return None: there is no accelerator."""


def _get_all_device_indices():
    """Return None: there is no accelerator."""


def _get_current_device_index():
    """Return None: there is no accelerator."""


def _get_device_attr(get_member):
    """Return None: there is no accelerator."""


def get_current_device_index():
    """Return -1: there is no accelerator."""
    return -1


def _get_device_index(device, optional=False, allow_cpu=False):
    """Return the index of a device; -1 for the CPU, if allowed."""
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type == "cpu" and not allow_cpu:
            raise ValueError(f"Expected a non cpu device, but got: {device}")
        found = -1 if device.type == "cpu" else device.index
    else:
        found = device if isinstance(device, int) else None
    if found is not None:
        return found
    if optional:
        return None
    raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")


def _get_device_module(device_type):
    """Return the module of a kind of device, such as ``torch.cuda``."""
    module = getattr(torch, device_type, None)
    if module is None:
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'."
        )
    return module


# ── Python ───────────────────────────────────────────────────────────────────
class KeyErrorMessage(str):
    """A string that a KeyError shows without quotes."""

    __slots__ = ()

    def __repr__(self):
        return self


class ExceptionWrapper:
    """An exception as text that can be sent to another thread or process and raised there."""

    def __init__(self, exc_info=None, where="in background"):
        kind, value, place = sys.exc_info() if exc_info is None else exc_info
        self.exc_type, self.where = kind, where
        self.exc_msg = "".join(traceback.format_exception(kind, value, place))

    def reraise(self):
        """Raise an exception of the same type, whose message holds the traceback."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            message = KeyErrorMessage(message)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=message)
        try:
            failure = self.exc_type(message)
        except Exception:  # the constructor takes other arguments
            raise RuntimeError(message) from None
        raise failure


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
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def is_compiling():
    """Return False: nothing is being compiled."""
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
