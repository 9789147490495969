"""Functions of ``torch.nn.functional`` and layers in scripts' Python, for graphs, code and files of scripts.

The functions that compute are elsewhere; these are only compiled, never called.  Each has the parameters, types and
name of PyTorch's.
"""

from importlib import import_module

__all__ = ["find_class", "find_function", "find_method"]

FILES = "activations dropping losses normalization pooling resizing attention spectra".split()


def find_function(name):
    """Return the form of a function of ``torch.nn.functional``; None if it has none."""
    for each in FILES:
        found = vars(import_module(f"tensh.jit.scripting.forms.{each}")).get(name)
        if getattr(found, "form", False):
            return found
    return None


def find_class(cls):
    """Return the class with the forms of the methods that a class of layers has itself; None if it has none."""
    if not cls.__module__.startswith(("torch.", "tensh.")):
        return None
    for each in ("layers", "norms", "transformers"):
        if cls.__name__ in (found := vars(import_module(f"tensh.jit.scripting.forms.{each}"))):
            return found[cls.__name__]
    return None


def find_method(cls, name):
    """Return the form of a layer's method; None if it has none."""
    for each in cls.__mro__:
        found = find_class(each)
        if found is not None and name in vars(found):
            return vars(found)[name]
        if name in vars(each):
            return None
    return None
