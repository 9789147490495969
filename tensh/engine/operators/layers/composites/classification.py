"""Classification losses: predictions against the right class among many."""

import math
from operator import index

from tensh.engine.dtypes.dtype import float32, float64, int64, uint8
from tensh.engine.errors.messages import is_long, wrap_dim
from tensh.engine.errors.warnings import warn
from tensh.engine.operators.elementwise.numbered import over
from tensh.engine.operators.elementwise.numbered import times as times_op
from tensh.engine.operators.forms import require
from tensh.engine.operators.layers.classes import nll2, nll_op
from tensh.engine.operators.layers.composites.losses import REDUCTIONS, reduce_losses, reduction_of
from tensh.engine.operators.layers.composites.projection import linear
from tensh.engine.operators.layers.composites.registry import layer, require_constants
from tensh.engine.operators.layers.losses import multi_margin, multilabel_margin
from tensh.engine.operators.precision import I8
from tensh.engine.operators.reductions.softmax import log_softmax_dim


# ── negative log likelihood ──────────────────────────────────────────────────
def check_target(input, target, weight):
    """Raise PyTorch's errors for targets that do not fit."""
    shape, classes = input.array.shape, target.array.shape
    if len(shape) == 2 and classes == shape[:1] and weight is None and target.array.dtype is I8:
        return  # as mostly
    if not shape:
        raise ValueError(f"Expected 1 or more dimensions (got {len(shape)})")
    if len(shape) != 1 and (not classes or shape[0] != classes[0]):
        found = classes[0] if classes else 0
        raise ValueError(f"Expected input batch_size ({shape[0]}) to match target batch_size ({found}).")
    if len(shape) <= 2 and len(classes) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if len(shape) == 4 and len(classes) != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(classes)}"
        )
    sizes = [shape[0], *shape[2:]]
    if len(shape) not in (1, 2, 4) and sizes != [*classes]:
        raise RuntimeError(f"Expected target size {sizes}, got {[*classes]}")
    if target.dtype not in (int64, uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target.dtype.title}")
    if len(shape) == 1 and len(classes) == 1 and classes[0] != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {classes[0]}")
    check_class_weight(weight, shape[1] if len(shape) > 1 else shape[0], len(shape))
    if len(shape) == 4 and sizes != [*classes]:
        raise RuntimeError(f"size mismatch (got input: {list(shape)} , target: {list(classes)}")
    if weight is not None and weight.dtype is not input.dtype and input.is_floating_point():
        raise RuntimeError(f"expected scalar type {input.dtype.title} but found {weight.dtype.title}")
    if len(shape) > 2 and target.dtype is uint8:
        raise RuntimeError("expected scalar type Long but found Byte")


def check_class_weight(weight, classes, ndim=2, prefix=""):
    if weight is None or weight.array.shape == (classes,):
        return
    if ndim > 2:
        raise RuntimeError(f"{prefix}weight tensor should be defined either for all or no classes")
    raise RuntimeError(
        f"{prefix}weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
        f"shape: {list(weight.array.shape)}"
    )


def nll(input, target, weight, reduction, ignore_index):
    """Apply the operator, with inputs of more than four dimensions reshaped to [N, C, H, W]."""
    if is_long(ignore_index):
        raise ValueError("Overflow when unpacking long long")
    check_target(input, target, weight)
    shape = input.array.shape
    if weight is not None:
        require_constants("nll_loss_forward" if len(shape) <= 2 else "nll_loss2d_forward", weight=weight)
    if len(shape) <= 2:
        if len(shape) == 1 and target.array.ndim and reduction != "none":
            target = target.reshape(())
        return nll_op.fn(input, target, weight, reduction, ignore_index)
    if len(shape) == 4:
        return nll2.fn(input, target, weight, reduction, ignore_index)
    batch, classes, *sizes = shape
    flat = input.contiguous().view((batch, classes, 1, math.prod(sizes)))
    out = nll2.fn(flat, target.reshape((batch, 1, math.prod(sizes))), weight, reduction, ignore_index)
    return out.view((batch, *sizes)) if reduction == "none" else out


