"""Scripts written as text: functions of a ``CompilationUnit``, and methods that a scripted module gets by ``define``."""

import ast
import itertools
import linecache
import sys
import typing

from tensh.engine.core.tensor import Tensor
from tensh.jit._script import Method, script
from tensh.jit.scripting.sugar import class_of
from tensh.jit.types import class_path

__all__ = ["CompilationUnit", "define_methods"]

TYPES = {name: getattr(typing, name) for name in ("Any", "Dict", "List", "NamedTuple", "Optional", "Tuple", "Union")}
"""Names of types that the text of a script knows by itself."""
counts = itertools.count()


class CompilationUnit:
    """Scripted functions from a text, which are its attributes.

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
        """Add the functions of a text.  Raise RuntimeError for a text that is no script, or a name that is taken."""
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


def names_at(frame):
    """Return what names mean at a place of the program."""
    return {**frame.f_globals, **frame.f_locals}


def make_functions(text, names):
    """Return the functions that a text defines.  Raise RuntimeError for other text."""
    number = next(counts)
    file = f"<string {number}>" if number else "<string>"
    try:
        tree = ast.parse(text)
        if not all(isinstance(each, ast.FunctionDef) for each in tree.body):
            raise SyntaxError("a script written as text consists of functions")
        linecache.cache[file] = len(text), None, text.splitlines(True), file
        code = compile(tree, file, "exec")
    except SyntaxError as error:
        raise RuntimeError(f'{error.msg}:\n  File "{file}", line {error.lineno or 1}\n{error.text or text}') from None
    used = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
    space = (
        {**TYPES, "Tensor": Tensor} | {name: names[name] for name in used if name in names} | {"__name__": "__main__"}
    )
    exec(code, space)
    return [space[each.name] for each in tree.body]


def define_methods(module, text, names):
    """Give a scripted module the methods that a text defines."""
    cls, original = type(module), class_of(module)
    owner = class_path(original)
    functions = {fn.__name__: fn for fn in make_functions(text, names)}
    for fn in functions.values():
        fn._torchscript_modifier = "export"  # files have it
    kept = {"__module__": original.__module__, "__qualname__": original.__qualname__}
    extended = type(original.__name__, (original,), functions | kept)
    members = {name: Method(fn, owner) for name, fn in functions.items()} | {"_original": extended}
    module.__class__ = type(cls.__name__, (extended, cls), members | {"__module__": cls.__module__})
