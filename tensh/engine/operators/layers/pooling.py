"""Pooling: the largest element or the mean of every window, over the last dimensions of a tensor.

Windows are described by ``kernel, stride, padding, dilation`` and ``size``, the number of windows, one number per
dimension each.  Both the maximum and the sum are computed one dimension after the other, in few passes. The index of a
maximum is PyTorch's: flat within the pooled dimensions.
"""

import functools
import math

import numpy as np

from tensh.engine.arrays.scattering import add_at
from tensh.engine.arrays.threads import PARALLEL, PARALLEL_LIGHT, even_share, map_rows
from tensh.engine.arrays.threads import pool as threads
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import word
from tensh.engine.operators.along import read_along
from tensh.engine.operators.layers.formats import keeping_format, row_major
from tensh.engine.operators.layers.halves import mean_halves
from tensh.engine.operators.layers.max_pooling import even, largest_in
from tensh.engine.operators.layers.taps import Taps, declare_tap
from tensh.engine.operators.layers.windows import middle, reach, read_places
from tensh.engine.operators.precision import compute_in_float32, is_half

WINDOWS = "kernel, stride, padding, dilation, size"


# ── windows ──────────────────────────────────────────────────────────────────
def lowest(dtype):
    """Return a value below every element, for padding."""
    return -np.inf if dtype.kind in "fV" else np.iinfo(dtype).min


@functools.lru_cache(1024)
def extents(spatial, kernel, stride, padding, dilation, size):
    """Return the sizes that hold the padding and every window."""
    return tuple(
        max(n + 2 * p, (t - 1) * s + d * (k - 1) + 1)
        for n, k, s, p, d, t in zip(spatial, kernel, stride, padding, dilation, size)
    )


def surround(array, kernel, stride, padding, dilation, size, value):
    """Pad the array with ``value`` where a window extends beyond it."""
    first = array.ndim - len(kernel)
    spatial = array.shape[first:]
    whole = extents(spatial, kernel, stride, padding, dilation, size)
    if spatial == whole:
        return array
    result = np.full((*array.shape[:first], *whole), value, array.dtype)
    result[middle(spatial, tuple(padding))] = array
    return result


@functools.lru_cache(1024)
def slices(dim, ndim, k, s, d, t):
    """Return the first elements of all windows along ``dim``, then the second ones, and so on."""
    return [(slice(None),) * dim + reach((j,), (t,), (s,), (d,)) + (slice(None),) * (ndim - dim - 1) for j in range(k)]


def fold_windows(array, fold, kernel, stride, dilation, size):
    """Reduce the elements of every window with ``fold``, one dimension after the other, longest rows first."""
    for dim, geometry in enumerate(zip(kernel, stride, dilation, size), array.ndim - len(kernel)):
        first, *others = (array[place] for place in slices(dim, array.ndim, *geometry))
        array = first if not others else fold(first, others[0])
        for part in others[1:]:
            fold(array, part, out=array)
    return array if array.base is None else array.copy()


