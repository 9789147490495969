"""Marks on tensors that tell which of their sizes vary between the calls of a compiled function."""

from typing import NamedTuple


class _DimRange(NamedTuple):
    """The sizes of a dimension that is marked as dynamic."""

    dim: int
    min: object
    max: object


def mark(t, kind, index):
    """Add dimensions to the marks of one kind."""
    if not hasattr(t, kind):
        setattr(t, kind, set())
    getattr(t, kind).update(index if isinstance(index, (list, tuple)) else [index])
    t._has_dynamo_dim_marking = True


def mark_dynamic(t, index, *, hint_override=None, min=None, max=None, specialize_on=None):
    """Mark a size of a tensor, or several, as dynamic: a graph for a back end takes it as an input.

    A function whose graph fixes the size raises ConstraintViolationError. Graphs of tensh's own compiler have fixed sizes.

    >>> import tensh as torch
    >>> x = torch.ones(3, 2)
    >>> torch._dynamo.mark_dynamic(x, 0)
    >>> torch.compile(lambda x: x + 1, backend=lambda graph, inputs: print(*inputs[:1]) or graph)(x).shape
    s77
    torch.Size([3, 2])
    """
    mark(t, "_dynamo_dynamic_indices", index)
    ranges, options = t.__dict__.setdefault("_dynamo_dynamic_range", set()), t.__dict__.setdefault("_specialize_on", {})
    hints = t.__dict__.setdefault("_dynamo_hint_overrides", {})
    for each in index if isinstance(index, (list, tuple)) else [index]:
        ranges.add(_DimRange(each, min, max))
        options[each] = specialize_on or []
        if hint_override:
            hints[each] = hint_override


def maybe_mark_dynamic(t, index):
    """Mark a size of a tensor, or several, as dynamic, unless the function fixes it.

    >>> import tensh as torch
    >>> torch._dynamo.maybe_mark_dynamic(torch.ones(2, 3), 0)
    """
    mark(t, "_dynamo_weak_dynamic_indices", index)


def mark_unbacked(t, index, hint_override=None, strict=False, specialize_on=None):
    """Mark a size of a tensor, or several, as dynamic; tensh treats such a size as ``maybe_mark_dynamic`` does.

    >>> import tensh as torch
    >>> torch._dynamo.decorators.mark_unbacked(torch.ones(2, 3), 0)
    """
    mark(t, "_dynamo_unbacked_indices", index)


def mark_static(t, index=None):
    """Mark a size of a tensor, several, or all as static: each gets a graph. A module's class is left unchanged.

    >>> import tensh as torch
    >>> torch._dynamo.mark_static(torch.ones(2, 3), 0)
    """
    if isinstance(t, type):
        t._dynamo_marked_static = True
        return
    mark(t, "_dynamo_static_indices", list(range(t.dim())) if index is None else index)


def mark_static_address(t, guard=False):
    """Mark the address of a tensor as static, on which nothing depends here.

    >>> import tensh as torch
    >>> torch._dynamo.mark_static_address(torch.ones(2))
    """
    t._dynamo_static_input_type = "guarded" if guard else "unguarded"
