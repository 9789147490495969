"""Kinds of values that guards tell apart: simple ones, objects of the program, files, objects that draw numbers."""

import io
import sys
import types

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import dtype as Dtype
from tensh.nn.modules.module import Module
from tensh.support.naming import is_of_torch
from tensh.tracing.sizes.numbers import TracedFloat, TracedInt

SIMPLE = (bool, int, float, complex, str, bytes, type(None), Dtype, range, slice, type(Ellipsis))
OWN = (object, Module, types.SimpleNamespace)
"""Classes whose functions read none of a program's attributes that it does not name."""
NUMPY_DRAWS = "random numbers of NumPy are drawn"
DRAWING = ("numpy.random",)
"""The modules of objects that draw random numbers."""


def is_object(value):
    """Return True for an object of a user's class, or a module."""
    return isinstance(getattr(value, "__dict__", None), dict) and not isinstance(
        value, (Tensor, TracedInt, TracedFloat, type, types.FunctionType, types.ModuleType)
    )


def is_own(cls):
    """Return True for a class of the program, whose instances no other functions read."""
    return not is_of_library(cls) and all(each in OWN or not is_of_torch(each.__module__) for each in cls.__mro__)


def is_of_library(cls):
    """Return True for a class derived from one of Python's library, whose functions may read any attribute."""
    return any(each not in OWN and each.__module__.partition(".")[0] in sys.stdlib_module_names for each in cls.__mro__)


def is_output(value):
    """Return True for a file that is only written, such as ``sys.stderr``."""
    return isinstance(value, io.IOBase) and not value.closed and not value.readable()


def draws(value):
    """Return True for an object that draws random numbers without a report of Python's profiler."""
    return type(value).__module__.startswith(DRAWING)


def read_key(value):
    """Return what makes an object of a guard the same in another one: simple values by type and value, others themselves."""
    if type(value) in (tuple, frozenset):
        return type(value), *map(read_key, value)
    return (type(value), repr(value)) if type(value) in SIMPLE else id(value)
