"""Trying a change of an earlier statement: the statements from there to the failure, evaluated on shapes only."""

import ast

from tensh.explain.trials.attempts import make_shadow, works
from tensh.explain.trials.trusted import Unknown


def works_after(situation, step, old, new, failed):
    """Return True if the failing code works on stand-ins once an earlier statement is changed; None if that is unknown.

    ``step`` is the SourceStep of the statement, ``old`` a node of it, ``new`` the code in its place.
    """
    shadow = make_shadow(situation.names, failed, *nodes_of(step))
    try:
        node = with_change(step.node, old, new)
        while step.parent is not None:
            shadow = shadow.bind_name(step.name, shadow.evaluate(node))
            step, node = step.parent, step.parent.node
    except Unknown:
        return None
    except Exception:  # an earlier statement fails
        return False
    return works(node, shadow)


def nodes_of(step):
    """Yield the expressions from a step to the failure."""
    while step is not None:
        yield step.node
        step = step.parent


def with_change(node, old, new):
    """Return an expression with other code in place of one of its nodes."""
    if node is old:
        return ast.parse(new, mode="eval").body
    return Change(old, new).visit(ast.parse(ast.unparse(node), mode="eval").body)


class Change(ast.NodeTransformer):
    """Replaces the first node that is written like a given one."""

    def __init__(self, old, new):
        self.text, self.new = ast.unparse(old), ast.parse(new, mode="eval").body

    def visit(self, node):
        if self.new is not None and isinstance(node, ast.expr) and ast.unparse(node) == self.text:
            found, self.new = self.new, None
            return found
        return self.generic_visit(node)
