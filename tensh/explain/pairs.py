"""Pairs of values and indices that are compared with a tensor: Python answers False at once."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.situation import replace_node
from tensh.explain.model import Explanation
from tensh.explain.place import FUNCTIONS, bindings, iterate_scope
from tensh.language import _

GIVING_PAIRS = frozenset("max min sort topk kthvalue mode median cummax cummin".split())


def explain_compared_pair(situation):
    """`(pred == t).sum()`, where pred is what `max(1)` gave."""
    if not isinstance(situation.error, AttributeError | TypeError) or not situation.says("'bool' object"):
        return None
    path = situation.place.path()
    for node in ast.walk(path[-1]) if path else ():
        found = read_comparison(node)
        pair = situation.names.get(found[0].id) if found else None
        if is_pair(pair) and isinstance(situation.look_up(found[1]), Tensor):
            fit = replace_node(situation.place, node, write_indices(node, found[0]))
            return Explanation("==", (), say_pair(found[0].id), (fit,)) if fit else None
    return None


def say_pair(name):
    return _("{name} is a pair of values and indices, and Python says of a pair and a tensor that they differ").format(
        name=name
    )


def read_comparison(node):
    """(name, the other side) of `name == other`, whichever side the name is on; None of anything else."""
    match node:
        case ast.Compare(left=ast.Name() as left, ops=[ast.Eq()], comparators=[ast.Name() as right]):
            return left, right
        case ast.Compare(
            left=ast.Name() as left, ops=[ast.Eq()], comparators=[ast.Attribute() | ast.Subscript() as right]
        ):
            return left, right
    return None


def is_pair(value):
    return isinstance(value, tuple) and getattr(type(value), "__match_args__", None) == ("values", "indices")


def write_indices(comparison, name):
    """The comparison with the indices in place of the pair."""
    return ast.unparse(ast.Compare(ast.Attribute(name, "indices"), comparison.ops, comparison.comparators))


def find_compared_pair(tree, span, names):
    """(the comparison, the name of the pair, what was meant) within a span of lines; None if there is none.

    ``names`` has the values of names at the top level; in functions the source says what is a pair.
    """
    for scope in (tree, *(node for node in ast.walk(tree) if isinstance(node, FUNCTIONS))):
        for node in iterate_scope(scope):
            found = read_comparison(node) if span[0] <= getattr(node, "lineno", 0) <= span[1] else None
            if found and (is_pair(names.get(found[0].id)) if scope is tree else is_made_pair(scope, found[0].id)):
                return node, found[0].id, write_indices(node, found[0])
    return None


def is_made_pair(scope, name):
    """True if a function gives a name one value alone, a pair of values and indices."""
    made = [
        node.value
        for node in iterate_scope(scope)
        if isinstance(node, ast.Assign) and any(isinstance(each, ast.Name) and each.id == name for each in node.targets)
    ]
    match made:
        case [ast.Call(func=ast.Attribute(value=ast.Name("torch"), attr=word), args=[_, ast.Constant(), *_])]:
            pass
        case [ast.Call(func=ast.Attribute(attr=word), keywords=[ast.keyword(arg="dim"), *_])]:
            pass  # which arrays of NumPy do not take
        case _:
            return False
    return word in GIVING_PAIRS and len(bindings(scope, name)) == 1
