"""Losses of one class among many: negative log likelihoods."""

import functools

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.operators.indexing.gather import extent, places
from tensh.engine.operators.layers.losses import make_number, reduce_losses
from tensh.engine.operators.precision import is_half
from tensh.engine.operators.reductions.summation import add_along

LEVELS = 8  # of sums of sums


def choose_classes(shape, target, weight, ignore_index):
    """Return (the samples' classes, 0 for ignored ones; the samples' weights, 0 for ignored ones, or None if all are 1)."""
    n = shape[1 if len(shape) > 1 else 0]
    if weight is None and target.size:
        low, high = extent(target)
        if low >= 0 and high < n and not low <= ignore_index <= high:
            return target.astype(np.int64, copy=False), None
    ignored = target == ignore_index
    classes = np.where(ignored, 0, target).astype(np.int64, copy=False)
    wrong = (classes < 0) | (classes >= n)
    if wrong.any():
        raise IndexError(f"Target {classes[wrong].flat[0]} is out of bounds.")
    return classes, np.where(ignored, 0.0, 1.0 if weight is None else weight[classes])


def find_class_places(shape, classes):
    """Return the position of every sample's class in flat memory of ``shape``."""
    return places(shape, 1, classes[:, None])[:, 0] if len(shape) > 1 else classes


def nll(input, target, weight=None, reduction="mean", ignore_index=-100):
    classes, weights = choose_classes(input.shape, target, weight, ignore_index)
    picked = input.reshape(-1).take(find_class_places(input.shape, classes))
    if weights is None and not is_half(input.dtype):
        return reduce_losses(np.negative(picked), reduction)
    weights = np.ones_like(picked) if weights is None else weights
    weights = weights.astype(input.dtype, copy=False)
    if is_half(input.dtype) and reduction != "none":
        return reduce_halves(-picked * weights, weights, reduction)
    losses = np.where(weights != 0, -picked * weights, make_number(0, input))
    if reduction != "mean":
        return reduce_losses(losses, reduction)
    return add_along(losses) / add_along(weights)


def reduce_halves(losses, weights, reduction):
    """The sum of 16 bit numbers, or their mean by weights, as PyTorch adds them: sixteen at a time, each sum rounded."""
    total = add_in_levels(losses)
    return total / add_in_levels(weights) if reduction == "mean" else total


def add_in_levels(values):
    """The sum of the first number and those of every sixteen after it, added up in the same way."""
    values, rest = values.reshape(-1), []
    for _ in range(LEVELS - 1):
        whole = 1 + (len(values) - 1) // 16 * 16 if len(values) else 0
        rest.append(functools.reduce(np.add, values[whole:], values.dtype.type(0)))
        sums = functools.reduce(np.add, values[1:whole].reshape(-1, 16).T, 0 * values[1:whole:16])
        values = np.concatenate((values[:1], sums))
    return functools.reduce(np.add, [*rest, functools.reduce(np.add, values, values.dtype.type(0))])


def nll_back(grad, target, weight=None, shape=(), reduction="mean", ignore_index=-100):
    classes, weights = choose_classes(shape, target, weight, ignore_index)
    if weights is None:
        values = grad / grad.dtype.type(-classes.size if reduction == "mean" else -1)
    else:
        if reduction == "mean" and is_half(grad.dtype):
            grad = grad / add_in_levels(weights.astype(grad.dtype))
        elif reduction == "mean":
            weights = weights / (add_along(weights) or 1)  # the mean of no samples is nan, with gradient zero
        values = -weights.astype(grad.dtype, copy=False) * grad
    result = np.zeros(shape, grad.dtype)
    result.reshape(-1)[find_class_places(shape, classes)] = values
    return result


def declare_likelihood(name, node):
    """Declare a negative log likelihood and its adjoint; return the first."""
    fixed = {"public": False, "out": False, "node": node}
    op(nll_back, name=f"{name}_back", doc="The adjoint.", **fixed,
       grad=f"{name}(g, target, weight, reduction, ignore_index)", target=None, weight=None)  # fmt: skip
    return op(nll, name=name, types="f", kernel_name="nll_loss_out_frame", **fixed,
       doc="What every sample has at its class, times -1 and the class's weight; the mean is weighted, too.",
       input=f"tie({name}_back(g, target, weight, input.shape, reduction, ignore_index), input)", target=None, weight=None)  # fmt: skip


nll_op = declare_likelihood("nll", "NllLossBackward0")
nll2 = declare_likelihood("nll2", "NllLoss2DBackward0")
