"""Helpers of the rules: operands with equal batch dimensions, results with their levels."""

from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.vmap.batched import BatchedTensor, align_batches, expand_batches, make_batched
from tensh.engine.operators.shapes.views import view


class NoRule(Exception):
    """Raised if a rule does not apply: the samples are then computed one by one."""


def levels_of(tensors):
    """Return the levels of all batched tensors among ``tensors``."""
    levels = ()
    for t in tensors:
        if type(t) is BatchedTensor and t.levels != levels:
            levels = tuple(sorted({*levels, *t.levels})) if levels else t.levels
    return levels


def sizes_of(tensors):
    """Return a dict from level to batch size."""
    sizes = {}
    for t in tensors:
        if type(t) is BatchedTensor:
            sizes.update(zip(t.levels, t.value.array.shape, strict=False))
    return sizes


def ndim_of(t):
    """Return the number of dimensions that the function sees."""
    return t.value.array.ndim - len(t.levels) if type(t) is BatchedTensor else t.array.ndim


def fit_value(t, levels, ndim):
    """Return the value of a batched tensor, shaped to broadcast with others of up to ``ndim`` dimensions."""
    value = t.value if t.levels == levels else align_batches(t, levels)
    k, shape = len(levels), value.array.shape
    gap = ndim - len(shape) + k
    return view.fn(value, shape[:k] + (1,) * gap + shape[k:]) if gap > 0 else value


def expand_all(tensors):
    """Return (the values of tensors with all batch dimensions of full size, the levels, the batch sizes)."""
    levels, sizes = levels_of(tensors), sizes_of(tensors)
    values = [expand_batches(t, levels, sizes) if isinstance(t, Tensor) else t for t in tensors]
    return values, levels, tuple([sizes[number] for number in levels])


def wrap_result(result, levels):
    """Return the result of a call on values, as the function sees it."""
    if isinstance(result, Tensor):
        return make_batched(result, levels)
    if isinstance(result, (list, tuple)):
        return type(result)([wrap_result(each, levels) for each in result])
    return result


def reshape_value(value, shape):
    """Reshape ``value``, to a view if possible."""
    from tensh.engine.operators.shapes.composites.reshaping import reshape_to

    return reshape_to(value, tuple(shape))
