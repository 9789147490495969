"""Functions that are scripted from a text."""

import sys

from tensh.jit._script import script
from tensh.jit.language.texts import make_functions, names_at

__all__ = ["CompilationUnit"]


class CompilationUnit:
    """Scripted functions from a text, which are its attributes.

    Raise RuntimeError for a text that is not a script, AttributeError for a name that it does not define.

    >>> import tensh as torch
    >>> unit = torch.jit.CompilationUnit("def twice(x): return x * 2")
    >>> unit.twice(torch.ones(1))
    tensor([2.])
    """

    __module__ = "torch.jit"

    def __init__(self, lang=None, _frames_up=0):
        self.__dict__["_functions"] = {}
        if lang is not None:
            self.define(lang, _frames_up=_frames_up + 1)

    def define(self, lang, rcb=None, _frames_up=0):
        """Add the functions of a text.  Raise RuntimeError for a text that is not a script, or a name that is taken."""
        names = names_at(sys._getframe(_frames_up + 1)) | {name: each._fn for name, each in self._functions.items()}
        for fn in make_functions(lang, names):
            if fn.__name__ in self._functions:
                raise RuntimeError(f"method '{fn.__name__}' already defined.")
            self._functions[fn.__name__] = script(fn)

    def __getattr__(self, attr):
        found = self.__dict__["_functions"].get(attr)
        if found is None:
            raise AttributeError(f"'CompilationUnit' has no attribute '{attr}'")
        return found

    def find_function(self, name):
        """Return a function; None for a name that nothing has."""
        return self._functions.get(name)

    def get_functions(self):
        """Return all functions."""
        return list(self._functions.values())

    def set_optimized(self, optimized):
        """Do nothing: there is no machine code to optimise."""
