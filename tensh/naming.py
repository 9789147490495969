"""The names under which values are pickled and classes displayed: PyTorch's in a program whose `torch` is tensh, so
that PyTorch can read them."""

import os
import sys

FOLDER = os.path.dirname(__file__)


def torch_is_tensh():
    """True if the module `torch` of this program is tensh, so that a pickle may refer to it rather than to tensh."""
    return (getattr(sys.modules.get("torch"), "__file__", None) or "").startswith(FOLDER)


class OfTorch(type):
    """The metaclass of classes that PyTorch writes in C: Python's messages include their module, as ``'torch.Size'``."""

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
    """Return the name of a class in its own messages: user classes appear without their module."""
    return f"{module}.{name}" if module.partition(".")[0] == "torch" else name
