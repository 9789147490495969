"""Distributions: sample sizes, and parameters given as lists."""

import ast
import inspect

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.situation import replace_node
from tensh.explain.model import Explanation
from tensh.explain.shadow import is_from
from tensh.support.language import _

SAMPLES = ("sample", "rsample")


def explain_distribution(situation):
    """Return the Explanation of the first kind that applies."""
    path = situation.place.path()
    node = path[-1] if path else None
    return (
        (
            size_of_sample(situation, node)
            or list_for_parameter(situation, node)
            or scores_for_probabilities(situation, node)
        )
        if isinstance(node, ast.Call)
        else None
    )


def size_of_sample(situation, node):
    """Explain `d.sample(5)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr=word), args=[size], keywords=[]) if word in SAMPLES:
            if situation.says("'int' object is not iterable") and type(situation.evaluate(size)) is int:
                text = ast.unparse(size)
                rule = _("{text} is a number, but a size must be a tuple").format(text=text)
                fit = replace_node(situation.place, size, f"({text},)")
                return Explanation(word, (), rule, (fit,)) if fit else None
    return None


def list_for_parameter(situation, node):
    """Explain `Categorical([0.2, 0.8])`."""
    kind = situation.look_up(node.func)
    if not isinstance(kind, type) or not is_from(kind, "distributions") or not situation.says("'list' object has no"):
        return None
    for each in (*node.args, *(keyword.value for keyword in node.keywords)):
        value = situation.evaluate(each)
        if type(value) is list:
            text = ast.unparse(each)
            rule = _("{text} is a {kind}, not a tensor").format(text=text, kind="list")
            fit = replace_node(situation.place, each, f"torch.tensor({text})")
            return Explanation(kind.__name__, (), rule, (fit,)) if fit else None
    return None


def scores_for_probabilities(situation, node):
    """Explain `Categorical(net(x))`: outputs before a softmax are logits."""
    kind = situation.look_up(node.func)
    if (
        not isinstance(kind, type)
        or not is_from(kind, "distributions")
        or not situation.says("Expected parameter probs")
    ):
        return None
    names = [*inspect.signature(kind.__init__).parameters][1:]
    position = names.index("probs") if {"probs", "logits"} <= {*names} else len(node.args)
    given = node.args[position] if position < len(node.args) else None
    value = situation.look_up(given) if given is not None else None
    if given is None or isinstance(value, Tensor) and not bool(value.isfinite().all()):
        return None
    text, named = ast.unparse(given), [ast.unparse(each) for each in node.keywords]
    before, behind = [*map(ast.unparse, node.args[:position])], node.args[position + 1 :]
    rule = _("{text} holds numbers that are not probabilities: pass scores of any size as logits").format(text=text)
    code = f"{ast.unparse(node.func)}({', '.join([*before, f'logits={text}', *named])})"
    fit = replace_node(situation.place, node, code) if not behind else None
    return Explanation(kind.__name__, (), rule, (fit,) if fit else ())
