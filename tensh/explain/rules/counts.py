"""Counts and sizes for parts of a dimension: `split`, `repeat_interleave`."""

import ast
import re

from tensh.explain.model import Explanation
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.source.rewriting import elements, replace_spans, set_keyword
from tensh.explain.trials.fixes import append_to_expression, each, fits
from tensh.support.language import _


def explain_parts_of_split(call, text):
    """The sizes of the parts add up to the dimension."""
    found = re.search(r"sum exactly to (\d+) \(input tensor's size at dimension (-?\d+)\)", text)
    t, sizes = call.arguments[0], call.argument("split_size", "split_size_or_sections", "split_sizes")
    values = sizes.value if sizes is not None else None
    if found is None or not isinstance(values, list | tuple) or not all(type(each) is int for each in values):
        return None
    size, dim = int(found[1]), int(found[2])
    rule = _("dim {dim} of {tensor} has size {size}, but the parts add up to {sum}").format(
        dim=dim, tensor=name_or_phrase(t), size=size, sum=sum(values)
    )
    other = [d for d, each in enumerate(t.value.shape) if each == sum(values)]
    kept = values if count_names(call.place) == len(values) + 1 else values[:-1]
    last = size - sum(kept)
    candidates = [*(with_dim(call, d) for d in other), with_last(call, sizes, [*kept, last]) if last > 0 else None]
    advice = _("compute the last part from the others: {size} - ...").format(
        size=append_to_expression(t.text or "x", f".size({dim})")
    )
    made = fits(call, candidates, most=1)
    return Explanation(call.name, (operand(t, {dim}),), rule, made, None if made else advice)


def count_names(place):
    """Return the number of names that a line unpacks a value into; None if it does not."""
    tree = place.tree()
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)]) if node.lineno == place.line:
                return len(names)
    return None


def with_last(call, sizes, values):
    """Return the call with sizes that add up; None if they are not literal."""
    written = elements(sizes.text) if sizes.text else None
    if not written or not isinstance(ast.parse(written[-1][0], mode="eval").body, ast.Constant):
        return None
    last = ", ".join(map(str, values[len(written) - 1 :]))
    return call.rewrite({sizes: replace_spans(sizes.text, {written[-1][1]: last})})


def with_dim(call, dim):
    """Return the call along another dimension."""
    given = call.argument("dim")
    if given is not None and given.text:
        return call.rewrite({given: str(dim)})
    return set_keyword(call.segment, "dim", str(dim))


def explain_counts_of_rows(call, text):
    """One count, or one for each element along a dimension."""
    t, counts = call.arguments[0], call.argument("repeats")
    if counts is None or counts is t or not hasattr(t.value, "shape") or not hasattr(counts.value, "shape"):
        return None
    if "negative" in text:
        rule = _("a count tells how often an element is repeated: 0 omits it")
        return Explanation(call.name, (operand(t), operand(counts)), rule)
    found = re.search(r"repeats.size\(0\) = (\d+) and input.size\((-?\d+)\) = (\d+)", text)
    if found is None:
        rule = _("counts must be whole numbers, but {counts} holds {dtype}")
        rule = rule.format(counts=name_or_phrase(counts), dtype=operand(counts).dtype)
        return Explanation(call.name, (operand(t), operand(counts)), rule, fits(call, each(call, counts, ".long()")))
    given, dim, size = map(int, found.groups())
    rule = _("{counts} has {given}, but {tensor} has {size} to repeat along dim {dim}").format(
        counts=name_or_phrase(counts, _("the counts")), given=given, tensor=name_or_phrase(t), size=size, dim=dim
    )
    if not (call.argument("dim") is not None and call.argument("dim").value is not None):
        rule = _("{counts} has {given}, but {tensor} has {size} elements to repeat when no dim is given").format(
            counts=name_or_phrase(counts, _("the counts")), given=given, tensor=name_or_phrase(t), size=size
        )
    others = [with_dim(call, d) for d, each in enumerate(t.value.shape) if each == given]
    made = fits(call, others)
    advice = None if made else _("pass one count for all, or one for each")
    return Explanation(call.name, (operand(t), operand(counts)), rule, made, advice)
