"""The code of a scripted function or method, and its source."""

import ast
import inspect
import textwrap

from tensh.jit.running.scriptable import NO_SOURCE

__all__ = ["read_source", "write_code"]


def read_source(fn):
    """Return the source of a function, without indentation and decorators.  Raise OSError if there is none."""
    try:
        text = textwrap.dedent(inspect.getsource(fn))
    except OSError:
        raise OSError(NO_SOURCE.format(fn)) from None
    try:
        body = ast.parse(text).body
    except SyntaxError:  # a lambda within a statement
        return text
    if body and isinstance(tree := body[0], ast.FunctionDef):
        tree.decorator_list = []
        if ast.get_docstring(tree) is not None and len(tree.body) > 1:
            tree.body = tree.body[1:]
        return ast.unparse(tree) + "\n"
    return text


def write_code(fn, owner=None):
    """Return a function, or a method of a module, as TorchScript code; its Python source, if scripts cannot contain it."""
    from tensh.jit.scripting.compiling import compile_script
    from tensh.jit.scripting.files.printing import write_script

    try:
        return write_script(compile_script(fn, owner))
    except RuntimeError:
        return read_source(fn)
