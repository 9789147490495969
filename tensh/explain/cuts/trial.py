"""Cuts found by trial: an operation that takes a value that requires grad and returns one that does not."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.cuts.cut import Cut, requires_grad
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.attempts import try_value
from tensh.support.language import _

CASTS = ("int", "long", "short", "round", "floor", "ceil", "sign")


def find_cut_by_trial(node, followed, shadow):
    """Return the Cut of an operation that takes a value that requires grad and returns one that does not."""
    if isinstance(node, ast.Name | ast.Constant):
        return None
    if requires_grad(node, shadow) is not False and not is_leaf_of_numbers(node):
        return None
    inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
    inner += [node.func.value] if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else []
    if not any(requires_grad(each, shadow) for each in inner):
        return None
    result = shadow.evaluate(node)
    text = ast.unparse(node)
    if not isinstance(result, Tensor):
        return None
    kind = str(result.dtype).removeprefix("torch.")
    fits = restore_history(node, followed, shadow)
    if is_tensor_of_numbers(node):
        sentence = _("has no history: `{code}` on line {line} creates a new tensor from the numbers only")
    elif result.is_floating_point():
        sentence = _("has no history: `{code}` on line {line} has no derivative")
    else:
        sentence = _("has no history: `{code}` on line {line} returns {kind}, which has no derivative")
    sentence = sentence.format(code=text, line=followed.place.line, kind=kind)
    return Cut(sentence, fits, None if fits else advice_for(result))


def is_tensor_of_numbers(node):
    return isinstance(node, ast.Call) and ast.unparse(node.func) in (
        "torch.tensor",
        "torch.Tensor",
        "torch.FloatTensor",
    )


def is_leaf_of_numbers(node):
    """Return True for `torch.tensor(loss, requires_grad=True)`, a leaf without the history of the loss."""
    return is_tensor_of_numbers(node) and any(each.arg == "requires_grad" for each in node.keywords)


def restore_history(node, followed, shadow):
    """Return the Fit without a cast to integers, or with `torch.stack` for `torch.tensor`; () for other cuts."""
    match node:
        case ast.Call(func=ast.Attribute(attr=word, value=owner), args=[]) if word in CASTS:
            while isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute) and owner.func.attr in CASTS:
                owner = owner.func.value  # `x.round().long()`
            fit = replace_node(followed.place, node, ast.unparse(owner))
        case ast.Call(args=[given]) if is_tensor_of_numbers(node):
            value = try_value(given, shadow)
            if isinstance(value, Tensor):
                new = ast.unparse(given)
            elif type(value) in (list, tuple) and value and all(isinstance(each, Tensor) for each in value):
                new = f"torch.stack({ast.unparse(given)})"
            else:
                return ()
            fit = replace_node(followed.place, node, new)
        case _:
            return ()
    return (fit,) if fit else ()


def advice_for(result):
    """Suggest another value to compute the loss from."""
    if str(result.dtype) == "torch.bool":
        return _("use a loss of the values themselves (F.mse_loss, F.cross_entropy), not of a comparison")
    if result.is_floating_point():
        return None
    return _("use a loss of the scores themselves, such as F.cross_entropy(scores, classes)")
