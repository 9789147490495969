"""Operators that accept leading dimensions, once dimension numbers and shapes in their arguments are adjusted."""

import inspect
from math import prod

from tensh.engine.arguments.checks import is_empty
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.vmap.batched import BatchedTensor
from tensh.engine.dispatch.vmap.rules.shared import NoRule, expand_all, ndim_of, reshape_value, sizes_of, wrap_result
from tensh.engine.errors.messages import wrap_dim


# ── kinds of arguments: how each is adjusted for k batch dimensions before n others ───
def DIM(dim, n, batch):
    """Adjust a dimension."""
    if n == 0:
        wrap_dim(dim, n)
        raise NoRule
    return wrap_dim(dim, n) + len(batch)


def DIMS(dims, n, batch):
    """Adjust several dimensions; None or none means all."""
    if n == 0:
        raise NoRule
    if dims is None or is_empty(dims):
        return tuple(range(len(batch), len(batch) + n))
    return tuple([DIM(dim, n, batch) for dim in dims]) if isinstance(dims, (list, tuple)) else DIM(dims, n, batch)


def ORDER(dims, n, batch):
    """Adjust a permutation of all dimensions: the batch dimensions stay in front."""
    return (*range(len(batch)), *[wrap_dim(dim, n) + len(batch) for dim in dims])


def SOME(dims, n, batch):
    """Adjust several dimensions, or none: a sample without dimensions has none."""
    dims = [wrap_dim(dim, n) + len(batch) for dim in dims]
    return tuple(dims) if n else ()


def NEW(dim, n, batch):
    """Adjust a dimension of a result that has one more."""
    return wrap_dim(dim, n + 1) + len(batch)


def SHAPE(shape, n, batch):
    """Adjust a shape."""
    return batch + tuple(shape)


def SEGMENTS(segments, n, batch):
    """Adjust segments along a dimension."""
    return segments.repeat(batch)


def align(values, cores, batch):
    """Give all tensors as many dimensions between the first ``batch`` ones and the last ones, as many as in ``cores``."""
    between = [value.array.ndim - batch - core for value, core in zip(values, cores, strict=True)]
    missing = [max(between) - n for n in between]
    if not any(missing) or min(between) < 0:
        return values
    sizes = [value.array.shape for value in values]
    return [
        reshape_value(value, (*size[:batch], *(1,) * n, *size[batch:]))
        for value, size, n in zip(values, sizes, missing, strict=True)
    ]


def leading(at_least=0, same="", cores=None, **kinds):
    """Return a maker of rules; ``kinds`` maps parameters to kinds, ``at_least`` is the least number of dimensions.

    ``cores`` is given for operators that broadcast other dimensions than those of their matrices: it names the tensors
    with another number of dimensions of their own than two.

    ``same`` names a tensor, such as an index, that must be the same for all samples.  Otherwise the rule raises
    ``NoRule``, so that samples are computed one by one, and also if the other tensors have different numbers of
    dimensions.
    """

    def make(op):
        names = list(op.parameters)
        tensors = [name for name in names if name in op.inputs and name != same]
        if tensors == names[:1] and not same:
            return take_one(op, at_least, kinds)
        keywords = {name for name, p in op.parameters.items() if p.kind is p.KEYWORD_ONLY}

        def rule(*args, **options):
            bound = {n: p.default for n, p in op.parameters.items()} | dict(zip(names, args, strict=False)) | options
            given = [bound[name] for name in tensors]
            if same and (type(bound[same]) is BatchedTensor or len({ndim_of(t) for t in given}) > 1):
                raise NoRule
            values, levels, batch = expand_all(given)
            if cores is not None:
                values = align(values, [cores.get(name, 2) for name in tensors], len(batch))
            n = len(bound["shape"]) if "shape" in kinds else ndim_of(given[0])
            if n < at_least:
                raise NoRule
            bound.update(zip(tensors, values, strict=True))
            for name, kind in kinds.items():
                bound[name] = kind(bound[name], n, batch)
            positional = [value for name, value in bound.items() if name not in keywords]
            return wrap_result(op.fn(*positional, **{name: bound[name] for name in keywords}), levels)

        return rule

    return make


