"""Functions along a dimension of the elements that a mask selects; the result has the shape of the input.

Each takes a tensor or a MaskedTensor; ``mask`` is broadcast to the shape of the input, and None selects all elements;
``dtype`` is the dtype to which the input is converted first. Raise IndexError for a missing dimension, and for a mask
with more dimensions than the input.
"""

import tensh as torch
from tensh.masked.masks import fill_extreme, fill_unchosen, list_dims, separate_mask
from tensh.masked.reductions import norm
from tensh.masked.sparse import require_layout


def prepare(input, dim, mask, dtype):
    """Return (elements, mask or None, dimension)."""
    input, mask = separate_mask(input, mask)
    (dim, *_) = list_dims(dim, input.ndim) or (0,)
    return input if dtype is None else input.to(dtype), mask, dim


@require_layout("softmax")
def softmax(input, dim, *, dtype=None, mask=None):
    """Return the softmax of the selected elements along ``dim``, 0 for others; NaN if none is selected. Differentiable.

    >>> import tensh as torch
    >>> torch.masked.softmax(torch.zeros(3), 0, mask=torch.tensor([True, False, True]))
    tensor([0.5000, 0.0000, 0.5000])
    """
    input, mask, dim = prepare(input, dim, mask, dtype)
    return torch.nn.functional.softmax(fill_extreme(input, mask, "amax"), dim)


@require_layout("log_softmax")
def log_softmax(input, dim, *, dtype=None, mask=None):
    """Return the logarithm of ``softmax``: -inf for elements that are not selected. Differentiable.

    >>> import tensh as torch
    >>> torch.masked.log_softmax(torch.zeros(3), 0, mask=torch.tensor([True, False, True]))
    tensor([-0.6931,    -inf, -0.6931])
    """
    input, mask, dim = prepare(input, dim, mask, dtype)
    return torch.nn.functional.log_softmax(fill_extreme(input, mask, "amax"), dim)


@require_layout("softmin")
def softmin(input, dim, *, dtype=None, mask=None):
    """Return the softmax of the negated selected elements along ``dim``, 0 for the others. Differentiable.

    >>> import tensh as torch
    >>> torch.masked.softmin(torch.zeros(3), 0, mask=torch.tensor([True, False, True]))
    tensor([0.5000, 0.0000, 0.5000])
    """
    input, mask, dim = prepare(input, dim, mask, dtype)
    return torch.nn.functional.softmin(fill_extreme(input, mask, "amin"), dim)


@require_layout("normalize")
def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """Divide the selected elements by their norm along ``dim``, or by ``eps`` if that is larger; 0 for the others.

    Differentiable.

    >>> import tensh as torch
    >>> torch.masked.normalize(torch.tensor([3., 7., 4.]), 2., 0, mask=torch.tensor([True, False, True]))
    tensor([0.6000, 0.0000, 0.8000])
    """
    input, mask, dim = prepare(input, dim, mask, dtype)
    length = norm(input, ord, dim, keepdim=True, mask=mask)
    return fill_unchosen(input, mask, 0) / torch.maximum(length, length.new_full((), eps))


@require_layout("cumsum")
def cumsum(input, dim, *, dtype=None, mask=None):
    """Return the cumulative sum of the selected elements along ``dim``; others count as 0. Differentiable.

    >>> import tensh as torch
    >>> torch.masked.cumsum(torch.tensor([1., 2., 4.]), 0, mask=torch.tensor([True, False, True]))
    tensor([1., 1., 5.])
    """
    input, mask, dim = prepare(input, dim, mask, dtype)
    return fill_unchosen(input, mask, 0).cumsum(dim, dtype=input.dtype)


@require_layout("cumprod")
def cumprod(input, dim, *, dtype=None, mask=None):
    """Return the cumulative product of the selected elements along ``dim``; others count as 1. Differentiable.

    >>> import tensh as torch
    >>> torch.masked.cumprod(torch.tensor([3., 2., 4.]), 0, mask=torch.tensor([True, False, True]))
    tensor([ 3.,  3., 12.])
    """
    input, mask, dim = prepare(input, dim, mask, dtype)
    return fill_unchosen(input, mask, 1).cumprod(dim, dtype=input.dtype)
