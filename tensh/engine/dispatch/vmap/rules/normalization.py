"""Normalisation: all samples at once, then weights and biases if they vary between samples."""

from tensh.engine.dispatch.vmap.batched import BatchedTensor, expand_batches, make_batched
from tensh.engine.dispatch.vmap.rules.convolution import as_channels, facts, from_channels
from tensh.engine.dispatch.vmap.rules.shared import reshape_value, wrap_result
from tensh.engine.operators.shapes.views import transpose


def normalize_rows(op):
    """Make the rule of layer and group normalisation, whose groups are rows: batches are more rows."""

    def rule(input, weight=None, bias=None, at=(), form=(), eps=1e-5):
        levels, sizes, number = facts((input, weight, bias))
        batch = tuple([sizes[level] for level in levels])
        value = expand_batches(input, levels, sizes)
        same = type(weight) is not BatchedTensor is not type(bias)
        affine = (weight, bias) if same else (None, None)
        out, *others = op.fn(value, *affine, at, (form[0], number * form[1], form[2]), eps)
        out = make_batched(out, levels)
        others = [wrap_result(reshape_value(each, (*batch, form[1])), levels) for each in others]
        return type_of(op)([out if same else scale_and_shift(out, weight, bias, at), *others])

    return rule


def normalize_channels(op):
    """Make the rule of batch normalisation, whose groups are channels: batches are more channels."""

    def rule(input, weight=None, bias=None, at=(), form=(), eps=1e-5):
        levels, sizes, number = facts((input, weight, bias))
        batch = tuple([sizes[level] for level in levels])
        channels = as_channels(input, levels, sizes, number)
        at_all = (number * at[0], *at[1:])
        out, *others = op.fn(channels, None, None, at_all, (form[0], number * form[1], form[2]), eps)
        out = make_batched(from_channels(out, batch, number), levels)
        others = [wrap_result(reshape_value(each, (*batch, form[1])), levels) for each in others]
        return type_of(op)([scale_and_shift(out, weight, bias, at), *others])

    return rule


def normalize_groups(op):
    """Make the rule of operators in the derivatives; batches are more groups."""
    names = list(op.parameters)
    statistics = [name for name in names if name in ("mean", "rstd")]
    others = [name for name in op.inputs if name not in statistics]

    def rule(*args):
        bound = dict(zip(names, args, strict=True))
        levels, sizes, number = facts([bound[name] for name in op.inputs])
        batch, shape, (a, b, s) = tuple([sizes[level] for level in levels]), bound[others[0]].array.shape, bound["form"]
        for name in statistics:
            bound[name] = reshape_value(expand_batches(bound[name], levels, sizes), (number * b,))
        for name in others:
            grouped = reshape_value(expand_batches(bound[name], levels, sizes), (number, a, b, s))
            bound[name] = reshape_value(transpose.fn(grouped, 0, 1), (a, number * b, s))
        bound["form"] = (a, number * b, s)
        result = reshape_value(op.fn(*bound.values()), (a, number, b, s))
        return make_batched(reshape_value(transpose.fn(result, 0, 1), (*batch, *shape)), levels)

    return rule


def scale_and_shift(out, weight, bias, at):
    """Return ``out`` times weight plus bias."""
    if weight is not None:
        out = out * weight.reshape(at)
    return out if bias is None else out + bias.reshape(at)


def normalize_by_given(op):
    """Make the rule of batch normalisation by given means and variances."""

    def rule(input, mean, variance, weight=None, bias=None, at=(), eps=1e-5):
        out = (input - mean.reshape(at)) * (variance.reshape(at) + eps).rsqrt()
        return scale_and_shift(out, weight, bias, at)

    return rule


def type_of(op):
    """Return the class of the tuple that the operator returns."""
    return op.environment[f"{op.name}_outs"]
