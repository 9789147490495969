"""Decompositions of losses."""

import tensh as torch
from tensh._aten.calls import aten
from tensh._decomp.elementwise import log_sigmoid, product_with_log
from tensh._decomp.rules import full, reduce, rule, scalar

ops = torch.ops.aten


@rule("mse_loss")
def mse_loss(self, target, reduction=1):
    return reduce(aten("pow", aten("sub", self, target), 2), reduction)


@rule("l1_loss")
def l1_loss(self, target, reduction=1):
    return reduce(aten("abs", aten("sub", self, target)), reduction)


@rule("smooth_l1_loss")
def smooth_l1_loss(self, target, reduction=1, beta=1.0):
    if beta == 0:
        return l1_loss(self, target, reduction)
    size = aten("abs", aten("sub", self, target))
    near = ops.lt.Scalar(size, beta)
    inner = ops.div.Tensor(ops.mul.Tensor(aten("pow", size, 2), 0.5), beta)
    return reduce(aten("where", near, inner, ops.sub.Tensor(size, 0.5 * beta)), reduction)


@rule("huber_loss")
def huber_loss(self, target, reduction=1, delta=1.0):
    size = aten("abs", aten("sub", self, target))
    near = ops.lt.Scalar(size, delta)
    inner = aten("mul", ops.mul.Tensor(size, 0.5), size)
    outer = ops.mul.Tensor(ops.sub.Tensor(size, 0.5 * delta), delta)
    return reduce(aten("where", near, inner, outer), reduction)


@rule("cross_entropy_loss")
def cross_entropy_loss(self, target, weight=None, reduction=1, ignore_index=-100, label_smoothing=0.0):
    if target.is_floating_point() or label_smoothing:
        return NotImplemented
    logarithms = aten("_log_softmax", self, 0 if self.dim() == 1 else 1, False)
    return nll_loss(logarithms, target, weight, reduction, ignore_index)


@rule("nll_loss_nd")
def nll_loss(self, target, weight=None, reduction=1, ignore_index=-100):
    if weight is not None:
        return NotImplemented
    dim, dtype = 0 if self.dim() == 1 else 1, self.dtype
    counted = ops.ne.Scalar(target, ignore_index)
    index = aten("unsqueeze", aten("where", counted, target, scalar(0, target.dtype)), dim)
    loss = aten("neg", aten("squeeze", aten("gather", self, dim, index), [dim]))
    loss = aten("where", ops.ne.Scalar(target, ignore_index), loss, scalar(0, dtype))
    if reduction != 1:
        return reduce(loss, reduction)
    number = aten("sum", ops.ne.Scalar(target, ignore_index))
    number = ops._to_copy.default(number, dtype=dtype, device=torch.device("cpu"))
    return aten("div", aten("sum", loss), number)


def at_least(input, limit):
    """Limit numbers from below."""
    return aten("maximum", input, full([], limit, input.dtype))


@rule("binary_cross_entropy")
def binary_cross_entropy(self, target, weight=None, reduction=1):
    rest = ops.sub.Tensor(target, 1)
    without = at_least(aten("log1p", aten("neg", self)), -100)
    one = aten("mul", rest, without)
    loss = aten("sub", one, aten("mul", target, at_least(aten("log", self), -100)))
    return reduce(loss if weight is None else aten("mul", loss, weight), reduction)


@rule("binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, reduction=1):
    if pos_weight is not None:
        return NotImplemented
    loss = aten("sub", aten("mul", ops.sub.Tensor(1, target), self), log_sigmoid(self))
    return reduce(loss if weight is None else aten("mul", loss, weight), reduction)


@rule("kl_div")
def kl_div(self, target, reduction=1, *, log_target=False):
    if log_target:
        return reduce(aten("mul", aten("exp", target), aten("sub", target, self)), reduction)
    crossed = aten("mul", target, self)
    return reduce(aten("sub", product_with_log(target, target, target.dtype), crossed), reduction)


@rule("margin_ranking_loss")
def margin_ranking_loss(input1, input2, target, margin=0.0, reduction=1):
    apart = aten("sub", input1, input2)
    loss = ops.add.Scalar(aten("mul", aten("neg", target), apart), margin)
    return reduce(aten("clamp", loss, 0), reduction)
