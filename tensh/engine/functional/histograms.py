"""Histograms: how many elements (or how much of their weights) fall between edges."""

import numpy as np

from tensh.engine.dtype import BY_NUMPY
from tensh.engine.table import composite, returned
from tensh.engine.tensor import Tensor, wrap


# ── edges ────────────────────────────────────────────────────────────────────
def outer_edges(name, values, low, high, margin):
    """The range of a histogram; of the elements where none is given."""
    if low == high and values.size:
        low, high = values.min(), values.max()
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"{name}: range of [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(f"{name}: max must be larger than min")
    if low == high:
        low, high = low - margin, high + margin
    return low, high


def evenly(low, high, bins, dtype):
    """``bins`` + 1 edges as ``torch.linspace`` gives them: from both ends to the middle."""
    low, high = dtype.type(low), dtype.type(high)
    step = (high - low) / dtype.type(bins)
    place = np.arange(bins + 1, dtype=dtype)
    return np.where(place < (bins + 1) // 2, low + step * place, high - step * (bins - place)).astype(dtype)


def slot(values, low, high, edges):
    """The number of the bin of every value between equally spaced edges; -1 outside."""
    bins = len(edges) - 1
    with np.errstate(invalid="ignore"):
        number = ((values - low) / (high - low) * bins).astype(np.int64)
    number = np.minimum(number, bins - 1)
    # rounding may be off by one bin: the edges decide
    number -= (number > 0) & (values < edges[np.maximum(number, 0)])
    number += (number < bins - 1) & (values >= edges[np.minimum(number + 1, bins)])
    return np.where((values >= low) & (values <= high), number, -1)


def between(values, edges):
    """The number of the bin of every value between any edges; -1 outside."""
    number = np.searchsorted(edges, values, "right") - 1
    number -= values == edges[-1]
    return np.where((values >= edges[0]) & (values <= edges[-1]), number, -1)


def require_bins(bins, dim=0):
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension {dim}")


def require_float(name, array):
    if array.dtype not in (np.float32, np.float64):
        raise NotImplementedError(f"\"{name}\" not implemented for '{BY_NUMPY[array.dtype].title}'")


# ── one dimension ────────────────────────────────────────────────────────────
@composite(out=True)
def histc(input, bins=100, min=0, max=0):
    """The number of elements in each of ``bins`` equal bins from ``min`` to ``max`` (where equal: of the elements' range).

    >>> import tensh as torch
    >>> torch.histc(torch.tensor([1.0, 2.0, 2.0, 4.0]), bins=3)
    tensor([1., 2., 1.])
    """
    values = input.array.reshape(-1)
    require_float("histogram_cpu", values)
    require_bins(bins)
    low, high = outer_edges("torch.histc", values, values.dtype.type(min), values.dtype.type(max), 1)
    return wrap(counted([slot(values, low, high, evenly(low, high, bins, values.dtype))], [bins], None, values.dtype))


def counted(numbers, bins, weights, dtype):
    """The histogram over one number of a bin per dimension."""
    inside = np.logical_and.reduce([n >= 0 for n in numbers])
    place = np.zeros(len(inside), np.int64)
    for number, count in zip(numbers, bins):
        place = place * count + number
    weights = None if weights is None else weights[inside].astype(np.float64)
    total = int(np.prod(bins))
    return np.bincount(place[inside], weights, total)[:total].reshape(bins).astype(dtype)


Histogram = returned("histogram", ("hist", "bin_edges"))
HistogramDD = returned("histogramdd", ("hist", "bin_edges"))


@composite(out=True)
def histogram(input, bins, *, range=None, weight=None, density=False):
    """A histogram and its edges: a named tuple ``(hist, bin_edges)``.

    ``bins`` is a number of equal bins (over ``range``, or the elements' range) or a tensor of edges; ``weight`` is summed
    instead of counting; ``density`` divides by the total and the widths.

    >>> import tensh as torch
    >>> torch.histogram(torch.tensor([1.0, 2.0, 2.0]), torch.tensor([0.0, 1.5, 3.0])).hist
    tensor([1., 2.])
    """
    bins = bins if isinstance(bins, Tensor) else [bins]
    hist, edges = over_points(input.array.reshape(-1, 1), [bins] if isinstance(bins, Tensor) else bins, range, weight, density)
    return Histogram((wrap(hist), wrap(edges[0].copy())))


def over_points(points, bins, range, weight, density):
    """The histogram of points (rows) and the edges along every dimension."""
    require_float("histogramdd", points)
    dtype, numbers, edges = points.dtype, [], []
    for d, own in enumerate(bins):
        values = points[:, d]
        if isinstance(own, Tensor):
            edges.append(own.array)
            if own.array.ndim != 1 or not own.array.size:
                raise RuntimeError(
                    "torch.histogramdd(): bins tensor should have one dimension, but got "
                    f"{own.array.ndim} dimensions in the bins tensor for dimension {d}"
                )
            if own.array.dtype != dtype:
                raise RuntimeError(
                    "torch.histogramdd(): input tensor and bins tensors should have the same dtype, but got input with "
                    f"dtype {BY_NUMPY[dtype].title} and bins for dimension {d} with dtype {own.dtype.title}"
                )
            numbers.append(between(values, own.array))
            continue
        require_bins(own, d)
        low, high = (0, 0) if range is None else range[2 * d : 2 * d + 2]
        if range is None and not values.size:
            low, high = 0, 1
        elif range is None:
            low, high = outer_edges("torch.histogramdd()", values, 0, 0, 0.5)
        else:
            low, high = outer_edges("torch.histogramdd()", values[:0], low, high, 0.5)
        edges.append(evenly(low, high, own, dtype))
        numbers.append(slot(values, dtype.type(low), dtype.type(high), edges[-1]))
    weights = None if weight is None else weight.array.reshape(-1)
    if weights is not None and (weights.size != len(points) or weights.dtype != dtype):
        raise RuntimeError("torch.histogramdd(): if weight tensor is provided it should have the same shape and dtype as input")
    hist = counted(numbers, [len(e) - 1 for e in edges], weights, dtype)
    if density:
        hist = hist / hist.sum()
        for d, e in enumerate(edges):
            hist = hist / np.diff(e).reshape([-1 if i == d else 1 for i in np.arange(hist.ndim)])
    return hist.astype(dtype, copy=False), edges


@composite(method=False)
def histogramdd(input, bins, range=None, weight=None, density=False):
    """The histogram of points, the rows of the last dimension, and its edges along every dimension.

    ``bins`` is a number, a number per dimension, or a tensor of edges per dimension.

    >>> import tensh as torch
    >>> torch.histogramdd(torch.tensor([[0.0, 1.0], [1.0, 0.0]]), [2, 2]).hist
    tensor([[0., 1.],
            [1., 0.]])
    """
    if input.array.ndim < 2:
        raise RuntimeError("torch.histogramdd(): input tensor should have at least 2 dimensions")
    size = input.array.shape[-1]
    if isinstance(bins, int):
        bins = [bins] * size
    if len(bins) != size:
        raise RuntimeError(
            f"torch.histogramdd(): expected {size} bin counts for a {size}-dimensional histogram but got {len(bins)}"
        )
    hist, edges = over_points(input.array.reshape(-1, size), bins, range, weight, density)
    return HistogramDD((wrap(hist), tuple(map(wrap, edges))))
