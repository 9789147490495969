"""Whole numbers that are floats since a line divides, or takes a part: `half = n / 2`, followed by `x[:half]`."""

import ast

from tensh.explain.model import Explanation
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import place_of
from tensh.explain.trials.attempts import make_shadow, works
from tensh.explain.trials.parsing import parse_statement
from tensh.support.language import _

WORDS = ("float", "slice indices must be integers", "positive integer value")


def explain_quotient(situation):
    """Explain a name whose value must be a whole number, by the division or product that made it a float."""
    path = situation.place.path()
    if not path or not isinstance(situation.error, TypeError | IndexError | ValueError) or not says_so(situation):
        return None
    for name in sorted({each.id for each in ast.walk(path[-1]) if isinstance(each, ast.Name)}):
        value, made = situation.names.get(name), situation.find_assignment(name)
        if type(value) is not float or not isinstance(made, ast.Assign) or len(made.targets) != 1:
            continue
        match made.value:
            case ast.BinOp(op=ast.Div(), left=left, right=right):
                whole = ast.unparse(ast.BinOp(left, ast.FloorDiv(), right))
                rule = _("{name} is {value}, a float, since `{code}` on line {line}: // gives whole numbers")
            case ast.BinOp(op=ast.Mult()) as product:
                whole = f"int({ast.unparse(product)})"
                rule = _("{name} is {value}, a float, since `{code}` on line {line}")
            case _:
                continue
        if fails_without(situation, path[-1], name, int(value)):
            continue
        fit = replace_node(place_of(situation.place, made), made.value, whole)
        rule = rule.format(name=name, value=value, code=ast.unparse(made), line=made.lineno)
        return Explanation("/", (), rule, (fit,) if fit else ())
    return None


def says_so(situation):
    """Return True if the message is about a float in place of a whole number."""
    return any(map(situation.says, WORDS))


def fails_without(situation, node, name, whole):
    """Return True if the failing code is known to fail with a whole number, too."""
    shadow = make_shadow(situation.names, node, others={name: whole})
    return works(parse_statement(ast.unparse(node)), shadow) is False
