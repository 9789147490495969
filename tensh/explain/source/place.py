"""The place of a failure in the user's source: its statement, and the code before it."""

import ast
import functools
from typing import NamedTuple

from tensh.support.columns import in_characters
from tensh.support.command_lines import blank_commands


class Place(NamedTuple):
    """The whole source, and the span in it that failed: lines from 1, columns in characters from 0."""

    source: str
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def segment(self):
        """The code of the span; an expression over several lines is joined to one, other code is ""."""
        lines = self.source.split("\n")[self.line - 1 : self.end_line]
        if len(lines) == 1:
            return lines[0][self.column : self.end_column]
        try:
            tree = ast.parse(
                "\n".join(["(" + lines[0][self.column :], *lines[1:-1], lines[-1][: self.end_column], ")"])
            )
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ""
        joined = ast.unparse(tree)
        return joined if len(joined) <= LONGEST_JOINED else ""

    @property
    def text(self):
        """The first line of the span."""
        return self.source.split("\n")[self.line - 1]

    def tree(self):
        """Return the syntax tree of the source; None if it is not Python, as for some lines of a prompt."""
        return parse_source(self.source)

    def path(self):
        """Return the nodes from the innermost statement to the failing expression; [] if it is not found."""
        tree = self.tree()
        return descent(tree, self) if tree else []

    def node(self):
        """Return the failing expression; None if it is not found."""
        path = self.path()
        return path[-1] if path else None

    def scope(self):
        """Return the function around the span, or the module."""
        tree = self.tree()
        if tree is None:
            return None
        functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS) and covers(node, self)]
        return max(functions, key=lambda node: node.lineno, default=tree)

    def offset(self, line):
        """Return the start or end column on a line in bytes, as syntax trees count."""
        text = self.source.split("\n")[line - 1]
        return len(text[: self.column if line == self.line else self.end_column].encode())


LONGEST_JOINED = 300  # characters of an expression over several lines, so that corrections of it can be read


def find_whole_call(place):
    """Return the place of a whole method call whose dots begin lines, of which Python marks only `method()`."""
    tree = place.tree()
    end = place.end_line, len(_line(place).encode())
    for node in ast.walk(tree) if tree and place.line == place.end_line else ():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.lineno >= place.line:
            continue
        begin = node.func.end_lineno, node.func.end_col_offset - len(node.func.attr.encode())
        if (node.end_lineno, node.end_col_offset) == end and begin == (place.line, place.offset(place.line)):
            column = in_characters(place.source.split("\n")[node.lineno - 1], node.col_offset)
            return place._replace(line=node.lineno, column=column)
    return place


MOST_LINES = 5000  # longest source that is searched: 50 ms for each traversal


@functools.lru_cache(maxsize=2)
def parse_source(text):
    """Return the syntax tree of a source, cached; None if it is not Python, or too long to be searched."""
    if text.count("\n") > MOST_LINES:
        return None
    try:
        return ast.parse(blank_commands(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def header(text, first, column, last, end_column):
    """Return the span (columns in bytes) of what a loop iterates over or a `with` enters, given that of the statement.

    Python 3.11 places failures of both at the whole statement, later versions at that part. Other spans stay as they are.
    """
    place, tree = ((first, column), (last, end_column)), parse_source(text)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, BLOCKS) and span(node) == place:
            parts = [each.context_expr for each in node.items] if hasattr(node, "items") else [node.iter]
            return (*span(parts[0])[0], *span(parts[-1])[1])
    return first, column, last, end_column


BLOCKS = ast.For | ast.AsyncFor | ast.With | ast.AsyncWith
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def covers(node, place):
    return node.lineno <= place.line and place.end_line <= node.end_lineno


def descent(tree, place):
    """Return the nodes from the innermost statement around a place to the expression at it."""
    start, end = (place.line, place.offset(place.line)), (place.end_line, len(_line(place).encode()))
    path, node = [], tree
    while True:
        inner = [each for each in placed_children(node) if holds(each, start, end)]
        if not inner:
            break
        node = inner[0]
        path = [node] if isinstance(node, ast.stmt) else [*path, node]
    exact = [n for n, node in enumerate(path) if span(node) == (start, end)]
    return path[: exact[-1] + 1] if exact else []


def placed_children(node):
    """Yield the child nodes with a position, also those within nodes without one, as in a `with` or a comprehension."""
    for each in ast.iter_child_nodes(node):
        if hasattr(each, "lineno"):
            yield each
        else:
            yield from placed_children(each)


def _line(place):
    return place.source.split("\n")[place.end_line - 1][: place.end_column]


def span(node):
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def holds(node, start, end):
    first, last = span(node)
    return first <= start and end <= last


def iterate_scope(scope):
    """Yield the nodes of a scope, without those of nested functions and classes."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, FUNCTIONS | ast.ClassDef):
            yield from iterate_scope(node)


def loop_around(scope, line):
    """Return the innermost loop around a line; None if there is none."""
    loops = [
        node
        for node in iterate_scope(scope)
        if isinstance(node, ast.For | ast.While) and node.lineno < line <= node.end_lineno
    ]
    return max(loops, key=lambda node: node.lineno, default=None)


def calls_of(scope, method):
    """Yield (line, code) for each call of a method in a scope."""
    for node in iterate_scope(scope):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method:
            yield node.lineno, ast.unparse(node)


def bindings(scope, name):
    """Return the lines on which a scope binds a name."""
    return [
        node.lineno
        for node in iterate_scope(scope)
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
    ]


def root(node):
    """Return the name at the root of attributes and indices; None if there is none."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
