"""torch.backends: the libraries that PyTorch may compute with.  None of them is used; their switches can be set."""

import importlib

from tensh.backends import cudnn  # noqa: F401
from tensh.switched_off import lookup


def __getattr__(name):
    if name in ("cpu", "cuda"):
        return importlib.import_module(f"tensh.backends.{name}")
    return look_up(name)


look_up = lookup("torch.backends")
