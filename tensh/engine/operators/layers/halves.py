"""Padding and adaptive pooling of 16 bit numbers, whose sums PyTorch rounds after every addition, in a fixed order."""

import functools
import math

import numpy as np

from tensh.engine.arrays.scattering import add_at
from tensh.engine.codegen.mixing import ZERO
from tensh.engine.operators.layers.border_padding import fold
from tensh.engine.operators.layers.taps import Taps, apply_maps, borders_of


def pad_halves(input, maps):
    """Pad 16 bit numbers; on the way back add them one after the other, in the order of the padded tensor."""
    if not any([taps is not None and taps.is_adjoint for taps in maps]):
        return apply_maps(input, maps)
    padded = input.shape[input.ndim - len(maps) :]
    sources = [np.arange(n) if taps is None else taps.adjoint.places[0] for n, taps in zip(padded, maps, strict=True)]
    sizes = [n if taps is None else taps.length for n, taps in zip(padded, maps, strict=True)]
    out = np.zeros((*input.shape[: input.ndim - len(maps)], *sizes), input.dtype)
    rows = np.arange(math.prod(out.shape[: out.ndim - len(maps)])) * math.prod(sizes)
    places = rows.reshape(-1, *[1] * len(maps)) + np.ravel_multi_index(np.ix_(*sources), sizes)
    add_at(out.reshape(-1), places.reshape(-1), input.reshape(-1))
    return out


def pad_halves_by_dimensions(input, maps):
    """Pad 16 bit numbers circularly; on the way back the borders are added one dimension after the other."""
    borders = borders_of(maps, "_adjoint") if any([taps is not None and taps.is_adjoint for taps in maps]) else None
    return apply_maps(input, maps) if borders is None else fold(input, borders, range(len(maps)))


def keep(size):
    """Return the map of a dimension that stays as it is, as means of one element each."""
    return Taps(size, np.arange(size)[None], np.ones((1, size)))


def mean_halves(input, maps):
    """Means of 16 bit numbers in windows that divide the input, or the shares of their elements, in PyTorch's order.

    Sums over three dimensions, and those of shares, are rounded after every addition.
    """
    sizes = input.shape[input.ndim - len(maps) :]
    back = any([taps is not None and taps.is_adjoint for taps in maps])
    means = [keep(n) if taps is None else taps.adjoint if back else taps for n, taps in zip(sizes, maps, strict=True)]
    counts = [(each.weights != 0).sum(0) for each in means]
    divisors = [count.reshape(-1, *[1] * after) for after, count in enumerate(reversed(counts))][::-1]
    lead, windows = input.shape[: input.ndim - len(maps)], list(np.ndindex(*[len(each.places) for each in means]))
    places = [np.ix_(*[each.places[i] for each, i in zip(means, window)]) for window in windows]
    exist = [functools.reduce(np.logical_and.outer, [c > i for c, i in zip(counts, window)]) for window in windows]
    if back:
        out = np.zeros((*lead, *[each.size for each in means]), input.dtype)
        shares = functools.reduce(lambda share, divisor: share / divisor.astype(share.dtype), divisors, input)
        for place, there in reversed(list(zip(places, exist))):  # the first window around an element ends there
            np.add.at(out, (..., *place), np.where(there, shares, ZERO[input.dtype]))
        return out
    total = np.zeros((*lead, *[each.length for each in means]), input.dtype if len(maps) == 3 else np.float32)
    for place, there in zip(places, exist):
        total += np.where(there, input[(..., *place)], ZERO[input.dtype]).astype(total.dtype)
    return functools.reduce(lambda sum_, divisor: sum_ / divisor.astype(sum_.dtype), divisors, total).astype(
        input.dtype
    )
