"""Losses: how far a prediction is from what it should be."""

import warnings

from tensh.engine.dtype import promote_types
from tensh.engine.functional.layers import layer
from tensh.engine.table import OPS


# ── reduction ────────────────────────────────────────────────────────────────
def reduction_of(reduction, size_average, reduce):
    """The reduction's name, from the keyword or from the two flags it replaced."""
    if size_average is not None or reduce is not None:
        averaged = size_average is None or size_average
        reduction = ("mean" if averaged else "sum") if reduce is None or reduce else "none"
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.", stacklevel=4
        )
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


@layer
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The mean squared difference of ``input`` and ``target`` (``reduction``: 'mean', 'sum' or 'none').

    >>> import tensh as torch
    >>> torch.nn.functional.mse_loss(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 0.0]))
    tensor(2.5000)
    """
    if input.array.shape != target.array.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely "
            "lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=2,
        )
    reduction = reduction_of(reduction, size_average, reduce)
    if weight is not None:
        losses = OPS["squared_difference"].fn(input, target, "none") * weight
        if reduction == "none":
            return losses
        return losses.sum() if reduction == "sum" else losses.sum() / weight.sum()
    if input.dtype is not target.dtype:
        common = promote_types(input.dtype, target.dtype)
        input, target = input.to(common), target.to(common)
    return OPS["squared_difference"].fn(input, target, reduction)
