"""Softmax and losses that PyTorch composes of ``aten`` operators."""

from tensh._aten.calls import aten
from tensh._aten.steps.conversions import convert_to


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
