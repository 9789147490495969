"""Index arrays: where they vary between samples, index arrays for the batch dimensions are added.

``indices`` are arrays by dimension, None for a full slice.  If the arrays are adjacent their dimensions in the result
stay in place, otherwise they come first, as in NumPy; so a batch may have to be moved.
"""

import math

import numpy as np

from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.vmap import errors
from tensh.engine.dispatch.vmap.batched import BatchedTensor, Sample, expand_batches, make_batched
from tensh.engine.dispatch.vmap.equal_samples import find_sample
from tensh.engine.dispatch.vmap.rules.leading import DIM, leading
from tensh.engine.dispatch.vmap.rules.shared import NoRule, levels_of, ndim_of, sizes_of
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.basic import expand
from tensh.engine.operators.indexing.composites.indexing import PLAIN, getitem, read_array, take_view
from tensh.engine.operators.indexing.index import index as index_op
from tensh.engine.operators.indexing.index import index_back as index_back_op
from tensh.engine.operators.indexing.scatter import index_put as index_put_op
from tensh.engine.operators.shapes.views import alias, permute, squeeze_dim


class Places:
    """Selection by index arrays, some of them batched, from a tensor with batch dimensions.

    ``key`` is the index for the value.  ``width`` is the number of dimensions of the broadcast arrays, ``at`` their
    position in the result that the function sees.
    """

    def __init__(self, indices, levels, sizes, hidden=True):
        used = [place for place, each in enumerate(indices) if each is not None]
        arrays = [indices[place] for place in used]
        self.k, self.hidden = len(levels), hidden
        self.batched = any(type(each) is Sample for each in arrays)
        self.width = max([1 if each.dtype.kind == "b" else each.ndim for each in arrays])
        self.together = used[-1] - used[0] == len(used) - 1
        self.at = used[0] if self.together else 0
        if self.batched:
            refuse_masks(arrays)
            self.key = self.complete(indices, levels, sizes)
        else:
            self.key = (None,) * self.k * hidden + tuple(indices)

    def complete(self, indices, levels, sizes):
        """Add an index array for each hidden dimension, an ``arange`` of its size."""
        places = [None if each is None else self.gather_batch(each, levels, sizes) for each in indices]
        if not self.hidden:
            return tuple(places)
        shapes = [(1,) * d + (-1,) + (1,) * (self.k - d - 1 + self.width) for d in range(self.k)]
        numbers = [np.arange(sizes[level]).reshape(shape) for level, shape in zip(levels, shapes, strict=True)]
        return (*numbers, *places)

    def gather_batch(self, each, levels, sizes):
        """Return one index array, with a dimension for each level if it is batched."""
        if type(each) is not Sample:
            return each
        value = expand_batches(each.owner, levels, sizes).array
        return value.reshape(value.shape[: self.k] + (1,) * (self.width - value.ndim + self.k) + value.shape[self.k :])

    def order(self, ndim):
        """Return the order of dimensions: batches first, those of the arrays where the function expects them."""
        k, width, at = self.k, self.width, self.at
        if not self.hidden:
            return [*range(at, at + k), *range(at), *range(at + k, ndim)]  # [before, batch, arrays, after]
        if self.batched:
            rest = range(k + width, ndim)
            return [*range(k), *rest[:at], *range(k, k + width), *rest[at:]]  # [batch, arrays, rest]
        if self.together:
            return [*range(ndim)]
        return [*range(width, width + k), *range(width), *range(width + k, ndim)]  # [arrays, batch, rest]

    def settle(self, result):
        """Permute a result to the order that the function sees, after the batches."""
        return permute_value(result, self.order(result.array.ndim))

    def unsettle(self, value):
        """Undo ``settle``."""
        order = self.order(value.array.ndim)
        return permute_value(value, [order.index(d) for d in range(len(order))])

    def shape(self, value):
        """Return the shape of the values at these places as the function sees them, after the batches."""
        shape = index_op.kernel(np.broadcast_to(np.uint8(0), value.array.shape), self.key).shape
        return tuple([shape[d] for d in self.order(len(shape))])


def refuse_masks(arrays):
    """Raise for a mask: if it varies between samples, the number of selected places does, too."""
    for each in arrays:
        if each.dtype.kind == "b":
            if type(each) is Sample:
                raise RuntimeError(errors.BY_MASK)
            raise NoRule


def read_mask(index):
    """Return an index array, or the one sample of a mask whose samples are equal."""
    sample = find_sample(index.owner) if type(index) is Sample and index.dtype.kind == "b" else None
    return index if sample is None else sample.array


def read_indices(indices, *tensors):
    """Return (the index arrays, levels and sizes of the arrays and of the tensors)."""
    indices = [read_mask(each) for each in indices]
    given = (*tensors, *[each.owner for each in indices if type(each) is Sample])
    return indices, levels_of(given), sizes_of(given)


def index(op):
    """Make the rule of ``index``."""

    def rule(input, indices):
        indices, levels, sizes = read_indices(indices, input)
        hidden = type(input) is BatchedTensor
        places = Places(indices, levels, sizes, hidden)
        value = expand_batches(input, levels, sizes) if hidden else input
        return make_batched(places.settle(op.fn(value, places.key)), levels)

    return rule


def permute_value(value, order):
    """Permute the dimensions of ``value``."""
    return value if order == sorted(order) else permute.fn(value, tuple(order))


