"""Comparisons that Python evaluates to False: values with indices, and a tensor; a method, and anything."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.situation import look_up
from tensh.explain.source.place import FUNCTIONS, bindings, iterate_scope
from tensh.explain.source.replacing import replace_node
from tensh.support.language import _

GIVING_PAIRS = frozenset("max min sort topk kthvalue mode median cummax cummin".split())


def explain_compared_pair(situation):
    """Explain `(pred == t).sum()`, where pred is the result of `max(1)`."""
    if not isinstance(situation.error, AttributeError | TypeError) or not situation.says("'bool' object"):
        return None
    path = situation.place.path()
    for node in ast.walk(path[-1]) if path else ():
        if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq):
            continue
        other = situation.look_up(node.comparators[0])
        if isinstance(other, Tensor) and is_pair(situation.evaluate(node.left)):
            fit = replace_node(situation.place, node, write_indices(node, node.left))
            return Explanation("==", (), say_pair(ast.unparse(node.left)), (fit,)) if fit else None
    return None


def say_pair(name):
    return _("{name} is a pair of values and indices, which never equals a tensor in Python").format(name=name)


def read_comparison(node):
    """Return (name, other side) for `name == other`; None for other nodes."""
    match node:
        case ast.Compare(left=ast.Name() as left, ops=[ast.Eq()], comparators=[ast.Name() as right]):
            return left, right
        case ast.Compare(
            left=ast.Name() as left,
            ops=[ast.Eq()],
            comparators=[ast.Attribute() | ast.Subscript() | ast.Call() as right],
        ):
            return left, right
    return None


def is_pair(value):
    return isinstance(value, tuple) and getattr(type(value), "__match_args__", None) == ("values", "indices")


def write_indices(comparison, name):
    """Return the comparison with the pair's indices."""
    return ast.unparse(ast.Compare(ast.Attribute(name, "indices"), comparison.ops, comparison.comparators))


def find_compared_pair(tree, span, names):
    """Return (comparison, name of the pair, what was meant) within a span of lines; None if there is none.

    ``names`` are the values of top-level names; in functions the source tells what is a pair.
    """
    for scope in (tree, *(node for node in ast.walk(tree) if isinstance(node, FUNCTIONS))):
        for node in iterate_scope(scope):
            found = read_comparison(node) if span[0] <= getattr(node, "lineno", 0) <= span[1] else None
            if found and (is_pair(names.get(found[0].id)) if scope is tree else is_made_pair(scope, found[0].id)):
                return node, found[0].id, write_indices(node, found[0])
    return None


def is_made_pair(scope, name):
    """Return True if a function assigns a name once, to a pair of values and indices."""
    made = [
        node.value
        for node in iterate_scope(scope)
        if isinstance(node, ast.Assign) and any(isinstance(each, ast.Name) and each.id == name for each in node.targets)
    ]
    match made:
        case [ast.Call(func=ast.Attribute(value=ast.Name("torch"), attr=word), args=[_, ast.Constant(), *_])]:
            pass
        case [ast.Call(func=ast.Attribute(attr=word), keywords=[ast.keyword(arg="dim"), *_])]:
            pass  # NumPy arrays do not take this keyword
        case _:
            return False
    return word in GIVING_PAIRS and len(bindings(scope, name)) == 1


# ── methods ──────────────────────────────────────────────────────────────────
def find_compared_method(tree, span, names):
    """Return (comparison, method, what was meant) within a span of top-level lines; None if there is none."""
    for node in iterate_scope(tree):
        if not isinstance(node, ast.Compare) or not span[0] <= node.lineno <= span[1] or len(node.ops) != 1:
            continue
        sides = [node.left, *node.comparators]
        found = next((side for side in sides if is_method_of_tensor(side, names)), None)
        if found is None or not isinstance(node.ops[0], ast.Eq | ast.NotEq) or all(map(is_attribute, sides)):
            continue
        called = [ast.Call(side, [], []) if side is found else side for side in sides]
        return node, ast.unparse(found), ast.unparse(ast.Compare(called[0], node.ops, called[1:]))
    return None


def is_attribute(node):
    return isinstance(node, ast.Attribute)


def is_method_of_tensor(node, names):
    """Return True for `x.item` of a tensor: a method that was not called."""
    if not is_attribute(node) or not isinstance(look_up(node.value, names), Tensor):
        return False
    return callable(getattr(Tensor, node.attr, None))


def say_method(text):
    return _("{method} is a method that was not called, and equals nothing").format(method=text)
