"""Sparse linear maps along dimensions, the common basis of padding, interpolation and adaptive pooling.

Along a dimension every element of the result is a weighted sum of a few elements of the input, which ``Taps`` defines.
The adjoint of such a map is again one, so the derivatives of all orders are the same operator.
"""

import functools
import math

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import word
from tensh.engine.operators.layers.border_padding import border_of, fold, surround
from tensh.engine.operators.layers.formats import keeping_format
from tensh.engine.operators.precision import F4, compute_in_float32, is_half
from tensh.engine.operators.reductions.summation import add_along

NARROW = 16  # elements of a dimension, up to which the matrix of a map is small
MANY = 1 << 14  # elements from which a product with it is considered
LITTLE = 1 << 11  # elements (of each tap) up to which they are gathered from all dimensions (for all taps) at once
RUNS = 4  # slices up to which copying is faster than taking elements one by one


def runs_of(places):
    """Return ``places`` as a few consecutive slices, or None if it takes more."""
    slices, start, end = [], 0, len(places)
    while start < end:
        if len(slices) == RUNS:
            return None
        rest = places[start:]
        steps = np.diff(rest)
        step = int(steps[0]) if steps.size and steps[0] else 1
        number = 1 + int(np.argmin(np.append(steps == step, False)))
        stop = int(rest[0]) + number * step
        slices.append(slice(int(rest[0]), stop if stop >= 0 else None, step))
        start += number
    return slices


