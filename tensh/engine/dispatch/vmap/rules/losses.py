"""Losses: elementwise, then the mean or sum over one sample."""

from math import prod

import numpy as np

from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.vmap.batched import BatchedTensor, expand_batches, make_batched
from tensh.engine.dispatch.vmap.rules.elementwise import elementwise
from tensh.engine.dispatch.vmap.rules.shared import NoRule, levels_of, reshape_value, sizes_of
from tensh.engine.operators.basic import cast
from tensh.engine.operators.elementwise.table import masked_fill
from tensh.engine.operators.indexing.index import index
from tensh.engine.operators.reductions.reductions import mean_all, sum_all, sum_dim

REDUCTIONS = {"mean": mean_all, "sum": sum_all}


def loss(op):
    """Make the rule of an elementwise loss."""
    each = elementwise(op)
    place = list(op.parameters).index("reduction")

    def rule(*args, **options):
        args = list(args)
        if place < len(args):
            reduction, args[place] = args[place], "none"
        else:
            reduction, options["reduction"] = options.get("reduction", "mean"), "none"
        result = each(*args, **options)
        return result if reduction == "none" else REDUCTIONS[reduction].fn(result)

    return rule


def likelihood(op):
    """Make the rule of ``nll``, with the samples of all batches in one dimension."""

    def rule(input, target, weight=None, reduction="mean", ignore_index=-100):
        levels, sizes = levels_of((input, target, weight)), sizes_of((input, target, weight))
        if type(weight) is BatchedTensor:
            raise NoRule
        batch = tuple([sizes[number] for number in levels])
        k, ndim = len(batch), input.array.ndim
        values, targets = expand_batches(input, levels, sizes), expand_batches(target, levels, sizes)
        together = k + (ndim > 1)  # the dimensions of samples
        first = prod(values.array.shape[:together])
        rows = reshape_value(values, (first, *values.array.shape[together:]))
        chosen = reshape_value(targets, (first, *targets.array.shape[together:]))
        losses = reshape_value(op.fn(rows, chosen, weight, "none", ignore_index), targets.array.shape)
        if reduction == "none":
            return make_batched(losses, levels)
        over = tuple(range(k, losses.array.ndim))
        total = sum_dim.fn(losses, over) if over else losses
        if reduction == "sum":
            return make_batched(total, levels)
        return make_batched(total / shares(targets, weight, ignore_index, over, total), levels)

    return rule


def likelihood_back(op):
    """Make the rule of ``nll_back``: linear in the gradient, which is a number for each sample or one for each row."""

    def rule(grad, target, weight=None, shape=(), reduction="mean", ignore_index=-100):
        if type(weight) is BatchedTensor:
            raise NoRule
        if not grad.array.ndim and type(target) is not BatchedTensor:
            one = op.fn(wrap(np.ones((), grad.array.dtype)), target, weight, shape, reduction, ignore_index)
            return one * grad
        if reduction != "none" or len(shape) == 1:
            raise NoRule
        levels, sizes = levels_of((grad, target)), sizes_of((grad, target))
        batch = tuple([sizes[number] for number in levels])
        first = prod(batch) * shape[0]
        rows, chosen = [
            reshape_value(t, (first, *t.array.shape[len(batch) + 1 :]))
            for t in (expand_batches(grad, levels, sizes), expand_batches(target, levels, sizes))
        ]
        result = op.fn(rows, chosen, weight, (first, *shape[1:]), "none", ignore_index)
        return make_batched(reshape_value(result, (*batch, *shape)), levels)

    return rule


def shares(targets, weight, ignore_index, over, total):
    """Return the divisor of a mean: the number of samples that count, or the sum of their weights."""
    counted = cast.fn(targets != ignore_index, total.array.dtype)
    if isinstance(weight, Tensor):
        known = masked_fill.fn(targets, targets == ignore_index, 0)
        counted = counted * index.fn(weight, (known.array,))
    return sum_dim.fn(counted, over) if over else counted
