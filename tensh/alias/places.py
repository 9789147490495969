"""Names in PyTorch's private modules: ``torch.nn.modules.container.Sequential`` is ``torch.nn.modules.Sequential``.

``places.txt`` lists them, as ``tools/places.py`` records them: for each module of PyTorch, the namespace of tensh with
the names that follow.
"""

import os
from functools import cache
from importlib import import_module
from types import ModuleType

from tensh.alias.parts import DICT
from tensh.support.naming import torch_is_tensh


@cache
def table():
    """Return path of a module of PyTorch -> {name: the namespace that has it}."""
    with open(os.path.join(os.path.dirname(__file__), "places.txt"), encoding="utf-8") as file:
        paragraphs = file.read().split("\n\n")[1:]
    found = {
        "torch._C": {"Generator": "torch"},
        "torch._tensor_str": dict.fromkeys(
            ("printoptions", "get_printoptions"), "tensh.engine.methods.printing.options"
        )
        | {"_str_intern": "tensh.engine.methods.printing.format"},
        "torch.amp.grad_scaler": {"OptState": "tensh.amp.scaler"},
        "torch.nn.utils.weight_norm": {"WeightNorm": "tensh.nn.utils.weight_norms"},
        "torch.nn.utils.spectral_norm": {"SpectralNorm": "tensh.nn.utils.spectral_norms"},
    }
    for paragraph in paragraphs:
        (path, space), *names = (line.split() for line in paragraph.splitlines())
        found.setdefault(path, {}).update((name, space) for line in names for name in line)
    return found


def make_module(path):
    """Make a module that contains only names of other modules."""
    module = ModuleType(path, f"{path}: names of {', '.join(sorted({*table()[path].values()}))}.")
    module.__all__ = sorted(table()[path])
    module.__dir__ = lambda: module.__all__
    complete(module, path)
    return module


@cache
def incomplete():
    """Return the modules of PyTorch in which tensh lacks names, or submodules."""
    return {*table(), *(path.rpartition(".")[0] for path in table())}


def complete(module, path):
    """Let a module find the names that it has in PyTorch, after its own, and submodules that tensh lacks."""
    own = DICT.__get__(module).get("__getattr__")
    if path not in incomplete() or getattr(own, "__module__", None) == __name__:
        return

    def __getattr__(name):
        if name in table().get(path, ()):
            value = getattr(import_module(table()[path][name]), name)
        elif f"{path}.{name}" in table() and name not in DICT.__get__(module).get("__all__", ()) and torch_is_tensh():
            value = import_module(f"{path}.{name}")
        elif own:
            return own(name)
        else:
            raise AttributeError(f"module '{path}' has no attribute '{name}'")
        setattr(module, name, value)
        return value

    module.__getattr__ = __getattr__
    if "__all__" in DICT.__get__(module):
        listed, here = module.__all__, [name for name in table().get(path, ()) if name[0] != "_"]
        module.__all__ = [*listed, *(name for name in here if name not in listed)]
    if any(each.startswith(f"{path}.") for each in table()):
        DICT.__get__(module).setdefault("__path__", [])  # submodules are found by the table
