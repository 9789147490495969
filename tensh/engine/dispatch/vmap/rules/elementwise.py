"""Elementwise operators: batch dimensions come first, and shapes are extended so that they broadcast."""

from tensh.engine.codegen.mixing import COMMON
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.vmap.batched import BatchedTensor
from tensh.engine.dispatch.vmap.rules.shared import fit_value, levels_of, ndim_of, wrap_result
from tensh.engine.operators.basic import cast


def elementwise(op):
    """Make the rule of an operator whose tensors are broadcast."""
    places = [place for place, p in enumerate(op.parameters) if p in op.inputs]
    if len(places) == 1:
        return single(op, places[0])
    fn = op.fn

    def rule(*args, **options):
        first, second, *_ = args
        if len(args) == 2 and type(first) is BatchedTensor:
            if type(second) is BatchedTensor:
                alike = first.levels == second.levels and first.value.array.ndim == second.value.array.ndim
                if alike:
                    return wrap_result(fn(first.value, second.value, **options), first.levels)
            elif not isinstance(second, Tensor):
                return wrap_result(fn(first.value, second, **options), first.levels)
        tensors = [args[place] for place in places if place < len(args) and isinstance(args[place], Tensor)]
        levels = levels_of(tensors)
        ndim = max([ndim_of(t) for t in tensors])
        values = [fit_value(each, levels, ndim) if type(each) is BatchedTensor else each for each in args]
        if op.pointwise and len(tensors) == 2:
            promote(values, args, places)
        return wrap_result(fn(*values, **options), levels)

    return rule


def single(op, place):
    """Make the rule of an operator with one tensor."""
    fn = op.fn

    def rule(*args, **options):
        t = args[place]
        return wrap_result(fn(*args[:place], t.value, *args[place + 1 :], **options), t.levels)

    return rule


def promote(values, args, places=(0, 1)):
    """Promote the values of two tensors if the function sees one of them without dimensions, which ranks lower."""
    one, two = [values[place] for place in places]
    if one.array.dtype is two.array.dtype:
        return
    zero = [ndim_of(args[place]) == 0 for place in places]
    if zero == [one.array.ndim == 0, two.array.ndim == 0]:
        return
    common = COMMON[one.array.dtype, two.array.dtype, *zero]
    for place in places:
        if values[place].array.dtype is not common:
            values[place] = cast.fn(values[place], common)
