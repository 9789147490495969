"""By which names values are pickled, and classes known: those of PyTorch in a program whose `torch` is tensh, so that PyTorch reads them, too."""

import os
import sys

FOLDER = os.path.dirname(__file__)


def torch_is_tensh():
    """True if the module `torch` of this program is tensh.  Then a pickle may name it; otherwise it names tensh itself."""
    return (getattr(sys.modules.get("torch"), "__file__", None) or "").startswith(FOLDER)


class OfTorch(type):
    """The class of classes that are written in C in PyTorch: Python's own messages name their module, as ``'torch.Size'``."""

    def __new__(cls, name, bases, members):
        return type.__new__(cls, in_module(members.get("__module__", ""), name), bases, members)

    @property
    def __name__(cls):
        return NAME.__get__(cls).rpartition(".")[2]

    @__name__.setter
    def __name__(cls, name):
        NAME.__set__(cls, in_module(cls.__module__, name))


NAME = type.__dict__["__name__"]


def in_module(module, name):
    """The name of a class as its own messages have it: a user's class has no module there."""
    return f"{module}.{name}" if module.partition(".")[0] == "torch" else name
