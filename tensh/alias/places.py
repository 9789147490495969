"""Names in other modules of PyTorch: ``torch.nn.modules.container.Sequential`` is ``torch.nn.modules.Sequential``.

``places.txt`` lists those that a module of PyTorch defines, ``imported.txt`` those that a module only imports, as
``tools/places.py`` records them: for each module, namespaces with the names that follow.
"""

import os
from functools import cache
from importlib import import_module
from types import ModuleType

from tensh.alias.parts import DICT
from tensh.support.naming import torch_is_tensh

LOADED = frozenset(
    f"torch.{name}"
    for name in """_functorch.apis _functorch.batch_norm_replacement _functorch.eager_transforms _functorch.einops
    _functorch.functional_call _library.custom_ops _library.infer_schema _library.utils _linalg_utils _lobpcg _lowrank
    autograd.profiler_util fx._compatibility nested._internal.nested_tensor nn._reduction optim._functional
    utils._contextlib""".split()
)
"""Submodules that PyTorch itself imports, so that they are attributes of their packages in every program."""


@cache
def table():
    """Return path of a module of PyTorch -> {name: the namespace that has it}."""
    found = {
        "torch._C": {"Generator": "torch"},
        "torch.amp.grad_scaler": {"OptState": "tensh.amp.scaler"},
        "torch.nn.utils.weight_norm": {"WeightNorm": "tensh.nn.utils.weight_norms"},
        "torch.nn.utils.spectral_norm": {"SpectralNorm": "tensh.nn.utils.spectral_norms"},
    }
    for path, spaces in read("places.txt").items():
        found.setdefault(path, {}).update(spaces)
    return found


@cache
def read(file):
    """Return path of a module -> {name: the namespace that has it}, from a file of paragraphs."""
    with open(os.path.join(os.path.dirname(__file__), file), encoding="utf-8") as lines:
        paragraphs = lines.read().split("\n\n")[1:]
    found = {}
    for path, *words in map(str.split, paragraphs):
        names = found[path] = {}
        for word in words:
            if word.endswith(":"):
                space = word[:-1]
            else:
                names[word] = space
    return found


def find_space(path, name):
    """Return the namespace with a name that a module has in PyTorch; None if it is unknown, or torch is not tensh."""
    space = table().get(path, {}).get(name) or read("imported.txt").get(path, {}).get(name)
    return None if space and space.startswith("torch") and not torch_is_tensh() else space


def make_module(path):
    """Make a module that contains only names of other modules."""
    module = ModuleType(path, f"{path}: names of {', '.join(sorted({*table()[path].values()}))}.")
    module.__all__ = sorted(table()[path])
    module.__dir__ = lambda: module.__all__
    complete(module, path)
    return module


def is_submodule(path, name, public):
    """Return True for a submodule that PyTorch has loaded, or that the table makes, unless the name is a public one."""
    return path in LOADED or path in table() and name not in public


def complete(module, path):
    """Let a module find the names that it has in PyTorch, after its own, and submodules that tensh lacks."""
    own = DICT.__get__(module).get("__getattr__")
    if getattr(own, "__module__", None) == __name__:
        return

    def __getattr__(name):
        if space := find_space(path, name):
            value = getattr(import_module(space), name)
        elif torch_is_tensh() and is_submodule(f"{path}.{name}", name, DICT.__get__(module).get("__all__", ())):
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
