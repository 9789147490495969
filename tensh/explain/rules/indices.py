"""Indices and dims."""

import ast
import re

from tensh.explain.model import Explanation, Fit
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.situation import operand_of
from tensh.explain.source.pieces import names_in
from tensh.explain.source.rewriting import indices
from tensh.explain.trials.fixes import append_to_expression, fits
from tensh.explain.trials.shadow import Shadow
from tensh.support.language import _


def explain_index_range(call, text):
    """Indices count from 0 up to one less than the size."""
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    shape = list(t.value.shape)
    words = text.split()
    try:
        dim = int(words[words.index("dimension") + 1])
        size = int(words[words.index("size") + 1])
    except (ValueError, IndexError):
        return Explanation(
            "[]",
            (operand(t),),
            _("indices of a dimension of size n are 0 to n - 1, or -n to -1; the shape is {shape}").format(shape=shape),
        )
    marked = {dim} if dim < len(shape) and shape[dim] == size else {shape.index(size)} if size in shape else ()
    if not size:
        return Explanation(
            "[]", (operand(t, marked),), _("dim {dim} is empty: it has no elements to index").format(dim=dim)
        )
    return Explanation(
        "[]", (operand(t, marked),), _("indices of a dimension of size {size} are 0 to {last}, or {first} to -1").format(size=size, last=size - 1, first=-size),
        fits(call, [nearest(call, dim, size), write_one_index(call)]),
    )  # fmt: skip


