"""The history of a value in the source: the statements that assigned the names in an expression, followed backwards."""

import ast
from typing import NamedTuple

from tensh.engine.core.tensor import Tensor
from tensh.explain.source.pieces import names_in
from tensh.explain.source.place import iterate_scope
from tensh.explain.source.statements import find_assignment, find_tensor_assignment, place_of

MOST_FOLLOWED = 30  # statements


class SourceStep(NamedTuple):
    """An expression, its place, the name that it was assigned to, the step that uses it, and whether it is a list."""

    node: ast.expr
    place: object
    name: str | None = None
    parent: "SourceStep | None" = None
    is_list: bool = False


def follow(node, situation):
    """Yield an expression and those that assigned the names in it, each once, nearest first."""
    waiting, seen = [SourceStep(node, situation.place)], set()
    for followed in waiting:
        yield followed
        for name, made in statements_of(followed, situation):
            if made.lineno not in seen and len(waiting) < MOST_FOLLOWED:
                seen.add(made.lineno)
                is_list = isinstance(situation.names.get(name), list | tuple)
                place = place_of(situation.place, made)
                waiting.append(SourceStep(value_of(made, name), place, name, followed, is_list))


def statements_of(followed, situation):
    """Yield (name, statement) for each assignment of a name in an expression; for lists also what was appended."""
    tree = followed.place.tree()
    for name in sorted(names_in(ast.unparse(followed.node))):
        made = find_assignment(followed.place, name)
        statements = [made] if made is not None or tree is None else find_sums(tree, followed.place, name)
        for made in statements:
            if isinstance(made, ast.Assign | ast.AnnAssign | ast.AugAssign) and made.value is not None:
                yield name, made
        if tree is not None and type(situation.names.get(name)) is list:
            yield from ((name, statement) for statement in find_appends(tree, name))


def find_sums(tree, place, name):
    """Yield the statements of loops before a place that add to a name."""
    for node in iterate_scope(tree):
        match node:
            case ast.AugAssign(target=ast.Name(id=target)) if target == name and node.end_lineno < place.line:
                yield node


def find_appends(tree, name):
    """Yield the statements that append to a list."""
    for node in iterate_scope(tree):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append", value=ast.Name(id=owner)))) if owner == name:
                yield node


def value_of(statement, name):
    """Return the expression that a statement assigns to a name."""
    match statement:
        case ast.Expr(value=ast.Call(args=[value])):
            return value
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            return next((v for t, v in zip(targets, values, strict=True) if ast.unparse(t) == name), statement.value)
    return statement.value


def names_before(node, situation):
    """Return the names of floating point leaves from which an expression was computed, in order of assignment."""
    found = {}
    for followed in follow(node, situation):
        for name in names_in(ast.unparse(followed.node)):
            value = situation.names.get(name)
            is_leaf = issubclass(type(value), Tensor) and value.is_leaf and value.is_floating_point()
            made = find_tensor_assignment(situation, name) if is_leaf and name not in found.values() else None
            if made is not None and not is_made_of_tensors(made, situation):
                found[made.lineno] = name
    return [found[line] for line in sorted(found)]


def is_made_of_tensors(made, situation):
    """Return True if a statement computes its value from named tensors or lists of tensors."""
    values = [situation.names.get(name) for name in names_in(ast.unparse(made.value))]
    return any(
        issubclass(type(value), Tensor)
        or (type(value) in (list, tuple, dict) and any(isinstance(each, Tensor) for each in value))
        for value in values
    )
