"""Histograms: counts, or sums of weights, of elements between edges.  They have no derivative in PyTorch."""

import math

import numpy as np

from tensh.engine.arrays.threads import PARALLEL, map_rows
from tensh.engine.codegen.node_classes import not_differentiable
from tensh.engine.codegen.scalars import FITTING
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import word
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.operators.precision import F4, is_half


@word
def unknown(name, *gradients):
    """Raise for a derivative without a node in PyTorch."""
    not_differentiable(name)


HISTC = "torch.histc: range of [{:g}, {:g}] is not finite", "torch.histc: max must be larger than min"


# ── edges ────────────────────────────────────────────────────────────────────
def outer_edges(values, low, high, margin, infinite, inverted):
    """Return the range of a histogram: the given one, or that of the elements; the texts say what is wrong with it."""
    if low == high and values.size:
        low, high = values.reshape(-1)[[values.argmin(), values.argmax()]]
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(infinite.format(low, high))
    if low > high:
        raise RuntimeError(inverted.format(low, high))
    if low == high:
        low, high = low - margin, high + margin
    return low, high


def evenly(low, high, bins, dtype):
    """Return ``bins`` + 1 edges, computed from both ends to the middle, as ``torch.linspace`` does."""
    low, high = dtype.type(low), dtype.type(high)
    step = (high - low) / dtype.type(bins)
    if bins >= 2**62:
        raise RuntimeError("numel: integer multiplication overflow")
    place = np.arange(bins + 1, dtype=dtype)
    return np.where(place < (bins + 1) // 2, low + step * place, high - step * (bins - place)).astype(dtype)


def slot(values, low, high, edges):
    """Return the bin index of every value for equally spaced edges; -1 outside."""
    number = np.empty(values.shape, np.int64)

    def work(part):
        number[part] = slot_of_some(values[part], low, high, edges)

    map_rows(work, len(values), 1)
    return number


def slot_of_some(values, low, high, edges):
    bins = len(edges) - 1
    number = ((values - low) / (high - low) * bins).astype(np.int64)
    number = np.clip(number, 0, bins - 1)  # nan becomes any integer here
    # rounding may be off by one bin; compare with the edges
    number -= (number > 0) & (values < edges[number])
    number += (number < bins - 1) & (values >= edges[np.minimum(number + 1, bins)])
    return np.where((values >= low) & (values <= high), number, -1)


def find_bins(values, edges):
    """Return the bin index of every value for any edges; -1 outside."""
    number = np.searchsorted(edges, values, "right") - 1
    number -= values == edges[-1]
    return np.where((values >= edges[0]) & (values <= edges[-1]), number, -1)


def require_bins(bins, dim=0):
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension {dim}")


def require_float(name, array):
    if array.dtype not in (np.float32, np.float64):
        raise NotImplementedError(f"\"{name}\" not implemented for '{BY_NUMPY[array.dtype].title}'")


# ── counting ─────────────────────────────────────────────────────────────────
def count_in_bins(numbers, bins, weights, dtype):
    """Return the histogram of one bin index per dimension."""
    inside = np.logical_and.reduce([n >= 0 for n in numbers])
    place = np.zeros(len(inside), np.int64)
    for number, count in zip(numbers, bins):
        place = place * count + number
    weights = None if weights is None else weights[inside].astype(np.float64)
    total = int(np.prod(bins))
    return np.bincount(place[inside], weights, total)[:total].reshape(bins).astype(dtype)


def count_in_blocks(values, bins, number):
    """Return the histogram of one dimension without weights; ``number`` returns the bin indices of a part of the values."""
    if len(values) < PARALLEL:
        return count_some(number(values), bins).astype(values.dtype)
    found = []

    def work(part):
        found.append(count_some(number(values[part]), bins))

    map_rows(work, len(values), 1)
    return sum(found, np.zeros(bins, np.int64)).astype(values.dtype)


def count_some(numbers, bins):
    """Return how often each number of a bin occurs; negative ones, outside of all bins, do not count."""
    if numbers.size and numbers.item(numbers.argmin()) < 0:
        numbers = numbers[numbers >= 0]
    return np.bincount(numbers, minlength=bins)


def check_edges(points, edges, d):
    """Raise unless given edges are one vector of the elements' dtype."""
    if edges.dtype != points.dtype:
        raise RuntimeError(
            "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with "
            f"dtype {BY_NUMPY[points.dtype].spoken} and bins for dimension {d} with dtype {BY_NUMPY[edges.dtype].spoken}"
        )
    if edges.ndim != 1 or not edges.size:
        raise RuntimeError(
            "torch.histogramdd: bins tensor should have one dimension, but got "
            f"{edges.ndim} dimensions in the bins tensor for dimension {d}"
        )


def edges_of(points, bins, limits):
    """Return the edges along every dimension: the given ones, or of ``bins`` equal bins over the limits or the range."""
    require_float("histogramdd", points)
    found = []
    for d, own in enumerate(bins):
        if isinstance(own, np.ndarray):
            check_edges(points, own, d)
            found.append(own)
            continue
        require_bins(own, d)
        values = points[:, d]
        low, high = (0, 0) if limits is None else limits[2 * d : 2 * d + 2]
        if limits is None and not values.size:
            low, high = 0, 1
        infinite = f"torch.histogramdd: dimension {d}'s range [{{:g}}, {{:g}}] is not finite"
        inverted = f"torch.histogramdd: min should not exceed max, but got min {{:g}} max {{:g}} for dimension {d}"
        low, high = outer_edges(values if limits is None else values[:0], low, high, 0.5, infinite, inverted)
        found.append(evenly(low, high, own, points.dtype))
    return found


def count_points(points, bins, edges, weights, density):
    """The histogram of points, the rows."""
    weights = None if weights is None else weights.reshape(-1)
    if weights is not None and (weights.size != len(points) or weights.dtype != points.dtype):
        raise RuntimeError(
            "torch.histogramdd(): if weight tensor is provided it should have the same shape and dtype as input"
        )

    def number(values, own, e):
        return find_bins(values, e) if isinstance(own, np.ndarray) else slot(values, e[0], e[-1], e)

    if weights is None and len(edges) == 1:
        hist = count_in_blocks(points[:, 0], len(edges[0]) - 1, lambda some: number(some, bins[0], edges[0]))
    else:
        numbers = [number(points[:, d], own, e) for d, (own, e) in enumerate(zip(bins, edges))]
        hist = count_in_bins(numbers, [len(e) - 1 for e in edges], weights, points.dtype)
    if density:
        hist = hist / hist.sum()
        for d, e in enumerate(edges):
            hist = hist / np.diff(e).reshape([-1 if i == d else 1 for i in range(hist.ndim)])
    return hist.astype(points.dtype, copy=False)


@op(
    public=False,
    outs=("hist", "bin_edges"),
    returns="histogram",
    many=True,
    node="NotImplemented",
    input="unknown('histogram', g_hist, g_bin_edges)",
    weight="unknown('histogram', g_hist, g_bin_edges)",
)
def histogram_of(input, bins, limits, weight=None, density=False):
    """The histogram of all elements, and its edges."""
    points = input.reshape(-1, 1)
    edges = edges_of(points, [bins], limits)
    return count_points(points, [bins], edges, weight, density), edges[0].copy()


@op(
    public=False,
    node="NotImplemented",
    input="unknown('_histogramdd_from_bin_cts')",
    weight="unknown('_histogramdd_from_bin_cts')",
)
def histogram_of_points(input, bins, edges, weight=None, density=False):
    """The histogram of points, the rows of the last dimension, between the edges."""
    return count_points(input.reshape(-1, input.shape[-1]), bins, edges, weight, density)


@op(public=False, input=None)
def equal_bins(input, bins, low, high):
    """The number of elements in each of ``bins`` equal bins."""
    require_bins(bins)
    values, kind = np.ascontiguousarray(input).reshape(-1), input.dtype.type
    if not is_half(input.dtype) and input.dtype not in (F4, np.float64):
        outer_edges(values[:0], low, high, 1, *HISTC)
        if input.dtype.kind in "iu":
            FITTING[low, input.dtype], FITTING[high, input.dtype]
        kernel = {"b": "linspace_cpu", "c": "aminmax_cpu" if low == high else "histogram_cpu"}
        require_float(kernel.get(input.dtype.kind, "histogram_cpu"), values)
    low, high = (FITTING[edge, input.dtype][()] for edge in (low, high))
    low, high = map(kind, outer_edges(values, low, high, 1, *HISTC))
    return count_in_blocks(values, bins, lambda some: bin_of_some(some, low, high, bins))


def bin_of_some(values, low, high, bins):
    """Return the bin index of every value within equal bins, rounded in their dtype, without comparing edges."""
    # 0-d arrays, which NumPy takes in half the time of its scalars
    first, last, count = (np.array(number, values.dtype) for number in (low, high, bins))
    within = np.greater_equal(values, first)
    within &= np.less_equal(values, last)
    if False in within.tobytes():
        values = values[within]
    number = np.subtract(values, first)
    number = np.divide(np.multiply(number, count), last - first)
    if is_half(values.dtype) and not np.isfinite(number).all():  # products may exceed half precision
        number = (values.astype(F4) - F4.type(low)) * F4.type(bins) / (F4.type(high) - F4.type(low))
    return np.minimum(number.astype(np.int64), bins - 1)
