"""The bases of losses: how the losses of elements are reduced to one number, or not."""

from tensh.engine.errors.warnings import warn
from tensh.nn.modules.layer import Layer


def reduction_of(reduction, size_average, reduce):
    """Return the reduction; the two flags, its former arguments, raise a warning."""
    if size_average is None and reduce is None:
        return reduction
    averaged, reduced = size_average is None or size_average, reduce is None or reduce
    reduction = "mean" if averaged and reduced else "sum" if reduced else "none"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    return reduction


OLD = "size_average=None, reduce=None"
KEPT = {"size_average": None, "reduce": None, "reduction": "reduction_of(reduction, size_average, reduce)"}


class _Loss(Layer, settings=f"{OLD}, reduction='mean'", keeps=KEPT):
    """A loss whose only setting is the reduction."""


class _WeightedLoss(_Loss, settings=f"weight=None, {OLD}, reduction='mean'", keeps=KEPT, buffers="weight"):
    """A loss with a weight for each class or element."""
