"""One-hot vectors where classes or rows are counted."""

import ast

from tensh.explain.model import Explanation
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.trials.fixes import append_to_expression, fits
from tensh.support.language import _

MOST_READ = 1_000_000  # elements


def is_one_hot(t):
    """Return True if each row of a tensor along its last dimension is zeros and a single one."""
    if not t.dim() or t.shape[-1] < 2 or not 0 < t.numel() <= MOST_READ or t.is_complex() or t.is_meta:
        return False
    return bool((t.max(-1).values == 1).all() and (t.min(-1).values == 0).all() and ((t != 0).sum(-1) == 1).all())


def one_hot_rows(call, indices, count):
    """Explain one-hot vectors given to a table of ``count`` rows; None for other values."""
    t = indices.value
    if t.shape[-1:] != (count,) or not is_one_hot(t):
        return None
    rule = _("{indices} is one-hot, but an embedding expects the index of each 1: a number from 0 to {last}").format(
        indices=name_or_phrase(indices), last=count - 1
    )
    return Explanation(call.symbol, (operand(indices),), rule, fits(call, [take_places(call, indices)], most=1))


def explain_several_classes(call, text):
    """Explain targets with several classes for a row of scores: one-hot vectors, and others."""
    if len(call.tensors) < 2:
        return None
    scores, target = call.tensors[:2]
    if scores.value.dim() != 2 or target.value.dim() != 2 or 1 in target.value.shape:
        return None
    if scores.value.shape != target.value.shape or not is_one_hot(target.value):
        rule = _("{scores} has scores for one class of each row, but {target} has {count}").format(
            scores=name_or_phrase(scores), target=name_or_phrase(target, _("the target")), count=target.value.shape[1]
        )
        return Explanation(call.symbol, (operand(scores), operand(target, {1})), rule)
    rule = _("{target} is one-hot, but a target of classes holds the index of each 1").format(
        target=name_or_phrase(target, _("the target"))
    )
    code = take_places(call, target)
    return Explanation(call.symbol, (operand(scores), operand(target)), rule, fits(call, [code], most=1))


def take_places(call, argument):
    """Return the call with classes in place of one-hot vectors: those given to `one_hot`, or the places of the ones."""
    if not argument.text:
        return None
    return call.rewrite(
        {argument: given_to_one_hot(argument.text) or append_to_expression(argument.text, ".argmax(-1)")}
    )


def given_to_one_hot(text):
    """Return `y` for `F.one_hot(y, 10).float()`; None for other code."""
    node = ast.parse(text, mode="eval").body
    while isinstance(node, ast.Call):
        if ast.unparse(node.func).rpartition(".")[2] == "one_hot" and node.args:
            return ast.unparse(node.args[0])
        is_cast = isinstance(node.func, ast.Attribute) and node.func.attr in ("float", "long", "double", "to", "int")
        node = node.func.value if is_cast else None
    return None


def explain_one_hot_classes(call, text):
    """Classes of one_hot count from 0 up to its number of classes."""
    t = call.tensors[0] if call.tensors else None
    count = call.argument("num_classes")
    if t is None or count is None or type(count.value) is not int:
        return None
    got = int(t.value.max())
    rule = _("{count} classes are 0 to {last}, but {tensor} holds {got}").format(
        count=count.value, last=count.value - 1, tensor=name_or_phrase(t), got=got
    )
    return Explanation(
        call.symbol, (operand(t),), rule, (), _("count classes from 0, or num_classes={number}").format(number=got + 1)
    )


def explain_negative_classes(call, text):
    """Classes of one_hot count from 0: -1 mostly marks elements to be ignored."""
    t = call.tensors[0] if call.tensors else None
    if t is None:
        return None
    rule = _("classes are counted from 0, but {tensor} holds {got}").format(
        tensor=name_or_phrase(t), got=int(t.value.min())
    )
    name = t.text if t.text and t.text.isidentifier() else "y"
    advice = _("leave out what has no class: {name}[{name} >= 0]").format(name=name)
    return Explanation(call.symbol, (operand(t),), rule, (), advice)
