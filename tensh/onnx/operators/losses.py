"""Losses of classifiers."""

from tensh.nn import functional as F
from tensh.onnx.operators.table import operator

NONE = -100  # no class


@operator
def NegativeLogLikelihoodLoss(x, target, weight=None, ignore_index=NONE, reduction="mean"):
    return F.nll_loss(x, target.long(), weight, ignore_index=ignore_index, reduction=reduction)


@operator
def SoftmaxCrossEntropyLoss(x, target, weight=None, ignore_index=NONE, reduction="mean", outputs=1):
    logarithms = F.log_softmax(x, 1)
    loss = F.nll_loss(logarithms, target.long(), weight, ignore_index=ignore_index, reduction=reduction)
    return loss if outputs == 1 else (loss, logarithms)
