"""Running values along a dimension, by an associative function of the user's own."""

from tensh._higher_order_ops.scan import slices, stack_slices
from tensh.switched_off import lookup

__all__ = ["associative_scan"]


def associative_scan(combine_fn, xs, dim, reverse=False, combine_mode="pointwise"):
    """Running values of ``combine_fn(left, right)`` along ``dim``, of tensors in any structure.

    >>> import tensh as torch
    >>> from tensh._higher_order_ops import associative_scan
    >>> associative_scan(torch.mul, torch.arange(1.0, 5.0), 0)
    tensor([ 1.,  2.,  6., 24.])
    """
    first, *rest = slices(xs, dim, reverse)
    found = [first]
    for x in rest:
        found.append(combine_fn(found[-1], x))
    return stack_slices(found, dim, reverse)


__getattr__ = lookup("torch._higher_order_ops.associative_scan")
