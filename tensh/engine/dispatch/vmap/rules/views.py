"""Views and reshaping operators with individual rules."""

from math import prod

from tensh.engine.arrays import memory
from tensh.engine.dispatch.vmap.batched import make_batched
from tensh.engine.dispatch.vmap.rules.shared import NoRule, ndim_of, reshape_value
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.methods.conversion import convert_tensor
from tensh.engine.operators.basic import clone
from tensh.engine.operators.reductions.norms import vector_norm
from tensh.engine.operators.shapes.diagonal import diagonal
from tensh.engine.operators.shapes.layout import restride as restrided_op
from tensh.engine.operators.shapes.views import alias, infer_size, permute, squeeze_dims, transpose
from tensh.engine.operators.shapes.views import view as view_op


def batch_of(t):
    """Return the sizes of the hidden dimensions."""
    return t.value.array.shape[: len(t.levels)]


def view(op):
    """Make the rule of views in another shape; its memory layout follows from that of the value."""
    fn = (view_op if op.name == "reshape_alias" else op).fn

    def rule(input, size, stride=None):
        size = infer_size(size, input.array.size)
        return make_batched(fn(input.value, batch_of(input) + size), input.levels)

    return rule


def expand(op):
    """Make the rule of ``expand``."""

    def rule(input, size):
        value, k = input.value, len(input.levels)
        gap = len(size) - ndim_of(input)
        shape = value.array.shape
        if gap > 0:
            value = view_op.fn(value, shape[:k] + (1,) * gap + shape[k:])
        return make_batched(op.fn(value, shape[:k] + tuple(size)), input.levels)

    return rule


def make_repetition(op):
    """Make the rule of ``repeat_dims``, which may add leading dimensions."""

    def rule(input, repeats):
        value, batch = input.value, batch_of(input)
        gap = len(repeats) - ndim_of(input)
        if gap > 0:
            value = view_op.fn(value, batch + (1,) * gap + value.array.shape[len(batch) :])
        return make_batched(op.fn(value, (1,) * len(batch) + tuple(repeats)), input.levels)

    return rule


def repeat_back(op):
    """Make the rule of ``repeat_back``."""

    def rule(grad, shape, repeats):
        batch, gap = batch_of(grad), len(repeats) - len(shape)
        result = op.fn(grad.value, batch + (1,) * gap + tuple(shape), (1,) * len(batch) + tuple(repeats))
        return make_batched(view_op.fn(result, batch + tuple(shape)) if gap else result, grad.levels)

    return rule


def make_tie(op):
    """Make the rule of ``tie``, whose other arguments do not change the gradient."""
    return lambda grad, input: grad


def make_restride(op):
    """Make the rule of ``restride``: the batch dimensions keep their strides."""

    def rule(input, size, stride, start, strides=None):
        value, batch = input.value, batch_of(input)
        steps = memory.strides(value.array)
        own = None if value.array.flags.c_contiguous else steps
        return make_batched(
            op.fn(value, batch + tuple(size), steps[: len(batch)] + tuple(stride), start, own), input.levels
        )

    return rule


def as_strided(input, size, stride, storage_offset=None):
    """Compute ``as_strided``; the offset counts from the start of the sample."""
    return restrided_op.fn(input, tuple(size), tuple(stride), storage_offset or 0)


def recast(t, to, memory_format=None):
    """Convert to another dtype."""
    return make_batched(convert_tensor(t.value, to, True, memory_format), t.levels)


def dist(op):
    """Make the rule of ``dist``, the norm of the difference."""
    return lambda input, other, p=2: vector_norm.fn((input - other).reshape(-1), p, (0,))


def renorm(op):
    """Make the rule of ``renorm``: the slices of all samples are more slices."""

    def rule(input, p, dim, maxnorm):
        n, k = ndim_of(input), len(input.levels)
        if n < 2:
            raise NoRule
        order = [*range(k), k + wrap_dim(dim, n)]
        order += [d for d in range(k + n) if d not in order]
        value = permute.fn(input.value, tuple(order))
        shape = value.array.shape
        rows = reshape_value(op.fn(reshape_value(value, (prod(shape[: k + 1]), *shape[k + 1 :])), p, 0, maxnorm), shape)
        return make_batched(permute.fn(rows, tuple([order.index(d) for d in range(k + n)])), input.levels)

    return rule


def sum_to(op):
    """Make the rule of ``sum_to``."""

    def rule(input, shape):
        batch, gap = batch_of(input), ndim_of(input) - len(shape)
        result = op.fn(input.value, batch + (1,) * gap + tuple(shape))
        return make_batched(view_op.fn(result, batch + tuple(shape)) if gap else result, input.levels)

    return rule


def lay_out_samples(op):
    """Make the rule of ``laid_out``: samples follow each other, each with the given strides."""

    def rule(input, strides):
        batch, shape = batch_of(input), input.array.shape
        step = 1 + sum([(n - 1) * s for n, s in zip(shape, strides, strict=True)]) if input.array.size else 1
        steps = [step * s for s in memory.contiguous_strides(batch)]
        return make_batched(op.fn(input.value, (*steps, *strides)), input.levels)

    return rule


def squeeze_all(op):
    """Make the rule of ``squeeze`` without dimensions."""

    def rule(input):
        k, shape = len(input.levels), input.value.array.shape
        dims = tuple([d for d in range(k, len(shape)) if shape[d] == 1])
        return make_batched(squeeze_dims.fn(input.value, dims), input.levels)

    return rule


def copy_diagonal(op):
    """Make the rule of ``copy_diagonal``."""
    return lambda input, offset: clone.fn(diagonal.fn(input, offset))


def trace(op):
    """Make the rule of ``trace``."""

    def rule(input):
        if ndim_of(input) != 2:
            raise NoRule
        return diagonal.fn(input).sum(-1)

    return rule


def make_transpose(op):
    """Make the rule of ``t``."""

    def rule(input):
        if ndim_of(input) > 2:
            raise NoRule
        if ndim_of(input) < 2:
            return alias.fn(input)
        return make_batched(transpose.fn(input.value, -2, -1), input.levels)

    return rule
