"""Conditions on tensors with several elements, whose truth is ambiguous: choices, limits and membership."""

import ast

from tensh.explain.causes.situation import first_explanation, operand_of, replace_node
from tensh.explain.model import Explanation
from tensh.support.language import _

LIMITS = {"max": "min", "min": "max"}  # Python's functions -> the equivalent bound of clamp


def explain_condition(situation):
    """Return the Explanation of the first kind that applies."""
    path = situation.place.path()
    if not path or not situation.says("Boolean value of Tensor"):
        return None
    return first_explanation((choice, limit, member), situation, path)


def explanation(situation, rule, tensor, node, *codes):
    """Return the Explanation with a node replaced by each piece of code that works."""
    fits = tuple(
        fit
        for code in codes
        if situation.evaluate(ast.parse(code, mode="eval").body) is not None
        and (fit := replace_node(situation.place, node, code))
    )
    t = situation.tensor_of(tensor)
    return Explanation("bool", (operand_of(ast.unparse(tensor), t),), rule, fits) if fits else None


def choice(situation, path):
    """Explain `x if x > 0 else 0`, meant for each element."""
    test = path[-1]
    for node in path[:-1]:
        if isinstance(node, ast.IfExp) and node.test is test and situation.tensor_of(test) is not None:
            code = ", ".join(map(ast.unparse, (test, node.body, node.orelse)))
            rule = _("`if` tests once, but {text} has a value for each element: where chooses element by element")
            return explanation(situation, rule.format(text=ast.unparse(test)), test, node, f"torch.where({code})")
    return None


def limit(situation, path):
    """Explain `max(x, 0)` of a tensor and a number."""
    call = path[-1]
    if not isinstance(call, ast.Call) or len(call.args) != 2 or ast.unparse(call.func) not in LIMITS:
        return None
    tensors = [each for each in call.args if situation.tensor_of(each) is not None]
    if len(tensors) != 1:
        return None
    (tensor,) = tensors
    (number,) = (each for each in call.args if each is not tensor)
    name = ast.unparse(call.func)
    code = f"torch.clamp({ast.unparse(tensor)}, {LIMITS[name]}={ast.unparse(number)})"
    rule = _("Python's {name} compares the two once; to compare element by element, use torch.clamp").format(name=name)
    return explanation(situation, rule, tensor, call, code)


def member(situation, path):
    """Explain `x in [1, 2]`."""
    match path[-1]:
        case ast.Compare(left=tensor, ops=[ast.In()], comparators=[values]) if situation.tensor_of(tensor) is not None:
            given = ast.unparse(values)
            given = given if situation.tensor_of(values) is not None else f"torch.tensor({given})"
            code = f"torch.isin({ast.unparse(tensor)}, {given})"
            rule = _("`in` tests one value, but {text} has several: isin tests each").format(text=ast.unparse(tensor))
            return explanation(situation, rule, tensor, path[-1], f"{code}.all()", f"{code}.any()")
    return None
