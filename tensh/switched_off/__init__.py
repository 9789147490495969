"""Namespaces of PyTorch that tensh lacks, which behave as in a PyTorch built without them.

``names.txt`` lists their names, as ``tools/switched_off.py`` records them, ``extra_names.txt`` others that libraries
use; ``answers.py`` defines which of them do not raise. A module is made from its paragraph on first use; nothing is
loaded before.

>>> import tensh as torch
>>> torch.distributed.rpc.is_available()
False
>>> torch.jit.is_scripting()
False
"""

import importlib
import os
import sys
from functools import cache
from operator import attrgetter
from types import GenericAlias, ModuleType

from tensh.engine.methods.unsupported import reason, unsupported_name

REMOVED = "tensh.switched_off.removed:"  # functions that PyTorch removed, whose names raise
MARKS = {")": "function", "!": "exception", "~": "layer"}


@cache
def spaces():
    """Return path of each namespace -> its entries, as text."""
    found = {}
    for text in ("names.txt", "extra_names.txt"):
        with open(os.path.join(os.path.dirname(__file__), text), encoding="utf-8") as file:
            for paragraph in file.read().split("\n\n")[1:]:
                path, _, entries = paragraph.strip().partition("\n")
                found[path] = f"{found.get(path, '')} {entries}"
    return found


@cache
def is_space(path):
    """Return True if ``torch.x.y`` is a switched-off namespace, or contains one."""
    return path in spaces() or any(each.startswith(f"{path}.") for each in spaces())


def has(space, name):
    """Return True if a name, or a namespace below it, is switched off in a namespace."""
    return is_space(f"{space}.{name}") or name in entries_of(space)


def module(path):
    """Return the module ``torch.x.y``, made on first use."""
    own = "tensh" + path.removeprefix("torch")
    if own not in sys.modules:
        made = find_kind(path)(path, f"{path}: switched off, as in a build of PyTorch that lacks it.")
        made.__path__ = []  # submodules are found by this table
        made.__getattr__, entries = lookup(path), entries_of(path)
        made.__all__ = [name for name in entries if not name.startswith("_")]
        made.__dir__ = lambda: sorted(entries)
        sys.modules[own] = made
    return sys.modules[own]


def find_kind(path):
    """Return the class of the module ``torch.x.y``."""
    from tensh.switched_off.answers import MODULES

    return import_attribute(MODULES[path]) if path in MODULES else ModuleType


def load(own):
    """Return the module ``tensh.x.y``, from a file or switched off."""
    path = own.replace("tensh", "torch", 1)
    try:
        return importlib.import_module(own)
    except ModuleNotFoundError as error:
        if error.name is None or not own.startswith(error.name) or not is_space(path):
            raise
    return module(path)


@cache
def entries_of(path):
    """Return name -> its mark and value, as text, in a namespace."""
    found = {}
    for entry in spaces().get(path, "").split():
        name, _, value = entry.partition("=")
        found[name.rstrip("()!~")] = value or MARKS.get(entry[-1], "class")
    return found


def lookup(path, otherwise=None):
    """Return the ``__getattr__`` of a partly or entirely switched-off namespace; other names go to ``otherwise``."""

    def __getattr__(name):
        if is_space(f"{path}.{name}"):
            value = load("tensh" + f"{path}.{name}".removeprefix("torch"))
            setattr(sys.modules["tensh" + path.removeprefix("torch")], name, value)
            return value
        if (found := find_compiled(path, name)) is not None:
            return found
        if name not in entries_of(path):
            raise otherwise(name) if otherwise else unsupported_name(path, name)
        value = answer(path, name)
        setattr(sys.modules["tensh" + path.removeprefix("torch")], name, value)
        return value

    return __getattr__


def find_compiled(path, name):
    """Return the function that PyTorch compiles as ``path.name``, such as ``torch._C._nn.linear``."""
    if not path.startswith("torch._C."):
        return None
    from tensh.switched_off.answers import COMPILED

    for space, (place, names) in COMPILED.items():
        if place == path:
            prefix = f"{place.rpartition('_')[2]}_"
            own = {public: known for known, public in names.items()}.get(name) if names else name.removeprefix(prefix)
            own = name if names and name in names.values() and own is None else own
            return getattr(importlib.import_module(space.replace("torch", "tensh", 1)), own, None) if own else None
    return None


def is_off(path, value):
    """Return True if ``value``, found as ``torch.x.y``, comes from this table."""
    if isinstance(value, ModuleType):
        return not hasattr(value, "__file__")
    space, _, name = path.rpartition(".")
    return name in entries_of(space) and not works(path) and value is answer(space, name)


def works(path):
    """Return True for a name ``torch.x.y`` of this table that does what PyTorch's does."""
    from tensh.switched_off.answers import REAL

    where = REAL.get(path.removeprefix("torch."), REMOVED)
    return not where.startswith(REMOVED)


@cache
def answer(path, name):
    """Return the kind of answer for ``torch.x.y``, by the table."""
    from ast import literal_eval

    from tensh.switched_off.answers import MODULES, REAL

    kind = entries_of(path)[name]
    full = f"{path}.{name}"
    if (real := REAL.get(full.removeprefix("torch."))) is not None:
        return import_attribute(real)
    settings = path in MODULES and kind not in MARKS.values()  # the values are listed
    for pattern, found in () if settings else patterns():
        if pattern.match(full.removeprefix("torch.")):
            return found
    if kind in ("class", "exception", "layer"):
        return make_class(path, name, kind)
    if kind != "function":
        return literal_eval(kind)

    def refused(*args, **options):
        raise NotImplementedError(why(full))

    refused.__name__ = refused.__qualname__ = name
    refused.__module__, refused.__doc__ = path, f"Raise NotImplementedError: {why(full)}."
    return refused


@cache
def patterns():
    """Return (compiled pattern, answer) for each answer in the table."""
    import re
    from fnmatch import translate

    from tensh.switched_off.answers import ANSWERS

    return [(re.compile("|".join(map(translate, names.split()))), found) for found, names in ANSWERS.items()]


def why(path):
    """Return the message for a use of ``torch.x.y``."""
    parts = path.split(".")
    found = next(filter(None, (reason(".".join(parts[:n])) for n in range(len(parts), 1, -1))), None)
    return f"{path} is switched off in tensh" + (f": {found.text}" if found else "")


class EnumerationType(type):
    """The metaclass of switched-off classes: the members of an enumeration are their names."""

    def __getattr__(cls, name):
        if name[0] == "_" or name.islower():
            raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")
        return f"{cls.__name__}.{name}"


@cache
def make_class(path, name, kind):
    """Make a class for annotations and ``isinstance``, which cannot be instantiated, except for exceptions."""
    from tensh.switched_off.answers import LAYER

    members = {"__module__": path, "__doc__": f"A class of a namespace that is switched off: {why(f'{path}.{name}')}."}
    if kind == "exception":
        return type(name, (Warning if name.endswith("Warning") else RuntimeError,), members)  # as most are in PyTorch

    def refuse(cls, *args, **options):
        raise NotImplementedError(why(f"{path}.{name}"))

    if kind == "class":
        return EnumerationType(name, (), members | {"__new__": refuse, "__class_getitem__": classmethod(GenericAlias)})
    return type(name, (import_attribute(LAYER),), members | {"__new__": refuse})


def import_attribute(place):
    """Return the value at a place such as ``tensh.nn:Module`` or ``tensh.ops:aten._conj``."""
    module, _, attribute = place.partition(":")
    return attrgetter(attribute)(importlib.import_module(module))