def index_put(op):
    """Make the rule of ``index_put``."""

    def rule(input, indices, values, accumulate=False):
        indices, levels, sizes = read_indices(indices, input, values)
        places = Places(indices, levels, sizes)
        value = expand_batches(input, levels, sizes)
        shape = places.shape(value)
        gap = len(shape) - len(levels) - ndim_of(values)
        given = values.reshape((1,) * gap + tuple(values.shape)) if gap > 0 else values
        given = places.unsettle(expand.fn(expand_batches(given, levels, sizes), shape))
        return make_batched(op.fn(value, places.key, given, accumulate), levels)

    return rule


def put(input, indices, values, accumulate=False):
    """Compute the function ``index_put``."""
    arrays = tuple([read_array(each.array) for each in indices])
    return index_put_op.fn(input, arrays, values, accumulate)


def index_back(op):
    """Make the rule of ``index_back``."""

    def rule(grad, shape, indices):
        indices, levels, sizes = read_indices(indices, grad)
        places = Places(indices, levels, sizes)
        value = places.unsettle(expand_batches(grad, levels, sizes))
        return make_batched(op.fn(value, (*[sizes[number] for number in levels], *shape), places.key), levels)

    return rule


def write_slices(values, accumulate):
    """Return a maker for an operator that writes slices; ``values`` computes them from its last arguments.

    An index that varies between samples is passed to ``index_put``.
    """

    def make(op):
        along = leading(dim=DIM, same="index")(op)

        def rule(input, dim, index, *rest, **options):
            try:
                return along(input, dim, index, *rest, **options)
            except NoRule:
                if not ndim_of(input) or not slices_fit(input, dim, index, rest):
                    raise
            places = (None,) * wrap_dim(dim, ndim_of(input)) + (index.reshape(-1).array,)
            return index_put_op.fn(input, places, values(input, *rest, **options), accumulate)

        return rule

    return make


def slices_fit(input, dim, index, given):
    """Return True if the tensors ``given`` have the shape of the slices at a vector ``index``, which are written."""
    shape = list(input.array.shape)
    shape[wrap_dim(dim, len(shape))] = math.prod(index.array.shape)
    return ndim_of(index) <= 1 and all(list(t.array.shape) == shape for t in given if isinstance(t, Tensor))


def fill_value(input, value):
    """Return a number as a tensor in the dtype of ``input``."""
    return wrap(np.asarray(value, input.array.dtype))


WRITES = {
    "index_add": write_slices(lambda input, source, alpha=1: source if alpha == 1 else source * alpha, True),
    "index_copy": write_slices(lambda input, source: source, False),
    "index_fill_number": write_slices(fill_value, False),
}


def index_select(op):
    """Make the rule of ``index_select``."""

    def rule(input, dim, index):
        if type(index) is not BatchedTensor and ndim_of(input):
            k = len(input.levels)
            return make_batched(op.fn(input.value, DIM(dim, ndim_of(input), input.levels[:k]), index), input.levels)
        n = ndim_of(input)
        if not n or ndim_of(index) > 1:
            raise NoRule
        return index_op.fn(input, (None,) * (dim % n) + (index.reshape(-1).array,))

    return rule


def take(op):
    """Make the rule of ``take``."""

    def rule(input, index):
        flat = input.reshape(-1)
        return index_op.fn(flat, (index.array,))

    return rule


def lookup(op):
    """Make the rule of ``lookup``, the rows of a matrix."""

    def rule(weight, indices, padding_idx=-1, by_frequency=False, sparse=False):
        if by_frequency:
            raise NoRule
        if type(weight) is not BatchedTensor:
            return make_batched(op.fn(weight, indices.value, padding_idx, by_frequency), indices.levels)
        if padding_idx >= 0:
            raise NoRule
        return index_op.fn(weight, (indices.array,))

    return rule


def lookup_back(op):
    """Make the rule of ``lookup_back``, which adds rows at their places."""

    def rule(grad, indices, padding_idx, by_frequency, shape):
        if padding_idx >= 0 or by_frequency:
            raise NoRule
        return index_back_op.fn(grad, shape, (indices.array,))

    return rule


def rows_back(op):
    """Make the rule of ``rows_back``, whose gradient is dense for a batch."""

    def rule(grad, indices, padding_idx, by_frequency, shape):
        if padding_idx >= 0 or by_frequency:
            raise NoRule
        return index_back_op.fn(grad, shape, (indices.array,))

    return rule


def make_sampled_product(op):
    """Make the rule of ``sampled_product``, the sums of products of rows."""
    return lambda rows, cols, a, b: (index_op.fn(a, (rows,)) * index_op.fn(b, (cols,))).sum(-1)


# ── x[...] ───────────────────────────────────────────────────────────────────
def read(self, index):
    """Compute ``self[index]``."""
    parts = index if type(index) is tuple else (index,)
    if type(self) is BatchedTensor and all(type(part) in PLAIN for part in parts):
        hidden = (slice(None),) * len(self.levels)
        if sum(part is not None and part is not ... for part in parts) <= ndim_of(self) and parts.count(...) < 2:
            try:
                return make_batched(getitem(self.value, hidden + parts), self.levels)
            except IndexError:
                pass  # repeated below, to name the dimension of a sample
    lone = [type(part) is BatchedTensor and not part.array.ndim and part.array.dtype.kind in "iu" for part in parts]
    if any(lone):  # a number that varies between samples becomes an index of one element
        index = tuple([part.reshape(1) if alone else part for part, alone in zip(parts, lone, strict=True)])
    view, indices = take_view(self, index)
    if indices:
        result = index_op.fn(view, indices)
        used = [place for place, each in enumerate(indices) if each is not None]
        if any(lone) and all(indices[place].shape == (1,) for place in used):
            result = squeeze_dim.fn(result, used[0] if used[-1] - used[0] == len(used) - 1 else 0)
        return result
    return alias.fn(self) if view is self else view
