"""The words in formulas: the meaning of each, and those whose value follows from shapes and settings."""

import math

from numpy import broadcast_shapes

WORDS = {
    "back": "back(v): each element of v at the position its input came from, 0 elsewhere; repeated positions add up",
    "adjoint": "adjoint(v): the function is linear: its matrix, transposed, times v",
    "conv_transpose": "conv_transpose(v, w): the transposed convolution, with the same stride, padding, dilation and groups",
    "conv": "conv(v, w): the convolution, with the same stride, padding, dilation and groups",
    "correlation": "correlation(v, g): the sum over the batch and all positions of v times g, for each shift",
    "sum_after": "sum_after(v, dim): for each element, the sum from there to the end",
    "sum_of": "sum_of(v): the sum of all elements, or of several terms",
    "onehot": "onehot(target): 1 at the class, 0 elsewhere",
    "averaged": "averaged(v, reduction): the number of elements for 'mean', of rows for 'batchmean', else 1",
    "averaged_where": "averaged_where(v, reduction): how often v is 1 for 'mean', else 1",
    "size": "size(v, dim): the number of elements along dim, or of all",
    "per_channel": "per_channel(v, x): the sum over all dimensions but that of the channels",
    "along": "along(w, x): w along the channels of x",
    "pdf": "pdf(v): the density of the standard normal distribution, exp(-v²/2) / sqrt(2π)",
    "cdf": "cdf(v): the probability of a value below v in the standard normal distribution",
    "outer": "outer(u, v): the matrix of all products",
    "triangle": "triangle(M, upper, unitriangular): M above or below the diagonal; without it if unitriangular",
    "half_tril": "half_tril(M): M below the diagonal, and half of M on the diagonal",
    "symmetric": "symmetric(M): the symmetric matrix with M on and below the diagonal",
    "skew": "skew(M): (M - M.T) / 2",
    "gaps": "gaps(v): the matrix of v[j] - v[i], infinite on the diagonal",
    "upper_right": "upper_right(M): the upper right quarter of M",
    "blocks": "blocks(A, g): the matrix [[A, g], [0, A]]",
    "power": "power(A, k): A @ ... @ A, k times",
    "differences": "differences(u, v): u[i] - v[j] for all pairs",
    "pairwise": "pairwise(v): v with one more dimension, for the coordinates",
    "group_mean": "group_mean(v, n): the mean of each of n groups of channels",
    "gates": "gates(v, 'ssts'): the parts of v, each through sigmoid or tanh",
    "halves": "halves(v, dim): the two halves of v",
    "thirds": "thirds(v): the three parts of v",
    "others_sum": "others_sum(v, dim): the sum over all dimensions but dim",
    "causal": "causal(q, k): -inf above the diagonal, 0 elsewhere",
}
"""Words that may need an explanation; those of the torch namespace are its functions."""


def size(x, dim=None):
    """Return the number of elements along some dimensions, or of all."""
    dims = range(len(x.shape)) if dim is None else dim if isinstance(dim, tuple | list) else (dim,)
    return math.prod(x.shape[d] for d in dims) if len(x.shape) else 1


def divisor(x, reduction, t=None):
    """Return the number by which a loss divides; of elements that are broadcast with those of ``t``, where it is given."""
    if t is not None and reduction == "mean":
        return math.prod(broadcast_shapes(tuple(x.shape), tuple(t.shape)))
    return size(x) if reduction == "mean" else x.shape[0] if reduction == "batchmean" else 1


def numel(x):
    """Return the number of all elements."""
    return size(x)


def last_dims(shape):
    """Return the last dimensions, as many as a shape has, counted from the end."""
    return _dims(range(-len(shape), 0))


def all_but(x, dim):
    """Return all dimensions except one."""
    return _dims(d for d in range(len(x.shape)) if d != dim)


def from_dim(x, dim):
    """Return the dimensions from one on."""
    return _dims(range(dim, len(x.shape)))


def _dims(numbers):
    """Return dimensions as they are written: a single one as its number."""
    found = tuple(numbers)
    return found[0] if len(found) == 1 else found


def is_classes(target):
    """Return True if a target contains class indices, not probabilities."""
    return not target.is_floating_point()


def is_tensor(x):
    """Return True if an argument is a tensor."""
    return hasattr(x, "shape")


SHAPES = {
    "is_classes": is_classes,
    "is_tensor": is_tensor,
    "last": last_dims,
    "all_but": all_but,
    "from_dim": from_dim,
    "size": size,
    "averaged": divisor,
    "numel": numel,
    "len": len,
    "range": range,
}
