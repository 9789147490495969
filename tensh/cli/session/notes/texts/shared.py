"""Functions that notes share: places in the source, names, and calls."""

import ast

from tensh.explain.source.place import Place
from tensh.support.language import _


def piece(place):
    """Convert a place for the explanations."""
    known = place.column is not None
    where = (place.line, place.column, place.end_line, place.end_column) if known else (place.line, 0, place.line, 0)
    return Place(place.source.text, *where)


def describe_change(node, code):
    """Write `line 4: total += loss.item()`."""
    return _("line {line}: {code}").format(line=node.lineno, code=code)


def is_optimizer(value):
    return hasattr(type(value), "zero_grad") and hasattr(value, "param_groups")


def name_of(value, names, default):
    """Return the name of a value, including attributes of self."""
    found = next((name for name, each in names.items() if each is value and not name.startswith("_")), None)
    if found is None and hasattr(names.get("self"), "__dict__"):
        found = next((f"self.{name}" for name, each in vars(names["self"]).items() if each is value), None)
    return found or default


def list_calls(place, *methods):
    """Return [(line, text of the owner)] for the calls of methods in the source of a place."""
    tree = piece(place).tree()
    return sorted(
        (node.lineno, ast.unparse(node.func.value)) for node in (ast.walk(tree) if tree else ())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in methods
    )  # fmt: skip


def find_uncalled(place, attribute):
    """Return `on line 4, call loss.backward()`; None if every mention is a call."""
    tree = piece(place).tree()
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Expr(value=ast.Attribute(attr=found)) if found == attribute:
                return _("on line {line}, call {code}()").format(line=node.lineno, code=ast.unparse(node))
    return None
