"""Scripts written as text, as functions of Python."""

import ast
import itertools
import linecache
import typing

from tensh.engine.core.tensor import Tensor

__all__ = ["make_functions", "names_at"]

TYPES = {name: getattr(typing, name) for name in ("Any", "Dict", "List", "NamedTuple", "Optional", "Tuple", "Union")}
"""Names of types that the text of a script knows by itself."""
counts = itertools.count()


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
