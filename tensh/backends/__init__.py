"""torch.backends: the libraries that PyTorch may compute with.  None of them is used; their switches can be set."""

import importlib
from types import SimpleNamespace

from tensh.backends import cudnn  # noqa: F401
from tensh.switched_off import lookup


def absent():
    """Is the library there?"""
    return False


mps = SimpleNamespace(is_available=absent, is_built=absent)
mkl = mkldnn = openmp = SimpleNamespace(is_available=absent)


def __getattr__(name):
    if name == "cuda":
        return importlib.import_module("tensh.backends.cuda")
    return look_up(name)


look_up = lookup("torch.backends")
