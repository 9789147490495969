"""Losses that PyTorch records as one node."""

import math

import numpy as np

from tensh.engine.errors import not_implemented
from tensh.engine.table import op
from tensh.engine.vocabulary import word


@word
def share(reduction, values):
    """The weight of one value in the reduced result."""
    return 1 / max(math.prod(values.shape), 1) if reduction == "mean" else 1


@op(
    public=False,
    node="MseLossBackward0",
    input="g * (input - target) * (2 * share(reduction, input - target))",
    target="g * (input - target) * (-2 * share(reduction, input - target))",
)
def squared_difference(input, target, reduction):
    """(input - target)², as it is, summed, or averaged."""
    if input.dtype.kind in "biu":
        raise not_implemented("mse", input.dtype)
    difference = input - target
    if reduction == "none":
        return difference * difference
    flat = difference.reshape(-1)
    total = np.vdot(flat, flat) if flat.dtype.kind == "f" else (flat * flat).sum(dtype=np.float32).astype(flat.dtype)
    if reduction == "sum":
        return total
    return total / input.dtype.type(flat.size) if flat.size else input.dtype.type(np.nan)
