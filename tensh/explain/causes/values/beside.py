"""Operators with a tensor on one side, and on the other a value that is none: a list, a text, None, a NumPy array."""

import ast

import numpy as np

from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.messages import broadcast_clash
from tensh.explain.causes.arguments.settings import is_number
from tensh.explain.model import Explanation
from tensh.explain.situation import explain_replacement, first_explanation, message_of, operand_of
from tensh.support.language import _
from tensh.support.patterns import pattern

SHAPES = pattern(r"could not be broadcast together with shapes \(([\d,]*)\) \(([\d,]*)\)")
MIXED = (
    "unsupported operand type",
    "not supported between instances",
    "only integer tensors of a single element can be converted to an index",
)
"""Parts of the messages about a value that an operator does not take beside a tensor."""


def explain_beside_tensor(situation, node):
    """Return the Explanation of the first kind that applies to `a + b` or `a < b`; None if none does."""
    match node:
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            return first_explanation(
                (
                    explain_number_beside_matrix,
                    explain_text_of_number,
                    explain_sequence_operand,
                    explain_other_operand,
                    explain_array_without_gradient,
                    explain_arrays_of_other_shapes,
                ),
                situation,
                (left, right),
            )
    return None


def explain_number_beside_matrix(situation, sides):
    """Explain `x @ 2`."""
    if not situation.says("unsupported operand type(s) for @"):
        return None
    for side, other in (sides, sides[::-1]):
        if type(value_of(situation, side)) in (int, float) and situation.tensor_of(other) is not None:
            rule = _("@ is for matrices and vectors; * multiplies by a number")
            product = situation.place.node()
            code = f"{ast.unparse(product.left)} * {ast.unparse(product.right)}"
            return explain_replacement(situation, "operator", rule, product, code)
    return None


def explain_text_of_number(situation, sides):
    """Explain `x * rate` and `x > "0.5"`, where a text holds the number."""
    for side, other in (sides, sides[::-1]):
        value = value_of(situation, side)
        if type(value) is not str or not is_number(value) or situation.tensor_of(other) is None:
            continue
        text, kind = ast.unparse(side), "int" if value.strip("+-").isdecimal() else "float"
        rule = _("{text} is a string; expected a number").format(text=text)
        new = value.strip() if isinstance(side, ast.Constant) else f"{kind}({text})"
        return explain_replacement(situation, "operator", rule, side, new)
    return None


def explain_sequence_operand(situation, sides):
    """Explain `[1.0, 2.0] - x` and `x > (1, 2)`."""
    if not any(map(situation.says, MIXED)):
        return None
    names = (each.id for side in sides for each in ast.walk(side) if isinstance(each, ast.Name))
    if any(isinstance(situation.names.get(name), Tensor) for name in names):
        return None  # the search explains these by shapes
    for side, other in (sides, sides[::-1]):
        values = value_of(situation, side)
        if type(values) not in (list, tuple) or situation.tensor_of(other) is None:
            continue
        text, kind = ast.unparse(side), type(values).__name__
        if any(type(each) is str for each in values):
            rule = _("{text} is a list of strings, but a tensor holds numbers").format(text=text)
            return Explanation("operator", (), rule)
        rule = _("{text} is a {kind}, not a tensor").format(text=text, kind=kind)
        made = ast.parse(f"torch.tensor({text})", mode="eval").body
        tried = [made if each is side else each for each in sides]
        if situation.evaluate(ast.BinOp(tried[0], ast.Add(), tried[1])) is None:  # its shape does not fit, either
            return Explanation("operator", (), rule)
        return explain_replacement(situation, "operator", rule, side, ast.unparse(made))
    return None


def explain_other_operand(situation, sides):
    """Explain `x + None`, `x / {1: 2}` and `x + "a"`."""
    if not any(map(situation.says, MIXED)):
        return None
    for side, other in (sides, sides[::-1]):
        is_none = isinstance(side, ast.Constant) and side.value is None
        kind = type(value_of(situation, side))
        tensor = situation.tensor_of(other)
        if not (is_none or kind in (str, dict, set)) or tensor is None:
            continue
        rule = _("{text} is a {kind}; expected a number or a tensor")
        if is_none:
            rule = _("None is not a number; expected a number or a tensor")
        elif kind is str:
            rule = _("{text} is a string; expected a number")
        rule = rule.format(text=ast.unparse(side), kind=kind.__name__)
        return Explanation("operator", (operand_of(ast.unparse(other), tensor),), rule)
    return None


def explain_array_without_gradient(situation, sides):
    """Explain `x + np.ones(3)` of a tensor that requires grad, which NumPy would compute."""
    if not situation.says("Can't call numpy() on Tensor that requires grad") and not any(map(situation.says, MIXED)):
        return None
    for side, other in (sides, sides[::-1]):
        tensor = situation.tensor_of(other)
        if is_array(situation, side) and tensor is not None and can_add(situation, sides):
            text, name = ast.unparse(side), ast.unparse(other)
            rule = _("{text} is a NumPy array, so NumPy computes the result, and it cannot record gradients")
            return explain_replacement(
                situation, "operator", rule.format(text=text), side, f"torch.from_numpy({text})",
                operands=(operand_of(name, tensor),),
            )  # fmt: skip
    return None


def explain_arrays_of_other_shapes(situation, sides):
    """Explain `x + a` of a NumPy array whose shape does not fit that of the other operand."""
    if not isinstance(situation.error, TypeError | ValueError):
        return None
    values = [value_of(situation, each) for each in sides]
    told = SHAPES.search(message_of(situation.error))
    if told:
        shapes = [tuple(map(int, filter(None, each.split(",")))) for each in told.groups()]
    elif all(isinstance(each, np.ndarray | Tensor) for each in values) and any(is_array(situation, s) for s in sides):
        shapes = [tuple(each.shape) for each in values]
    else:
        return None
    pairs = zip(shapes[0][::-1], shapes[1][::-1], strict=False)
    differ = next((pair for pair in pairs if pair[0] != pair[1] and 1 not in pair), None)
    if differ is None or isinstance(getattr(situation.place.node(), "op", None), ast.MatMult):
        return None
    rule = _("aligned from the right, sizes {one} and {two} differ, and neither is 1").format(
        one=differ[0], two=differ[1]
    )
    is_known = all(isinstance(each, np.ndarray | Tensor) for each in values)
    given = zip(sides, values, strict=True) if is_known else ()
    return Explanation("operator", tuple(operand_of(ast.unparse(side), value) for side, value in given), rule)


def can_add(situation, sides):
    """Return True unless the shapes of two operands are known, and do not broadcast."""
    shapes = [getattr(value_of(situation, each), "shape", None) for each in sides]
    return None in shapes or broadcast_clash(shapes) is None


def is_array(situation, node):
    """Return True for a NumPy array, also one that a call of NumPy makes: a stand-in for that is a tensor."""
    return isinstance(value_of(situation, node), np.ndarray) or ast.unparse(node).startswith(("np.", "numpy."))


def value_of(situation, node):
    """Return the value of an expression; None if it is unknown."""
    if isinstance(node, ast.Constant):
        return node.value
    value = situation.look_up(node)
    if value is None:
        value = situation.evaluate(node)
    if value is None and isinstance(node, ast.List | ast.Tuple | ast.Dict | ast.Set):
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError):
            return None
    return value
