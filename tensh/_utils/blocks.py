"""Tensors in one block of memory, as distributed training sends them."""

from collections import defaultdict

import tensh as torch


def _flatten_dense_tensors(tensors):
    """Concatenate all elements of tensors to a one-dimensional tensor."""
    return torch.cat([t.contiguous().view(-1) for t in tensors])


def _unflatten_dense_tensors(flat, tensors):
    """Return consecutive views of a flat tensor with the shapes of ``tensors``."""
    parts = flat.split([t.numel() for t in tensors])
    return tuple(part.view_as(t) for part, t in zip(parts, tensors))


def _reorder_tensors_as(tensors, ordered_tensors):
    """Reorder tensors so that their types follow each other as in ``ordered_tensors``."""
    by_type = defaultdict(list)
    for t in tensors:
        by_type[t.type()].append(t)
    rows = {kind: iter(row) for kind, row in by_type.items()}
    return tuple(next(rows[t.type()]) for t in ordered_tensors)


def _take_tensors(tensors, size_limit):
    """Group tensors of the same type, up to a size in bytes."""
    groups = defaultdict(lambda: [[], 0])
    for t in tensors:
        size = t.numel() * t.element_size()
        group = groups[t.type()]
        if group[0] and group[1] + size > size_limit:
            yield group[0]
            group = groups[t.type()] = [[], 0]
        group[0].append(t)
        group[1] += size
    yield from (group for group, _ in groups.values() if group)


def _element_size(dtype):
    """Return the bytes per element of a dtype."""
    return dtype.itemsize


def _handle_complex(tensor):
    """View a complex tensor as pairs of real numbers; return others unchanged."""
    return (
        torch.view_as_real(tensor)
        if not isinstance(tensor, torch.nn.UninitializedParameter) and tensor.is_complex()
        else tensor
    )
