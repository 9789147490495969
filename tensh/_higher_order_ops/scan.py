"""A value that is carried along a dimension by a function of the user's own."""

import tensh as torch
from tensh._higher_order_ops.operators import HigherOrderOperator
from tensh.func.trees import flatten, leaves_of, map_leaves, unflatten
from tensh.switched_off import lookup

__all__ = ["on_leaves", "scan", "scan_op"]


def on_leaves(function, *examples):
    """Return a function of the leaves of its arguments, which have the structure of ``examples``; its result is a flat list.

    ``found.spec`` is the structure of the last result.
    """
    specs = [flatten(each)[1] for each in examples]
    counts = [len(leaves_of(each)) for each in examples]

    def flat(*given):
        parts, place = [], 0
        for spec, count in zip(specs, counts, strict=True):
            parts.append(unflatten(list(given[place : place + count]), spec))
            place += count
        leaves, flat.spec = flatten(function(*parts, *given[place:]))
        return leaves

    flat.__wrapped__ = function
    return flat


def scan(combine_fn, init, xs, *, dim=0, reverse=False):
    """Carry a value along ``dim``: ``carry, y = combine_fn(carry, x)``; return the last carry and all ``y``, stacked first.

    ``init`` and ``xs`` are tensors in any structure. Differentiable as ``combine_fn``.

    >>> import tensh as torch
    >>> from tensh._higher_order_ops.scan import scan
    >>> scan(lambda total, x: (total + x, total * x), torch.tensor(0.0), torch.arange(4.0))
    (tensor(6.), tensor([0., 0., 2., 9.]))
    """
    if dim:
        xs = map_leaves(lambda t: t.movedim(dim, 0), xs)
    if reverse:
        xs = map_leaves(lambda t: t.flip([0]), xs)
    carried, rows = leaves_of(init), leaves_of(xs)
    flat = on_leaves(combine_fn, init, xs)
    found = list(scan_op(flat, carried, rows, ()))
    if reverse:
        found[len(carried) :] = [each.flip([0]) for each in found[len(carried) :]]
    return unflatten(found, flat.spec)


def carry(function, carried, rows, additional):
    """Compute a scan over the first dimension of ``rows``: return the last carried values, and all others stacked."""
    made = []
    for place in range(len(rows[0])):
        found = list(function(*carried, *(each[place] for each in rows), *additional))
        carried, others = found[: len(carried)], found[len(carried) :]
        made.append(others)
    return [*carried, *(torch.stack(each) for each in zip(*made, strict=True))]


scan_op = HigherOrderOperator("scan", carry, ("scan_combine_graph",), rows=True)

__getattr__ = lookup("torch._higher_order_ops.scan")