class Taps:
    """``out[i] = sum over t of weights[t, i] * in[places[t, i]]`` for an input of ``size`` elements.

    ``weights`` None stands for ones; ``single`` are weights of float32, where they are not the rounded ones.  ``there``
    marks the taps that exist (None: all): a weight of zero in place of a missing tap would turn infinity into nan.
    ``counts`` are the elements that padding adds (before, after).
    """

    __slots__ = (
        "size", "places", "weights", "there", "presence", "gathers", "runs", "even", "border", "is_adjoint", "counts", "_adjoint", "_typed",
    )  # fmt: skip

    def __init__(self, size, places, weights=None, there=None, single=None):
        self.size, self.places, self.weights = size, places, weights
        self.there = None if there is None or there.all() else there
        # for each tap that some outputs lack: the outputs that have it, and the others
        self.presence = [
            None if here is None or here.all() else (np.flatnonzero(here), np.flatnonzero(~here))
            for here in ([None] * len(places) if self.there is None else self.there)
        ]
        self.runs = [runs_of(row) for row in places]
        self.gathers = len(places) == 1 and weights is None and self.there is None  # each output is one input
        self.border = border_of(size, places[0]) if self.gathers else None
        # True for means of neighbours in which every element occurs
        self.even = (
            weights is not None
            and np.array_equal(places.T.reshape(-1), np.arange(size))
            and bool((weights == weights.flat[0]).all())
        )
        self.is_adjoint, self._adjoint, self._typed = False, None, {} if single is None else {F4: single}
        self.counts = None

    @property
    def length(self):
        """Return the size of the result."""
        return self.places.shape[1]

    @property
    def adjoint(self):
        """Return the map with the transposed matrix."""
        if self._adjoint is None:
            self._adjoint = self._transpose()
            self._adjoint._adjoint, self._adjoint.is_adjoint = self, not self.is_adjoint
        return self._adjoint

    def _transpose(self):
        count, length = self.places.shape
        inputs, outputs = self.places.reshape(-1), np.tile(np.arange(length), count)
        weights = np.ones(inputs.size) if self.weights is None else self.weights.reshape(-1)
        single = self._typed[F4].reshape(-1) if F4 in self._typed else weights
        if self.there is not None:
            there = self.there.reshape(-1)
            inputs, outputs, weights, single = (each[there] for each in (inputs, outputs, weights, single))
        order = np.argsort(inputs, kind="stable")
        inputs, outputs, weights, single = inputs[order], outputs[order], weights[order], single[order]
        number = np.bincount(inputs, minlength=self.size)
        rank = np.arange(inputs.size) - np.repeat(np.cumsum(number) - number, number)
        places = np.zeros((max(number.max(initial=0), 1), self.size), np.intp)
        shares, there = np.zeros((2, *places.shape)), np.zeros(places.shape, bool)
        places[rank, inputs], there[rank, inputs] = outputs, True
        shares[:, rank, inputs] = weights, single
        if self.weights is None:
            return Taps(length, places, None, there)
        return Taps(length, places, shares[0], there, shares[1].astype(F4))

    def cast_weights(self, dtype):
        """Return the weights in a dtype."""
        if dtype not in self._typed:
            self._typed[dtype] = self.weights.astype(dtype)
        return self._typed[dtype]

    def apply(self, array, dim):
        """Apply the map along ``dim``."""
        count, length = self.places.shape
        if not self.size or not length:
            return np.zeros((*array.shape[:dim], length, *array.shape[dim + 1 :]), array.dtype)
        if self.even:
            return self._means(array, dim)
        narrow = min(self.size, length) <= NARROW < count * length and self.weights is not None
        if narrow and array.size >= MANY and np.isfinite(array).all():
            return self._multiply(array, dim)
        read = array.size // self.size * self.places.size
        if count > 2 and self.weights is not None and read <= LITTLE * min(count, length):
            return self._apply_at_once(array, dim)
        if length < count:
            return self._apply_by_outputs(array, dim)
        lead, shape = (slice(None),) * dim, (-1, *(1,) * (array.ndim - dim - 1))
        weights = None if self.weights is None else self.cast_weights(array.real.dtype)
        total = None
        for t, places in enumerate(self.places):
            there, absent = self.presence[t] or (None, None)
            few = total is not None and there is not None and 2 * len(there) < length
            some = there if few else slice(None)
            part = array.take(places[some], dim) if few or self.runs[t] is None else self._read_run(array, t, lead)
            if weights is not None:
                part = np.multiply(part, weights[t, some].reshape(shape))
            if few:  # adding at indices takes three times as long per element
                total = total if total.base is None else total.copy()
                total[(*lead, there)] += part
                continue
            if there is not None:
                part = part if part.base is None else part.copy()
                part[(*lead, absent)] = 0
            total = part if total is None else np.add(total, part, total if total.base is None else None)
        return total if total.base is None else total.copy()

    def apply_to_bytes(self, array, dim):
        """Apply the map along ``dim`` as PyTorch does for bytes: weights of 16 bits, sums rounded to bytes."""
        merged = self._merge_repeated_taps()
        bits = next((n for n in range(22) if 0.5 + merged.max() * 2 ** (n + 1) >= 2**15), 22)
        scaled = merged * 2**bits
        whole = np.trunc(scaled + np.copysign(0.5, scaled)).astype(np.int32)
        shape = (-1, *(1,) * (array.ndim - dim - 1))
        total = np.int32(1 << bits - 1)
        for places, weights in zip(self.places, whole):
            total = total + np.take(array, places, dim) * weights.reshape(shape)
        return np.clip(total >> bits, 0, 255).astype(np.uint8)

    def _merge_repeated_taps(self):
        """Return the weights, those that an output gives to one element at the border in its last tap there."""
        weights = self.weights.copy()
        for t in range(1, len(weights)):
            again = self.places[t] == self.places[t - 1]
            weights[t, again] += weights[t - 1, again]
            weights[t - 1, again] = 0
        return weights

    def _read_run(self, array, t, lead):
        """Return the elements of ``array`` that a tap reads: a view if they are one slice."""
        parts = [array[(*lead, run)] for run in self.runs[t]]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, len(lead))

    def _means(self, array, dim):
        """Apply the map, whose results are means of neighbours."""
        count, length = self.places.shape
        windows = array.reshape(*array.shape[:dim], length, count, *array.shape[dim + 1 :])
        sums = add_along(windows, dim + 1)
        return np.multiply(sums, self.cast_weights(array.real.dtype).flat[0], sums)

    def _multiply(self, array, dim):
        """Apply the map as a product with its matrix, which takes a tenth of the time where a size is small."""
        matrix = np.zeros((self.length, self.size), array.real.dtype)
        weights = self.cast_weights(matrix.dtype)
        for t, places in enumerate(self.places):
            there = slice(None) if self.there is None else self.there[t]
            np.add.at(matrix, (np.arange(self.length)[there], places[there]), weights[t, there])
        shape = array.shape[:dim] + (self.length,) + array.shape[dim + 1 :]
        if dim == array.ndim - 1:
            return np.dot(array.reshape(-1, self.size), matrix.T).reshape(shape)
        return np.matmul(matrix, array.reshape(-1, self.size, math.prod(shape[dim + 1 :]))).reshape(shape)

    def _apply_at_once(self, array, dim):
        """Apply all taps in three calls, for few elements."""
        parts = array.take(self.places, dim)  # [..., count, length, ...]
        shape = (*self.places.shape, *(1,) * (array.ndim - dim - 1))
        weights = self.cast_weights(array.real.dtype).reshape(shape)
        if self.there is None:
            np.multiply(parts, weights, parts)
        else:
            parts = np.multiply(parts, weights, np.zeros_like(parts), where=self.there.reshape(shape))
        return add_along(parts, dim)

    def _apply_by_outputs(self, array, dim):
        """Apply the taps element by element of the result, for a few sums of many elements."""
        out = np.empty((*array.shape[:dim], self.length, *array.shape[dim + 1 :]), array.dtype)
        weights = None if self.weights is None else self.cast_weights(array.real.dtype)
        lead, shape = (slice(None),) * dim, (-1, *(1,) * (array.ndim - dim - 1))
        for i in range(self.length):
            some = slice(None) if self.there is None else self.there[:, i]
            part = np.take(array, self.places[some, i], dim)
            if weights is not None:
                np.multiply(part, weights[some, i].reshape(shape), part)
            out[(*lead, i)] = add_along(part, dim)
        return out


