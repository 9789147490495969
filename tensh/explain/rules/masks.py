"""Masks of another shape or dtype than the scores that they belong to: of attention, and of masked_fill."""

import ast

from tensh.engine import find_public
from tensh.explain.model import Explanation
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.source.pieces import names_in
from tensh.explain.source.place import FUNCTIONS, bindings
from tensh.explain.trials.fixes import append_to_expression, fits
from tensh.support.language import _

FILLING = ("masked_fill", "masked_fill_")


def explain_mask_of_scores(call, text):
    """A mask that does not broadcast to the scores of queries and keys, or to what masked_fill fills."""
    if call.name == "scaled_dot_product_attention":
        query, key, mask = (call.argument(name) for name in ("query", "key", "attn_mask"))
        shapes = [getattr(each and each.value, "shape", None) for each in (query, key, mask)]
        if None in shapes or min(map(len, shapes)) < 2 or not broadcast(shapes[0][:-2], shapes[1][:-2]):
            return None
        scores, given, sizes = (*shapes[0][:-1], shapes[1][-2]), (query, key, mask), None
        rule = _("a mask has the shape of the scores, [..., queries, keys], here {shape}, but {mask} is {size}")
    elif call.name in FILLING and len(call.tensors) > 1:
        filled, mask = call.tensors[:2]
        scores, given = tuple(filled.value.shape), (filled, mask)
        sizes = filled.text if (filled.text or "").isidentifier() else None
        rule = _("a mask has the shape of what it fills, {shape}, or sizes of 1, but {mask} is {size}")
    else:
        return None
    if broadcast(scores, mask.value.shape):
        return None
    rule = rule.format(shape=list(scores), mask=name_or_phrase(mask, _("the mask")), size=list(mask.value.shape))
    texts = reshape_mask(mask, scores, sizes, is_made_in_function(call, mask.text)) if mask.text else ()
    candidates = [call.rewrite({mask: new}) for new in texts]
    return Explanation(call.symbol, tuple(map(operand, given)), rule, fits(call, candidates))


def is_made_in_function(call, text):
    """Return True if the function around a call assigns a name in some code."""
    scope = call.place.scope()
    return isinstance(scope, FUNCTIONS) and any(bindings(scope, name) for name in names_in(text))


def broadcast(scores, shape):
    """Return True if a shape broadcasts to the one of the scores."""
    pairs = zip(reversed(scores), reversed(shape), strict=False)
    return len(shape) <= len(scores) and all(m == n or n == 1 for m, n in pairs)


def reshape_mask(mask, scores, sizes, is_local):
    """The texts of a mask of the scores' shape: a part of a larger one, a mask of each sequence, the other way round.

    A mask that is ``is_local``, made in the function that uses it, is not larger on purpose.
    """
    shape, text = tuple(mask.value.shape), mask.text
    rows, columns = scores[-2:]
    is_larger = len(shape) > 1 and shape[-2] >= rows and shape[-1] >= columns
    if is_larger and (shape[-2], shape[-1]) != (rows, columns) and not is_local:
        ends = [f"{sizes}.size(-2)", f"{sizes}.size(-1)"] if sizes else [rows, columns]
        yield append_to_inner(text, f"[{'..., ' * (len(shape) > 2)}:{ends[0]}, :{ends[1]}]")
    if len(shape) == 2 and len(scores) > 2 and shape == (scores[0], columns):
        yield append_to_expression(text, f"[:, {'None, ' * (len(scores) - 2)}:]")
    if len(shape) == 3 and len(scores) == 4 and shape == (scores[0], rows, columns):
        yield append_to_expression(text, "[:, None]")
    if len(shape) > 1 and (shape[-1], shape[-2]) == (rows, columns):
        yield append_to_expression(text, ".mT" if len(shape) > 2 else ".T")


def append_to_inner(text, change):
    """An index after a mask; within a comparison (`mask == 0`) after what is compared."""
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.comparators[0], ast.Constant):
        node.left = ast.parse(append_to_expression(ast.unparse(node.left), change), mode="eval").body
        return ast.unparse(node)
    return append_to_expression(text, change)


def explain_whole_numbers_of_mask(call, text):
    """A mask of attention that holds 0 and 1: cast to bool it says what takes part, cast to float it would be added."""
    mask = call.argument("attn_mask")
    if mask is None or not mask.text or not hasattr(mask.value, "dtype"):
        return None
    name = name_or_phrase(mask, _("the mask"))
    rule = _("{mask} holds {dtype}: use a bool mask to select positions, or a floating point mask to add to the scores")
    rule = rule.format(mask=name, dtype=str(mask.value.dtype).removeprefix("torch."))
    if mask.value.dtype == find_public("bool") or mask.value.is_floating_point():
        return None
    found = fits(call, [call.rewrite({mask: append_to_expression(mask.text, ".bool()")})])
    return Explanation(call.symbol, (operand(mask),), rule, found)
