"""Arithmetic with PyTorch's overloads: alpha, rounding modes, reflected operators."""

from tensh.engine.table import METHODS, OPS, PUBLIC, Inplace, composite


@composite
def add(input, other, *, alpha=1, out=None):
    """Sum of ``input`` and ``alpha`` times ``other``.

    >>> import tensh as torch
    >>> torch.add(torch.tensor([1, 2]), 10, alpha=2)
    tensor([21, 22])
    """
    return OPS["add"].fn(input, other if alpha == 1 else other * alpha, out=out)
