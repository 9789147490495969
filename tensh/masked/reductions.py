"""Reductions of the elements that a mask selects; the others are replaced by a neutral number.

Each takes a tensor or a MaskedTensor. ``dim`` is a dimension, several, or None for all; ``mask`` is broadcast to the
shape of the input, and None selects all elements; with ``keepdim`` reduced dimensions stay, with size 1; ``dtype`` is
the dtype to which the input is converted first. Raise IndexError for a missing dimension, and for a mask with more
dimensions than the input.
"""

import tensh as torch
from tensh.masked.masks import fill_extreme, fill_unchosen, list_dims, separate_mask
from tensh.masked.sparse import require_layout, takes_sparse


def prepare(input, dim, mask, dtype=None):
    """Return (elements, mask or None, dimensions)."""
    input, mask = separate_mask(input, mask)
    return input if dtype is None else input.to(dtype), mask, list_dims(dim, input.ndim)


def dtype_of_sum(dtype):
    """Return the dtype of sums: integers are added as int64."""
    return torch.int64 if not (dtype.is_floating_point or dtype.is_complex) else dtype


@takes_sparse
def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Return the sum of the selected elements; 0 if none is selected. Differentiable.

    >>> import tensh as torch
    >>> torch.masked.sum(torch.tensor([1., 2., 4.]), mask=torch.tensor([True, False, True]))
    tensor(5.)
    """
    input, mask, dims = prepare(input, dim, mask, dtype)
    return fill_unchosen(input, mask, 0).sum(dims, keepdim=bool(keepdim), dtype=dtype or dtype_of_sum(input.dtype))


@takes_sparse
def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Return the product of the selected elements; 1 if none is selected. Differentiable.

    >>> import tensh as torch
    >>> torch.masked.prod(torch.tensor([3., 0., 4.]), mask=torch.tensor([True, False, True]))
    tensor(12.)
    """
    input, mask, dims = prepare(input, dim, mask, dtype)
    result = fill_unchosen(input, mask, 1).to(dtype or dtype_of_sum(input.dtype))
    for each in sorted(dims, reverse=True):
        result = result.prod(each, keepdim=bool(keepdim))
    return result


@takes_sparse
def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Return the mean of the selected elements; NaN if none is selected. Differentiable.

    Raise ValueError for integers without a ``dtype``.

    >>> import tensh as torch
    >>> torch.masked.mean(torch.tensor([1., 2., 5.]), mask=torch.tensor([True, False, True]))
    tensor(3.)
    """
    input, mask, dims = prepare(input, dim, mask, dtype)
    if not (input.is_floating_point() or input.is_complex()):
        raise ValueError(
            "mean(): Could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
            f"{input.dtype}"
        )
    return fill_unchosen(input, mask, 0).sum(dims, keepdim=bool(keepdim)) / count_chosen(input, mask, dims, keepdim)


def count_chosen(input, mask, dims, keepdim):
    """Return the number of selected elements."""
    return (torch.ones(input.shape, dtype=torch.bool) if mask is None else mask).sum(dims, keepdim=bool(keepdim))


@takes_sparse
def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Return the largest selected element; the smallest number of the dtype if none is selected. Differentiable.

    >>> import tensh as torch
    >>> torch.masked.amax(torch.tensor([1, 9, 5]), mask=torch.tensor([True, False, True]))
    tensor(5)
    """
    input, mask, dims = prepare(input, dim, mask, dtype)
    return fill_extreme(input, mask, "amax").amax(dims, keepdim=bool(keepdim))


@takes_sparse
def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Return the smallest selected element; the largest number of the dtype if none is selected. Differentiable.

    >>> import tensh as torch
    >>> torch.masked.amin(torch.tensor([3, 1, 5]), mask=torch.tensor([True, False, True]))
    tensor(3)
    """
    input, mask, dims = prepare(input, dim, mask, dtype)
    return fill_extreme(input, mask, "amin").amin(dims, keepdim=bool(keepdim))


@require_layout("argmax")
def argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Return the index of the largest selected element along a dimension, or of all; in the input's dtype.

    >>> import tensh as torch
    >>> torch.masked.argmax(torch.tensor([1, 9, 5]), mask=torch.tensor([True, False, True]))
    tensor(2)
    """
    input, mask = separate_mask(input, mask)
    input = input if dtype is None else input.to(dtype)
    return fill_extreme(input, mask, "argmax").argmax(dim, keepdim=bool(keepdim)).to(input.dtype)


