"""Lengths, distances and similarities of vectors."""

import numpy as np

from tensh.engine.autograd.modes import no_grad
from tensh.engine.dtypes.dtype import FLOAT, promote_types
from tensh.engine.errors.messages import broadcast_clash, wrap_dim
from tensh.engine.inplace.out import write_out
from tensh.engine.operators.basic import expand
from tensh.engine.operators.elementwise.numbered import plus
from tensh.engine.operators.forms import require
from tensh.engine.operators.layers.composites.registry import layer
from tensh.engine.operators.linalg.pairs import norm_of_difference
from tensh.engine.operators.linalg.pairs import pdist as pdist_op
from tensh.engine.operators.reductions.norms import vector_norm


@layer
def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """The input divided by its ``p``-norm along ``dim``, or by ``eps`` where that is larger.  Differentiable.

    Shape: [*], kept.

    >>> import tensh as torch
    >>> torch.nn.functional.normalize(torch.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    norm = require(input, "normalize", "input", 1).norm(p, dim, keepdim=True).clamp_min(eps)
    result = input / norm.expand_as(input)
    return result if out is None else write_out(out, result, "div", inputs=(input,), apart=False)


@layer(torch=True)
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """The cosine of the angle between vectors along ``dim``; lengths below ``eps`` are replaced by it.  Differentiable.

    Shape: [*] without ``dim``. Raise RuntimeError for integers.

    >>> import tensh as torch
    >>> torch.nn.functional.cosine_similarity(torch.tensor([1.0, 0.0]), torch.tensor([1.0, 1.0]), dim=0)
    tensor(0.7071)
    """
    require(x1, "cosine_similarity", "x1", 1), require(x2, "cosine_similarity", "x2", 2)
    eps = float(eps) if type(eps) is int else eps
    common = promote_types(x1.dtype, x2.dtype)
    if common.category != FLOAT:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {common.title}")
    if x1.array.shape != x2.array.shape:
        shapes = x1.array.shape, x2.array.shape
        if (clash := broadcast_clash(shapes)) is not None:
            raise RuntimeError(clash)
        shape = np.broadcast_shapes(*shapes)
        x1, x2 = (expand.fn(x, shape) for x in (x1, x2))
    wrap_dim(dim, x1.array.ndim)
    if not eps >= 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    units = []
    for x in (x1, x2):
        x = x if x.dtype.category == FLOAT else x.to(common)
        length = vector_norm.fn(x, 2, (dim,), True).clone()
        with no_grad():
            length.clamp_min_(eps)
        units.append(x / length)
    return (units[0] * units[1]).sum((dim,))


@layer(torch=True)
def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The ``p``-norm of ``x1 - x2 + eps`` along the last dimension.  Differentiable.  Shape: [..., D] to [...].

    >>> import tensh as torch
    >>> torch.nn.functional.pairwise_distance(torch.tensor([[3.0, 4.0]]), torch.zeros(1, 2))
    tensor([5.0000])
    """
    require(x1, "pairwise_distance", "x1", 1), require(x2, "pairwise_distance", "x2", 2)
    difference = plus.fn(x1 - x2, eps)
    return norm_of_difference.fn(
        difference, p, max(x1.array.ndim, x2.array.ndim) - 1 if difference.array.ndim else None, keepdim
    )


@layer(torch=True)
def pdist(input, p=2.0):
    """The ``p``-norms of the differences of all pairs of rows of a matrix.  Differentiable.

    Shape: [n, m] to [n (n - 1) / 2]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.pdist(torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
    tensor([5.0000, 1.0000, 4.2426])
    """
    ndim = require(input, "pdist", "input", 1).array.ndim
    if ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {ndim}D")
    if input.dtype.category != FLOAT:
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    if input.dtype.itemsize == 2:
        raise NotImplementedError(f"\"pdist\" not implemented for '{input.dtype.title}'")
    return pdist_op.fn(input.contiguous(), p)
