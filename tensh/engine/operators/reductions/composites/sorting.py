"""Sorting with PyTorch's overloads."""

from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.table import OR_THE_SAME
from tensh.engine.operators.reductions import sorting


@composite(out=True, apart=OR_THE_SAME)
def sort(input, dim=-1, descending=False, *, stable=None):
    """The elements in order along ``dim``, and their indices in the input: a named tuple ``(values, indices)``.

    nan comes after every number.  With ``stable``, equal elements keep their order.  Differentiable.  Shapes: both [*].

    >>> import tensh as torch
    >>> torch.tensor([3, 1, 2]).sort()
    torch.return_types.sort(
    values=tensor([1, 2, 3]),
    indices=tensor([1, 2, 0]))
    """
    if stable is None:
        return sorting.sort_dim.fn(input, dim, descending)
    return sorting.sort_stable.fn(input, dim, descending, stable)


@composite(out=True, apart=OR_THE_SAME)
def msort(input):
    """The elements in order along the first dimension.  Differentiable.  Shape: [*], kept.

    >>> import tensh as torch
    >>> torch.tensor([[3, 1], [2, 4]]).msort()
    tensor([[2, 1],
            [3, 4]])
    """
    return sorting.sort_dim.fn(input, 0, False)[0]
