"""Functions whose operands have a meaning that adding dimensions would violate."""

import re

from tensh.explain.model import Explanation, Fit
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.trials.fixes import fits
from tensh.support.language import _


def explain_point_sizes(call, text):
    """Distances are between points with the same number of coordinates."""
    if len(call.tensors) < 2:
        return None
    a, b = call.tensors[:2]
    rule = _("each row is a point: {first} has points with {one} coordinates, {second} with {two}").format(
        first=name_or_phrase(a), one=a.value.shape[-1], second=name_or_phrase(b), two=b.value.shape[-1]
    )
    marked = ({a.value.dim() - 1}, {b.value.dim() - 1})
    return Explanation(call.symbol, (operand(a, marked[0]), operand(b, marked[1])), rule)


def explain_divergence_dtype(call, text):
    """A divergence is between probabilities; class indices are for another loss."""
    if len(call.tensors) < 2:
        return None
    a, t = call.tensors[:2]
    rule = _("kl_div compares probabilities, but {target} holds classes, which are for cross_entropy").format(
        target=name_or_phrase(t)
    )
    code = call.segment.replace("kl_div(", "cross_entropy(", 1)
    found = fits(call, [code]) if t.value.dim() == a.value.dim() - 1 else ()
    return Explanation(call.symbol, (operand(a), operand(t)), rule, found)


def explain_fans(call, text):
    """Xavier and Kaiming initialisation is for weights, which have inputs and outputs."""
    if not call.tensors or not call.tensors[0].text:
        return None
    t = call.tensors[0]
    rule = _("{name} is for weights of two or more dimensions, but {tensor} has {count}").format(
        name=call.symbol, tensor=name_or_phrase(t), count=t.value.dim()
    )
    return Explanation(call.symbol, (operand(t),), rule, (Fit(call.segment.replace(call.symbol, "zeros_", 1)),))


def explain_padding(call, text):
    """Padding is a pair for each dimension, beginning with the last."""
    if not call.tensors:
        return None
    t, given = call.tensors[0], call.argument("pad")
    count = t.value.dim()
    rule = _("padding is two numbers for each dimension, starting with the last: at most {most} for {tensor}").format(
        most=2 * count, tensor=name_or_phrase(t)
    )
    code = None
    if given is not None and given.span and isinstance(given.value, tuple | list):
        code = call.rewrite({given: str(tuple(given.value[: 2 * count]))}) if len(given.value) % 2 == 0 else None
    return Explanation(call.symbol, (operand(t),), rule, fits(call, [code]))


def explain_xor(call, text):
    """Explain `^` is not a power in Python."""
    found = re.fullmatch(r"(.+?) *\^ *(.+)", call.segment, re.DOTALL) if call.symbol == "^" else None
    if not found or not call.tensors:
        return None
    rule = _("^ compares the bits of whole numbers; write ** for a power")
    return Explanation("^", tuple(map(operand, call.tensors)), rule, fits(call, [f"{found[1]} ** {found[2]}"]))
