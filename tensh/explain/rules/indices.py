"""Indices and dims."""

from tensh.explain.model import Explanation
from tensh.explain.rules.shared import operand, said


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
        "[]", (operand(t, marked),), f"indices of a dimension of size {size} are 0 to {size - 1}, or {-size} to -1"
    )


def too_many_indices(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    count = t.value.dim()
    return Explanation(
        "[]",
        (operand(t),),
        f"{said(t)} has {count} dimension{'s' * (count != 1)}: no more than {count} ind{'ices' if count != 1 else 'ex'}",
    )


def dim_range(call, text):
    """Dims count from 0, or from the end."""
    tensors = call.tensors
    if not tensors:
        return None
    t = tensors[0]
    count = t.value.dim()
    if not count:
        return Explanation(call.name, (operand(t),), f"{said(t)} is a single number: it has no dimensions")
    names = ", ".join(f"{d} (size {size})" for d, size in enumerate(t.value.shape))
    behind = f"{-count} to -1" if count > 1 else "-1"
    return Explanation(
        call.name,
        (operand(t),),
        f"{said(t)} has {count} dimension{'s' * (count > 1)}: dim is {names}, or {behind}",
    )
