"""Reductions for the layout torch.jagged: of padded tensors along the ragged dimension, otherwise of the values."""

from functools import partial

import tensh as torch
from tensh.nested.core import elements_of, nest
from tensh.nested.jagged.dims import ReducedDims
from tensh.nested.jagged.padding import pad
from tensh.nested.labels import label


def reduction(name, identity, whole=None, along=None, several=True):
    """Make a reduction's rule: ``identity(dtype)`` pads, ``whole`` and ``along`` name nodes, ``several`` allows lists."""

    named = partial(label, node=along) if along else keep_result

    def rule(func, input, dim=None, keepdim=False, **options):
        if isinstance(dim, torch.Tensor):
            if func.__name__ not in ("max", "min"):
                raise TypeError(f"{func.__name__}() received an invalid combination of arguments - got (Tensor)")
            return getattr(torch, f"{func.__name__}imum")(input, dim)
        if dim is None or isinstance(dim, (tuple, list)) and not dim:
            out = func(elements_of(input), **options)
            out = out.unsqueeze(input._form.ragged) if keepdim else out
            return label(out, whole) if whole else out
        is_list = isinstance(dim, (tuple, list))
        if is_list and not several:
            func(elements_of(input), dim=dim)  # raises the error
        where = ReducedDims(input, dim if is_list else [dim])
        return reduce_along(func, input, where, keepdim, options, name, identity, is_list, named)

    return rule


def keep_result(out):
    """Return a result whose node already has PyTorch's name."""
    return out


def reduce_along(func, input, where, keepdim, options, name, identity, is_list, named=keep_result):
    """Reduce along the dimensions ``where``; ``named`` gives each result its node."""
    form = input._form
    if where.ragged and form.lengths is not None:
        raise RuntimeError(
            f"{name}(): reducing across the ragged dimension is not supported for non-contiguous nested tensors with holes"
        )
    dims = where.inner if is_list else where.inner[0]
    if where.ragged and where.batch:
        out = func(elements_of(input), dim=dims, keepdim=keepdim, **options)
        return each_result(lambda o: named(o.unsqueeze(0) if keepdim else o), out)
    if where.ragged:
        if where.others:
            raise RuntimeError(
                f"{name}(): reducing along a ragged and non-batch dimension is not supported for nested tensors"
            )
        padded = pad(None, input, identity(input.dtype))
        out = func(padded, dim=[form.ragged] if is_list else form.ragged, keepdim=keepdim, **options)
        return each_result(named, out)
    if where.batch:
        raise RuntimeError(
            f"{name}(): reducing along the batch dimension but not the ragged dimension is not supported for nested tensors"
        )
    out = func(elements_of(input), dim=dims, keepdim=keepdim, **options)
    ragged = form.ragged - (0 if keepdim else sum(d < form.ragged - 1 for d in where.inner))
    return each_result(lambda o: nest(named(o), form.derive(ragged)), out)


def each_result(wrap, out):
    return tuple.__new__(type(out), [wrap(each) for each in out]) if isinstance(out, tuple) else wrap(out)


def mean(func, input, dim=None, keepdim=False, *, dtype=None):
    """Return the mean, which along the ragged dimension is divided by each tensor's length."""
    options = {} if dtype is None else {"dtype": dtype}
    if dim is None or isinstance(dim, (tuple, list)) and not dim:
        return label(func(elements_of(input), **options), "MeanBackwardAutogradNestedTensor0")
    dims = list(dim) if isinstance(dim, (tuple, list)) else [dim]
    where = ReducedDims(input, dims)
    if where.ragged and not where.batch:
        if where.others:
            raise AssertionError("Cannot reduce on both ragged and non-batch dimensions without also reducing on batch")
        sums = reduce_along(torch.sum, input, where, True, options, "mean", lambda dtype: 0, True)
        out = sums / input._form.list_lengths().view(-1, *[1] * (sums.dim() - 1))
        return label(out if keepdim else out.squeeze(input._form.ragged), "MeanBackward1")
    named = partial(label, node="MeanBackward1")
    return reduce_along(func, input, where, keepdim, options, "mean", lambda dtype: 0, True, named)


def greatest(dtype):
    return torch.finfo(dtype).max if dtype.is_floating_point else float("inf")


def least(dtype):
    return torch.finfo(dtype).min if dtype.is_floating_point else float("-inf")


REDUCTIONS = {
    "sum": reduction("sum", lambda dtype: 0, "SumBackwardAutogradNestedTensor0", "SumBackwardAutogradNestedTensor1"),
    "mean": mean,
    "prod": reduction("prod", lambda dtype: 1, several=False),
    "any": reduction("any", lambda dtype: False),
    "all": reduction("all", lambda dtype: True),
    "min": reduction("min", greatest, several=False),
    "max": reduction("max", least, several=False),
    "amin": reduction("amin", greatest),
    "amax": reduction("amax", least),
    "argmin": reduction("argmin", greatest, several=False),
    "argmax": reduction("argmax", least, several=False),
}
