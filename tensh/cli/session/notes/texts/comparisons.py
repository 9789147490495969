"""The note on comparing [N] with [N, 1] to compute an accuracy, which broadcasts to [N, N]."""

import ast

from tensh.cli.session.failures.failure import place_of_node
from tensh.cli.session.notes.texts.losses import ON_PURPOSE
from tensh.engine.core.tensor import Tensor
from tensh.explain.source.place import iterate_scope
from tensh.support.language import _

COUNTING = frozenset({"mean", "sum"})
HARMLESS = frozenset("argmax round long int float double squeeze flatten detach cpu bool sigmoid softmax".split())
"""Methods that may be called again to learn a shape: they are fast and free of side effects."""
MOST_ELEMENTS = 1_000_000


def find_comparison(statement, namespace):
    """Return (place, message, advice) for a broadcast comparison in a top-level statement that has run, or None."""
    source = statement.source
    try:
        tree = ast.parse("\n" * (statement.first - 1) + "\n".join(source.lines[statement.first - 1 : statement.last]))
    except (SyntaxError, ValueError):
        return None
    for node in iterate_scope(tree):
        comparison = find_counted(node)
        if comparison is None:
            continue
        left, right = comparison.left, comparison.comparators[0]
        shapes = [shape_of(side, namespace) for side in (left, right)]
        if None in shapes or sorted(map(len, shapes)) != [1, 2] or shapes[0][:1] != shapes[1][:1] or shapes[0][0] < 2:
            continue
        column = (left, right)[len(shapes[1]) == 2]
        if shapes[(left, right).index(column)] != (shapes[0][0], 1) or is_column_on_purpose(column, source.text):
            continue
        sides = [squeeze_column(side) if side is column else side for side in (left, right)]
        fixed = ast.unparse(ast.Compare(sides[0], comparison.ops, sides[1:]))
        place = place_of_node(source, comparison)
        size = shapes[0][0]
        return (
            place,
            _(
                "{one} == {other} is {both}, every element of one compared with every element of the other: that is not an accuracy"
            ).format(one=[*shapes[0]], other=[*shapes[1]], both=[size, size]),
            fixed,
        )
    return None


def squeeze_column(column):
    """Return code that removes the second dimension of a column."""
    return ast.Call(ast.Attribute(column, "squeeze"), [ast.Constant(1)], [])


def find_counted(node):
    """Return the `==` comparison whose mean or sum a call computes; None if it computes none."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name("torch"), attr=word), args=[inner, *_]) if word in COUNTING:
            pass
        case ast.Call(func=ast.Attribute(value=inner, attr=word)) if word in COUNTING:
            pass
        case _:
            return None
    while isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
        inner = inner.func.value
    return (
        inner if isinstance(inner, ast.Compare) and isinstance(inner.ops[0], ast.Eq) and len(inner.ops) == 1 else None
    )


def shape_of(node, namespace):
    """Return the shape of one side of a comparison if it is a name or a harmless method of one, else None."""
    value = value_of(node, namespace)
    return tuple(value.shape) if isinstance(value, Tensor) else None


def value_of(node, namespace):
    match node:
        case ast.Name(name):
            value = namespace.get(name)
            return value if type(value) is Tensor and value.numel() <= MOST_ELEMENTS else None
        case ast.Call(func=ast.Attribute(value=owner, attr=method), args=args, keywords=options) if method in HARMLESS:
            tensor = value_of(owner, namespace)
            constants = [each.value for each in args if isinstance(each, ast.Constant)]
            named = {
                each.arg: each.value.value for each in options if each.arg and isinstance(each.value, ast.Constant)
            }
            if tensor is None or len(constants) < len(args) or len(named) < len(options):
                return None
            return getattr(tensor.detach(), method)(*constants, **named)
        case ast.Compare(left=owner, ops=[_], comparators=[ast.Constant(int() | float())]):
            return value_of(owner, namespace)
    return None


def is_column_on_purpose(column, text):
    """Return True if the source deliberately makes a name a column."""
    names = {node.id for node in ast.walk(column) if isinstance(node, ast.Name)}
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return any(
        isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id in names for target in node.targets)
        and any(word in ast.unparse(node.value) for word in ON_PURPOSE)
        for node in ast.walk(tree)
    )
