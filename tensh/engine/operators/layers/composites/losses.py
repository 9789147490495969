"""Losses of single values: distances of predictions from targets.

``reduction`` is 'mean', 'sum' or 'none'; ``size_average`` and ``reduce`` are older flags for it.
"""

import inspect

import numpy as np

from tensh.engine.arguments.lazy_signatures import Later
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.core import lift
from tensh.engine.dispatch.override.points import watch_check
from tensh.engine.dtypes.dtype import can_cast, promote_types
from tensh.engine.errors.messages import broadcast_clash, does_not_fit, own_refusal
from tensh.engine.errors.warnings import warn
from tensh.engine.operators.forms import require
from tensh.engine.operators.kernels import number
from tensh.engine.operators.layers.composites.registry import layer, rename, require_constants
from tensh.engine.operators.layers.losses import (
    binary_entropy,
    binary_entropy_of_logits,
    huber_difference_op,
    smooth_difference_op,
    soft_margin,
    squared_difference,
)
from tensh.engine.operators.shapes.composites.joining import broadcast_tensors

# ── reduction ────────────────────────────────────────────────────────────────
REDUCTIONS = ("none", "mean", "sum")


def reduction_of(reduction, size_average=None, reduce=None):
    """Return the reduction's name, from the keyword or from the two flags that it replaced."""
    if size_average is not None or reduce is not None:
        averaged = size_average is None or size_average
        reduction = ("mean" if averaged else "sum") if reduce is None or reduce else "none"
        warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def reduce_losses(values, reduction):
    """Return the values, their mean, or their sum."""
    return values if reduction == "none" else values.mean() if reduction == "mean" else values.sum()


OLD = ("size_average", "reduce")  # the flags that ``reduction`` replaced


def number_reduction(fn, *parameters):
    """Put ``fn`` into the namespace torch, with the reduction as a number (1 for the mean) and another order of parameters.

    The default is no reduction: PyTorch cannot read its own default, ``at::Reduction::Mean``, and takes 0.
    """

    def function(*args, reduction=0, **options):
        if len(args) > len(parameters):
            raise TypeError(f"{fn.__name__}() takes {len(parameters)} positional arguments but {len(args)} were given")
        given = dict(zip(parameters, args)) | options
        return fn(**given | {"reduction": REDUCTIONS[given.get("reduction", reduction)]})

    def signature():
        own = inspect.signature(fn).parameters
        first = [own[name].replace(default=0) if name == "reduction" else own[name] for name in parameters]
        rest = [
            own[name].replace(kind=inspect.Parameter.KEYWORD_ONLY) for name in own if name not in (*parameters, *OLD)
        ]
        return inspect.Signature([*first, *rest])

    function.__signature__, function.passes_on = Later(signature), True
    PUBLIC[fn.__name__] = rename(function, fn.__name__, fn.__doc__)


def match_sizes(input, target):
    """Return input and target in one size, with a warning if they differ; raise if they cannot be broadcast."""
    if target.size() == input.size():
        return input, target
    warn(
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size.",
    )
    return broadcast_tensors(input, target)


def promote_both(input, target):
    """Return both in their common dtype."""
    if input.dtype is target.dtype:
        return input, target
    common = promote_types(input.dtype, target.dtype)
    return input.to(common), target.to(common)


def weigh_losses(losses, weight, reduction):
    """Return the weighted losses, or their sum or weighted mean."""
    losses = losses * weight
    return losses.sum() / weight.sum() if reduction == "mean" else reduce_losses(losses, reduction)


def check_weight(input, weight, reduction):
    if weight.array.shape != input.array.shape:
        raise ValueError("Weights and input must have the same size.")
    if reduction not in REDUCTIONS:
        raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")


