"""The largest elements of windows of any size, at any positions.

Along a dimension of ``n`` elements windows are an array [size, k] of indices, where a window of fewer than ``k``
elements repeats its last one, or [planes, size, k] where planes have different windows.  The maximum is taken one
dimension after the other.
"""

import functools
import math

import numpy as np

from tensh.engine.arrays.absent import place_beside
from tensh.engine.arrays.threads import BLOCK, map_rows
from tensh.engine.operators.along import read_along
from tensh.engine.operators.kernels import has_true

MANY = 8  # elements of a window from which each window is searched separately
LITTLE = 1 << 15  # elements of all windows up to which they are gathered at once
PASSES = 1 << 7  # windows, for each pass over them that this saves, up to which it takes less time


def largest_in(input, windows, dims):
    """Return (the largest element of every window, its flat position) for ``windows`` along each of the last dimensions."""
    first = input.ndim - dims
    lead, spatial = input.shape[:first], input.shape[first:]
    planes, sizes = math.prod(lead), [each.shape[-2] for each in windows]
    if are_few(planes, windows):
        found = largest_of_few(input.reshape(planes, math.prod(spatial)), spatial, windows)
        return tuple(place_beside(each.reshape(*lead, *sizes), input) for each in found)
    rows = input.reshape(planes, *spatial)
    values, places = np.empty((planes, *sizes), input.dtype), np.empty((planes, *sizes), np.int64)

    def work(part):
        own = [each if each.ndim == 2 else each[part] for each in windows]
        values[part], places[part] = largest_in_planes(rows[part], own)

    if values.size:
        map_rows(work, planes, math.prod(spatial), BLOCK)
    return tuple(place_beside(each.reshape(*lead, *sizes), input) for each in (values, places))


def are_few(planes, windows):
    """Return True if copies of all windows take less time than passes over them."""
    lengths = [each.shape[-1] for each in windows]
    count = planes * math.prod([each.shape[-2] for each in windows])
    return 0 < count <= PASSES * sum(lengths) and count * math.prod(lengths) <= LITTLE


def largest_of_few(rows, spatial, windows):
    """Return the largest elements of windows of planes [planes, elements], and their positions, by copies of windows."""
    dims, places = len(spatial), 0
    for dim, (n, each) in enumerate(zip(spatial, windows)):
        shape = [1] * (2 * dims)
        shape[dim], shape[dims + dim] = each.shape[-2:]
        places = places * n + each.reshape(-1, *shape)
    places = places.reshape(len(places), -1, math.prod([each.shape[-1] for each in windows]))
    if len(places) == 1:
        values = rows.take(places[0], 1)
    else:
        values = read_along(rows, places.reshape(len(rows), -1), 1).reshape(places.shape)
    which = find_largest(values, 2)[:, :, None]
    return read_along(values, which, 2), read_along(np.broadcast_to(places, values.shape), which, 2)


def find_largest(values, dim):
    """Return the indices of the largest elements along a dimension: the first of equal ones, the last nan."""
    which = values.argmax(dim)
    if values.dtype.kind in "fV" and has_true(values != values):
        lost = np.flip(values != values, dim)
        np.copyto(which, values.shape[dim] - 1 - lost.argmax(dim), where=lost.any(dim))
    return which


def largest_in_planes(values, windows):
    """Return the largest elements of the windows of planes [planes, ...], and their positions."""
    planes, *sizes = values.shape
    places, inside = None, 1
    for dim in reversed(range(len(sizes))):
        n, size = sizes[dim], windows[dim].shape[-2]
        rows = planes, math.prod(sizes[:dim]), n, math.prod(sizes[dim + 1 :])
        values, which = largest_along(values.reshape(rows), windows[dim])
        which += windows[dim][..., 0].reshape(-1, 1, size, 1)
        if places is None:
            places = which
        else:
            places = read_along(places.reshape(rows), which, 2)
            places += which * inside
        inside, sizes[dim] = inside * n, size
    return values.reshape(planes, *sizes), places.reshape(planes, *sizes)