def take_one(op, at_least, kinds):
    """Make the rule of an operator whose first argument is its only tensor."""
    fn, names = op.fn, list(op.parameters)[1:]
    named = inspect.Parameter.KEYWORD_ONLY  # keyword-only arguments have no position
    places = [len(names) if op.parameters[name].kind is named else names.index(name) for name in kinds]
    found = list(zip(places, kinds, kinds.values(), strict=True))
    shape = names.index("shape") if "shape" in kinds else None

    def rule(input, *args, **options):
        value, levels = input.value, input.levels
        size = value.array.shape
        batch = size[: len(levels)]
        n = len(size) - len(levels) if shape is None else len(args[shape])
        if n < at_least:
            raise NoRule
        args = list(args)
        for place, name, kind in found:
            if place < len(args):
                args[place] = kind(args[place], n, batch)
            else:
                options[name] = kind(options.get(name, op.parameters[name].default), n, batch)
        return wrap_result(fn(value, *args, **options), levels)

    return rule


def joining(kind):
    """Return a maker for operators of a list of tensors and a dimension."""

    def make(op):
        def rule(tensors, dim=0):
            tensors = [t for t in tensors if op.name != "cat" or t.array.shape != (0,)] or tensors
            values, levels, batch = expand_all(tensors)
            return wrap_result(op.fn(values, kind(dim, ndim_of(tensors[0]), batch)), levels)

        return rule

    return make


def flat(name, *more, then=None):
    """Return a maker for operators over all elements: the operator ``name`` along the flattened dimension."""

    def make(op):
        def rule(input, *args, **options):
            value, levels = input.value, input.levels
            k = len(levels)
            rows = reshape_value(value, (*value.array.shape[:k], input.array.size))
            result = OPS[name].fn(rows, k, *more, *args, **options)
            return wrap_result(result if then is None else result[then], levels)

        return rule

    return make


def dims_or_all(kind):
    """Return a maker for operators along dimensions if given, otherwise over the flattened elements."""

    def make(op):
        along = leading(dims=kind)(op)

        def rule(input, amounts, dims):
            if dims and input.array.ndim:
                return along(input, amounts, dims)
            value, shape = input.value, input.value.array.shape
            k = len(input.levels)
            rows = reshape_value(value, (*shape[:k], input.array.size))
            return wrap_result(reshape_value(op.fn(rows, amounts, (k,)), shape), input.levels)

        return rule

    return make


def scalar_or(along, over):
    """Return a maker: ``over`` is used without a dimension, ``along`` with one."""

    def make(op):
        one, all_of_them = along(op), over(op)

        def rule(input, dim=None, keepdim=False, **options):
            if dim is not None:
                return one(input, dim, keepdim, **options)
            if keepdim:
                raise NoRule
            return all_of_them(input, **options)

        return rule

    return make


def keep_inside_first(*names):
    """Return a maker for operators whose tensors ``names`` start with samples: batches are more samples."""

    def make(op):
        parameters = list(op.parameters)

        def rule(*args, **options):
            bound = dict(zip(parameters, args, strict=False)) | options
            present = [name for name in names if bound.get(name) is not None]
            fixed = [value for name, value in bound.items() if name not in names]
            if sizes_of([each for each in fixed if isinstance(each, Tensor)]):
                raise NoRule
            given = [bound[name] for name in present]
            values, levels, batch = expand_all(given)
            k, first = len(batch), values[0].array.shape[len(batch)]
            for name, value in zip(present, values, strict=True):
                shape = value.array.shape
                bound[name] = reshape_value(value, (prod(shape[: k + 1]), *shape[k + 1 :]))
            if "shape" in bound:
                bound["shape"] = (prod(batch) * bound["shape"][0], *bound["shape"][1:])
            return wrap_result(unfold_batch(op.fn(**bound), batch, first), levels)

        return rule

    return make


def unfold_batch(result, batch, first):
    """Split the batch dimensions of results off the first dimension."""
    if isinstance(result, Tensor):
        return reshape_value(result, (*batch, first, *result.array.shape[1:]))
    return type(result)([unfold_batch(each, batch, first) for each in result])