def write_one_index(call):
    """Rewrite `x[1:2][3]`, whose second index is of the first dimension again, to `x[1:2, 3]`; None for other code."""
    try:
        tree = ast.parse(call.segment.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    match tree:
        case ast.Subscript(value=ast.Subscript(value=owner, slice=ast.Slice() as first), slice=second):
            return f"{ast.unparse(owner)}[{ast.unparse(first)}, {ast.unparse(second).strip('()')}]"
    return None


def indices_of(call):
    """Return the argument that is the index, and (text, span) of each index in it; None if it is not literal."""
    index = call.arguments[1] if len(call.arguments) > 1 else None
    if index is None or index.text is None or call.symbol != "[]":
        return None, None
    return index, indices(index.text)


def nearest(call, dim, size):
    """Return the call with the last index in place of the size, or the first in place of one before it."""
    index, parts = indices_of(call)
    if index is None or dim >= len(parts) or any(part in ("...", "None") for part, _ in parts[: dim + 1]):
        return None
    part, (start, end) = parts[dim]
    if part not in (str(size), str(-size - 1)):
        return None
    return call.rewrite({index: index.text[:start] + str(size - 1 if int(part) > 0 else 0) + index.text[end:]})


def explain_too_many_indices(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    count = t.value.dim()
    mask = find_wide_mask(call)
    if mask is not None:
        text, value = mask
        rule = _("{mask} is a mask of {dims} dimensions, so it indexes as many of {tensor}").format(
            mask=text, dims=value.dim(), tensor=name_or_phrase(t)
        )
        return Explanation("[]", (operand(t), operand_of(text, value)), rule, fits(call, [without_slices(call)]))
    return Explanation(
        "[]",
        (operand(t),),
        (
            _("{tensor} has 1 dimension, so it takes at most 1 index")
            if count == 1
            else _("{tensor} has {count} dimensions, so it takes at most {count} indices")
        ).format(tensor=name_or_phrase(t), count=count),
        fits(call, [fewer(call, count)]),
    )


def explain_written_value(statement, shown, given, kind):
    """Explain `x[0] = "3"` and `x[0] = None`."""
    rule = _("only numbers and tensors can be written into a tensor, but this is {given}").format(given=given)
    part, value = ast.unparse(statement.targets[0]), getattr(statement.value, "value", None)
    try:
        code = f"{part} = {float(value):g}" if kind == "str" else None
    except (TypeError, ValueError):
        code = None
    return Explanation("[]", (shown,), rule, (Fit(code, "", statement.lineno),) if code else ())


def explain_written_list(call, text):
    """Explain `x[0] = [1, 2]`: a tensor takes a tensor or a single number."""
    t = call.arguments[0]
    statement = call.place.path()[0] if call.place.path() else None
    if not isinstance(statement, ast.Assign) or not hasattr(t.value, "shape"):
        return None
    part, given = ast.unparse(statement.targets[0]), ast.unparse(statement.value)
    kind = re.search(r"can't assign an? (\w+) to", text)
    if kind and kind[1] not in ("list", "tuple"):
        return explain_written_value(statement, operand(t), given, kind[1])
    rule = _("{given} is a list, but only a tensor can be written into {tensor}").format(
        given=given, tensor=name_or_phrase(t)
    )
    code = (
        f"torch.tensor({given}, dtype={t.text}.dtype)" if t.text and t.text.isidentifier() else f"torch.tensor({given})"
    )
    used = names_in(part) | names_in(given) | {"torch"}
    shadow = Shadow({}, {name: value for name, value in call.names.items() if name in used})
    try:
        place, value = shadow.value(part), shadow.value(f"torch.tensor({given})")
        place.clone().copy_(value)
    except Exception:  # the code of the program, on stand-ins
        return Explanation("[]", (operand(t),), rule)
    return Explanation("[]", (operand(t),), rule, (Fit(f"{part} = {code}", "", statement.lineno),))


def find_wide_mask(call):
    """Return (text, value) of the first index that is a mask of several dimensions; None if there is none."""
    _index, parts = indices_of(call)
    for text, _span in parts or ():
        try:
            value = call.shadow().value(text) if text != ":" else None
        except Exception:  # the code of the program, on stand-ins
            continue
        if str(getattr(value, "dtype", "")).endswith("bool") and value.dim() > 1:
            return text, value
    return None


def without_slices(call):
    """Return the call without `:` after its other indices."""
    index, parts = indices_of(call)
    kept = [text for text, _span in parts]
    while kept and kept[-1] == ":":
        kept.pop()
    return call.rewrite({index: ", ".join(kept)}) if kept and len(kept) < len(parts) else None


def fewer(call, count):
    """Return the call with that many indices."""
    index, parts = indices_of(call)
    if index is None or not count or len(parts) <= count:
        return None
    return call.rewrite({index: index.text[: parts[count - 1][1][1]]})


def explain_index_dims(call, text):
    """The index of gather and scatter has as many dimensions as the tensor."""
    index, dim = call.argument("index"), call.argument("dim")
    if index is None and len(call.arguments) > 2:  # for a function that selects along a dim: (tensor, dim, index, ...)
        dim, index = call.arguments[1:3]
    if index is None or dim is None or not index.text or type(dim.value) is not int or index not in call.tensors[1:]:
        return None
    t = call.tensors[0]
    given = t.value.dim() - index.value.dim()
    candidates = (
        [call.rewrite({index: append_to_expression(index.text, f".unsqueeze({dim.value})")})] if given == 1 else []
    )
    fitting = index.value.shape[:1] == t.value.shape[:1] or dim.value == 0
    return Explanation(
        call.name, (operand(t), operand(index)), (_("{index} has 1 dimension and {tensor} has {count}, but {name} expects an index with as many dimensions as the tensor") if index.value.dim() == 1 else _("{index} has {dims} dimensions and {tensor} has {count}, but {name} expects an index with as many dimensions as the tensor")).format(index=name_or_phrase(index), dims=index.value.dim(), tensor=name_or_phrase(t), count=t.value.dim(), name=call.symbol), fits(call, candidates if fitting else []),
        None if candidates and fitting else _("use an index with the dimensions of the tensor"),
    )  # fmt: skip


def explain_mask_of_numbers(call, text):
    """A mask of zeros and ones must be a bool tensor."""
    if len(call.tensors) < 2:
        return None
    t, mask = call.tensors[:2]
    values = mask.value
    if not values.is_floating_point() or tuple(values.shape) != tuple(t.value.shape[: values.dim()]) or not mask.text:
        return None
    if bool(((values != 0) & (values != 1)).any()):
        return None
    kind = str(values.dtype).removeprefix("torch.")
    code = call.rewrite({mask: append_to_expression(mask.text, ".bool()")})
    shape = ["n", *t.value.shape[values.dim() :]]  # the number depends on the values
    given = f"{list(t.value.shape)}, {list(values.shape)} -> [{', '.join(map(str, shape))}]"
    return Explanation(
        "[]", (operand(t), operand(mask)), _("{mask} holds {kind} zeros and ones, but a mask must be a bool tensor").format(mask=name_or_phrase(mask), kind=kind),
        (Fit(code, given),) if code else (), None,
    )  # fmt: skip


def explain_dim_range(call, text):
    """Dims count from 0, or from the end."""
    tensors = call.tensors
    if not tensors:
        return None
    t = tensors[0]
    count = t.value.dim()
    if not count:
        return Explanation(call.name, (operand(t),), describe_dims(name_or_phrase(t), t.value))
    expected = re.search(r"range of \[(-?\d+), (-?\d+)\], but got (-?\d+)", text)
    low, high, got = map(int, expected.groups()) if expected else (-count, count - 1, count)
    rule = describe_dims(name_or_phrase(t), t.value)
    if high != count - 1:
        has = count_dims(name_or_phrase(t), count)
        rule = _("{has}: dim must be from {low} to {high}").format(has=has, low=low, high=high)
        other = next((each for each in tensors[1:] if each.value.dim() == high + 1), None)
        if other is not None:  # `x.scatter_(1, index, row)`
            other_has = count_dims(name_or_phrase(other), high + 1)
            rule = _("{has}, but {other_has}: they need as many").format(has=has, other_has=other_has)
            return Explanation(call.name, (operand(t), operand(other)), rule)
    nearest = high if got > high else low
    if call.name == "squeeze" and call.segment.endswith(")") and t.text and 1 not in t.value.shape:
        return Explanation(
            call.name,
            (operand(t),),
            rule,
            fits(call, [append_to_expression(t.text, ""), replace_dim(call, got, nearest)]),
        )
    others = [d for d in range(high + 1) if d not in (nearest, nearest + count)]
    return Explanation(
        call.name, (operand(t),), rule, fits(call, [replace_dim(call, got, d) for d in (nearest, *others)], most=3)
    )


def describe_dims(name, tensor):
    """Tell which dims a tensor has: `x has 2 dimensions: dim must be 0 (size 2), 1 (size 3), or -2 to -1`."""
    count = tensor.dim()
    if not count:
        return _("{tensor} is a single number: it has no dimensions").format(tensor=name)
    names = ", ".join(_("{dim} (size {size})").format(dim=dim, size=size) for dim, size in enumerate(tensor.shape))
    last = _("{first} to -1").format(first=-count) if count > 1 else "-1"
    return _("{has}: dim must be {names}, or {last}").format(has=count_dims(name, count), names=names, last=last)


def count_dims(name, count):
    text = _("{tensor} has 1 dimension") if count == 1 else _("{tensor} has {count} dimensions")
    return text.format(tensor=name, count=count)


def replace_dim(call, wrong, right):
    """Return the call with another dim, if the wrong one is a literal that stands alone."""
    dims = [a for a in call.arguments if a.name.startswith("dim") and a.value == wrong and a.text]
    if len(dims) != 1 or not isinstance(ast.parse(dims[0].text, mode="eval").body, ast.Constant | ast.UnaryOp):
        return None
    if any(a.value in (right, right - call.tensors[0].value.dim()) for a in call.arguments if a.name.startswith("dim")):
        return None  # twice the same dim would have no effect
    return call.rewrite({dims[0]: str(max(right, 0))})


def explain_rows_and_columns(call, text):
    """Lists of rows and columns are paired element by element: a block takes one index after the other."""
    index, parts = indices_of(call)
    t = call.arguments[0]
    if index is None or len(parts) != 2 or not hasattr(t.value, "shape") or not t.text:
        return None
    rows, columns = (part for part, _ in parts)
    rule = _(
        "lists of indices are paired, one of {rows} with one of {columns}; select a block of rows and columns in two steps"
    )
    block = append_to_expression(t.text, f"[{rows}][:, {columns}]")
    return Explanation("[]", (operand(t),), rule.format(rows=rows, columns=columns), fits(call, [block], most=1))