# ── distances ────────────────────────────────────────────────────────────────
@layer
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The mean squared difference of ``input`` and ``target``.  Differentiable in both.

    Shapes: [*], reduced to []. Raise ValueError for another ``reduction``.

    >>> import tensh as torch
    >>> torch.nn.functional.mse_loss(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 0.0]))
    tensor(2.5000)
    """
    given, (input, target) = input, match_sizes(input, target)
    if size_average is not None or reduce is not None:
        reduction = reduction_of(reduction, size_average, reduce)
    if weight is not None:
        check_weight(given, weight, reduction)
        return weigh_losses((input - target).pow(2), weight, reduction)
    return squared_difference.fn(*promote_both(input, target), reduction_of(reduction))


@layer
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The mean absolute difference of ``input`` and ``target``.  Differentiable in both.

    Shapes: [*], reduced to []. Raise ValueError for another ``reduction``.

    >>> import tensh as torch
    >>> torch.nn.functional.l1_loss(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 0.0]))
    tensor(1.5000)
    """
    given, (input, target) = input, match_sizes(input, target)
    if size_average is not None or reduce is not None:
        reduction = reduction_of(reduction, size_average, reduce)
    if weight is not None:
        check_weight(given, weight, reduction)
        return weigh_losses((input - target).abs(), weight, reduction)
    return reduce_losses((input - target).abs(), reduction_of(reduction))


@layer
def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """``l1_loss`` with a parabola where the difference is less than ``beta``.  Differentiable in both.

    Shapes: [*], reduced to []. Raise RuntimeError for a negative ``beta``.

    >>> import tensh as torch
    >>> torch.nn.functional.smooth_l1_loss(torch.tensor([0.5, 2.0]), torch.tensor([0.0, 0.0]), reduction="none")
    tensor([0.1250, 1.5000])
    """
    input, target = match_sizes(input, target)
    reduction = reduction_of(reduction, size_average, reduce)
    beta = number(beta, "smooth_l1_loss", "beta", 4)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return reduce_losses((input - target).abs(), reduction)
    return smooth_difference_op.fn(*promote_both(input, target), reduction, beta)


@layer
def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """``delta`` times ``smooth_l1_loss`` with ``beta=delta``.  Differentiable in both.

    Shapes: [*], reduced to []. Raise RuntimeError unless ``delta`` is positive.

    >>> import tensh as torch
    >>> torch.nn.functional.huber_loss(torch.tensor([0.5, 2.0]), torch.tensor([0.0, 0.0]), reduction="none", delta=2.0)
    tensor([0.1250, 2.0000])
    """
    given, (input, target) = input, match_sizes(input, target)
    if weight is not None:
        check_weight(given, weight, reduction)
    delta = number(delta, "huber_loss", "delta", 4)
    if delta <= 0:
        if weight is None:
            reduction_of(reduction)
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    if not can_cast(kind := promote_types(input.dtype, target.dtype), input.dtype):
        raise RuntimeError(f"result type {kind.title} can't be cast to the desired output type {input.dtype.title}")
    if weight is None:
        return huber_difference_op.fn(input, target.to(input.dtype), reduction_of(reduction), delta)
    return reduce_losses(huber_difference_op.fn(input, target.to(input.dtype), "none", delta) * weight, reduction)


# ── yes or no ────────────────────────────────────────────────────────────────
@layer
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """-(target log(input) + (1 - target) log(1 - input)) for probabilities.  Differentiable in input and target.

    Shapes: [*], reduced to []. Raise ValueError if they differ, RuntimeError for an input outside 0 to 1.

    >>> import tensh as torch
    >>> torch.nn.functional.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([1.0]))
    tensor(0.6931)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. Please "
            "ensure they have the same size."
        )
    if weight is not None:
        check_expands(weight, target)
    if target.dtype is not input.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.title} but expected {input.dtype.title}")
    if input.is_floating_point():
        check_probabilities(input, target)
        if weight is not None and weight.is_complex():
            kind = promote_types(input.dtype, weight.dtype).title
            raise RuntimeError(f"result type {kind} can't be cast to the desired output type {input.dtype.title}")
        weight = weight if weight is None else weight.to(input.dtype)
    require_constants("binary_cross_entropy", weight=weight)
    return binary_entropy.fn(input, target, weight, reduction)


def check_expands(weight, target):
    """PyTorch's errors for a weight that does not have the shape of the target, and does not broadcast to it."""
    shape, given = target.array.shape, weight.array.shape
    for back, (n, m) in enumerate(zip(reversed(shape), reversed(given)), 1):
        if n != m and 1 not in (n, m):
            raise RuntimeError(
                f"Attempting to broadcast a dimension of length {m} at -{back}! Mismatching argument at index 1 had "
                f"{weight.shape}; but expected shape should be broadcastable to {list(shape)}"
            )
    if len(given) > len(shape):
        raise RuntimeError(does_not_fit(shape, given))


