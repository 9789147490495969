"""Normalization by the root of the mean square."""

from tensh.engine.dtypes.info import finfo
from tensh.engine.errors.warnings import warn_once
from tensh.engine.operators.elementwise.numbered import plus
from tensh.engine.operators.forms import require
from tensh.engine.operators.layers.composites.normalization import check_normalized_shape, check_trailing
from tensh.engine.operators.layers.composites.registry import layer


@layer(torch=True)
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """The input divided by the root of its mean square over the last dimensions, times weight.  Differentiable.

    ``eps`` is added to the mean square; by default it is the distance from 1 to the next number of the dtype.
    Shape: [..., *normalized_shape]. Raise RuntimeError or ValueError for others.

    >>> import tensh as torch
    >>> torch.nn.functional.rms_norm(torch.tensor([[1.0, 7.0]]), (2,))
    tensor([[0.2000, 1.4000]])
    """
    ndim = require(input, "rms_norm", "input", 1).array.ndim
    shape = check_normalized_shape("rms_norm", normalized_shape)
    if ndim < len(shape):
        raise ValueError(f"Input tensor must have at least {len(shape)} dimensions, but got {ndim}")
    check_trailing(input, shape, "", weight=weight)
    dtype = input.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise NotImplementedError(f"\"rms_norm\" not implemented for '{dtype.title}'")
    if weight is not None and weight.dtype is not dtype:
        warn_once(
            f"Mismatch dtype between input and weight: input dtype = {dtype.spoken}, weight dtype = {weight.dtype.spoken}, Cannot "
            "dispatch to fused implementation.",
            what="weights of rms_norm",
        )
    wide = input.float() if dtype.itemsize == 2 else input
    eps = finfo(wide.dtype.to_real()).eps if eps is None else eps
    squares = wide.pow(2).mean(tuple(range(-len(shape), 0)), keepdim=True)
    out = wide * plus.fn(squares, eps).rsqrt()
    if weight is not None:
        out = out * weight
    return out.to(dtype) if out.dtype is not dtype else out
