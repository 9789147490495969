"""Views and shapes whose rules are their own."""

from tensh.engine.batching.batched import batched
from tensh.engine.batching.rules.shared import Unruled, ndim_of
from tensh.engine.ops.shapes.views import inferred
from tensh.engine.vocabulary import OPS


def batch_of(t):
    """The sizes of the hidden dimensions."""
    return t.value.array.shape[: len(t.levels)]


def view(op):
    """A maker: the rule of views in another shape; how it lies in memory follows from where the value lies."""
    fn = OPS["view" if op.view else op.name].fn

    def rule(input, size, stride=None):
        size = inferred(size, input.array.size)
        return batched(fn(input.value, batch_of(input) + size), input.levels)

    return rule


def expand(op):
    """A maker: the rule of ``expand``."""

    def rule(input, size):
        value, k = input.value, len(input.levels)
        gap = len(size) - ndim_of(input)
        shape = value.array.shape
        if gap > 0:
            value = OPS["view"].fn(value, shape[:k] + (1,) * gap + shape[k:])
        return batched(op.fn(value, shape[:k] + tuple(size)), input.levels)

    return rule


def sum_to(op):
    """A maker: the rule of ``sum_to``."""

    def rule(input, shape):
        batch, gap = batch_of(input), ndim_of(input) - len(shape)
        result = op.fn(input.value, batch + (1,) * gap + tuple(shape))
        return batched(OPS["view"].fn(result, batch + tuple(shape)) if gap else result, input.levels)

    return rule


def laid_out(op):
    """A maker: the rule of ``laid_out``, which changes nothing that a function can see."""
    return lambda input, strides: batched(OPS["clone"].fn(input.value), input.levels)


def squeeze_all(op):
    """A maker: the rule of ``squeeze`` without dimensions."""

    def rule(input):
        k, shape = len(input.levels), input.value.array.shape
        dims = tuple([d for d in range(k, len(shape)) if shape[d] == 1])
        return batched(OPS["squeeze_dims"].fn(input.value, dims), input.levels)

    return rule


def turned_matrix(op):
    """A maker: the rule of ``t``."""

    def rule(input):
        if ndim_of(input) > 2:
            raise Unruled
        if ndim_of(input) < 2:
            return OPS["alias"].fn(input)
        return batched(OPS["transpose"].fn(input.value, -2, -1), input.levels)

    return rule