@watch_check
def check_probabilities(input, target):
    """Raise RuntimeError for a probability outside [0, 1]."""
    for name, array in (("input", lift.all_samples(input)), ("target", lift.all_samples(target))):
        if not ((array >= 0) & (array <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")


@layer
def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):  # fmt: skip
    """``binary_cross_entropy`` of sigmoid(input), without overflow; ``pos_weight`` weighs the positive class.

    Differentiable in input and target.  Shapes: [*], reduced to []. Raise ValueError if they differ.

    >>> import tensh as torch
    >>> torch.nn.functional.binary_cross_entropy_with_logits(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(0.6931)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    return entropy_of_logits(input, target, weight, pos_weight, reduction)


def entropy_of_logits(input, target, weight, pos_weight, reduction):
    """Return the cross entropy of logits and a target of the same shape, after PyTorch's checks of dtypes and weights."""
    floating = input.dtype.is_floating_point
    if floating and not target.dtype.is_floating_point:
        raise RuntimeError(
            f"result type {input.dtype.title} can't be cast to the desired output type {target.dtype.title}"
        )
    if floating:  # the loss has the dtype of the target
        input = input.to(target.dtype)
    if pos_weight is not None and (clash := broadcast_clash((pos_weight.array.shape, target.array.shape))):
        raise RuntimeError(clash)
    require_constants("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    if floating:  # weights of other dtypes do not change the dtype of the loss
        weight, pos_weight = (each if each is None else each.to(input.dtype) for each in (weight, pos_weight))
    return binary_entropy_of_logits.fn(input, target, weight, pos_weight, reduction)


def torch_binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction="mean"):
    """``torch.nn.functional.binary_cross_entropy_with_logits`` with ``reduction`` as a number.  Differentiable.

    Shapes: [*], reduced to []; the input is broadcast to the target. Raise RuntimeError if the target is the smaller one.

    >>> import tensh as torch
    >>> torch.binary_cross_entropy_with_logits(torch.tensor([0.0]), torch.tensor([1.0]), reduction=2)  # the sum
    tensor(0.6931)
    """
    shapes = [target.array.shape, input.array.shape]
    if (clash := broadcast_clash(shapes)) is not None:
        raise RuntimeError(clash)
    shape = np.broadcast_shapes(*shapes)
    if shape != target.array.shape:
        raise RuntimeError(
            f"output with shape {list(target.array.shape)} doesn't match the broadcast shape {list(shape)}"
        )
    return entropy_of_logits(input.expand(shape), target, weight, pos_weight, reduction)


rename(torch_binary_cross_entropy_with_logits, "binary_cross_entropy_with_logits")
number_reduction(torch_binary_cross_entropy_with_logits, "input", "target", "weight", "pos_weight", "reduction")


@layer
def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(-target * input)), for targets of 1 and -1.  Differentiable in input.

    Shapes: [*], reduced to []. Raise ValueError for another ``reduction``.
    """
    reduction = reduction_of(reduction, size_average, reduce)
    require(input, "soft_margin_loss", "input", 1), require(target, "soft_margin_loss", "target", 2)
    require_constants("soft_margin_loss", target=target)
    if input.array.dtype.kind == "b":
        raise own_refusal("neg", input.array.dtype)
    shapes = input.array.shape, target.array.shape
    if shapes[0] != shapes[1] and (clash := broadcast_clash(shapes)) is not None:
        raise RuntimeError(clash)
    if (common := np.broadcast_shapes(*shapes)) != shapes[0]:
        raise RuntimeError(does_not_fit(shapes[0], common))
    if input.array.dtype.kind in "iu":
        raise RuntimeError(f"result type Float can't be cast to the desired output type {input.dtype.title}")
    return soft_margin.fn(input, target.to(input.dtype), reduction)
