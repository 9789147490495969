"""A value that is carried along a dimension by a function of the user's own."""

import tensh as torch
from tensh.func.trees import flatten, leaves_of, map_leaves, unflatten
from tensh.switched_off import lookup

__all__ = ["scan"]


def slices(xs, dim, reverse):
    """The tensors of ``xs`` at each place along ``dim``, in the order of the scan."""
    size = leaves_of(xs)[0].shape[dim]
    places = reversed(range(size)) if reverse else range(size)
    return [map_leaves(lambda t, n=n: t.select(dim, n), xs) for n in places]


def stack_slices(parts, dim, reverse):
    """Stack the results of all places along ``dim``."""
    parts = parts[::-1] if reverse else parts
    rows, spec = [leaves_of(each) for each in parts], flatten(parts[0])[1]
    return unflatten([torch.stack(column, dim) for column in zip(*rows, strict=True)], spec)


def scan(combine_fn, init, xs, *, dim=0, reverse=False):
    """Carry a value along ``dim``: ``carry, y = combine_fn(carry, x)``; return the last carry and all ``y``, stacked first.

    ``init`` and ``xs`` are tensors in any structure.

    >>> import tensh as torch
    >>> from tensh._higher_order_ops.scan import scan
    >>> scan(lambda total, x: (total + x, total * x), torch.tensor(0.0), torch.arange(4.0))
    (tensor(6.), tensor([0., 0., 2., 9.]))
    """
    carry, found = init, []
    for x in slices(xs, dim, reverse):
        carry, y = combine_fn(carry, x)
        found.append(y)
    return carry, stack_slices(found, 0, reverse)


__getattr__ = lookup("torch._higher_order_ops.scan")