@layer
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """-input[target]: the loss of log-probabilities ``input`` [N, C, ...] for the classes ``target`` [N, ...].

    ``weight`` holds a factor per class, and the mean is weighted by it; the class ``ignore_index`` does not count.
    Differentiable in input.  Raise RuntimeError or ValueError for other shapes, IndexError for classes out of range.

    >>> import tensh as torch
    >>> torch.nn.functional.nll_loss(torch.tensor([[-1.0, -2.0], [-3.0, -4.0]]), torch.tensor([0, 1]))
    tensor(2.5000)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    return nll(
        require(input, "nll_loss_nd", "input", 1),
        require(target, "nll_loss_nd", "target", 2),
        weight,
        reduction,
        ignore_index,
    )


@layer
def cross_entropy(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0
):  # fmt: skip
    """The loss of the predictions ``input`` [N, C, ...] for classes [N, ...], or for probabilities of the input's size.

    It is ``nll_loss(log_softmax(input, 1), target)``; ``label_smoothing`` is the share of a uniform distribution in the
    target. Differentiable in input, and in probabilities.  Raise RuntimeError or ValueError where shapes do not fit,
    IndexError for classes out of range.

    >>> import tensh as torch
    >>> torch.nn.functional.cross_entropy(torch.tensor([[0.0, 0.0], [0.0, 100.0]]), torch.tensor([0, 1]))
    tensor(0.3466)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    require(input, "cross_entropy_loss", "input", 1), require(target, "cross_entropy_loss", "target", 2)
    if weight is not None:
        require(weight, "cross_entropy_loss", "weight", 3)
    shape = input.array.shape
    dim = 0 if len(shape) == 1 else 1
    if target.array.shape == shape and shape:
        return entropy_of_probabilities(input, target, weight, ignore_index, reduction, label_smoothing, dim)
    require_share(label_smoothing)
    if not shape:
        if target.array.ndim or target.is_floating_point():
            wrap_dim(1, 0, scalar=target.array.ndim > 0)  # raises: there is no dimension of classes
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {target.dtype.title}"
        )
    try:
        index(ignore_index)
    except TypeError:
        kind = type(ignore_index).__name__
        raise TypeError(f"cross_entropy_loss(): argument 'ignore_index' (position 5) must be int, not {kind}") from None
    logs = log_softmax_dim.fn(input, dim)
    loss = nll(logs, target, weight, reduction, ignore_index)
    if label_smoothing <= 0:
        return loss
    times = times_op.fn
    even = even_loss(logs, target, weight, ignore_index, reduction, dim)
    return times(loss, 1 - label_smoothing) + times(even, label_smoothing / shape[dim])


def require_share(smoothing):
    """Raise RuntimeError for a smoothing that takes more than the whole target."""
    if smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {smoothing:g}")


def even_loss(logs, target, weight, ignore_index, reduction, dim):
    """Return the loss for a uniform target."""
    if weight is None:
        losses = -logs.sum(dim)
    else:
        sizes = [1] * logs.array.ndim
        sizes[dim] = weight.array.size
        losses = -(logs * weight.view(sizes)).sum(dim)
    ignored = target == ignore_index
    losses = losses.masked_fill(ignored.reshape(losses.shape), 0)
    if reduction != "mean":
        return reduce_losses(losses, reduction)
    if weight is None:
        return losses.sum() / (~ignored).sum()
    return losses.sum() / weight.gather(0, target.masked_select(~ignored).flatten()).sum()


def entropy_of_probabilities(input, target, weight, ignore_index, reduction, smoothing, dim):
    """Return the loss for class probabilities as the target."""
    if not target.is_floating_point():
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {target.dtype.title}"
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    require_share(smoothing)
    classes = input.array.shape[dim]
    check_class_weight(weight, classes, prefix="cross_entropy: ")
    logs = log_softmax_dim.fn(input, dim)
    if smoothing > 0:
        target = target * (1 - smoothing) + smoothing / classes
    parts = logs * target
    if weight is not None:
        sizes = [1] * input.array.ndim
        sizes[dim] = classes
        parts = parts * weight.view(sizes)
    if reduction == "none":
        return -parts.sum(dim)
    total = -parts.sum()
    return over.fn(total, input.array.size // classes if classes else 0) if reduction == "mean" else total


@layer
def linear_cross_entropy(
    input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean", ignore_index=None, label_smoothing=0.0,
    options=None,
):  # fmt: skip
    """``cross_entropy(linear(input, linear_weight, linear_bias), target)``, with [C, ..., features] weights.  Differentiable.

    Raise RuntimeError where shapes do not fit.
    """
    shape, sizes = input.array.shape, linear_weight.array.shape
    if len(shape) not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {len(shape)}")
    if len(sizes) < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {len(sizes)}")
    if shape[-1] != sizes[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{shape[-1]} and {sizes[-1]}, respectively"
        )
    if linear_bias is not None and linear_bias.array.shape != sizes[:-1]:
        raise RuntimeError(f"expected linear_bias shape {sizes[:-1]}, got {linear_bias.array.shape}")
    if len(sizes) > 2 and len(shape) == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {sizes} requires batched input, (N, {shape[-1]}), got unbatched "
            f"input with shape {shape}"
        )
    scores = (*shape[:-1], *sizes[:-1])
    if target.array.shape == scores and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if options is not None and (
        len(sizes) > 2 or label_smoothing != 0 or target.dtype is not int64 or reduction not in REDUCTIONS
    ):
        bias = None if linear_bias is None else linear_bias.array.shape
        warn(
            "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, label_smoothing "
            f"== 0, target.dtype == int64, out_features == (). Got reduction={reduction!r}, label_smoothing={label_smoothing}, "
            f"target.dtype={target.dtype}, out_features={sizes[1:-1]}, tracing=False, linear_bias.shape={bias}."
        )
    if len(sizes) > 2:
        linear_weight = linear_weight.reshape((math.prod(sizes[:-1]), sizes[-1]))
        linear_bias = None if linear_bias is None else linear_bias.reshape(math.prod(sizes[:-1]))
    return cross_entropy(
        linear(input, linear_weight, linear_bias).reshape(scores), target, weight=weight, reduction=reduction,
        ignore_index=-100 if ignore_index is None else ignore_index, label_smoothing=label_smoothing,
    )  # fmt: skip


