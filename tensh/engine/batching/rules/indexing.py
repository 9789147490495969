"""Index arrays: numbers for the batch dimensions go beside them where they differ from sample to sample.

``indices`` are arrays by dimension, None for one that is taken whole.  Where the arrays stand together the result's
dimensions stand there, otherwise first, as in NumPy; so a batch may have to be moved.
"""

import numpy as np

from tensh.engine.batching import refusals
from tensh.engine.batching.batched import Batched, Sample, batched, spread
from tensh.engine.batching.rules.leading import DIM, leading
from tensh.engine.batching.rules.shared import Unruled, levels_of, ndim_of, sizes_of
from tensh.engine.errors import wrap_dim
from tensh.engine.functional.indexing.indexing import PLAIN, getitem, read_array, viewed
from tensh.engine.tensor import wrap
from tensh.engine.vocabulary import OPS


class Places:
    """How index arrays, some of them batched, select from the value of a tensor with batch dimensions.

    ``key`` is the index for the value; ``width`` the number of dimensions that the arrays give; ``at`` is where these stand
    in what the function sees, ``first`` whether they come first in the result for the value.
    """

    def __init__(self, indices, levels, sizes, hidden):
        owners = [each.owner if type(each) is Sample else None for each in indices]
        for each, owner in zip(indices, owners, strict=True):
            if owner is not None and each.dtype.kind == "b":
                raise RuntimeError(refusals.BY_MASK)
        k = len(levels)
        used = [place for place, each in enumerate(indices) if each is not None]
        self.width = (
            max(np.ndim(each) if each.dtype.kind != "b" else 1 for each in map(indices.__getitem__, used))
            if all(owner is None for owner in owners)
            else max(each.ndim for each in indices if each is not None)
        )
        self.together = used[-1] - used[0] == len(used) - 1
        self.at = used[0] if self.together else 0
        self.batched = any(owner is not None for owner in owners)
        if not self.batched:
            self.key = (None,) * k + tuple(indices) if hidden else tuple(indices)
            self.first = hidden and not self.together
            return
        if any(each is not None and each.dtype.kind == "b" for each in indices):
            raise Unruled
        arrays = [None if each is None else self.array(each, levels, sizes) for each in indices]
        counts = [
            np.arange(sizes[number]).reshape(*(-1 if d == place else 1 for d in range(k)), *(1,) * self.width)
            for place, number in enumerate(levels)
        ]
        self.key = (*(counts if hidden else ()), *arrays)
        self.first = True

    def array(self, each, levels, sizes):
        """One index array with a dimension for each level."""
        if type(each) is Sample:
            value = spread(each.owner, levels, sizes).array
            k = len(levels)
            return value.reshape(value.shape[:k] + (1,) * (self.width - value.ndim + k) + value.shape[k:])
        return np.asarray(each)


def index(op):
    """A maker: the rule of ``index``."""

    def rule(input, indices):
        owners = [each.owner for each in indices if type(each) is Sample]
        levels, sizes = levels_of((input, *owners)), sizes_of((input, *owners))
        k, hidden = len(levels), type(input) is Batched
        places = Places(indices, levels, sizes, hidden)
        value = spread(input, levels, sizes) if hidden else input
        result = op.fn(value, places.key)
        return batched(settled(result, places, k, hidden), levels)

    return rule


def settled(result, places, k, hidden):
    """The result for the values with the batch dimensions first and those of the arrays where the function expects them."""
    ndim, width, at = result.array.ndim, places.width, places.at
    if not places.batched:
        if not places.first:
            return result
        return permuted(result, [*range(width, width + k), *range(width), *range(width + k, ndim)])
    together = places.together
    if hidden:  # [batch, arrays, rest]
        start = k if together else k
        order = [*range(k)]
        rest = list(range(k + width, ndim))
        return permuted(result, [*order, *rest[:at], *range(start, start + width), *rest[at:]])
    offset = at if together else 0  # [before, batch, arrays, after]
    order = [*range(offset, offset + k), *range(offset), *range(offset + k, ndim)]
    return permuted(result, order)


def unsettled(value, places, k):
    """The way back of ``settled`` for a batched tensor: dimensions as the value's own result has them."""
    ndim, width, at = value.array.ndim, places.width, places.at
    if not places.batched:
        if not places.first:
            return value
        return permuted(value, [*range(k, k + width), *range(k), *range(k + width, ndim)])
    rest = [d for d in range(k, ndim) if not k + at <= d < k + at + width]
    return permuted(value, [*range(k), *range(k + at, k + at + width), *rest])


def permuted(value, order):
    """``value`` with its dimensions in another order."""
    return value if order == sorted(order) else OPS["permute"].fn(value, tuple(order))


def index_put(op):
    """A maker: the rule of ``index_put``."""

    def rule(input, indices, values, accumulate=False):
        owners = [each.owner for each in indices if type(each) is Sample]
        levels, sizes = levels_of((input, values, *owners)), sizes_of((input, values, *owners))
        k = len(levels)
        places = Places(indices, levels, sizes, True)
        value = spread(input, levels, sizes)
        seen = OPS["index"].kernel(np.broadcast_to(np.uint8(0), value.array.shape), places.key).ndim - k
        given = values
        gap = seen - ndim_of(values)
        if gap > 0:
            given = given.reshape((1,) * gap + tuple(given.shape))
        if type(given) is Batched or places.batched or places.first:
            given = spread(given, levels, sizes)
            if places.batched or places.first:
                shape = settled_shape(value, places, k)
                given = unsettled(OPS["expand"].fn(given, shape), places, k)
        return batched(op.fn(value, places.key, given, accumulate), levels)

    return rule


