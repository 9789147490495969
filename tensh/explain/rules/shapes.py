"""Other shapes for the same elements."""

import ast
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.source.pieces import MODULES, is_module
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.rewriting import call_in, rename_called, replace_positional
from tensh.explain.source.statements import statement_on
from tensh.explain.trials.fixes import append_to_expression, change_call, fits
from tensh.support.language import _


def explain_reshape(call, text):
    """Explain a new shape with another number of elements."""
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    wanted = [a.value for a in call.arguments[1:]]
    wanted = list(wanted[0]) if len(wanted) == 1 and isinstance(wanted[0], list | tuple) else wanted
    if not all(isinstance(size, int) for size in wanted):
        return None
    known = 1
    for size in wanted:
        known *= size if size != -1 else 1
    count = t.value.numel()
    if wanted.count(-1) > 1:
        rule = _("only one size may be -1: it is computed from the others")
        places = [place for place, size in enumerate(wanted) if size == -1]
        others = [[size for p, size in enumerate(wanted) if p not in places or p == kept] for kept in places]
        return Explanation(
            call.name,
            (operand(t),),
            rule,
            fits(call, [*(resize_call(call, *sizes) for sizes in others), resize_call(call, -1)], most=1),
        )
    rule = (
        _("{tensor} has {count} elements, but {wanted} needs a multiple of {known}")
        if -1 in wanted
        else _("{tensor} has {count} elements, but {wanted} has {known}")
    ).format(tensor=name_or_phrase(t), count=count, wanted=wanted, known=known)
    is_row = len(wanted) == 1 and 1 < wanted[0] < count and count % wanted[0] == 0  # the features of one sample
    candidates = [resize_call(call, -1, *wanted) if is_row else resize_call(call, -1)] if len(wanted) == 1 else []
    if len(wanted) == 2 and wanted[0] == -1 and t.value.dim() > 1 and t.value.shape[-1] > 1:  # rows of another length
        candidates = [resize_call(call, -1, t.value.shape[-1])]
        if t.value.dim() > 3:  # images whose features are counted wrongly before the first linear layer
            candidates = [resize_call(call, f"{t.text}.size(0)", -1) if t.text else None, *candidates]
    if -1 not in wanted and len(wanted) > 1:
        own = [*t.value.shape, *[None] * len(wanted)]
        # these sizes are probably intended to stay
        places = sorted(range(len(wanted)), key=lambda d: wanted[d] == own[d])
        candidates = [resize_call(call, *wanted[:d], -1, *wanted[d + 1 :]) for d in places]
    return Explanation(call.name, (operand(t),), rule, fits(call, candidates, most=1))


def resize_call(call, *sizes):
    """Return the call with other sizes: `x.view(4, 2)`, or `torch.reshape(x, (4, 2))`."""
    tree = call_in(call.segment)
    if tree is None or not isinstance(tree.func, ast.Attribute):
        return None
    if not is_module(tree.func.value, MODULES):
        return replace_positional(call.segment, *sizes)
    if len(tree.args) != 2:
        return None
    return replace_positional(
        call.segment, ast.unparse(tree.args[0]), f"({', '.join(map(str, sizes))}{',' * (len(sizes) == 1)})"
    )


def explain_not_contiguous(call, text):
    """A view needs elements that are adjacent in memory."""
    t = call.arguments[0]
    rule = _("the elements of {tensor} are not in order in memory (it was transposed, or sliced)").format(
        tensor=name_or_phrase(t)
    )
    found = fits(call, [rename_called(call.segment, "reshape")])
    return Explanation(
        call.name, (operand(t),), rule, found, None if found else _("reshape, which copies if necessary")
    )


def explain_expand(call, text):
    """Only dimensions of size 1 can be expanded."""
    t = call.arguments[0]
    if call.symbol == "[]" or not hasattr(t.value, "shape"):
        return assigning(call, text)
    wanted = [list(a.value.shape) if isinstance(a.value, Tensor) else a.value for a in call.arguments[1:]]
    wanted = list(wanted[0]) if len(wanted) == 1 and isinstance(wanted[0], list | tuple) else wanted
    own = [1] * (len(wanted) - t.value.dim()) + list(t.value.shape)
    times = [size // max(have, 1) if size > 0 else 1 for size, have in zip(wanted, own, strict=False)]
    repeated = replace_positional(rename_called(call.segment, "repeat") or "", *times)
    behind = change_call(call, {t: "[:, None]"}) if t.value.dim() == len(wanted) - 1 else None
    return Explanation(
        call.name,
        (operand(t),),
        _("expand repeats only dimensions of size 1, and adds new ones in front"),
        fits(call, [behind, repeated], wanted=lambda shape: shape == wanted),
        _("to repeat others, use repeat or tile"),
    )


def assigning(call, text):
    """A value written into a part of a tensor has its shape, or one that broadcasts to it."""
    sizes = re.search(r"Target sizes: (\[[\d, ]*\])\.  Tensor sizes: (\[[\d, ]*\])", text)
    deeper = re.search(r"expand\([\w.]+\{(?P<given>\[[\d, ]*\])\}, size=(?P<wanted>\[[\d, ]*\])\)", text)
    t = call.arguments[0]
    if deeper and hasattr(t.value, "shape"):
        return assigning_more_dims(call, t, deeper)
    if sizes is None or not hasattr(t.value, "shape"):
        return None
    rule = _("{part} is {wanted}, but the value written there is {given}").format(
        part=call.segment, wanted=sizes[1], given=sizes[2]
    )
    return Explanation(
        "[]", (operand(t),), rule, (), _("use a value with the shape of the part, or one number for all of it")
    )


def assigning_more_dims(call, t, sizes):
    """A value has no more dimensions than the part that it is written into: `x[:, 0] = column`."""
    rule = _("{part} is {wanted}, but the value written there is {given}").format(
        part=call.segment, **sizes.groupdict()
    )
    wanted, given = (eval_sizes(sizes[name]) for name in ("wanted", "given"))
    tree = call.place.tree()
    made = statement_on(tree, call.place.line) if tree else None
    is_same = [n for n in given if n != 1] == [n for n in wanted if n != 1]
    fit = None
    if is_same and isinstance(made, ast.Assign) and len(made.targets) == 1:
        gone = [n for n, size in enumerate(given) if size == 1]
        change = f".squeeze({gone[0]})" if len(gone) == 1 else f".reshape({wanted})"
        fit = replace_node(call.place, made.value, append_to_expression(ast.unparse(made.value), change))
    advice = None if fit else _("use a value with the shape of the part, or one number for all of it")
    return Explanation("[]", (operand(t),), rule, (fit,) if fit else (), advice)


def eval_sizes(text):
    return [int(each) for each in re.findall(r"\d+", text)]