def largest_along(values, windows):
    """Return (the largest elements of ``values`` [planes, before, n, after] in windows along ``n``, their indices there)."""
    if is_partition(windows, values.shape[2]):
        values = values.reshape(*values.shape[:2], *windows.shape, values.shape[3])
        which = values.argmax(3)
        best = read_along(values, which[:, :, :, None], 3)[:, :, :, 0]
        if has_true(best != best):
            which = find_largest(values, 3)
        return best, which
    parts = list(parts_of(values, windows))
    if len(parts) == 1:
        return parts[0], np.zeros(parts[0].shape, np.int64)
    best = np.maximum(parts[0], parts[1])
    for part in parts[2:]:
        np.maximum(best, part, out=best)
    which, before = np.zeros(best.shape, np.uint8 if len(parts) <= 256 else np.int64), np.ones(best.shape, bool)
    for part in parts[:-1]:
        before &= part != best
        which += before
    if has_true(best != best):
        for number, part in enumerate(parts):  # the last nan is the largest
            np.copyto(which, number, where=part != part)
        lengths = windows[..., -1] - windows[..., 0]
        which = np.minimum(which, lengths.reshape(-1, 1, lengths.shape[-1], 1))  # the rest repeats the last
    return best, which.astype(np.int64)


def is_partition(windows, n):
    """Return True if large windows partition the dimension: a search takes a tenth of the time of a walk by indices."""
    return windows.ndim == 2 and windows.shape[1] >= MANY and np.array_equal(windows.reshape(-1), np.arange(n))


def parts_of(values, windows):
    """Yield the first element of every window, then the second, and so on."""
    planes, before, n, after = values.shape
    if windows.ndim == 2:
        for places in windows.T:
            yield values.take(places, 2, mode="wrap")
        return
    begins = (np.arange(planes * before) * n).reshape(planes, before, 1) + windows[:, None, :, 0]
    flat = values.reshape(-1) if after == 1 else values.reshape(-1, after)
    for number in range(windows.shape[2]):  # adjacent elements
        yield flat.take(begins + number, 0, mode="wrap").reshape(planes, before, -1, after)


# ── windows ──────────────────────────────────────────────────────────────────
@functools.lru_cache(1024)
def even(n, size):
    """Return (indices [T, size], weights) of ``size`` windows that cover ``n`` elements; weight 0 marks repeated elements."""
    number = np.arange(size)
    start, end = number * n // size, -(-(number + 1) * n // size)
    length = end - start
    step = np.arange(length.max(initial=1))[:, None]
    return start + np.minimum(step, length - 1), (step < length) / length


def even_windows(spatial, sizes):
    """Return windows that divide every dimension evenly."""
    return tuple([even(n, size)[0].T for n, size in zip(spatial, sizes)])


def fractional_windows(spatial, kernel, sizes, samples):
    """Return windows of ``kernel`` elements that begin at random positions, different in every plane.

    ``samples`` [N, C, dims] are the random numbers; PyTorch takes them from the last dimension on in two dimensions.
    """
    dims = len(spatial)
    samples = samples.reshape(-1, dims)
    return tuple([
        fractional_starts(n, k, size, samples[:, dims - 1 - dim if dims == 2 else dim])[..., None] + np.arange(k)
        for dim, (n, k, size) in enumerate(zip(spatial, kernel, sizes))
    ])  # fmt: skip


def fractional_starts(n, kernel, size, sample):
    """Return the first indices of ``size`` windows in nearly equal steps; the last window ends with the dimension."""
    starts = np.full((*sample.shape, size), n - kernel)
    if size > 1:
        step = sample.dtype.type(n - kernel) / sample.dtype.type(size - 1)
        number = np.arange(size - 1, dtype=sample.dtype)
        starts[..., :-1] = ((number + sample[..., None]) * step).astype(np.int64) - (sample * step).astype(np.int64)[
            ..., None
        ]
    return starts
