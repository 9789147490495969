"""torch._higher_order_ops.map: a function applied to each row, and its results stacked."""

import tensh as torch
from tensh._higher_order_ops.operators import HigherOrderOperator
from tensh._higher_order_ops.scan import on_leaves
from tensh.func.trees import leaves_of, unflatten
from tensh.switched_off import lookup

__all__ = ["map", "map_op"]


def map(f, xs, *args):
    """Stack ``f(x, *args)`` for each ``x`` along the first dimension of the tensors in ``xs``.  Differentiable if ``f`` is.

    >>> import tensh as torch
    >>> from tensh._higher_order_ops.map import map
    >>> map(lambda row, bias: row.sum() + bias, torch.ones(2, 3), torch.tensor(1.0))
    tensor([4., 4.])
    """
    flat = on_leaves(f, xs)
    return unflatten(list(map_op(flat, leaves_of(xs), args)), flat.spec)


def map_rows(function, rows, additional):
    """Compute a function of each row, and stack the results."""
    made = [function(*(each[place] for each in rows), *additional) for place in range(len(rows[0]))]
    return [torch.stack(each) for each in zip(*made, strict=True)]


map_op = HigherOrderOperator("map_impl", map_rows, ("body_graph",), rows=True)

__getattr__ = lookup("torch._higher_order_ops.map")
