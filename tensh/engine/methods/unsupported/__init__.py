"""Errors for names that PyTorch has and tensh lacks, which say so and give the reason.

``names.txt`` holds the public names of PyTorch, as ``tools/pytorch_names.py`` records them; ``reasons.py`` says why
some of them are not here. At the start only the names of Tensor are read, for 0.2 ms; all else when a name is not found.
"""

import os
import sys
from functools import cache

NAMES = os.path.join(os.path.dirname(__file__), "names.txt")


class NotInTensh(AttributeError, NotImplementedError):
    """A name of PyTorch's that tensh lacks; an AttributeError, too, so that programs can ask with ``hasattr``."""


class CannotImport(ModuleNotFoundError, NotImplementedError):
    """The error of ``import torch.NAME`` and ``from torch import NAME`` for a name that tensh lacks."""


for _each in (NotInTensh, CannotImport):  # what the error is called where it is shown
    _each.__module__, _each.__qualname__, _each.__name__ = "builtins", "NotImplementedError", "NotImplementedError"


@cache
def text():
    """The whole record: for each namespace a line with its name, and indented lines of names; then an empty line."""
    with open(NAMES, encoding="utf-8") as file:
        return file.read()


@cache
def namespaces():
    """The namespaces of PyTorch that are recorded."""
    return tuple(line for line in text().splitlines()[1:] if line and not line.startswith(" "))


@cache
def read_recorded_names(space):
    """The names of a namespace in PyTorch, in alphabetical order; none if it is not recorded."""
    _, found, rest = text().partition(f"\n\n{space}\n")
    return rest.partition("\n\n")[0].split() if found else []


def is_in_pytorch(path):
    """True if PyTorch has the name ``torch.x.y``."""
    space, _, name = path.rpartition(".")
    return path in namespaces() or name in read_recorded_names(space)


@cache
def reason(path):
    """Return the reason for which tensh lacks ``torch.x.y``: the first whose pattern fits, or None."""
    name = path.removeprefix("torch.")
    return next((each for pattern, each in patterns() if pattern.match(name)), None)


@cache
def patterns():
    """(compiled pattern, reason) of each reason."""
    import re
    from fnmatch import translate

    from tensh.engine.methods.unsupported.reasons import REASONS

    return [(re.compile("|".join(map(translate, each.patterns))), each) for each in REASONS]


def sentence(path):
    """The message for a name that PyTorch has and tensh lacks."""
    why = reason(path)
    yet = "" if why else " yet"
    because = f": {why.text}" if why else ""
    space = path if path in namespaces() else path.rpartition(".")[0]
    where = "tensh api --missing" if space == "torch" else f"tensh api --missing {space}"
    return f"{path} exists in PyTorch but not in tensh{yet}{because}; see {where}"


def unsupported_name(space, name):
    """The exception for a name that a module has not."""
    path = f"{space}.{name}"
    if not is_in_pytorch(path):
        return AttributeError(f"module '{space}' has no attribute '{name}'")
    kind = CannotImport if _imports() else NotInTensh
    return kind(sentence(path), name=name)


def unsupported_module(path):
    """The exception for ``import torch.x.y`` where there is no such module."""
    kind, message = (
        (CannotImport, sentence(path)) if is_in_pytorch(path) else (ModuleNotFoundError, f"No module named {path!r}")
    )
    return kind(message, name=path)


def unsupported_lookup(space):
    """The ``__getattr__`` of a module that finds all its names by itself."""

    def __getattr__(name):
        raise unsupported_name(space, name)

    return __getattr__


def _imports():
    """True if the user's code is at ``from module import name``, where Python turns AttributeError into ImportError."""
    from opcode import opmap

    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("tensh", "torch"):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]


class UnsupportedMember:
    """A method or property of PyTorch's tensors that tensh lacks.

    Each such name is attached to Tensor, because ``Tensor.__getattr__`` would make every other attribute slower.
    """

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __get__(self, t, kind):
        raise NotInTensh(sentence(f"torch.Tensor.{self.name}"), name=self.name, obj=t)


def add_unsupported(tensor):
    """Attach to Tensor an error for each name that PyTorch's has; called once all methods are there."""
    for name in set(read_recorded_names("torch.Tensor")) - vars(tensor).keys():
        setattr(tensor, name, UnsupportedMember(name))
    tensor.__dir__ = method_names


def method_names(t):
    """The names of a tensor's members, without those that it lacks."""
    return [name for name in object.__dir__(t) if not isinstance(vars(type(t)).get(name), UnsupportedMember)]
