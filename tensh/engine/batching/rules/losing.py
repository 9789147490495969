"""Losses: every element's, and then their mean or sum over what one sample has."""

from tensh.engine.batching.batched import Batched, spread
from tensh.engine.batching.rules.elementwise import elementwise
from tensh.engine.batching.rules.shared import batched, levels_of, reshaped, sizes_of
from tensh.engine.tensor import Tensor
from tensh.engine.vocabulary import OPS


def loss(op):
    """A maker: the rule of a loss of elements."""
    each = elementwise(op)
    place = list(op.parameters).index("reduction")

    def rule(*args, **options):
        args = list(args)
        if place < len(args):
            reduction, args[place] = args[place], "none"
        else:
            reduction, options["reduction"] = options.get("reduction", "mean"), "none"
        result = each(*args, **options)
        return result if reduction == "none" else OPS[f"{reduction}_all"].fn(result)

    return rule


def likelihood(op):
    """A maker: the rule of ``nll``: the samples of all batches side by side."""

    def rule(input, target, weight=None, reduction="mean", ignore_index=-100):
        tensors = (input, target, weight)
        levels, sizes = levels_of(tensors), sizes_of(tensors)
        batch = tuple([sizes[number] for number in levels])
        k = len(batch)
        values = spread(input, levels, sizes)
        targets = spread(target, levels, sizes)
        rows = reshaped(values, (-1 if values.array.size else 0, values.array.shape[-1]))
        chosen = reshaped(targets, (targets.array.size,))
        if type(weight) is Batched:
            from tensh.engine.batching.rules.shared import Unruled

            raise Unruled
        losses = op.fn(rows, chosen, weight, "none", ignore_index)
        losses = reshaped(losses, (*batch, *input.array.shape[:-1]))
        if reduction == "none":
            return batched(losses, levels)
        over = tuple(range(k, k + input.array.ndim - 1))
        total = OPS["sum_dim"].fn(losses, over) if over else losses
        if reduction == "sum":
            return batched(total, levels)
        return batched(total / shares(targets, weight, ignore_index, over, total), levels)

    return rule


def shares(targets, weight, ignore_index, over, total):
    """What a mean is divided by: how many samples count, or the sum of their weights."""
    counted = OPS["cast"].fn(targets != ignore_index, total.array.dtype)
    if isinstance(weight, Tensor):
        known = OPS["masked_fill"].fn(targets, targets == ignore_index, 0)
        counted = counted * OPS["index"].fn(weight, (known.array,))
    return OPS["sum_dim"].fn(counted, over) if over else counted
