"""Functions without a rule: one call for every sample, and the results stacked."""

from contextlib import nullcontext
from itertools import product

import numpy as np

from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.vmap.batched import BatchedTensor, Sample, make_batched
from tensh.engine.dispatch.vmap.levels import drawing, running
from tensh.engine.operators.shapes.rearrangement import stack
from tensh.engine.operators.shapes.views import select, view
from tensh.engine.random.generator import default_generator


def call_by_samples(fn, args, options):
    """Call ``fn`` sample by sample, and stack the results."""
    levels, sizes = find_levels((args, options))
    if not levels:
        raise TypeError(f"{getattr(fn, '__name__', fn)} reads the elements of a tensor, which vmap hides")
    batch = [sizes[number] for number in levels]
    if 0 in batch:
        return make_empty_result(fn, args, options, levels, batch)
    results, repeated = [], all(each.randomness == "same" for each in running.levels if each.number in levels)
    state = default_generator.get_state() if repeated else None
    with drawing() if all(each.randomness != "error" for each in running.levels) else nullcontext():
        for place in product(*map(range, batch)):
            if repeated:
                default_generator.set_state(state)
            at = dict(zip(levels, place, strict=True))
            results.append(fn(*take_sample(args, at), **take_sample(options, at)))
    return join_samples(results, levels, batch)


def find_levels(values):
    """Return (the levels of all batched tensors within ``values``, level -> size)."""
    sizes = {}
    for t in leaves(values):
        if type(t) is Sample:
            t = t.owner
        if type(t) is BatchedTensor:
            sizes.update(zip(t.levels, t.value.array.shape, strict=False))
    return tuple(sorted(sizes)), sizes


def leaves(value):
    """Yield the values in lists, tuples and dictionaries, at any depth."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from leaves(each)
    else:
        yield value


def take_sample(value, at):
    """Replace every batched tensor in ``value`` by its sample at the place ``at`` (level -> number)."""
    if type(value) is BatchedTensor:
        t = value.value
        for number in value.levels:
            t = select.fn(t, 0, at[number])
        return t
    if type(value) is Sample:
        return value.array[tuple([at[number] for number in value.owner.levels])]
    if isinstance(value, dict):
        return {key: take_sample(each, at) for key, each in value.items()}
    if type(value) in (list, tuple) or hasattr(value, "__match_args__") and isinstance(value, tuple):
        return type(value)([take_sample(each, at) for each in value])
    return value


def join_samples(results, levels, batch):
    """Stack the results of all samples to one batched result."""
    first = results[0]
    if isinstance(first, Tensor):
        if all(each is first for each in results):
            return first
        whole = stack.fn(results, 0)
        if len(batch) > 1:
            whole = view.fn(whole, (*batch, *whole.array.shape[1:]))
        return make_batched(whole, levels)
    if isinstance(first, (list, tuple)):
        parts = [join_samples(list(each), levels, batch) for each in zip(*results, strict=True)]
        return (
            type(first)(parts) if type(first) in (list, tuple) or not hasattr(first, "_fields") else type(first)(*parts)
        )
    return first


def make_empty_result(fn, args, options, levels, batch):
    """Return the result for an empty batch, with the shape of that for a sample of zeros."""

    def blank(value):
        if type(value) is BatchedTensor:
            return wrap(np.zeros(value.array.shape, value.array.dtype))
        if type(value) is Sample:
            return np.zeros(value.shape, value.dtype)
        if isinstance(value, dict):
            return {key: blank(each) for key, each in value.items()}
        if type(value) in (list, tuple):
            return type(value)([blank(each) for each in value])
        return value

    def empty(result):
        if isinstance(result, Tensor):
            return make_batched(result.new_empty((*batch, *result.shape)), levels)
        return type(result)([empty(each) for each in result]) if isinstance(result, (list, tuple)) else result

    return empty(fn(*blank(args), **blank(options)))
