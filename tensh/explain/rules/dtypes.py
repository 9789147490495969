"""Operands of one dtype, and of the right kind."""

import ast

from tensh.explain.model import Explanation
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.source.rewriting import set_keyword
from tensh.explain.trials.fixes import append_to_expression, change_call, each, fits, swap_operands
from tensh.support.language import _


def explain_dtypes(call, text):
    """Operands of one dtype."""
    if call.module is not None:
        return layer_dtype(call)
    if len(call.tensors) < 2:
        return explain_integer_dtype(call, text)
    a, b = call.tensors[:2] if len({str(t.value.dtype) for t in call.tensors[:2]}) > 1 else call.tensors[-2:]
    weight = call.argument("weight")
    # a score for each class, in a loss
    if weight in call.tensors and weight.value.dtype != call.tensors[0].value.dtype:
        a, b = call.tensors[0], weight
    kinds = [str(t.value.dtype).removeprefix("torch.") for t in (a, b)]
    if kinds[0] == kinds[1]:
        return None
    whole = [not (t.value.is_floating_point() or t.value.is_complex()) for t in (a, b)]
    change = {"float32": ".float()", "float64": ".double()", "int64": ".long()"}
    candidates = []
    if whole[1] or not whole[0] and kinds[1] == "float64":
        candidates += each(call, b, change.get(kinds[0], ".float()"))
    if whole[0] or not whole[1] and kinds[0] == "float64":
        candidates += each(call, a, change.get(kinds[1], ".float()"))
    candidates = candidates or [
        *each(call, b, change.get(kinds[0], ".float()")),
        *each(call, a, change.get(kinds[1], ".float()")),
    ]
    return Explanation(
        call.symbol, (operand(a), operand(b)), _("{symbol} expects tensors of one dtype, but {first} is {kind} and {second} is {other}").format(symbol=call.symbol, first=name_or_phrase(a, _("the first")), kind=kinds[0], second=name_or_phrase(b, _("the second")), other=kinds[1]),
        fits(call, candidates),
    )  # fmt: skip


def layer_dtype(call):
    """A layer computes in the dtype of its parameters."""
    weight = next(iter(call.module.parameters()), None)
    if weight is None or not call.tensors:
        return None
    a = call.tensors[0]
    kinds = [str(t.dtype).removeprefix("torch.") for t in (weight, a.value)]
    if kinds[0] == kinds[1]:
        return None
    change = {"float32": ".float()", "float64": ".double()", "float16": ".half()", "bfloat16": ".bfloat16()"}.get(
        kinds[0]
    )
    found = fits(call, each(call, a, change)) if change else ()
    return Explanation(
        call.symbol, (operand(a),), _("the parameters of {symbol} are {kind}, and {first} is {other}").format(symbol=call.symbol, kind=kinds[0], first=name_or_phrase(a, _("its input")), other=kinds[1]), found
    )  # fmt: skip


def explain_integers_require_grad(call, text):
    """Only floating point tensors can have gradients."""
    if call.name != "tensor":
        return None
    return Explanation(
        "tensor", (), _("only floating point numbers have derivatives, but these are whole numbers"),
        fits(call, [set_keyword(call.segment, "dtype", "torch.float32")]),
        _("write 1. instead of 1"),
    )  # fmt: skip


def explain_mask_in_arithmetic(call, text):
    """Masks are inverted by `~`, and counted as numbers."""
    mask = next((t for t in call.tensors if str(t.value.dtype).endswith("bool")), None)
    if mask is None or not mask.text:
        return None
    tree = ast.parse(call.segment.strip(), mode="eval").body
    code = append_to_expression(mask.text, "")
    is_turned = isinstance(tree, ast.UnaryOp) or isinstance(tree, ast.BinOp) and ast.unparse(tree.left) in ("1", "1.0")
    rule = _("{mask} is a mask: ~ inverts it, and as numbers it is zeros and ones").format(mask=name_or_phrase(mask))
    masks = [t for t in call.tensors if t.value.dtype == mask.value.dtype]
    if len(masks) == 2:  # a difference of two masks as numbers
        both = [change_call(call, dict.fromkeys(masks, ".float()"))]
        return Explanation(call.symbol, tuple(map(operand, masks)), rule, fits(call, both))
    return Explanation(
        call.symbol, (operand(mask),), rule, fits(call, [f"~{code}"] * is_turned + each(call, mask, ".float()"))
    )


def explain_integer_dtype(call, text):
    """Means and similar functions need floating point numbers."""
    if not call.tensors:
        return None
    t = call.tensors[0]
    kind = str(t.value.dtype).removeprefix("torch.")
    if t.value.is_floating_point():
        return None
    others = [swap_operands(call)] if len(call.tensors) > 1 and call.tensors[1].value.is_floating_point() else []
    return Explanation(
        call.symbol, (operand(t),), _("{symbol} is for floating point numbers, but {tensor} holds {kind}").format(symbol=call.symbol, tensor=name_or_phrase(t), kind=kind),
        fits(call, [*others, *each(call, t, ".float()")]),
    )  # fmt: skip
