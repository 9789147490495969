"""torch.utils: what training programs use beside layers and optimisers."""

import importlib

from tensh.switched_off import lookup

SUBMODULES = "_foreach_utils _pytree benchmark checkpoint data deterministic dlpack hooks model_zoo module_tracker safetensors".split()


def set_module(obj, mod):
    """Set the module that a function or class says that it is from.

    >>> import tensh as torch
    >>> def f(): ...
    >>> torch.utils.set_module(f, "mine")
    >>> f.__module__
    'mine'
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


def __getattr__(name):
    if name in SUBMODULES:
        return importlib.import_module(f"tensh.utils.{name}")
    if name == "swap_tensors":
        return importlib.import_module("tensh.utils.swapping").swap_tensors
    return switched_off(name)


switched_off = lookup("torch.utils")


def __dir__():
    return sorted(["swap_tensors", *SUBMODULES])
