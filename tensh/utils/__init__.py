"""torch.utils: what training programs use beside layers and optimisers."""

import importlib

from tensh.switched_off import lookup

SUBMODULES = (
    "_foreach_utils _pytree benchmark checkpoint data deterministic dlpack hooks module_tracker safetensors".split()
)


def __getattr__(name):
    if name in SUBMODULES:
        return importlib.import_module(f"tensh.utils.{name}")
    if name == "swap_tensors":
        return importlib.import_module("tensh.utils.swapping").swap_tensors
    if name == "set_module":
        return lambda obj, mod: setattr(obj, "__module__", mod)
    return switched_off(name)


switched_off = lookup("torch.utils")


def __dir__():
    return sorted(["swap_tensors", *SUBMODULES])
