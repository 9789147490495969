"""Sums, means, extrema and other reductions."""

import tensh as torch
from tensh.onnx.operators.table import axes_of, operator


def reduction(name, function):
    """Register a reduction whose ``axes`` are an attribute or an input."""

    def run(a, axes_input=None, axes=None, keepdims=1, noop_with_empty_axes=0):
        axes = axes_of(axes_input, axes)
        if not axes:
            if noop_with_empty_axes:  # each element is reduced by itself
                return function(a.unsqueeze(-1), (-1,), False)
            axes = range(a.dim())
        return function(a, tuple(axes), bool(keepdims)) if a.dim() else function(a.reshape(1), (0,), False)

    run.__name__ = run.__qualname__ = name
    globals()[name] = operator(run)


def multiply(a, axes, keepdim):
    for axis in sorted((axis % a.dim() for axis in axes), reverse=True):
        a = a.prod(axis, keepdim=keepdim)
    return a


for name, function in {
    "ReduceSum": lambda a, axes, keepdim: a.sum(axes, keepdim=keepdim).to(a.dtype),
    "ReduceMean": lambda a, axes, keepdim: a.mean(axes, keepdim=keepdim),
    "ReduceMax": lambda a, axes, keepdim: a.amax(axes, keepdim=keepdim),
    "ReduceMin": lambda a, axes, keepdim: a.amin(axes, keepdim=keepdim),
    "ReduceProd": multiply,
    "ReduceL1": lambda a, axes, keepdim: a.abs().sum(axes, keepdim=keepdim),
    "ReduceL2": lambda a, axes, keepdim: torch.linalg.vector_norm(a, 2, axes, keepdim=keepdim),
    "ReduceSumSquare": lambda a, axes, keepdim: (a * a).sum(axes, keepdim=keepdim),
    "ReduceLogSum": lambda a, axes, keepdim: a.sum(axes, keepdim=keepdim).log(),
    "ReduceLogSumExp": lambda a, axes, keepdim: torch.logsumexp(a, axes, keepdim=keepdim),
}.items():
    reduction(name, function)


def extreme(name, function):
    """Register the place of an extreme element, the first or the last of those that are alike."""

    def run(a, axis=0, keepdims=1, select_last_index=0):
        if select_last_index:
            return a.shape[axis] - 1 - function(a.flip(axis), axis, keepdim=bool(keepdims))
        return function(a, axis, keepdim=bool(keepdims))

    run.__name__ = run.__qualname__ = name
    globals()[name] = operator(run)


extreme("ArgMax", torch.argmax)
extreme("ArgMin", torch.argmin)


@operator
def CumSum(a, axis, exclusive=0, reverse=0):
    axis = int(axis)
    found = a.flip(axis).cumsum(axis).flip(axis) if reverse else a.cumsum(axis)
    return (found - a if exclusive else found).to(a.dtype)


@operator
def TopK(a, k, axis=-1, largest=1, sorted=1):
    return tuple(torch.topk(a, int(k), axis, bool(largest), bool(sorted)))