def put(input, indices, values, accumulate=False):
    """The rule of the function ``index_put``."""
    arrays = tuple([read_array(each.array) for each in indices])
    return OPS["index_put"].fn(input, arrays, values, accumulate)


def settled_shape(value, places, k):
    """The shape, batch dimensions first, of what the function would read at the places."""
    probe = np.broadcast_to(np.uint8(0), value.array.shape)
    shape = OPS["index"].kernel(probe, places.key).shape
    ndim, width, at = len(shape), places.width, places.at
    if not places.batched:
        order = [*range(width, width + k), *range(width), *range(width + k, ndim)] if places.first else range(ndim)
    else:
        rest = list(range(k + width, ndim))
        order = [*range(k), *rest[:at], *range(k, k + width), *rest[at:]]
    return tuple([shape[d] for d in order])


def index_back(op):
    """A maker: the rule of ``index_back``."""

    def rule(grad, shape, indices):
        owners = [each.owner for each in indices if type(each) is Sample]
        levels, sizes = levels_of((grad, *owners)), sizes_of((grad, *owners))
        k = len(levels)
        places = Places(indices, levels, sizes, True)
        value = unsettled(spread(grad, levels, sizes), places, k)
        return batched(op.fn(value, (*[sizes[number] for number in levels], *shape), places.key), levels)

    return rule


def by_slices(values, accumulate):
    """A maker: the rule of an operator that writes slices; ``values`` makes what is written of its last arguments.

    An index that differs from sample to sample is one of the places of ``index_put``.
    """

    def make(op):
        along = leading(dim=DIM, same="index")(op)

        def rule(input, dim, index, *rest, **options):
            try:
                return along(input, dim, index, *rest, **options)
            except Unruled:
                if not ndim_of(input):
                    raise
            places = (None,) * wrap_dim(dim, ndim_of(input)) + (index.reshape(-1).array,)
            return OPS["index_put"].fn(input, places, values(input, *rest, **options), accumulate)

        return rule

    return make


def filled(input, value):
    """A number as a tensor to write."""
    return wrap(np.asarray(value, input.array.dtype))


WRITES = {
    "index_add": by_slices(lambda input, source, alpha=1: source if alpha == 1 else source * alpha, True),
    "index_copy": by_slices(lambda input, source: source, False),
    "index_fill_number": by_slices(filled, False),
    "index_fill_tensor": by_slices(lambda input, value: value, False),
}


def index_select(op):
    """A maker: the rule of ``index_select``."""

    def rule(input, dim, index):
        if type(index) is not Batched and ndim_of(input):
            k = len(input.levels)
            return batched(op.fn(input.value, DIM(dim, ndim_of(input), input.levels[:k]), index), input.levels)
        n = ndim_of(input)
        if not n:
            raise Unruled
        return OPS["index"].fn(input, (None,) * (dim % n) + (index.reshape(-1).array,))

    return rule


def take(op):
    """A maker: the rule of ``take``."""

    def rule(input, index):
        flat = input.reshape(-1)
        return OPS["index"].fn(flat, (index.array,))

    return rule


def lookup(op):
    """A maker: the rule of ``lookup``, the rows of a matrix."""

    def rule(weight, indices, padding_idx=-1, by_frequency=False):
        if by_frequency:
            raise Unruled
        if type(weight) is not Batched:
            return batched(op.fn(weight, indices.value, padding_idx, by_frequency), indices.levels)
        if padding_idx >= 0:
            raise Unruled
        return OPS["index"].fn(weight, (indices.array,))

    return rule


def lookup_back(op):
    """A maker: the rule of ``lookup_back``: rows added up at their places."""

    def rule(grad, indices, padding_idx, by_frequency, shape):
        if padding_idx >= 0 or by_frequency:
            raise Unruled
        return OPS["index_back"].fn(grad, shape, (indices.array,))

    return rule


# ── x[...] ───────────────────────────────────────────────────────────────────
def read(self, index):
    """``self[index]``."""
    parts = index if type(index) is tuple else (index,)
    if type(self) is Batched and all(type(part) in PLAIN for part in parts):
        hidden = (slice(None),) * len(self.levels)
        if sum(part is not None and part is not ... for part in parts) <= ndim_of(self) and parts.count(...) < 2:
            try:
                return batched(getitem(self.value, hidden + parts), self.levels)
            except IndexError:
                pass  # and say below which dimension of a sample it is
    lone = [type(part) is Batched and not part.array.ndim and part.array.dtype.kind in "iu" for part in parts]
    if any(lone):  # a number for each sample: for the moment an index of one element
        index = tuple([part.reshape(1) if alone else part for part, alone in zip(parts, lone, strict=True)])
    view, indices = viewed(self, index)
    if indices:
        result = OPS["index"].fn(view, indices)
        used = [place for place, each in enumerate(indices) if each is not None]
        if any(lone) and all(indices[place].shape == (1,) for place in used):
            result = OPS["squeeze_dim"].fn(result, used[0] if used[-1] - used[0] == len(used) - 1 else 0)
        return result
    return OPS["alias"].fn(self) if view is self else view