def apply_maps(input, maps):
    """Apply one map (or None) to each of the last dimensions."""
    first = input.ndim - len(maps)
    if input.dtype == np.uint8 and any(taps is not None and taps.weights is not None for taps in maps):
        for dim in reversed(range(len(maps))):
            if maps[dim] is not None:
                input = maps[dim].apply_to_bytes(input, first + dim)
        return input
    lead, spatial = input.shape[:first], input.shape[first:]
    sizes = [n if taps is None else taps.length for n, taps in zip(spatial, maps)]
    little = input.size and 0 < math.prod(lead) * math.prod(sizes) <= LITTLE
    if little and all([taps is None or taps.gathers for taps in maps]):
        return input.reshape(-1, math.prod(spatial)).take(_find_places(spatial, tuple(maps)), 1).reshape(*lead, *sizes)
    return apply_in_turn(input, maps)


@functools.lru_cache(64)
def _find_places(spatial, maps):
    """Return the position in the input that each element of the result is, for the dimensions of the maps together."""
    return apply_in_turn(np.arange(math.prod(spatial)).reshape(spatial), maps).reshape(-1)


def apply_in_turn(input, maps):
    """Apply the maps one dimension after the other."""
    first = input.ndim - len(maps)
    sizes = [taps.length / taps.size if taps is not None and taps.size else 1 for taps in maps]
    order = sorted(range(len(maps)), key=sizes.__getitem__)  # maps that reduce the size come first
    if any(maps):
        if (borders := borders_of(maps)) is not None:
            return surround(input, borders)
        if (borders := borders_of(maps, "_adjoint")) is not None:
            return fold(input, borders, order)
    for dim in order:
        if maps[dim] is not None:
            input = maps[dim].apply(input, first + dim)
    return input.copy() if not any(maps) else input


def borders_of(maps, of=None):
    """Return the borders equivalent to the maps (or to their attribute ``of``); None if a map has none."""
    given = [taps if taps is None or of is None else getattr(taps, of) for taps in maps]
    borders = [None if taps is None else taps.border for taps in given]
    wanted = len(maps) - maps.count(None)
    return borders if len(borders) - borders.count(None) == wanted else None


@word
def adjoint(maps):
    """Return the adjoint of every map."""
    return tuple(None if taps is None else taps.adjoint for taps in maps)


def declare_tap(name, node, *, kernel_name=None, types="f", saves_input=False, lying=keeping_format, halves=None):
    """Declare a linear map by its name and that of PyTorch's node, which may save the input needlessly.

    ``lying`` is the memory format of its results.  ``halves`` computes 16 bit numbers where PyTorch rounds their sums
    more than once.
    """
    back = f"{name}(g, adjoint(maps))"
    doc = "The input after a linear map along each of its last dimensions."

    def kernel(input, maps):
        return (halves if is_half(input.dtype) else apply_maps)(input, maps)

    kernel = kernel if halves is not None else compute_in_float32(apply_maps)
    return op(lying(kernel), name=name, doc=doc, node=node, kernel_name=kernel_name, public=False, out=False, types=types,
              input=f"tie({back}, input)" if saves_input else back)  # fmt: skip
