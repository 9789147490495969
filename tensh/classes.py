"""torch.classes: namespaces of the classes that compiled libraries register, of which there is none.

>>> import tensh as torch
>>> torch.classes.sampling.Graph
Traceback (most recent call last):
    ...
RuntimeError: Tried to instantiate class 'sampling.Graph', but it does not exist! Ensure that it is registered via torch::class_
"""

from functools import cache

from tensh import ops
from tensh.ops import loaded_libraries

__all__ = ["load_library", "loaded_libraries"]


class UnknownClass(RuntimeError, AttributeError):
    """PyTorch's error, and one on which pickle, which asks every module for a name, goes on to the next."""

    __module__ = "builtins"


UnknownClass.__name__ = UnknownClass.__qualname__ = "RuntimeError"  # as it is shown


class _ClassNamespace:
    """The classes of one library."""

    __module__ = "torch._classes"

    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        raise UnknownClass(
            f"Tried to instantiate class '{self.name}.{name}', but it does not exist! Ensure that it is registered via torch::class_"
        )


@cache
def find_namespace(name):
    """Return the namespace of a name."""
    return _ClassNamespace(name)


def load_library(path):
    """Register tensh's operators for a library that it knows by name; raise OSError for others, made for PyTorch."""
    ops.load_library(path)


def __getattr__(name):
    """Return the namespace of a library."""
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.classes' has no attribute '{name}'")
    return find_namespace(name)
