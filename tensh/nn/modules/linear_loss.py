"""A linear layer and its cross entropy as one loss."""

import math

from tensh.nn import functional as F
from tensh.nn.modules.linear import Linear
from tensh.nn.modules.reduced_loss import _WeightedLoss


class LinearCrossEntropyLoss(_WeightedLoss):
    """Cross entropy of the scores of a linear layer.

    Shapes: input [N, in_features] and target [N, *out_features] of classes; output [], or that of the target with
    reduction "none". ``num_classes`` is the number of classes of each of ``out_features``; ``weight``,
    ``ignore_index``, ``label_smoothing`` and ``reduction`` are those of CrossEntropyLoss, and ``options``
    LinearCrossEntropyOptions. Raise RuntimeError unless the weight has one element for each class, and for a
    label_smoothing outside [0, 1].

    >>> import tensh as torch
    >>> torch.nn.LinearCrossEntropyLoss(3, 4)(torch.zeros(2, 3), torch.tensor([0, 3]))
    tensor(1.3863, grad_fn=<NllLossBackward0>)
    """

    def __init__(self, in_features, num_classes, *, out_features=(), bias=False, device=None, dtype=None, reduction="mean",
                 weight=None, ignore_index=None, label_smoothing=0.0, options=None):  # fmt: skip
        if weight is not None and weight.shape != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if label_smoothing < 0 or label_smoothing > 1.0:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight=weight, reduction=reduction)
        self.num_classes, self.out_features = num_classes, out_features
        self.ignore_index, self.label_smoothing, self.options = ignore_index, label_smoothing, options
        self.linear = Linear(in_features, math.prod(out_features, start=num_classes), bias, device, dtype)

    def forward(self, input, target):
        """Return ``F.linear_cross_entropy(input, linear.weight, target, linear_bias=linear.bias, ...)``."""
        shape = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input, self.linear.weight.reshape((*shape, self.linear.in_features)), target,
            linear_bias=None if bias is None else bias.reshape(shape), weight=self.weight, reduction=self.reduction,
            ignore_index=self.ignore_index, label_smoothing=self.label_smoothing, options=self.options,
        )  # fmt: skip

    def extra_repr(self):
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, out_features={self.out_features}, "
            f"bias={self.linear.bias is not None}, reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )
