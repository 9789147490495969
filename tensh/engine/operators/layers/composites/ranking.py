"""Ranking losses: which of two is larger, nearer or more similar."""

from tensh.engine.codegen.scalars import take_number
from tensh.engine.dispatch.override.points import watch_inner
from tensh.engine.operators.elementwise.numbered import minus
from tensh.engine.operators.elementwise.numbered import plus as plus_op
from tensh.engine.operators.elementwise.table import clamp_min, minimum, sub
from tensh.engine.operators.elementwise.table import where as where_op
from tensh.engine.operators.forms import require
from tensh.engine.operators.kernels import number
from tensh.engine.operators.layers.composites.losses import number_reduction, reduce_losses, reduction_of
from tensh.engine.operators.layers.composites.registry import layer
from tensh.engine.operators.layers.composites.similarity import pairwise_distance

EPSILON = 1e-12  # added to squared lengths


def clamp_at_zero(values):
    return clamp_min.fn(values, 0)


watch_inner(clamp_at_zero, "clamp_at_zero")


@layer
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """The distances ``input`` where ``target`` is 1, and ``max(0, margin - input)`` where it is -1.

    Differentiable in input.  Shapes: [*], reduced to []. Raise ValueError for another ``reduction``.

    >>> import tensh as torch
    >>> torch.nn.functional.hinge_embedding_loss(torch.tensor([0.5, 0.5]), torch.tensor([1, -1]), 2.0, reduction="none")
    tensor([0.5000, 1.5000])
    """
    reduction = reduction_of(reduction, size_average, reduce)
    margin = number(margin, "hinge_embedding_loss", "margin", 3)
    require(input, "hinge_embedding_loss", "input", 1), require(target, "hinge_embedding_loss", "target", 2)
    short = clamp_at_zero(sub.fn(margin if input.is_floating_point() else input.new_tensor(margin), input))
    zero, where = input.new_zeros(()), where_op.fn
    return reduce_losses(where(target != 1, short, zero) + where(target != -1, input, zero), reduction)


@layer
def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """``max(0, -target * (input1 - input2) + margin)``: ``input1`` should be larger if ``target`` is 1, smaller if -1.

    Differentiable in both inputs.  Shapes: [*], reduced to []. Raise RuntimeError if they differ.

    >>> import tensh as torch
    >>> torch.nn.functional.margin_ranking_loss(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
    tensor(2.)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if not input1.array.ndim == input2.array.ndim == target.array.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    margin = number(margin, "margin_ranking_loss", "margin", 4)
    difference = input1 - input2  # recorded first, as in PyTorch
    return reduce_losses(clamp_at_zero(plus_op.fn(-target * difference, margin)), reduction)


@layer
def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """``1 - cos`` of two vectors where ``target`` is 1, and ``max(0, cos - margin)`` where it is -1.

    ``input1`` and ``input2`` are [N, D] with ``target`` [N], or [D] with one number.  Differentiable in both inputs.
    Raise RuntimeError for other shapes.
    """
    reduction = reduction_of(reduction, size_average, reduce)
    margin = number(margin, "cosine_embedding_loss", "margin", 4)
    ndim, shapes = target.array.ndim, (input1.array.shape, input2.array.shape)
    if ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if {len(shape) for shape in shapes} != {ndim + 1}:
        raise RuntimeError(
            f"{ndim}D target tensor expects {ndim + 1}D input tensors, but found inputs with sizes {list(shapes[0])} and "
            f"{list(shapes[1])}."
        )
    plus, where = plus_op.fn, where_op.fn
    product = (input1 * input2).sum(ndim)  # recorded first: gradients are added in PyTorch's order
    squares = plus((input1 * input1).sum(ndim), EPSILON) * plus((input2 * input2).sum(ndim), EPSILON)
    cosine = product / squares.sqrt()
    zero = cosine.new_zeros(())
    near = where(target == 1, sub.fn(1, cosine), zero)
    return reduce_losses(near + where(target == -1, clamp_at_zero(minus.fn(cosine, margin)), zero), reduction)


# ── triplets ─────────────────────────────────────────────────────────────────
def check_triplet(anchor, positive, negative, margin):
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    dims = anchor.array.ndim, positive.array.ndim, negative.array.ndim
    if len(set(dims)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor "
            f"{dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D inputs"
        )


def torch_triplet(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction="mean"):
    """``torch.nn.functional.triplet_margin_loss`` with ``reduction`` as a number.  Differentiable.

    Shapes: [N, D], reduced to [].
    """
    margin = take_number(number(margin, "triplet_margin_loss", "margin", 4))
    check_triplet(anchor, positive, negative, margin)
    distance = pairwise_distance
    near, far = distance(anchor, positive, p, eps), distance(anchor, negative, p, eps)
    if swap:
        far = minimum.fn(far, distance(positive, negative, p, eps))
    return reduce_losses(clamp_min.fn(plus_op.fn(near, margin) - far, 0), reduction)


@layer
def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"
):  # fmt: skip
    """``max(0, d(anchor, positive) - d(anchor, negative) + margin)``, where ``d`` is the distance in the ``p``-norm.

    ``swap`` takes ``d(positive, negative)`` in place of the second where that is less.  Differentiable in all three.
    Shapes: [N, D], reduced to []. Raise ValueError unless ``margin`` is positive.
    """
    reduction = reduction_of(reduction, size_average, reduce)
    return torch_triplet(anchor, positive, negative, margin, p, eps, swap, reduction)


@layer
def triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):  # fmt: skip
    """``triplet_margin_loss`` with a custom distance, a function of two tensors.  Differentiable if the distance is.

    Shapes: [N, *], reduced to []. Raise ValueError for a margin that is not positive.
    """
    reduction = reduction_of(reduction)
    check_triplet(anchor, positive, negative, margin)
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = minimum.fn(far, distance(positive, negative))
    return reduce_losses(clamp_min.fn(margin + near - far, 0), reduction)


number_reduction(hinge_embedding_loss, "input", "target", "margin", "reduction")
number_reduction(margin_ranking_loss, "input1", "input2", "target", "margin", "reduction")
number_reduction(cosine_embedding_loss, "input1", "input2", "target", "margin", "reduction")
torch_triplet.__name__ = "triplet_margin_loss"
number_reduction(torch_triplet, "anchor", "positive", "negative", "margin", "p", "eps", "swap", "reduction")