@require_layout("argmin")
def argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Return the index of the smallest selected element along a dimension, or of all; in the input's dtype.

    >>> import tensh as torch
    >>> torch.masked.argmin(torch.tensor([3, 1, 5]), mask=torch.tensor([True, False, True]))
    tensor(0)
    """
    input, mask = separate_mask(input, mask)
    input = input if dtype is None else input.to(dtype)
    return fill_extreme(input, mask, "argmin").argmin(dim, keepdim=bool(keepdim)).to(input.dtype)


@require_layout("median")
def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """Return the lower median of the selected elements along a dimension; NaN if none is selected. Differentiable.

    Raise ValueError for integers if none is selected.

    >>> import tensh as torch
    >>> torch.masked.median(torch.tensor([1., 9., 5., 4.]), 0, mask=torch.tensor([True, False, True, True]))
    tensor(4.)
    """
    input, mask, (dim, *_) = prepare(input, dim, mask, dtype)
    if input.is_floating_point():
        return fill_unchosen(input, mask, torch.nan).nanmedian(dim, keepdim).values
    if mask is not None and not mask.any(dim).all():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    result = fill_unchosen(input.to(torch.float64), mask, torch.nan).nanmedian(dim, keepdim).values
    return result.to(input.dtype)


@require_layout("norm")
def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Return the vector norm of the selected elements; that of an empty vector if none is selected. Differentiable.

    >>> import tensh as torch
    >>> torch.masked.norm(torch.tensor([3., 7., 4.]), 2., mask=torch.tensor([True, False, True]))
    tensor(5.)
    """
    input, mask, dims = prepare(input, dim, mask, dtype)
    nothing = torch.inf if ord == -torch.inf else 0
    return torch.linalg.vector_norm(fill_unchosen(input, mask, nothing), ord, dims, bool(keepdim))


@require_layout("std/var")
def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """Return the variance of the selected elements, with ``correction`` (1, or 0 if not ``unbiased``).

    Differentiable.

    >>> import tensh as torch
    >>> torch.masked.var(torch.tensor([1., 9., 3.]), mask=torch.tensor([True, False, True]))
    tensor(2.)
    """
    input, mask, dims = prepare(input, dim, mask, dtype)
    if unbiased is not None and correction is not None:
        raise RuntimeError("Only one of unbiased and correction may be given")
    correction = int(unbiased is not False) if correction is None else correction
    chosen = count_chosen(input, mask, dims, True)
    far = fill_unchosen(input, mask, 0)
    far = fill_unchosen(input - far.sum(dims, keepdim=True) / chosen, mask, 0)
    squares = far * far.conj() if far.is_complex() else far * far
    left = (count_chosen(input, mask, dims, keepdim) - correction).clamp(min=0)
    return squares.sum(dims, keepdim=bool(keepdim)) / left


@require_layout("std/var")
def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """Return the standard deviation of the selected elements: the root of ``var``. Differentiable.

    >>> import tensh as torch
    >>> torch.masked.std(torch.tensor([1., 9., 3.]), mask=torch.tensor([True, False, True]))
    tensor(1.4142)
    """
    return var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask).sqrt()


@require_layout("logsumexp")
def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Return the logarithm of the sum of exponentials of the selected elements; -inf if none is. Differentiable.

    >>> import tensh as torch
    >>> torch.masked.logsumexp(torch.tensor([0., 5., 0.]), 0, mask=torch.tensor([True, False, True]))
    tensor(0.6931)
    """
    input, mask, dims = prepare(input, dim, mask, dtype)
    return torch.logsumexp(fill_extreme(input, mask, "logsumexp"), dims, keepdim=bool(keepdim)).to(input.dtype)


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """Return ``logaddexp`` of two tensors with masks; elements that are not selected are -inf. Differentiable.

    >>> import tensh as torch
    >>> off = torch.tensor([True, False])
    >>> torch.masked.logaddexp(torch.zeros(2), torch.zeros(2), other_mask=off)
    tensor([0.6931, 0.0000])
    """
    if {torch.strided} != {input.layout, other.layout}:
        raise ValueError(
            f"masked logaddexp expects strided tensors (got {input.layout} tensor for input, {other.layout} for other)"
        )
    (input, input_mask), (other, other_mask) = separate_mask(input, input_mask), separate_mask(other, other_mask)
    if dtype is not None:
        input, other = input.to(dtype), other.to(dtype)
    return torch.logaddexp(fill_unchosen(input, input_mask, -torch.inf), fill_unchosen(other, other_mask, -torch.inf))
