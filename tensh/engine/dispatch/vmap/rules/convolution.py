"""Convolutions: batched inputs become more samples, batched weights more groups."""

from math import prod

from tensh.engine.dispatch.vmap.batched import BatchedTensor, expand_batches, make_batched
from tensh.engine.dispatch.vmap.rules.shared import NoRule, levels_of, reshape_value, sizes_of
from tensh.engine.operators.shapes.views import transpose


def facts(tensors):
    """Return (levels, sizes, the total number of samples) of the batched tensors."""
    levels, sizes = levels_of(tensors), sizes_of(tensors)
    return levels, sizes, prod([sizes[number] for number in levels])


def as_samples(t, levels, sizes, number):
    """Reshape [B, N, ...] to [B * N, ...]."""
    value = expand_batches(t, levels, sizes)
    shape = value.array.shape[len(levels) :]
    return reshape_value(value, (number * shape[0], *shape[1:]))


def as_channels(t, levels, sizes, number):
    """Reshape [B, N, C, ...] to [N, B * C, ...]."""
    value = expand_batches(t, levels, sizes)
    shape = value.array.shape[len(levels) :]
    value = transpose.fn(reshape_value(value, (number, *shape)), 0, 1)
    return reshape_value(value, (shape[0], number * shape[1], *shape[2:]))


def from_channels(result, batch, number):
    """Reshape [N, B * C, ...] to [B, N, C, ...]."""
    shape = result.array.shape
    result = reshape_value(result, (shape[0], number, shape[1] // number, *shape[2:]))
    result = transpose.fn(result, 0, 1)
    return reshape_value(result, (*batch, *result.array.shape[1:])) if len(batch) > 1 else result


def make_convolution(op):
    """Make the rule of ``correlate`` and ``correlate_back``, which map [N, C, ...] by a weight."""
    names = list(op.parameters)

    def rule(*args, **options):
        bound = {n: p.default for n, p in op.parameters.items()} | dict(zip(names, args, strict=False)) | options
        x, weight, bias = bound[names[0]], bound["weight"], bound["bias"]
        levels, sizes, number = facts((x, weight, bias))
        batch = tuple([sizes[level] for level in levels])
        if type(bias) is BatchedTensor:
            made = rule if type(x) is BatchedTensor or type(weight) is BatchedTensor else op.fn
            return made(**bound | {"bias": None}) + bias.reshape((-1,) + (1,) * (x.array.ndim - 2))
        if type(weight) is not BatchedTensor:
            rows = as_samples(x, levels, sizes, number)
            if "shape" in bound:
                bound["shape"] = (rows.array.shape[0], *bound["shape"][1:])
            result = op.fn(**bound | {names[0]: rows})
            return make_batched(reshape_value(result, (*batch, x.array.shape[0], *result.array.shape[1:])), levels)
        channels = as_channels(x, levels, sizes, number)
        weights = as_samples(weight, levels, sizes, number)
        if "shape" in bound:
            bound["shape"] = (bound["shape"][0], number * bound["shape"][1], *bound["shape"][2:])
        if bias is not None:
            bound["bias"] = bias.repeat(number)
        bound["groups"] *= number
        result = op.fn(**bound | {names[0]: channels, "weight": weights})
        return make_batched(from_channels(result, batch, number), levels)

    return rule


def make_match(op):
    """Make the rule of ``match``, which computes a weight from a gradient and an input."""

    def rule(grad, input, shape, stride, padding, dilation, groups):
        levels, sizes, number = facts((grad, input))
        if not number:
            raise NoRule
        grad = as_channels(grad, levels, sizes, number)
        input = as_channels(input, levels, sizes, number)
        result = op.fn(grad, input, (number * shape[0], *shape[1:]), stride, padding, dilation, groups * number)
        return make_batched(reshape_value(result, (*[sizes[level] for level in levels], *shape)), levels)

    return rule
