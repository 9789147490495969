"""Quantiles, by sorting and interpolation."""

import numpy as np

from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.vocabulary import TENSORS
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.override.points import watch_check
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.along import take_along
from tensh.engine.operators.reductions.sorting import sort_dim

mul_number = TENSORS["mul_number"]
KINDS = ("linear", "lower", "higher", "midpoint", "nearest")
DOC = """The quantiles ``q`` (a number from 0 to 1, or a vector of them) of {}, or along ``dim``.

    ``interpolation`` between two elements is "linear", "lower", "higher", "midpoint" or "nearest".  For a vector ``q``
    the first dimension of the result holds the quantiles.  Differentiable.  Shape: [*] to [], or without ``dim``.
    Raise RuntimeError for a ``q`` outside [0, 1], and for integers.

    >>> import tensh as torch
    >>> torch.{}(torch.tensor([1.0, 2.0, 4.0]), 0.75)
    tensor(3.)
    """


def quantiles(name, doc, skip_nan):
    """Compute ``quantile`` and ``nanquantile``."""

    def function(input, q, dim=None, keepdim=False, *, interpolation="linear"):
        q = check_quantile(input, q, interpolation)
        vector = q.array.ndim == 1
        axis = None if dim is None else wrap_dim(dim, input.array.ndim)
        lines = input.flatten() if axis is None else input
        if axis is not None and axis != input.array.ndim - 1:
            lines = input.unsqueeze(-1).transpose(axis, -1)
        ordered = sort_dim.fn(lines, -1, False)[0]
        shape = shape_with_dims(input.array.shape, axis, keepdim)
        ordered = ordered.view((*shape, ordered.array.shape[-1]))
        result = find_quantiles(ordered, q, interpolation, skip_nan)
        return (result.unsqueeze_(0).transpose_(0, -1) if vector else result).squeeze_(-1)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return composite(out=True)(function)


def shape_with_dims(shape, axis, keepdim):
    if axis is None:
        return (1,) * len(shape) if keepdim else ()
    if not shape:
        return ()
    return (*shape[:axis], *((1,) if keepdim else ()), *shape[axis + 1 :])


def check_quantile(input, q, interpolation):
    """Return ``q`` as a tensor of the input's dtype; errors name ``quantile`` for both functions, as in PyTorch."""
    dtype = input.array.dtype
    if not input.array.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if dtype not in (np.float32, np.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if interpolation not in KINDS:
        raise RuntimeError(
            f"quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    if isinstance(q, Tensor):
        if q.array.ndim > 1:
            raise RuntimeError("quantile() q must be a scalar or 1D tensor")
        if q.array.dtype != dtype:
            raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
        check_places(q)
        return q
    if not 0 <= q <= 1:
        raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
    return wrap(np.array(q, dtype))


@watch_check
def check_places(q):
    """Raise RuntimeError for a place outside [0, 1]."""
    if not ((q.array >= 0) & (q.array <= 1)).all():
        raise RuntimeError("quantile() q values must be in the range [0, 1]")


def find_quantiles(ordered, q, interpolation, skip_nan):
    """Return the elements of sorted lines at the ranks of ``q``, interpolated between neighbours."""
    values = ordered.array
    last = values.dtype.type(values.shape[-1] - 1)
    missing = np.isnan(values)
    if skip_nan:
        ranks = q * wrap((last - missing.sum(-1, keepdims=True)).astype(values.dtype))
        unfit, instead = ranks.array < 0, 0.0
    else:
        ranks, shape = mul_number(q, float(last)), (*values.shape[:-1], q.array.size)
        ranks = ranks if ranks.array.shape == shape else ranks.expand(shape)
        unfit, instead = missing.any(-1, keepdims=True), float(last)
    if q.requires_grad or unfit.any():
        ranks = ranks.masked_fill(wrap(unfit), instead)
    at = ranks.array
    at = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}.get(interpolation, np.asarray)(at)
    below = at.astype(np.int64)
    result = take_along.fn(ordered, wrap(below), -1)
    if interpolation not in ("linear", "midpoint"):
        return result
    above = take_along.fn(ordered, wrap(np.ceil(at).astype(np.int64)), -1)
    if interpolation == "midpoint":
        return result.lerp_(above, wrap(np.full_like(at, 0.5)))
    return result.lerp_(above, ranks - wrap(below.astype(at.dtype)))


quantile = quantiles("quantile", DOC.format("all elements", "quantile"), False)
nanquantile = quantiles("nanquantile", DOC.format("the elements that are not nan", "nanquantile"), True)
