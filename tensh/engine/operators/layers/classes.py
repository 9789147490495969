"""Losses of one class among many: negative log likelihoods."""

import functools
import operator

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.operators.indexing.gather import extent, places
from tensh.engine.operators.layers.losses import make_number, reduce_losses
from tensh.engine.operators.precision import I8, compute_in_float32, is_half
from tensh.engine.operators.reductions.rows import starts
from tensh.engine.operators.reductions.summation import add_along

GROUP = 16  # numbers that are added one after the other
FEW = 1 << 10  # samples up to which the places of their rows are kept
MANY = 1 << 12  # samples from which sums are added in parallel


def choose_classes(shape, target, weight, ignore_index):
    """Return (the samples' classes, 0 for ignored ones; the samples' weights, 0 for ignored ones, or None if all are 1)."""
    n = shape[1 if len(shape) > 1 else 0]
    if weight is None and target.size:
        low, high = extent(target)
        if low >= 0 and high < n and not low <= ignore_index <= high:
            return target if target.dtype is I8 else target.astype(I8), None
    ignored = target == ignore_index
    classes = np.where(ignored, 0, target).astype(np.int64, copy=False)
    wrong = (classes < 0) | (classes >= n)
    if wrong.any():
        raise IndexError(f"Target {classes[wrong].flat[0]} is out of bounds.")
    return classes, np.where(ignored, 0.0, 1.0 if weight is None else weight[classes])


def find_class_places(shape, classes):
    """Return the position of every sample's class in flat memory of ``shape``."""
    if len(shape) == 2 and shape[0] <= FEW:
        return classes + starts(shape)
    return places(shape, 1, classes[:, None])[:, 0] if len(shape) > 1 else classes


def nll(input, target, weight=None, reduction="mean", ignore_index=-100):
    classes, weights = choose_classes(input.shape, target, weight, ignore_index)
    losses = np.negative(input.reshape(-1).take(find_class_places(input.shape, classes)))
    if weights is not None:
        weights = weights.astype(input.dtype, copy=False)
        losses = np.where(target == ignore_index, make_number(0, input), losses * weights)
    if reduction == "none" or losses.size > MANY:
        return reduce_many(losses, weights, reduction)
    total = add_in_levels(losses.reshape(-1))
    if reduction == "sum":
        return total
    number = input.dtype.type(losses.size) if weights is None else add_in_levels(weights.reshape(-1))
    return total / number


@compute_in_float32
def reduce_many(losses, weights, reduction):
    """Return the losses, their sum, or their weighted mean."""
    if reduction != "mean" or weights is None:
        return reduce_losses(losses, reduction)
    return add_along(losses) / add_along(weights)


def add_in_levels(values):
    """Sum a vector in the order of PyTorch's likelihoods: the first number, then sums of sixteen numbers at a time."""
    later, rest = values[1:], []
    if 0 < later.size < GROUP:
        return np.add.accumulate(later)[-1] + values[0]
    while later.size >= GROUP:
        whole = later.size // GROUP * GROUP
        rest.append(add_in_order(later[whole:]))
        later = np.add.accumulate(later[:whole].reshape(-1, GROUP), 1)[:, -1]
    return functools.reduce(operator.add, [*rest, add_in_order(later), *values[:1]])  # np.add takes 0.4 us longer


def add_in_order(values):
    if values.size > 1:
        return np.add.accumulate(values)[-1]
    return values[0] if values.size else values.dtype.type(0)


def nll_back(grad, target, weight=None, shape=(), reduction="mean", ignore_index=-100):
    classes, weights = choose_classes(shape, target, weight, ignore_index)
    if weights is None:
        values = grad / grad.dtype.type(-classes.size if reduction == "mean" else -1)
    else:
        if reduction == "mean" and is_half(grad.dtype):
            grad = grad / add_in_levels(weights.astype(grad.dtype).reshape(-1))
        elif reduction == "mean":
            weights = weights / add_along(weights)
        values = -weights.astype(grad.dtype, copy=False) * grad
        # also of a mean of no samples, whose weights are nan
        values = np.where(target == ignore_index, make_number(0, grad), values)
    result = np.zeros(shape, grad.dtype)
    result.reshape(-1)[find_class_places(shape, classes)] = values
    return result


def declare_likelihood(name, node):
    """Declare a negative log likelihood and its adjoint; return the first."""
    fixed = {"public": False, "out": False, "node": node}
    op(nll_back, name=f"{name}_back", doc="The adjoint.", **fixed,
       grad=f"{name}(g, target, weight, reduction, ignore_index)", target=None, weight=None)  # fmt: skip
    return op(nll, name=name, types="f", kernel_name="nll_loss_out_frame", **fixed,
       doc="Minus the number of each sample at its class, times the class's weight; the mean is weighted, too.",
       input=f"tie({name}_back(g, target, weight, input.shape, reduction, ignore_index), input)", target=None, weight=None)  # fmt: skip


nll_op = declare_likelihood("nll", "NllLossBackward0")
nll2 = declare_likelihood("nll2", "NllLoss2DBackward0")
