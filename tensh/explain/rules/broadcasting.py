"""Shapes that do not broadcast."""

import itertools
import re

from tensh.explain.model import Explanation
from tensh.explain.rules.products import stacks
from tensh.explain.rules.shared import is_in_place, name_or_phrase, operand
from tensh.explain.trials.fixes import append_to_expression, each, fits
from tensh.support.language import _


def explain_broadcast(call, text):
    """Sizes, aligned from the right, must be equal or one of them 1."""
    if len(call.tensors) < 2:
        return None
    if call.symbol == "@" or call.name == "matmul":
        return stacks(call, *call.tensors[:2])
    a, b = find_clash(call.tensors)
    if a is None:
        return grown_in_place(call) if "doesn't match the broadcast shape" in text else None
    one, two = a.value.shape, b.value.shape
    dim = next(d for d in range(1, min(len(one), len(two)) + 1) if one[-d] != two[-d] and 1 not in (one[-d], two[-d]))
    told = re.search(r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", text)
    if told and {*map(int, told.groups())} != {one[-dim], two[-dim]}:
        return None  # values that were computed from these failed
    rule = _("aligned from the right, sizes {one} and {two} differ, and neither is 1").format(
        one=one[-dim], two=two[-dim]
    )
    larger = max(len(one), len(two))
    found = fits(call, list_corrections(call, a, b), wanted=lambda shape: len(shape) <= larger)
    if not found and call.symbol == "-" and len(one) == len(two) == 2 and dim == 2:  # each row minus each other row
        found = fits(call, [call.rewrite({a: append_to_expression(a.text, "[:, None]")})] if a.text else [])
    operands = operand(a, {len(one) - dim}), operand(b, {len(two) - dim})
    return Explanation(call.symbol, operands, rule, found, None if found else advise(call, a, b))


def list_corrections(call, a, b):
    """Return the calls in which one of two operands has another shape, the likeliest first."""
    one, two = a.value.shape, b.value.shape
    if is_loss(call):  # both need one shape: otherwise every element would be compared with every other
        ways = {".squeeze(-1)": (*two[:-1],) if two[-1:] == (1,) else None, ".unsqueeze(-1)": (*two, 1)}
        fitting = each(call, b, *(way for way, shape in ways.items() if shape == (*one,)))
        return fitting + (each(call, b, ".T") if (*one,) == (*reversed(two),) else [])
    scores, labels = (a, b) if len(one) > len(two) else (b, a)
    if call.symbol in ("==", "!=") and are_scores(scores.value, labels.value) and scores.text:
        return [call.rewrite({scores: append_to_expression(scores.text, ".argmax(1)")})]
    changes = ("[:, None]", ".T", ".mT", ".squeeze()", ".squeeze(-1)")
    product = [f"{a.text} @ {b.text}"] if call.symbol == "*" and a.text and b.text and len(one) == len(two) == 2 else []
    if is_in_place(call):  # the first operand keeps its shape
        return [*product, *align(call, b, one), *each(call, b, *changes)]
    aligned = [*align(call, b, one), *align(call, a, two)]
    changed = [*each(call, b, *changes), *each(call, a, *changes)]
    return [*product, *aligned, *changed, *first_rows(call, a, b), *first_rows(call, b, a)]


def advise(call, a, b):
    """Return the advice for two operands whose sizes no small correction makes fit."""
    if is_loss(call):
        advice = _("make the sizes of {first} and {second} there equal")
    else:
        advice = _("change the size of {first} or {second} there: make them equal, or one of them 1")
    return advice.format(first=name_or_phrase(a, _("the first")), second=name_or_phrase(b, _("the second")))


def are_scores(scores, labels):
    """Return True for scores and classes: [N, C] of floating point numbers and [N] of integers."""
    is_whole = not labels.is_floating_point() and not labels.is_complex()
    return scores.dim() == 2 and scores.is_floating_point() and is_whole and labels.shape == scores.shape[:1]


def align(call, argument, shape):
    """Return the call with an operand's dimensions aligned to equal sizes of a shape, followed by new dimensions."""
    own, found = tuple(argument.value.shape), []
    for start in range(len(shape) - len(own)):
        behind = len(shape) - len(own) - start
        if own and 1 not in own and own == tuple(shape[start : start + len(own)]) and argument.text:
            index = ", ".join([":"] * len(own) + ["None"] * behind)
            found.append(call.rewrite({argument: append_to_expression(argument.text, f"[{index}]")}))
    return found


def first_rows(call, table, batch):
    """Yield the call with as many rows of a table as a batch of sequences has steps, as for the encodings of positions."""
    own, shape = tuple(table.value.shape), tuple(batch.value.shape)
    has_batch = len(own) == len(shape) and own[0] == 1
    rows, width = own[has_batch:][:1], own[has_batch:][1:]
    is_batch = len(shape) == 3 and shape[0] > 1 and call.symbol == "+"  # differences may be those of pairs
    if not is_batch or len(width) != 1 or width != shape[2:] or rows[0] <= shape[1] or not table.text:
        return
    count = f"{batch.text}.size(1)" if (batch.text or "").isidentifier() else str(shape[1])
    index = f"[:, :{count}]" if has_batch else f"[:{count}]"
    yield call.rewrite({table: append_to_expression(table.text, index)})


def grown_in_place(call):
    """Explain a result with more elements than the tensor it is written into."""
    a, b = call.tensors[:2]
    symbol = call.symbol.removesuffix("=")
    rule = _(
        "an in-place operation keeps the shape of {first}, {one}, but the result with {two} has another one"
    ).format(first=name_or_phrase(a, _("the first")), one=[*a.value.shape], two=[*b.value.shape])
    candidates = [f"{a.text} = {a.text} {symbol} {b.text}"] if call.symbol.endswith("=") and a.text and b.text else []
    dims = range(b.value.dim() - a.value.dim())
    if a.value.shape == b.value.shape[len(dims) :] and len(dims) == 1 and b.text:
        candidates.append(call.rewrite({b: append_to_expression(b.text, ".sum(0)")}))
    return Explanation(call.symbol, (operand(a), operand(b)), rule, fits(call, candidates))


def is_loss(call):
    return call.name in LOSSES or call.name.endswith("_loss") or type(call.module).__name__.endswith("Loss")


LOSSES = frozenset("kl_div binary_cross_entropy binary_cross_entropy_with_logits".split())
"""Losses of one shape whose names do not say so."""


def find_clash(arguments):
    """Return the first two arguments whose shapes do not broadcast."""
    for a, b in itertools.combinations(arguments, 2):
        pairs = zip(reversed(a.value.shape), reversed(b.value.shape), strict=False)
        if any(m != n and 1 not in (m, n) for m, n in pairs):
            return a, b
    return None, None
