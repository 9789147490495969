"""torch.utils: what training programs use beside layers and optimisers."""

import importlib

from tensh.engine.methods.unsupported import unsupported_name

SUBMODULES = ("checkpoint", "data", "dlpack", "safetensors")


def __getattr__(name):
    if name in SUBMODULES:
        return importlib.import_module(f"tensh.utils.{name}")
    if name == "swap_tensors":
        return importlib.import_module("tensh.utils.swapping").swap_tensors
    raise unsupported_name("torch.utils", name)


def __dir__():
    return sorted(["swap_tensors", *SUBMODULES])
