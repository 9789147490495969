"""The former methods ``resize`` and ``resize_as``: the same elements in another size, with a warning."""

from tensh.engine.autograd.custom import Function
from tensh.engine.errors.warnings import warn
from tensh.engine.operators.forms import method


class Resize(Function):
    """A change of the size, whose gradient gets the former one."""

    @staticmethod
    def forward(ctx, tensor, sizes):
        count = multiply_sizes(sizes)
        if tensor.numel() != count:
            wanted, own = ("x".join(map(str, each)) for each in (sizes, tensor.size()))
            raise RuntimeError(
                f"requested resize to {wanted} ({count} elements in total), but the given tensor has a size of {own} "
                f"({tensor.numel()} elements). autograd's resize can only change the shape of a given tensor, while "
                "preserving the number of elements. "
            )
        ctx.sizes = tensor.size()
        return tensor.contiguous().view(*sizes)

    @staticmethod
    def backward(ctx, g):
        return g.contiguous().view(ctx.sizes), None


def multiply_sizes(sizes):
    """Return the number of elements; a single size of any type is the number itself, as PyTorch's message shows it."""
    count = 1
    for i, size in enumerate(sizes):
        count = count * size if i else size
    return count


@method
def resize(self, *sizes):
    """Return the same elements in another size; ``reshape`` is preferred.  Differentiable, a view where possible.

    Shape: [*] to the given sizes.  Raise RuntimeError for another number of elements.

    >>> import tensh as torch
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.arange(4).resize(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    warn("non-inplace resize is deprecated")
    return Resize.apply(self, sizes)


@method
def resize_as(self, tensor):
    """Return the same elements in the size of another tensor, as a view where possible.  Differentiable.

    Shape: [*] to that of ``tensor``.  Raise RuntimeError for another number of elements.

    >>> import tensh as torch
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.arange(4).resize_as(torch.ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    warn("non-inplace resize_as is deprecated")
    return Resize.apply(self, tensor.size())
