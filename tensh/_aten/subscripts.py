"""Subscripts in parts, and what each part does to the dimensions: for calls of ``aten`` operators and for traces of them."""

import tensh as torch
from tensh.engine.core.tensor import Tensor

KNOWN = (int, slice, Tensor, type(None), type(Ellipsis))
WHOLE = slice(None)
"""A dimension that ``...`` stands for: this object, and none that a program wrote."""


def bool_mask(value):
    """Return True for a tensor of bools (or bytes), which indexes as many dimensions as it has."""
    return isinstance(value, Tensor) and value.dtype in (torch.bool, torch.uint8)


def count_dimensions(part):
    """Return the number of dimensions of the operand that a part of a subscript takes."""
    if part is None or part is Ellipsis:
        return 0
    return part.dim() if bool_mask(part) else 1


def expand_ellipsis(parts, ndim):
    """Return the parts of a subscript with whole dimensions in place of ``...``, or None if one of them is unknown."""
    if any(isinstance(each, bool) or not isinstance(each, KNOWN) for each in parts):
        return None
    at = next((place for place, each in enumerate(parts) if each is Ellipsis), None)
    if at is None:
        return parts
    missing = ndim - sum(map(count_dimensions, parts))
    return (*parts[:at], *(WHOLE,) * missing, *parts[at + 1 :])


def list_steps(parts):
    """Yield an operator, its dimension and the part for each part: the operators run one after the other.

    "index" stands for a tensor: all tensors index at once, after the other operators.
    """
    dim = 0
    for each in parts:
        if isinstance(each, int):
            yield "select", dim, each  # the dimension is gone afterwards
            continue
        yield "unsqueeze" if each is None else "index" if isinstance(each, Tensor) else "slice", dim, each
        dim += 1 if each is None else count_dimensions(each)


def list_indices(tensors):
    """Return index tensors (dimension -> tensor) as a list, with None for dimensions before the last that have none."""
    return [tensors.get(dim) for dim in range(max(tensors) + 1)] if tensors else []
