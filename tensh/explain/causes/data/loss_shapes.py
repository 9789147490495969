"""Losses of an input and a target that must have one shape."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.situation import operand_of
from tensh.support.language import _

WORDS = ("Using a target size", "Target size (torch.Size")


def explain_loss_shapes(situation):
    """Explain an input and a target with different sizes, where no change of a single step makes them equal."""
    node = situation.place.node()
    if not isinstance(situation.error, ValueError) or not any(situation.says(words) for words in WORDS):
        return None
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return None
    values = [situation.tensor_of(each) for each in node.args[:2]]
    if not all(isinstance(each, Tensor) for each in values) or len({each.dim() for each in values}) > 1:
        return None
    texts = [*map(ast.unparse, node.args[:2])]
    dims = [dim for dim, sizes in enumerate(zip(*(each.shape for each in values), strict=True)) if len({*sizes}) > 1]
    given = tuple(operand_of(text, t)._replace(marked=frozenset(dims)) for text, t in zip(texts, values, strict=True))
    if len(dims) != 1:
        return None
    (dim,), (first, second) = dims, values
    rule = _("the loss compares number by number, but dim {dim} is {size} in {first} and {other} in {second}").format(
        dim=dim, size=first.shape[dim], first=texts[0], other=second.shape[dim], second=texts[1]
    )
    advice = _("make the last layer before {first} give {other} there, or use a target with {size}")
    advice = advice.format(first=texts[0], other=second.shape[dim], size=first.shape[dim])
    return Explanation("loss", given, rule, (), advice)
