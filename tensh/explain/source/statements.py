"""Statements of the source: those that assign a name, and the blocks around a place."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.source.assignments import line_that_made
from tensh.explain.source.place import Place, bindings
from tensh.support.columns import in_characters


def find_assignment(place, name):
    """Return the statement that assigned a name before a place; None if that is ambiguous."""
    line = line_that_made(place, name)
    return line and statement_on(place.tree(), line, name)


def statement_on(tree, line, name=None):
    """Return the innermost statement that begins on a line; of several (`x = f(y); x.backward()`), one that binds a name."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno == line]
    binding = [each for each in found if name in bound_in(each)] if len(found) > 1 else []
    return (binding or found)[-1] if found else None


def bound_in(statement):
    """Return the names that an assignment binds."""
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return {
        node.id for each in targets if each is not None for node in ast.walk(each)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }  # fmt: skip


def place_of(place, node):
    """Return the Place of a node in the same source."""
    lines = place.source.split("\n")
    column = in_characters(lines[node.lineno - 1], node.col_offset)
    end_column = in_characters(lines[node.end_lineno - 1], node.end_col_offset)
    return Place(place.source, node.lineno, column, node.end_lineno, end_column)


def blocks_over(tree, node):
    """Return the blocks (with, for, def, ...) around a node, outermost first."""
    return [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.stmt) and hasattr(each, "body") and each is not node and holds(each, node)
    ]


def holds(block, node):
    return block.lineno <= node.lineno and node.end_lineno <= block.end_lineno


def class_of(place, name):
    """Return the definition of a class in the source; None if there is none."""
    tree = place.tree()
    found = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == name] if tree else []
    return found[-1] if found else None


def find_tensor_assignment(situation, name):
    """Return the statement that assigned a name its tensor; in-place writes such as `w -= ...` keep the tensor."""
    made, tree = situation.find_assignment(name), situation.place.tree()
    if made is not None or tree is None:
        return made
    found = [statement_on(tree, line) for line in bindings(situation.place.scope() or tree, name)]
    others = [each for each in found if not isinstance(each, ast.AugAssign)]
    if len(others) == 1 and isinstance(others[0], ast.Assign):
        return others[0] if isinstance(situation.evaluate(others[0].value), Tensor) else None
    return None
