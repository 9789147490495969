"""A function of one row at a time."""

from tensh._higher_order_ops.scan import slices, stack_slices
from tensh.switched_off import lookup

__all__ = ["map"]


def map(f, xs, *args):
    """Stack ``f(x, *args)`` for each ``x`` along the first dimension of the tensors in ``xs``.

    >>> import tensh as torch
    >>> from tensh._higher_order_ops.map import map
    >>> map(lambda row, bias: row.sum() + bias, torch.ones(2, 3), torch.tensor(1.0))
    tensor([4., 4.])
    """
    return stack_slices([f(x, *args) for x in slices(xs, 0, reverse=False)], 0, reverse=False)


__getattr__ = lookup("torch._higher_order_ops.map")
