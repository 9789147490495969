"""Losses of distributions: negative log-likelihoods and divergences."""

import math

from tensh.engine.autograd.modes import no_grad
from tensh.engine.core import lift
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import watch_check
from tensh.engine.errors.messages import refuse_dtype
from tensh.engine.errors.warnings import warn
from tensh.engine.methods.creation.fill import ones_like
from tensh.engine.operators.elementwise.numbered import plus
from tensh.engine.operators.elementwise.numbered import times as times_op
from tensh.engine.operators.elementwise.table import xlogy
from tensh.engine.operators.forms import require
from tensh.engine.operators.kernels import number
from tensh.engine.operators.layers.composites.losses import (
    REDUCTIONS,
    number_reduction,
    reduce_losses,
    reduction_of,
)
from tensh.engine.operators.layers.composites.registry import layer, rename


@layer
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """Compute the divergence of ``target`` from the distribution with the logarithms ``input``.  Differentiable in both.

    With ``log_target`` the target is given by its logarithms, too.  'batchmean' divides the sum by the batch size,
    which is the mathematical definition.  Shapes: [*], reduced to []. Raise ValueError for another ``reduction``.

    >>> import tensh as torch
    >>> torch.nn.functional.kl_div(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[1.0, 0.0]]), reduction="batchmean")
    tensor(0.6931)
    """
    if size_average is not None or reduce is not None:
        reduction = reduction_of(reduction, size_average, reduce)
    elif reduction == "mean":
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by "
            "the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
            "'batchmean' in the next major release.",
        )
    if reduction != "batchmean":
        return divergence(input, target, reduction_of(reduction), log_target)
    total = divergence(input, target, "sum", log_target)
    return total / input.array.shape[0] if input.array.ndim else total


def divergence(input, target, reduction="mean", log_target=False):
    """``torch.nn.functional.kl_div`` with ``reduction`` as a number.  Differentiable.  Shapes: [*], reduced to []."""
    for tensor in (input, target):
        kind = tensor.array.dtype.kind
        if kind in "biuc":
            raise RuntimeError(f"kl_div: {'Complex' if kind == 'c' else 'Integral'} inputs not supported.")
    if log_target:
        difference = target - input  # recorded first, as the product below: gradients are added in PyTorch's order
        return reduce_losses(target.exp() * difference, reduction)
    product = target * input
    return reduce_losses(xlogy.fn(target, target) - product, reduction)


rename(divergence, "kl_div"), number_reduction(divergence, "input", "target", "reduction")


@layer
def poisson_nll_loss(
    input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"
):  # fmt: skip
    """The negative logarithm of a Poisson probability of ``target``; ``input`` is its rate, or the rate's logarithm.

    ``full`` adds what does not depend on the input (by Stirling's formula).  Differentiable in both.  Shapes: [*],
    reduced to []. Raise ValueError for another ``reduction``.
    """
    reduction = reduction_of(reduction, size_average, reduce)
    require(input, "poisson_nll_loss", "input", 1), require(target, "poisson_nll_loss", "target", 2)
    eps = number(eps, "poisson_nll_loss", "eps", 5)
    product = target * (input if log_input else plus.fn(input, eps).log())  # recorded first, as in PyTorch
    loss = (input.exp() if log_input else input) - product
    if full:
        times = times_op.fn
        half = times(times(target, 2 * math.pi).log(), 0.5)
        stirling = target * target.log() - target + half
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return reduce_losses(loss, reduction)


number_reduction(poisson_nll_loss, "input", "target", "log_input", "full", "eps", "reduction")


@layer
def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """The negative logarithm of a normal density with the means ``input`` and the variances ``var`` at ``target``.

    Variances are at least ``eps``; ``full`` adds the constant.  Differentiable in input, target and var.  Shapes: [*],
    reduced to []. Raise ValueError for a negative variance.

    >>> import tensh as torch
    >>> torch.nn.functional.gaussian_nll_loss(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
    tensor(2.)
    """
    if not isinstance(var, Tensor):
        if not isinstance(var, float):
            raise TypeError(
                f"any() received an invalid combination of arguments - got ({type(var < 0).__name__}), but expected one of:\n"
                " * (Tensor input, *, Tensor out = None)\n"
                " * (Tensor input, tuple of ints dim = None, bool keepdim = False, *, Tensor out = None)\n"
                " * (Tensor input, int dim, bool keepdim = False, *, Tensor out = None)\n"
            )
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * ones_like(input)
    else:
        check_variance(var)
        if var.array.shape != input.array.shape:
            var = fit_variance(input.array.shape, var)
    if reduction not in REDUCTIONS:
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (var.log() + (input - target).pow(2) / var)
    return reduce_losses(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


@watch_check
def check_variance(var):
    """Raise ValueError for a negative variance."""
    values = lift.all_samples(var)
    if values.dtype.kind == "c":
        refuse_dtype("lt", values.dtype)
    if (values < 0).any():
        raise ValueError("var has negative entry/entries")


def fit_variance(shape, var):
    """Expand one variance per sample to all of its elements."""
    sizes = var.array.shape
    if shape[:-1] == sizes:
        return var.unsqueeze(-1)
    if len(shape) == len(sizes) and sum(m for n, m in zip(shape, sizes) if n != m) == 1:
        return var
    raise ValueError("var is of incorrect size")