def share_planes(pool, planes, elements):
    """Return ``pool(planes)``, of some planes at a time if there are many elements, on several threads.

    ``pool`` computes slices of the first dimension independently of one another.
    """
    if (
        elements < PARALLEL
        and elements < PARALLEL_LIGHT  # without asking the system for the number of its processors
        or elements < (PARALLEL if threads.size() > 1 else PARALLEL_LIGHT)
        or len(planes) < 2
        or not planes.flags.c_contiguous
    ):
        return pool(planes)
    results = {}

    def work(part):
        results[part.start] = pool(planes[part])

    map_rows(work, len(planes), elements // len(planes), even_share(elements))
    return np.concatenate([results[start] for start in sorted(results)])


# ── the largest element ──────────────────────────────────────────────────────
@functools.lru_cache(1024)
def reachable(kernel, spatial, padding, dilation):
    """Return the size of the windows without elements that are beyond the input in all of them."""
    return tuple(max(min(k, (n - 1 + p) // d + 1), 1) for k, n, p, d in zip(kernel, spatial, padding, dilation))


@keeping_format
def max_pool(input, kernel, stride, padding, dilation, size):
    kernel = reachable(kernel, input.shape[input.ndim - len(kernel) :], padding, dilation)

    def pool(input):
        whole = surround(input, kernel, stride, padding, dilation, size, lowest(input.dtype))
        return fold_windows(whole, np.maximum, kernel, stride, dilation, size)

    return share_planes(pool, input, input.size)


@op(public=False, out=False, input=None)
def max_places(input, kernel, stride, padding, dilation, size):
    """Return the index of the largest element of every window: the first of them, or the last nan."""
    kernel = reachable(kernel, input.shape[input.ndim - len(kernel) :], padding, dilation)
    return share_planes(lambda planes: find_largest(planes, kernel, stride, padding, dilation, size), input, input.size)


def find_largest(input, kernel, stride, padding, dilation, size):
    """Return the place of the largest element of each window: the first of equal ones, the last nan."""
    low = lowest(input.dtype)
    whole = surround(input, kernel, stride, padding, dilation, size, low)
    best = fold_windows(whole, np.maximum, kernel, stride, dilation, size)
    parts = [whole[there] for _, there in read_places(kernel, size, stride, dilation)]
    which = np.zeros(best.shape, np.uint8 if len(parts) <= 256 else np.int64)
    before = np.ones(best.shape, bool)
    for part in parts[:-1]:  # the number of elements before the largest
        before &= part != best
        which += before
    if input.dtype.kind in "fV" and (best != best).any():
        for number, part in enumerate(parts):
            np.copyto(which, number, where=part != part)
    spatial = input.shape[input.ndim - len(kernel) :]
    places = flat_places(which, spatial, kernel, stride, padding, dilation)
    if any(padding) and (empty := best == low).any():
        places[empty] = first_places(places.shape, spatial, stride, padding, dilation)[empty]
    return places


def flat_places(which, spatial, kernel, stride, padding, dilation):
    """Convert indices within windows to flat indices into the input."""
    size = which.shape[which.ndim - len(spatial) :]
    find = _find_starts if math.prod(size) <= FEW_WINDOWS else _find_starts.__wrapped__
    inside, starts = find(spatial, tuple(kernel), tuple(stride), tuple(padding), tuple(dilation), size)
    return inside.take(which) + starts


FEW_WINDOWS = 1 << 12  # windows of an image up to which the positions of their beginnings are kept


@functools.lru_cache(64)
def _find_starts(spatial, kernel, stride, padding, dilation, size):
    """Return the flat indices of the elements of a window from its beginning, and of the beginnings of all windows."""
    steps = [math.prod(spatial[dim + 1 :]) for dim in range(len(spatial))]
    inside = sum(n * d * step for n, d, step in zip(np.indices(kernel), dilation, steps))
    starts = sum((t * s - p) * step for t, s, p, step in zip(np.indices(size), stride, padding, steps))
    return inside.reshape(-1), starts


def first_places(shape, spatial, stride, padding, dilation):
    """Return the flat index of the first element of every window that is not padding, for windows of equally low elements.

    For a window that misses the input it is the last; PyTorch's index is outside, where its derivative writes.
    """
    flat = 0
    for n, t, s, p, d in zip(spatial, np.indices(shape[len(shape) - len(spatial) :]), stride, padding, dilation):
        place = t * s - p
        flat = flat * n + np.minimum(place + np.maximum(-(place // d), 0) * d, n - 1)
    return np.broadcast_to(flat, shape)


@keeping_format
def max_pool_with_indices(input, kernel, stride, padding, dilation, size):
    places = max_places.kernel(input, kernel, stride, padding, dilation, size)
    if any(padding) and max(dilation) > 1:  # a window of padding only has no index
        return max_pool(input, kernel, stride, padding, dilation, size), places
    return spots.kernel(input, places, len(kernel)), places


MAX_POOL, MAX_POOL_WITH_INDICES, ADAPTIVE_MAX_POOL, FRACTIONAL_MAX_POOL = {}, {}, {}, {}  # dimensions -> operator
for dims in (2, 3):
    declared = {"public": False, "out": False, "types": "iuf", "node": f"MaxPool{dims}DWithIndicesBackward0"}
    declared["kernel_name"] = f"max_pool{dims}d"
    back = "tie(spread_spots(g, {}, input.shape, len(kernel)), input)"
    MAX_POOL[dims] = op(max_pool, name=f"max_pool{dims}", doc="The largest element of every window.", **declared,
       input=back.format(f"max_places(input, {WINDOWS})"))  # fmt: skip
    declared["outs"] = ("values", "indices")
    MAX_POOL_WITH_INDICES[dims] = op(max_pool_with_indices, name=f"max_pool{dims}_with_indices", doc="The largest elements, and their indices.", **declared,
       input=f"kept({back.format('indices')}, stride, padding, dilation, size)")  # fmt: skip
    for kind, operators, called in (
        ("adaptive", ADAPTIVE_MAX_POOL, f"adaptive_max_pool{dims}d{'_cpu' * (dims == 3)}"),
        ("fractional", FRACTIONAL_MAX_POOL, f"fractional_max_pool{dims}d_out_frame"),
    ):
        lying = keeping_format if (kind, dims) == ("adaptive", 2) else row_major
        declared |= {"node": f"{kind.title()}MaxPool{dims}DBackward0", "types": "f", "kernel_name": called}
        operators[dims] = op(lying(largest_in), name=f"{kind}_max_pool{dims}", doc="The largest element of windows of any form.", **declared,
           input="tie(spread_spots(g, indices, input.shape, dims), input)")  # fmt: skip


@word
def kept(value, *others):
    """Return the value; the others are saved for readers of the derivative in PyTorch's words."""
    return value


# ── elements at flat places ──────────────────────────────────────────────────
def flatten_rows(array, dims):
    """Return the array with its last ``dims`` dimensions flattened, and all others, too."""
    first = array.ndim - dims
    return array.reshape(math.prod(array.shape[:first]), math.prod(array.shape[first:]))


@op(public=False, out=False, node="GatherBackward0", input="spread_spots(g, indices, input.shape, dims)", indices=None)
def spots(input, indices, dims):
    """The elements at flat positions within the last ``dims`` dimensions."""
    return read_along(flatten_rows(input, dims), flatten_rows(indices, dims), 1).reshape(indices.shape)


@op(public=False, out=False, node="ScatterAddBackward0", grad="spots(g, indices, dims)", indices=None)
def spread_spots(grad, indices, shape, dims):
    """Zeros of ``shape`` with the elements added at their flat positions."""
    result = np.zeros(shape, grad.dtype)
    add_at(result.reshape(-1), find_places_in_whole(indices, shape, dims), grad.reshape(-1))
    return result


def find_places_in_whole(indices, shape, dims):
    """Convert flat positions within the last dimensions to flat positions in the whole array."""
    rows = flatten_rows(indices, dims)
    return (rows + np.arange(len(rows))[:, None] * math.prod(shape[len(shape) - dims :])).reshape(-1)


def max_unpool(input, indices, shape, dims):
    volume = shape[len(shape) - dims :]
    wrong = (indices < 0) | (indices >= math.prod(volume))
    if wrong.any():
        raise RuntimeError(
            f"Found an invalid max index: {indices[wrong][-1]} (output volumes are of size {'x'.join(map(str, volume))})"
        )
    result = np.zeros(shape, input.dtype)
    result.reshape(-1)[find_places_in_whole(indices, shape, dims)] = input.reshape(-1)
    return result


MAX_UNPOOL = {
    dims: op(keeping_format(max_unpool), name=f"max_unpool{dims}", doc="Zeros with the elements at their flat places.",
             public=False, out=False, types="f", node=f"MaxUnpool{dims}DBackward0", kernel_name=f"max_unpool{dims}d",
             input="spots(g, indices, dims)", indices=None)
    for dims in (2, 3)
}  # fmt: skip


# ── the mean ─────────────────────────────────────────────────────────────────
def divide_sums(sums, divisor):
    """Divide sums by the number of their elements; integers are rounded towards zero."""
    if sums.dtype.kind in "iu":
        return np.trunc(sums / divisor).astype(sums.dtype)
    return np.divide(sums, np.asarray(divisor, sums.dtype), sums)


@compute_in_float32
def avg_pool(input, kernel, stride, padding, size, divisor):
    ones = (1,) * len(kernel)

    def pool(input):
        whole = surround(input, kernel, stride, padding, ones, size, 0)
        return divide_sums(fold_windows(whole, np.add, kernel, stride, ones, size), divisor)

    return share_planes(pool, input, input.size)


def avg_pool_back(grad, shape, kernel, stride, padding, size, divisor):
    if is_half(grad.dtype):
        return share_out_halves(grad, shape, kernel, stride, padding, size, divisor)
    dims = len(kernel)
    spatial = tuple(shape[-dims:])
    whole = extents(spatial, kernel, stride, padding, (1,) * dims, size)

    def spread(grad):
        result = np.divide(grad, np.asarray(divisor, grad.dtype))
        for dim in reversed(range(dims)):  # the adjoint has the opposite order of dimensions
            result = add_copies(result, grad.ndim - dims + dim, whole[dim], kernel[dim], stride[dim], size[dim])
        return result if whole == spatial else result[middle(spatial, tuple(padding))].copy()

    return share_planes(spread, grad, math.prod(shape))


def add_copies(array, dim, n, k, s, t):
    """Add every element to the ``k`` elements of its window, in an array with ``n`` elements along ``dim``."""
    shape, places = (*array.shape[:dim], n, *array.shape[dim + 1 :]), slices(dim, array.ndim, k, s, 1, t)
    if k == s and n == k * t:  # every element is in one window
        spread = np.empty(shape, array.dtype)
        for place in places:
            np.add(array, 0, spread[place])  # zero instead of -0
        return spread
    spread = np.zeros(shape, array.dtype)
    for place in places:
        spread[place] += array
    return spread


def share_out_halves(grad, shape, kernel, stride, padding, size, divisor):
    """Add the shares of 16 bit numbers window after window: every sum is rounded, as in PyTorch."""
    first, ones = len(shape) - len(kernel), (1,) * len(kernel)
    whole = np.zeros((*shape[:first], *extents(shape[first:], kernel, stride, padding, ones, size)), grad.dtype)
    shares = np.divide(grad, np.asarray(divisor, grad.dtype))
    for place in reversed(list(np.ndindex(*kernel))):  # the first window around an element ends there
        whole[(..., *reach(place, size, stride, ones))] += shares
    return whole[middle(shape[first:], tuple(padding))].copy()


MEAN = "kernel, stride, padding, size, divisor"
AVG_POOL, ADAPTIVE_AVG_POOL = {}, {}
for dims in (2, 3):
    lying = keeping_format if dims == 2 else row_major
    declared = {"public": False, "types": "iuf", "kernel_name": "avg_pool2d" if dims == 2 else "avg_pool3d_out_frame"}
    AVG_POOL[dims] = op(lying(avg_pool), name=f"avg_pool{dims}", doc="The mean of every window.", **declared, node=f"AvgPool{dims}DBackward0",
       input=f"tie(avg_pool{dims}_back(g, input.shape, {MEAN}), input)")  # fmt: skip
    op(avg_pool_back, name=f"avg_pool{dims}_back", doc="Every element shared out over its window: the adjoint of the mean.",
       public=False, out=False, node=f"AvgPool{dims}DBackwardBackward0", grad=f"avg_pool{dims}(g, {MEAN})")  # fmt: skip
    ADAPTIVE_AVG_POOL[dims] = declare_tap(
        f"adaptive_avg_pool{dims}",
        f"AdaptiveAvgPool{dims}DBackward0",
        kernel_name=f"adaptive_avg_pool{dims}d{'_cpu' * (dims == 3)}",
        saves_input=True,
        lying=lying,
        halves=mean_halves,
    )


@functools.lru_cache(1024)
def numbers_of_elements(n, kernel, stride, padding, size, with_padding):
    """Return the number of elements in every window along one dimension."""
    start = np.arange(size) * stride - padding
    end = np.minimum(start + kernel, n + padding)
    if not with_padding:
        start, end = np.maximum(start, 0), np.minimum(end, n)
    return end - start


# ── windows that divide the input evenly ─────────────────────────────────────
@functools.lru_cache(1024)
def even_means(n, size):
    """Return the means of these windows as a linear map."""
    places, weights = even(n, size)
    return Taps(n, places, weights, weights != 0)
