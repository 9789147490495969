"""Names of nodes in a graph, and of functions in generated code."""

import builtins
import inspect
import keyword
import math
import re
import sys
import types
from typing import NamedTuple

import tensh
from tensh.engine.codegen.public_forms import name_in_space
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.support.naming import torch_is_tensh
from tensh.switched_off.answers import COMPILED

NAME = re.compile(r"^([a-zA-Z_][0-9a-zA-Z_]*?)(?:_(\d+))?$")
OTHER_CHARACTERS = re.compile("[^0-9a-zA-Z_]+")
WORD_END = re.compile(r"(?<=[a-z])([A-Z])")


class Custom(NamedTuple):
    """A global value of generated code, and the import statement for it."""

    import_str: str
    value: object


def find_torch():
    """Return the module that generated code calls ``torch``: the program's if that is tensh, otherwise tensh."""
    return sys.modules["torch"] if torch_is_tensh() else tensh


def list_customs():
    """Return a dict of the values that every generated function may use without an import, by name."""
    from tensh.fx import _pytree as fx_pytree
    from tensh.utils import _pytree as pytree

    return {
        "inf": Custom("from math import inf", math.inf),
        "nan": Custom("from math import nan", math.nan),
        "NoneType": Custom("NoneType = type(None)", type(None)),
        "torch": Custom("import torch", find_torch()),
        "device": Custom("from torch import device", device),
        "fx_pytree": Custom("import torch.fx._pytree as fx_pytree", fx_pytree),
        "pytree": Custom("import torch.utils._pytree as pytree", pytree),
    }


CUSTOM_NAMES = ("inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree")
RESERVED = frozenset([*keyword.kwlist, *vars(builtins), *CUSTOM_NAMES])
"""Names that nodes may not have."""


def snake_case(name):
    """Convert ``camelCase`` to ``camel_case``, in lower case."""
    return WORD_END.sub(r"_\1", name).lower()


class Namespace:
    """Unique names: a second ``add`` becomes ``add_1``."""

    def __init__(self):
        self.names = {}  # object -> its name
        self.used = set()
        self.counts = {}  # name without its number -> last number
        self.later = {}  # (name without its number, number) -> a later number; those in between are used

    def create_name(self, candidate, obj):
        """Return an unused name like ``candidate``, and associate it with ``obj`` unless that is None."""
        if obj is not None and obj in self.names:
            return self.names[obj]
        match = NAME.match(candidate)
        if match is None:
            candidate = OTHER_CHARACTERS.sub("_", candidate) or "_unnamed"
            if candidate[0].isdigit():
                candidate = f"_{candidate}"
            match = NAME.match(candidate)
        base, number = match.groups()
        if number is None or candidate in self.used:
            number = self.counts.get(base, 0)
            if candidate in RESERVED and not self.means(candidate, obj):
                number += 1
                candidate = f"{base}_{number}"
        number = int(number)
        passed = []
        while candidate in self.used:
            passed.append((base, number))
            number = self.later.get((base, number), number + 1)
            candidate = f"{base}_{number}"
        self.later |= dict.fromkeys(passed, number)
        self.used.add(candidate)
        self.counts[base] = number
        if obj is not None:
            self.names[obj] = candidate
        return candidate

    @staticmethod
    def means(name, obj):
        """Return True if ``obj`` is the value of a reserved name."""
        if name in CUSTOM_NAMES:
            return list_customs()[name].value is obj
        return obj is not None and getattr(builtins, name, None) is obj

    def associate_name_with_obj(self, name, obj):
        """Associate ``obj`` with ``name``, which was created without an object."""
        if self.names.setdefault(obj, name) is not name:
            raise AssertionError("obj is already associated")

    def rename(self, obj, name):
        """Associate ``obj`` with another existing name."""
        self.names[obj] = name
        self.used.add(name)


# ── functions ────────────────────────────────────────────────────────────────
def is_from_torch(obj):
    """Return True if generated code can access an object under ``torch``."""
    if isinstance(obj, types.ModuleType):
        return False
    module = getattr(obj, "__module__", None)
    return module is not None and (module == "torch" or module.startswith("torch."))


def module_and_name(func):
    """Return (module, name) of a public function in PyTorch, where compiled functions are in other modules."""
    module, name = func.__module__, name_in_space(func)
    if isinstance(func, types.FunctionType) and module in COMPILED:
        place, names = COMPILED[module]
        in_python = getattr(func, "written_in_python", False)
        if names is None:
            return (module, name) if in_python else (place, f"{place.rpartition('_')[2]}_{name}")
        if name in names:
            return place, names[name]
        return (module, name) if in_python else ("torch", name)
    if module == "torch" and getattr(func, "written_in_python", False) and func.__qualname__ == name:
        return "torch.functional", name
    return module, name


def name_of_function(func):
    """Return PyTorch's name of a function."""
    return module_and_name(func)[1] if isinstance(func, types.FunctionType) else func.__name__


def qualified_name(func):
    """Return the name of a function with its module, for generated code.  Raise RuntimeError if it has none."""
    name = func.__name__
    if getattr(builtins, name, None) is func:
        return name
    if func is getattr(Tensor, name, None) and isinstance(func, types.FunctionType):
        return f"torch.Tensor.{name}"
    if name == "<lambda>":
        try:
            return f"{func.__module__}.{inspect.getsource(func).split('=')[0].strip()}"
        except Exception as error:
            raise RuntimeError("Unable to represent lambda") from error
    module, name = module_and_name(func)
    module = (module or "__main__").replace("torch._ops", "torch.ops")
    return f"{f'torch.{module[6:]}' if module.startswith('tensh.') else module}.{name}"


def type_name(obj):
    """Return a type as code."""
    if isinstance(obj, type) and not isinstance(obj, types.GenericAlias):
        return obj.__qualname__ if obj.__module__ == "builtins" else f"{obj.__module__}.{obj.__qualname__}"
    if obj is ...:
        return "..."
    return obj.__name__ if isinstance(obj, types.FunctionType) else repr(obj)


def indent(text):
    """Indent a text by four spaces, except for the first line."""
    return text.replace("\n", "\n    ")
