"""Searches: batches of sorted sequences are more rows; values keep their shape."""

from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.vmap.batched import BatchedTensor, make_batched
from tensh.engine.dispatch.vmap.rules.shared import NoRule, expand_all, ndim_of, reshape_value


def searchsorted(sorted_sequence, input, **options):
    """Compute ``searchsorted``."""
    if options.get("sorter") is not None or not isinstance(input, Tensor):
        raise NoRule
    if type(sorted_sequence) is not BatchedTensor and ndim_of(sorted_sequence) == 1:
        return make_batched(PUBLIC["searchsorted"](sorted_sequence, input.value, **options), input.levels)
    (rows, values), levels, batch = expand_all([sorted_sequence, input])
    shape = values.array.shape
    if ndim_of(sorted_sequence) == 1:
        values = reshape_value(values, (*batch, input.array.size))
    return make_batched(reshape_value(PUBLIC["searchsorted"](rows, values, **options), shape), levels)


def bucketize(input, boundaries, **options):
    """Compute ``bucketize``."""
    if type(boundaries) is BatchedTensor or not isinstance(input, Tensor):
        raise NoRule
    return make_batched(PUBLIC["bucketize"](input.value, boundaries, **options), input.levels)


def isin(elements, test_elements, **options):
    """Compute ``isin``."""
    if type(test_elements) is BatchedTensor:
        raise NoRule
    return make_batched(PUBLIC["isin"](elements.value, test_elements, **options), elements.levels)


FUNCTIONS = {"searchsorted": searchsorted, "bucketize": bucketize, "isin": isin}
