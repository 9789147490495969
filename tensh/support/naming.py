"""The names under which values are pickled and classes displayed.

In a program whose `torch` is tensh, they are PyTorch's, so that PyTorch can read them.
"""

import os
import sys
import threading
import types

from tensh.support.temporary import temporarily

FOLDER = os.path.dirname(os.path.dirname(__file__))  # the folder of tensh


class Writing(threading.local):
    """The state of a thread: in a file that it writes, names are PyTorch's, whatever the module `torch` is."""

    names_torch = False


writing = Writing()


def names_of_torch():
    """Let tensors describe themselves by PyTorch's names within the context, as in a program whose `torch` is tensh."""
    return temporarily(writing, names_torch=True)


def torch_is_tensh():
    """Return True if the module `torch` of this program is tensh, so that a pickle may refer to it rather than to tensh."""
    return writing.names_torch or (getattr(sys.modules.get("torch"), "__file__", None) or "").startswith(FOLDER)


def is_of_torch(module):
    """Return True for the name of a module of torch or tensh, and not for that of a library, or None of generated code."""
    return module is not None and module.partition(".")[0] in ("torch", "tensh")


class OfTorch(type):
    """The metaclass of classes that PyTorch writes in C: Python's messages include their module, as ``'torch.Size'``."""

    def __new__(cls, name, bases, members):
        for base in FINAL.intersection(bases):
            raise TypeError(f"type '{NAME.__get__(base)}' is not an acceptable base type")
        module = members.setdefault("__module__", sys._getframe(1).f_globals.get("__name__", ""))
        return type.__new__(cls, in_module(module, name), bases, {"__qualname__": name, **members})

    @property
    def __name__(cls):
        return NAME.__get__(cls).rpartition(".")[2]

    @__name__.setter
    def __name__(cls, name):
        NAME.__set__(cls, in_module(cls.__module__, name))


NAME = type.__dict__["__name__"]  # the name of a class as its own messages have it


FINAL = set()
"""Classes that have no subclasses."""


def final(cls):
    """Declare that a class of ``OfTorch`` has no subclasses."""
    FINAL.add(cls)
    return cls


HEAP = 1 << 9  # the flag of types created at run time, such as Python classes
IMMUTABLE = 1 << 8  # and of those created by C at run time, of which Python 3.13 has more


def full_name(kind):
    """Return the name of a class in Python's messages: with the module for those that are written in C."""
    if isinstance(kind, OfTorch):
        return NAME.__get__(kind)
    module = getattr(kind, "__module__", "")  # code without a name makes classes without a module
    of_torch = module in ("torch", "torch._C") and kind.__name__ != "Tensor"
    in_c = kind.__flags__ & (HEAP | IMMUTABLE) != HEAP and module != "builtins"
    return f"{module}.{kind.__name__}" if of_torch or in_c else kind.__name__


def name_type(value):
    """Return the name of a value's type in Python's messages, with PyTorch's for functions that it writes in C."""
    function = getattr(value, "__func__", value)
    is_function = isinstance(function, types.FunctionType) and function.__module__ in WRITTEN_IN_C
    if is_function and not getattr(function, "written_in_python", False):
        return "builtin_function_or_method"
    return full_name(type(value))


WRITTEN_IN_C = frozenset("torch torch.nn.functional torch.linalg torch.fft torch.special".split())
"""Modules of functions that PyTorch writes in C, unless they are marked."""


def kinds_within(value):
    """Return the types of the elements of a tuple or list, as ``' of (int, str)'``, or '' for any other value."""
    if not isinstance(value, (tuple, list)):
        return ""
    kinds = ", ".join(name_type(each) for each in value)
    return f" of ({kinds}{',' if len(value) == 1 else ''})" if isinstance(value, tuple) else f" of [{kinds}]"


def in_module(module, name):
    """Return the name of a class in its own messages: user classes appear without their module."""
    return f"{module}.{name}" if module.partition(".")[0] == "torch" else name


class Shared:
    """Base of a class that its subclasses only complete: each has its own copy of the methods ``SHARED``.

    Python names the class of a method when it is called with wrong arguments.
    """

    SHARED = ("__init__",)

    def __init_subclass__(cls, **settings):
        super().__init_subclass__(**settings)
        for name in cls.SHARED:
            owner = next((each for each in cls.__mro__ if name in vars(each)), object)
            if owner is not cls and Shared in owner.__bases__:
                setattr(cls, name, copy_named(vars(owner)[name], f"{cls.__qualname__}.{name}"))


def copy_named(function, qualified):
    """Return a copy of a function under another qualified name."""
    copy = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__, copy.__doc__, copy.__module__ = function.__kwdefaults__, function.__doc__, function.__module__
    copy.__dict__.update(function.__dict__)
    copy.__qualname__ = qualified
    return copy
