"""Public namespaces whose names are loaded on first use."""

import importlib

from tensh.engine.codegen.registry import Registry
from tensh.engine.methods.unsupported import unsupported_name

IMPORTERS = frozenset(
    f"tensh.{name}" for name in "autograd distributed fft functional jit onnx serialization sparse utils".split()
)
"""Namespaces whose modules in PyTorch import torch under that name, by which programs call ``torch.sparse.torch.eye``."""


def declare_namespace(module, values, names, submodules=(), find=None, unsupported=None):
    """The functions ``__getattr__`` and ``__dir__`` of a module, tensh's own name of it, whose globals are ``values``.

    ``names`` maps each name to the module that has it: one below ``module``, or one named in full. Where ``find`` is
    given, ``find(name)`` makes the value, and ``names`` may be any collection. ``unsupported(name)`` answers for a name
    that is not there; without it, PyTorch's names that tensh lacks are told from those that PyTorch lacks. A module that
    has no ``__all__`` gets one of ``names``, so that ``from torch.fft import *`` finds them.
    """

    def list_public():
        return [name for name in names if name[0] != "_"]

    if not isinstance(names, Registry):  # listing a Registry would import all modules of the engine
        values.setdefault("__all__", list_public())

    def import_value(name):
        place = names[name]
        return getattr(importlib.import_module(place if place.startswith("tensh.") else f"{module}.{place}"), name)

    def refuse(name):
        raise unsupported_name(f"torch{module.removeprefix('tensh')}", name)

    def __getattr__(name):
        if name == "__all__":
            return values.setdefault("__all__", list_public())
        if name in submodules:
            return importlib.import_module(f"{module}.{name}")
        if name == "torch" and module in IMPORTERS:
            return importlib.import_module("tensh")
        if name not in names:
            return (unsupported or refuse)(name)
        value = values[name] = (find or import_value)(name)
        return value

    def __dir__():
        return sorted({*values.get("__all__", ()), *names, *submodules})

    return __getattr__, __dir__
