"""Histograms with PyTorch's overloads: a number of bins, or bin edges."""

from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.return_types import return_type
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.operators.forms import require_kind
from tensh.engine.operators.reductions import histograms

HistogramDD = return_type("histogramdd", ("hist", "bin_edges"))


def raw(bins):
    """Return a number of bins, or edges as an array."""
    return bins.array if isinstance(bins, Tensor) else bins


@composite(out=True)
def histc(input, bins=100, min=0, max=0):
    """The number of elements in each of ``bins`` equal bins from ``min`` to ``max`` (where equal: of the elements' range).

    Shape: [*] to [bins].

    >>> import tensh as torch
    >>> torch.histc(torch.tensor([1.0, 2.0, 2.0, 4.0]), bins=3)
    tensor([1., 2., 1.])
    """
    return histograms.equal_bins.fn(input, bins, min, max)


@composite(out=True)
def histogram(input, bins=100, *, range=None, weight=None, density=False):
    """A histogram and its edges: a named tuple ``(hist, bin_edges)``.

    ``bins`` is a number of equal bins (over ``range``, or the elements' range) or a tensor of edges; ``weight`` is summed
    instead of counting; ``density`` divides by the total and the widths.  Shapes: [bins] and [bins + 1].

    >>> import tensh as torch
    >>> torch.histogram(torch.tensor([1.0, 2.0, 2.0]), torch.tensor([0.0, 1.5, 3.0])).hist
    tensor([1., 2.])
    """
    if not isinstance(bins, Tensor):
        require_kind("int", bins, "histogram", "bins")
    return histograms.histogram_of.fn(input, raw(bins), range, weight, density)


@composite(method=False)
def histogramdd(input, bins, range=None, weight=None, density=False):
    """The histogram of points, the rows of the last dimension, and its edges along every dimension.

    ``bins`` is a number, a number per dimension, or a tensor of edges per dimension.  Shape: [..., d].
    Raise RuntimeError for points without dimensions, and for bins that do not fit them.

    >>> import tensh as torch
    >>> torch.histogramdd(torch.tensor([[0.0, 1.0], [1.0, 0.0]]), [2, 2]).hist
    tensor([[0., 1.],
            [1., 0.]])
    """
    if input.array.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    size = input.array.shape[-1]
    if isinstance(bins, int):
        bins = [bins] * size
    if len(bins) != size:
        raise RuntimeError(
            f"torch.histogramdd: expected {size} sequences of bin edges for a {size}-dimensional histogram but got {len(bins)}"
            if any(isinstance(each, Tensor) for each in bins)
            else "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    if range is not None and len(range) != 2 * size:
        raise RuntimeError(
            f"torch.histogramdd: for a {size}-dimensional histogram range should have {2 * size} elements, but got {len(range)}"
        )
    edges = histograms.edges_of(input.array.reshape(-1, size), list(map(raw, bins)), range)
    hist = histograms.histogram_of_points.fn(input, list(map(raw, bins)), edges, weight, density)
    return HistogramDD((hist, tuple(map(wrap, edges))))
