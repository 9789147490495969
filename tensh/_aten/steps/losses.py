"""Softmax and losses that PyTorch composes of ``aten`` operators."""

import math

import tensh as torch
from tensh._aten.calls import aten
from tensh._aten.overloads import schemas
from tensh._aten.steps.conversions import convert_to
from tensh.engine.core.tensor import Tensor


def softmax(name):
    def steps(input, dim=None, dtype=None, _stacklevel=3, **options):
        if dim is None:
            return NotImplemented
        return aten(name, input if dtype is None else convert_to(input, dtype), dim, False)

    return steps


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    if input.dim() not in (1, 2, 4) or size_average is not None or reduce is not None:
        return NotImplemented
    return aten(
        "nll_loss2d_forward" if input.dim() == 4 else "nll_loss_forward", input, target, weight, reduction, ignore_index
    )[0]


def cross_entropy(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0
):
    if input.dim() not in (1, 2, 4) or label_smoothing or target.is_floating_point():
        return NotImplemented
    logarithms = aten("_log_softmax", input, min(input.dim() - 1, 1), False)
    return nll_loss(logarithms, target, weight, size_average, ignore_index, reduce, reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    if size_average is not None or reduce is not None or weight is not None:
        return NotImplemented
    difference = aten("abs", aten("sub", input, target))
    return difference if reduction == "none" else aten(reduction, difference)


def reduce_losses(losses, reduction):
    """Return the losses of the samples, or their mean or sum."""
    return losses if reduction == "none" else aten(reduction, losses)


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    if size_average is not None or reduce is not None:
        return NotImplemented
    number = ("none", "mean", "sum").index(reduction)
    return aten("multilabel_margin_loss_forward", input, target, number)[0]


def logsigmoid(input):
    return aten("log_sigmoid_forward", input)[0]


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    lengths = [each if isinstance(each, Tensor) else list(each) for each in (input_lengths, target_lengths)]
    if len({isinstance(each, Tensor) for each in lengths}) > 1:
        return NotImplemented
    losses = aten("_ctc_loss", log_probs, targets, *lengths, blank, zero_infinity)[0]
    place = {"layout": torch.strided, "device": torch.device("cpu")}
    if zero_infinity:
        zero = schemas()["zeros"]["default"]([], dtype=losses.dtype, **place)
        losses = aten("where", schemas()["eq"]["Scalar"](losses, math.inf), zero, losses)
    if reduction == "mean":
        counts = lengths[1]
        if not isinstance(counts, Tensor):
            counts = torch.tensor(counts, dtype=losses.dtype)
        losses = aten("div", losses, aten("clamp_min", counts, 1))
    return reduce_losses(losses, reduction)


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    if size_average is not None or reduce is not None:
        return NotImplemented
    zeros = schemas()["zeros_like"]["default"](input, memory_format=torch.contiguous_format)
    beyond = aten("clamp_min_", number_minus(float(margin), input), 0)
    unlike = aten("where", schemas()["ne"]["Scalar"](target, 1), beyond, zeros)
    like = aten("where", schemas()["ne"]["Scalar"](target, -1), input, zeros)
    return reduce_losses(aten("add", unlike, like), reduction)


def cosine_embedding_loss(input1, input2, target, margin=0.0, size_average=None, reduce=None, reduction="mean"):
    if size_average is not None or reduce is not None or target.dim() > 1 or input1.dim() != target.dim() + 1:
        return NotImplemented
    dim = target.dim()
    products = aten("sum", aten("mul", input1, input2), [dim])
    squares = [
        schemas()["add"]["Scalar"](aten("sum", aten("mul", each, each), [dim]), EPSILON) for each in (input1, input2)
    ]
    cosine = aten("div", products, aten("sqrt_", aten("mul", *squares)))
    zeros = schemas()["zeros_like"]["default"](cosine, memory_format=torch.contiguous_format)
    apart = number_minus(1, cosine)
    close = aten("clamp_min_", schemas()["sub"]["Scalar"](cosine, float(margin)), 0)
    like = aten("where", schemas()["eq"]["Scalar"](target, 1), apart, zeros)
    unlike = aten("where", schemas()["eq"]["Scalar"](target, -1), close, zeros)
    return reduce_losses(aten("add", like, unlike), reduction)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    if x1.dtype is not x2.dtype or not x1.is_floating_point():
        return NotImplemented
    sizes = list(torch.broadcast_shapes(x1.shape, x2.shape))
    x1, x2 = (each if list(each.shape) == sizes else aten("expand", each, sizes) for each in (x1, x2))
    norms = [aten("clone", aten("linalg_vector_norm", each, 2, [dim], True)) for each in (x1, x2)]
    least = schemas()["scalar_tensor"]["default"](eps, dtype=x1.dtype, device=torch.device("cpu"))
    norms = [aten("clamp_min_", each, least) for each in norms]
    second = aten("div", x2, norms[1])
    return aten("sum", aten("mul", aten("div", x1, norms[0]), second), [dim])


EPSILON = 9.999999960041972e-13
"""The number that keeps a norm above zero, as PyTorch rounds it."""


def number_minus(number, t):
    """Return a number minus a tensor, in new memory."""
    empty = schemas()["empty_like"]["default"](t, memory_format=torch.preserve_format)
    return aten("sub_", schemas()["fill_"]["Scalar"](empty, number), t)