# ── margins ──────────────────────────────────────────────────────────────────
def check_rows(input):
    shape = input.array.shape
    if len(shape) > 2 or 0 in shape[-1:]:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(shape)}"
        )


def check_labels(kernel_name, input, target):
    """Raise PyTorch's errors for scores that are neither float32 nor float64, then for labels that are not int64."""
    if input.dtype not in (float32, float64):
        raise NotImplementedError(f"\"{kernel_name}\" not implemented for '{input.dtype.title}'")
    if target.dtype is not int64:
        raise RuntimeError(f"expected scalar type Long but found {target.dtype.title}")


@layer
def multi_margin_loss(
    input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"
):  # fmt: skip
    """The mean over the other classes of max(0, margin - input[target] + input[other]) ** p, for ``input`` [N, C].

    ``p`` is 1 or 2, ``weight`` a factor per class.  Differentiable in input, once.  Raise ValueError for another ``p``,
    RuntimeError for other shapes.
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.array.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    check_rows(input)
    shape, classes = input.array.shape, target.array.shape
    batch = shape[0] if len(shape) > 1 else 1
    if len(classes) > 1 or math.prod(classes) != batch:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). "
            f"Expected target size [{batch}], but got {list(classes)}. Input has shape {list(shape)}."
        )
    width = shape[-1] if shape else 1
    if weight is not None and weight.array.size != width:
        raise RuntimeError(f"inconsistent weight size, expected {width} but got {list(weight.array.shape)}")
    check_labels("multi_margin_loss_cpu_kernel", input, target)
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.title} but found {weight.dtype.title}")
    require_constants("multi_margin_loss", weight=weight)
    return multi_margin.fn(input, target, weight, p, margin, reduction)


@layer
def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """The mean of max(0, 1 - input[right] + input[wrong]) over all pairs of a right and a wrong class, for ``input`` [N, C].

    ``target`` [N, C] lists the right classes up to the first -1.  Differentiable in input, once.  Raise RuntimeError for
    other shapes.
    """
    reduction = reduction_of(reduction, size_average, reduce)
    check_rows(input)
    if target.array.shape != input.array.shape:
        raise RuntimeError(
            f"inconsistent target size: {list(target.array.shape)} for input of size: {list(input.array.shape)}"
        )
    check_labels("multilabel_margin_loss_forward_out_frame", input, target)
    return multilabel_margin.fn(input, target, reduction)


@layer
def multilabel_soft_margin_loss(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean"
):  # fmt: skip
    """The mean over classes of the binary cross entropy of sigmoid(input).  Differentiable.

    Shapes: ``input`` and ``target`` [N, C].  Raise ValueError for another ``reduction``.
    """
    from tensh.engine.operators.elementwise.activation import logsigmoid_op

    if size_average is not None or reduce is not None:
        reduction = reduction_of(reduction, size_average, reduce)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    log = logsigmoid_op.fn
    losses = -(target * log(input) + (1 - target) * log(-input))
    if weight is not None:
        losses = losses * weight
    return reduce_losses(losses.sum(input.array.ndim - 1) / input.array.shape[-1], reduction)
