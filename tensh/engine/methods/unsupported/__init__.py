"""Errors for names that exist in PyTorch but not in tensh, with the reason.

``names.txt`` contains PyTorch's public names, as ``tools/pytorch_names.py`` records them; ``reasons.py`` explains why
some of them are missing. At start-up only the names of Tensor are read, in 0.2 ms; the others when a name is not found.
"""

import os
import sys
from functools import cache

from tensh.support.naming import is_of_torch

NAMES = os.path.join(os.path.dirname(__file__), "names.txt")


class NotInTensh(AttributeError, NotImplementedError):
    """A name of PyTorch's that tensh lacks; also an AttributeError, so that ``hasattr`` works."""


class CannotImport(ModuleNotFoundError, NotImplementedError):
    """The error of ``import torch.NAME`` and ``from torch import NAME`` for a name that tensh lacks."""


for _each in (NotInTensh, CannotImport):  # the name of the errors in messages
    _each.__module__, _each.__qualname__, _each.__name__ = "builtins", "NotImplementedError", "NotImplementedError"


@cache
def text():
    """Return the whole record: for each namespace a line with its name, indented lines of names, and an empty line."""
    with open(NAMES, encoding="utf-8") as file:
        return file.read()


@cache
def namespaces():
    """Return the recorded namespaces of PyTorch."""
    return tuple(line for line in text().splitlines()[1:] if line and not line.startswith(" "))


@cache
def read_recorded_names(space):
    """Return the names of a namespace in PyTorch, in alphabetical order; none if it is not recorded."""
    _, found, rest = text().partition(f"\n\n{space}\n")
    return rest.partition("\n\n")[0].split() if found else []


def is_in_pytorch(path):
    """Return True if PyTorch has the name ``torch.x.y``."""
    space, _, name = path.rpartition(".")
    return path in namespaces() or name in read_recorded_names(space)


@cache
def reason(path):
    """Return why tensh lacks ``torch.x.y``: the first reason with a matching pattern, or None."""
    name = path.removeprefix("torch.")
    return next((each for pattern, each in patterns() if pattern.match(name)), None)


@cache
def patterns():
    """Return (compiled pattern, reason) for each reason."""
    import re
    from fnmatch import translate

    from tensh.engine.methods.unsupported.reasons import REASONS

    return [(re.compile("|".join(map(translate, each.patterns))), each) for each in REASONS]


def write_sentence(path):
    """Return the message for a name that exists in PyTorch but not in tensh."""
    why = reason(path)
    yet = "" if why else " yet"
    because = f": {why.text}" if why else ""
    space = path if path in namespaces() else path.rpartition(".")[0]
    where = "tensh api --missing" if space == "torch" else f"tensh api --missing {space}"
    return f"{path} exists in PyTorch but not in tensh{yet}{because}; see {where}"


def unsupported_name(space, name):
    """Return the exception for a name that a module lacks."""
    path = f"{space}.{name}"
    if not is_in_pytorch(path):
        return AttributeError(f"module '{space}' has no attribute '{name}'")
    kind = CannotImport if _imports() else NotInTensh
    return kind(write_sentence(path), name=name)


def is_of_tensh(path):
    """Return True for a name that tensh has, such as a function, which is no module to be imported."""
    space, _, name = path.rpartition(".")
    module = sys.modules.get(f"tensh{space.removeprefix('torch')}")
    return module is not None and name in dir(module)


def unsupported_module(path):
    """Return the exception for ``import torch.x.y`` if there is no such module."""
    kind, message = (
        (CannotImport, write_sentence(path))
        if is_in_pytorch(path) and not is_of_tensh(path)
        else (ModuleNotFoundError, f"No module named {path!r}")
    )
    return kind(message, name=path)


def unsupported_lookup(space):
    """Return the ``__getattr__`` of a module for names that it lacks."""

    def __getattr__(name):
        raise unsupported_name(space, name)

    return __getattr__


def _imports():
    """Return True if the user's code is at ``from module import name``, for which Python raises ImportError."""
    from opcode import opmap

    frame = sys._getframe(1)
    while frame is not None and is_of_torch(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]


class UnsupportedMember:
    """A method or property of PyTorch's tensors that tensh lacks.

    It is attached to Tensor, because ``Tensor.__getattr__`` would make every other attribute slower.
    """

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __get__(self, t, kind):
        raise NotInTensh(write_sentence(f"torch.Tensor.{self.name}"), name=self.name, obj=t)


def add_unsupported(tensor):
    """Attach an error to Tensor for each missing name of PyTorch's; called once all methods exist."""
    for name in set(read_recorded_names("torch.Tensor")) - vars(tensor).keys():
        setattr(tensor, name, UnsupportedMember(name))
    tensor.__dir__ = method_names


OWN = ("array", "node")
"""The public slots of tensors, which PyTorch's tensors lack."""


def method_names(t):
    """Return the names of a tensor's attributes, without unsupported ones and tensh's own."""
    kinds = type(t).__mro__
    found = {name: next((vars(kind)[name] for kind in kinds if name in vars(kind)), None) for name in object.__dir__(t)}
    return [name for name, member in found.items() if not is_hidden(name, member)]


def is_hidden(name, member):
    """Return True for a member of a class that is none of PyTorch's tensors, or that tensh lacks."""
    if name in OWN:
        return is_of_torch(getattr(getattr(member, "__objclass__", None), "__module__", ""))
    return isinstance(member, UnsupportedMember)
