"""Indices and dims."""

import ast
import re

from tensh.explain.model import Explanation
from tensh.explain.rewriting import indices
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.trying import fits


def index_range(call, text):
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
            "[]", (operand(t),), f"indices of a dimension of size n are 0 to n - 1, or -n to -1; the shape is {shape}"
        )
    marked = {dim} if dim < len(shape) and shape[dim] == size else {shape.index(size)} if size in shape else ()
    if not size:
        return Explanation("[]", (operand(t, marked),), f"dim {dim} is empty: it has no elements to index")
    return Explanation(
        "[]", (operand(t, marked),), f"indices of a dimension of size {size} are 0 to {size - 1}, or {-size} to -1",
        fits(call, [nearest(call, dim, size)]),
    )  # fmt: skip


def indices_of(call):
    """The argument that is the index, and the (text, span) of each index in it; None if that is not written out."""
    index = call.arguments[1] if len(call.arguments) > 1 else None
    if index is None or index.text is None or call.symbol != "[]":
        return None, None
    return index, indices(index.text)


def nearest(call, dim, size):
    """The call with the last index for one that is too large, the first for one too small, where it is a plain number."""
    index, parts = indices_of(call)
    if index is None or dim >= len(parts) or any(part in ("...", "None") for part, _ in parts[: dim + 1]):
        return None
    part, (start, end) = parts[dim]
    if not re.fullmatch(r"-?\d+", part):
        return None
    return call.rewritten({index: index.text[:start] + str(size - 1 if int(part) > 0 else 0) + index.text[end:]})


def too_many_indices(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    count = t.value.dim()
    return Explanation(
        "[]",
        (operand(t),),
        f"{name_or_phrase(t)} has {count} dimension{'s' * (count != 1)}: no more than {count} ind{'ices' if count != 1 else 'ex'}",
        fits(call, [fewer(call, count)]),
    )


def fewer(call, count):
    """The call with so many indices."""
    index, parts = indices_of(call)
    if index is None or not count or len(parts) <= count:
        return None
    return call.rewritten({index: index.text[: parts[count - 1][1][1]]})


def dim_range(call, text):
    """Dims count from 0, or from the end."""
    tensors = call.tensors
    if not tensors:
        return None
    t = tensors[0]
    count = t.value.dim()
    if not count:
        return Explanation(call.name, (operand(t),), f"{name_or_phrase(t)} is a single number: it has no dimensions")
    names = ", ".join(f"{d} (size {size})" for d, size in enumerate(t.value.shape))
    last = f"{-count} to -1" if count > 1 else "-1"
    has = f"{name_or_phrase(t)} has {count} dimension{'s' * (count > 1)}"
    expected = re.search(r"range of \[(-?\d+), (-?\d+)\], but got (-?\d+)", text)
    low, high, got = map(int, expected.groups()) if expected else (-count, count - 1, count)
    rule = f"{has}: dim is {names}, or {last}" if high == count - 1 else f"{has}: dim is from {low} to {high}"
    return Explanation(call.name, (operand(t),), rule, fits(call, [with_dim(call, got, high if got > high else low)]))


def with_dim(call, wrong, right):
    """The call with another dim, where the wrong one is a number that is written out and stands alone."""
    dims = [a for a in call.arguments if a.name.startswith("dim") and a.value == wrong and a.text]
    if len(dims) != 1 or not isinstance(ast.parse(dims[0].text, mode="eval").body, ast.Constant | ast.UnaryOp):
        return None
    if any(a.value in (right, right - call.tensors[0].value.dim()) for a in call.arguments if a.name.startswith("dim")):
        return None  # twice the same would do nothing
    return call.rewritten({dims[0]: str(max(right, 0))})
