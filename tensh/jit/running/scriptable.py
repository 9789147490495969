"""Objects that cannot be scripted, with PyTorch's errors."""

import enum
import inspect
import typing

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.engine.dtypes.dtype import dtype
from tensh.jit.language.classes import attributes, is_enum
from tensh.jit.language.types import KEYS, NO_KEY, name_of, short_name_of
from tensh.jit.running.failures import Error
from tensh.nn.modules.module import Module
from tensh.support.naming import is_of_torch
from tensh.tracing.recording.notes import kind_of

__all__ = ["NO_SOURCE", "is_of_library", "infer_container", "infer_type", "require_class", "require_source"]

NO_SOURCE = (
    "Can't get source for {}. TorchScript requires source access in order to carry out compilation, make sure original "
    ".py files are available."
)
PLAIN = bool, int, float, complex, str, bytes, device, dtype
"""Classes of values that scripts can contain."""
LIST = "List inputs to traced functions must have consistent element type."
DICT = "Dictionary inputs to traced functions must have consistent type."
ONLY = (
    "Only tensors and (possibly nested) tuples of tensors, lists, or dicts are supported as inputs or outputs of traced "
    "functions, but instead got value of type"
)


def require_class(cls):
    """Raise RuntimeError for a class that has bases, or is a module."""
    if issubclass(cls, Module):
        raise RuntimeError(
            f"Type '{cls}' cannot be compiled since it inherits from nn.Module, pass an instance instead"
        )
    if issubclass(cls, enum.Enum):
        return
    if "__dict__" not in dir(cls) and not hasattr(cls, "__slots__"):
        raise RuntimeError("TorchScript classes must be new-style classes. Please inherit from 'object'.")
    if len(cls.mro()) > 2:
        raise RuntimeError(
            "TorchScript classes does not support inheritance yet. Please directly inherit from 'object'."
        )


def require_source(obj):
    """Raise TypeError or OSError for an object that is not a function and whose class has no source."""
    if isinstance(obj, Tensor):
        raise TypeError(
            "module, class, method, function, traceback, frame, or code object was expected, got method_descriptor"
        )
    if callable(obj) and is_of_library(obj):
        kind = kind_of(obj)
        if kind != "function":
            raise TypeError(f"<class '{kind}'> is a built-in class")
        return
    try:
        inspect.getfile(type(obj))
        inspect.getsourcelines(type(obj))
    except OSError:
        raise OSError(NO_SOURCE.format(type(obj))) from None


def is_of_library(obj):
    """Return True for a function, or a method, of the library."""
    return inspect.isroutine(obj) and is_of_torch(getattr(obj, "__module__", None) or "")


def infer_type(value):
    """Return the type of a value in scripts.  Raise Error for one that they cannot contain."""
    if isinstance(value, (list, tuple, dict)) and not value and type(value) is not tuple:
        raise Error(
            f"{'Dictionary inputs' if isinstance(value, dict) else 'List trace inputs'} must have {'entries' if isinstance(value, dict) else 'elements'}"
        )
    if isinstance(value, dict):
        return dict[join_types(map(infer_type, value), DICT), join_types(map(infer_type, value.values()), DICT)]
    if isinstance(value, list):
        return list[infer_element(value)]
    if isinstance(value, tuple):
        return tuple[tuple(map(infer_type, value))]
    if isinstance(value, Tensor):
        return Tensor
    if isinstance(value, Module):
        raise Error("Cannot infer concrete type of torch.nn.Module")
    if is_enum(type(value)) or type(value) in attributes:
        return type(value)
    if value is None or isinstance(value, PLAIN):
        return next((each for each in PLAIN if isinstance(value, each)), type(None))
    raise Error(f"{ONLY} {type(value).__name__}.")


def infer_element(values):
    """Return the type of the elements of a list."""
    try:
        kinds = list(map(infer_type, values))
    except Error as error:
        raise Error(f"Could not infer type of list element: {error}") from None
    return join_types(kinds, LIST)


def join_types(kinds, text):
    """Return the type of all; values may be absent.  Raise Error if they differ."""
    joined = next(kinds := iter(kinds))
    for each in kinds:
        if type(None) in (each, joined):
            joined = each | joined
        elif not (each == joined or joined == each | None):
            raise Error(f"{text} Found {name_of(joined)} and {name_of(each)}")
    return joined


def infer_container(values):
    """Return the type of a list or dictionary; that of tensors for an empty one.  Raise Error without a common type."""
    if not values:
        return dict[str, Tensor] if isinstance(values, dict) else list[Tensor]
    try:
        found = infer_type(values)
    except Error as error:
        name = "dictionary" if isinstance(values, dict) else "list"
        raise Error(f"Unable to infer type of {name}: {error}") from None
    if isinstance(values, dict) and typing.get_args(found)[0] not in KEYS:
        raise RuntimeError(NO_KEY.format(short_name_of(typing.get_args(found)[0])))
    return found
