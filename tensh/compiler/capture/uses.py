"""The use of a number that a program reads from a tensor: whether the way on depends on it.

Symbolic numbers would tell, but there are none in a captured call.  The source tells as much: the number is followed
through the expression that reads it, and through the variables that get it.
"""

import ast
import functools
import linecache
from itertools import islice

from tensh.engine.dispatch.capture.places import is_call

__all__ = ["Use", "find_call", "find_use", "is_described_assertion"]

PASSED_ON = (ast.BinOp, ast.UnaryOp, ast.IfExp)
"""Expressions whose value depends on the number."""
FUNCTIONS = frozenset("int float bool abs min max round".split())
"""Functions whose result depends on the number."""
DEEPEST = 3  # variables through which a number is followed


class Use:
    """A use that decides: ``kind`` is "range" or "guard", ``node`` the expression, ``read`` the part that is the number."""

    def __init__(self, kind, node, read):
        self.kind, self.node, self.read = kind, node, read

    def write(self, symbol, whole):
        """Return the expression with a symbol for the number; ``whole`` if the symbol stands for an integer."""
        if not isinstance(self.node, ast.Compare):
            return symbol
        return ast.unparse(Symbols(self.read, symbol, whole).visit(copy_tree(self.node)))


class Symbols(ast.NodeTransformer):
    """A change of an expression: a symbol in place of the number, and other numbers as its type."""

    def __init__(self, read, symbol, whole):
        self.read, self.symbol, self.whole = ast.unparse(read), symbol, whole

    def visit(self, node):
        """Replace a node that is the number."""
        if isinstance(node, ast.expr) and ast.unparse(node) == self.read:
            return ast.Name(self.symbol, ast.Load())
        return super().visit(node)

    def visit_Constant(self, node):
        """Write a number."""
        return ast.Constant(float(node.value)) if type(node.value) is int and not self.whole else node


def copy_tree(node):
    return ast.parse(ast.unparse(node), mode="eval").body


@functools.lru_cache(64)
def read_tree(text):
    """Return (syntax tree of a source, node -> the node around it); (None, {}) for a text that is not a source."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None, {}
    return tree, {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def locate(place):
    """Return (node of the user's instruction, node -> the node around it); (None, {}) without a source."""
    span = next(islice(place.code.co_positions(), place.instruction // 2, None), (None,) * 4)
    tree, parents = read_tree("".join(linecache.getlines(place.code.co_filename)))
    if tree is None or None in span:
        return None, {}
    first, last, begin, end = span
    for node in ast.walk(tree):
        if getattr(node, "lineno", None) == first and (node.end_lineno, node.col_offset, node.end_col_offset) == (
            last,
            begin,
            end,
        ):
            return node, parents
    return None, {}


def find_call(place):
    """Return the name of the function that the user's instruction calls; None for another instruction."""
    if not is_call(place):  # other instructions may have the place of a call in the source
        return None
    node, _ = locate(place)
    if not isinstance(node, ast.Call):
        return None
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", None)


def is_described_assertion(place):
    """Return True if the user's instruction is the condition of an assertion whose message is computed."""
    node, parents = locate(place)
    parent = parents.get(node)
    return (
        isinstance(parent, ast.Assert)
        and parent.test is node
        and not isinstance(parent.msg, (ast.Constant, type(None)))
    )


def find_use(place):
    """Return what the number that the user's instruction reads decides, as a ``Use``; None if it decides nothing."""
    node, parents = locate(place)
    return None if node is None else follow(node, node, parents, 0)


def follow(node, read, parents, depth):
    """Return the use of the value of a node, further out or in variables that get it."""
    parent = parents.get(node)
    while (
        isinstance(parent, PASSED_ON)
        and not (isinstance(parent, ast.IfExp) and parent.test is node)
        or is_passed_on(parent)
    ):
        node, parent = parent, parents.get(parent)
    if isinstance(parent, ast.Call) and getattr(parent.func, "id", None) == "range":
        return Use("range", parent, read)
    deciding = node if is_test(node, parent) else None
    while isinstance(parent, (ast.Compare, ast.BoolOp, ast.UnaryOp)) and deciding is None:
        deciding = parent if is_test(parent, parents.get(parent)) else None
        parent = parents.get(parent)
    if deciding is not None:
        compared = next((each for each in ast.walk(deciding) if isinstance(each, ast.Compare)), deciding)
        return Use("guard", compared, read)
    if (
        isinstance(parent, ast.Assign)
        and parent.value is node
        and isinstance(parent.targets[0], ast.Name)
        and depth < DEEPEST
    ):
        return follow_variable(parent.targets[0].id, parent, parents, depth)
    return None


def is_passed_on(node):
    """Return True for a call whose result depends on its argument."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", None) in FUNCTIONS


def is_test(node, parent):
    """Return True for an expression that decides how the code goes on, except in assertions."""
    return isinstance(parent, (ast.If, ast.While, ast.IfExp)) and parent.test is node


def follow_variable(name, assignment, parents, depth):
    """Return the first use of a variable after the statement that assigns it."""
    around = assignment
    while not isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
        around = parents[around]
    for each in ast.walk(around):
        if (
            isinstance(each, ast.Name)
            and each.id == name
            and isinstance(each.ctx, ast.Load)
            and each.lineno >= assignment.lineno
        ):
            found = follow(each, each, parents, depth + 1)
            if found is not None:
                return found
    return None
