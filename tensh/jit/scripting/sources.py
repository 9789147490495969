"""The source of a scripted function: its syntax tree, the places of expressions in the file, and what its names mean."""

import ast
import builtins
import inspect
import textwrap

from tensh.jit.language.types import names_around
from tensh.jit.scripting.kinds import uniform

__all__ = ["NotScriptable", "Source"]


class NotScriptable(RuntimeError):
    """Raised for Python that scripts cannot contain."""


class Source:
    """A function with its syntax tree.

    In a method of the class ``owner`` its name means the class, also while the class is decorated.

    Raise NotScriptable if there is no source.
    """

    def __init__(self, fn, owner=None):
        self.fn, self.own = fn, {owner.__name__: owner} if isinstance(owner, type) else {}
        try:
            lines, self.first = inspect.getsourcelines(fn)
        except (OSError, TypeError):
            raise NotScriptable(f"the source of {getattr(fn, '__name__', fn)} cannot be read") from None
        text = textwrap.dedent("".join(lines))
        self.indent = len(lines[0]) - len(lines[0].lstrip())
        self.file = inspect.getsourcefile(fn) or fn.__code__.co_filename
        try:
            body = ast.parse(text).body
        except SyntaxError:
            raise NotScriptable(f"{fn.__name__} is part of a statement") from None
        self.tree = body[0] if body else None
        if not isinstance(self.tree, ast.FunctionDef):
            raise NotScriptable(f"{fn.__name__} is not defined by a def statement")

    def place(self, node):
        """Return the comment with the place of a statement or an expression."""
        if node is None:
            return ""
        return f" # {self.file}:{node.lineno + self.first - 1}:{node.col_offset + self.indent}"

    def refuse(self, node, reason):
        """Raise NotScriptable with the line."""
        node = node if node is not None else self.tree
        line = f'  File "{self.file}", line {node.lineno + self.first - 1}\n    {ast.unparse(node).splitlines()[0]}'
        raise NotScriptable(f"{reason}:\n{line}")

    def find(self, name):
        """Return (True, what a name means outside the function); (False, None) if it means nothing."""
        if name in self.own:
            return True, self.own[name]
        if name in self.fn.__code__.co_freevars:
            cell = self.fn.__closure__[self.fn.__code__.co_freevars.index(name)]
            return True, cell.cell_contents
        for space in (self.fn.__globals__, vars(builtins)):
            if name in space:
                return True, space[name]
        return False, None

    def evaluate(self, node):
        """Return the value of an annotation, which may be quoted."""
        known = self.fn.__globals__ | names_around(self.fn) | self.own
        try:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                node = ast.parse(node.value.strip(), mode="eval").body
            found = eval(compile(ast.Expression(node), self.file, "eval"), known)
            return tuple(map(uniform, found)) if isinstance(found, tuple) else uniform(found)
        except Exception as error:  # an annotation is code of the program
            self.refuse(node, f"the annotation is unknown ({error})")
