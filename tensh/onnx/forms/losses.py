"""Forms of losses, composed of other PyTorch operators."""

import math

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.nn import functional as F
from tensh.onnx.forms.table import compose


def reduce_losses(losses, reduction):
    if reduction == "batchmean":
        return losses.sum() / losses.shape[0]
    if reduction not in (0, 1, 2, "none", "mean", "sum"):
        return NotImplemented
    return losses.mean() if reduction in (1, "mean") else losses.sum() if reduction in (2, "sum") else losses


@compose("mse_loss")
def mse_loss(input, target, reduction=1):
    return reduce_losses((input - target) ** 2, reduction)


@compose("l1_loss")
def l1_loss(input, target, reduction=1):
    return reduce_losses((input - target).abs(), reduction)


@compose("smooth_l1_loss")
def smooth_l1_loss(input, target, reduction=1, beta=1.0):
    size = (input - target).abs()
    if beta == 0:
        return reduce_losses(size, reduction)
    return reduce_losses(torch.where(size < beta, 0.5 * size * size / beta, size - 0.5 * beta), reduction)


@compose("huber_loss")
def huber_loss(input, target, reduction=1, delta=1.0):
    size = (input - target).abs()
    return reduce_losses(torch.where(size <= delta, 0.5 * size * size, delta * (size - 0.5 * delta)), reduction)


@compose("binary_cross_entropy")
def binary_cross_entropy(input, target, weight=None, reduction=1):
    losses = -(target * input.log().clamp_min(-100) + (1 - target) * (1 - input).log().clamp_min(-100))
    return reduce_losses(losses if weight is None else losses * weight, reduction)


@compose("binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=1):
    factor = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
    losses = (1 - target) * input - factor * F.logsigmoid(input)
    return reduce_losses(losses if weight is None else losses * weight, reduction)


@compose("kl_div")
def kl_div(input, target, reduction=1, log_target=False):
    if log_target:
        return reduce_losses(torch.exp(target) * (target - input), reduction)
    return reduce_losses(torch.xlogy(target, target) - target * input, reduction)


@compose("soft_margin_loss")
def soft_margin_loss(input, target, reduction=1):
    return reduce_losses(torch.log(1 + torch.exp(-target * input)), reduction)


@compose("hinge_embedding_loss")
def hinge_embedding_loss(input, target, margin=1.0, reduction=1):
    far = torch.where(target != -1, torch.zeros_like(input), (margin - input).clamp_min(0))
    return reduce_losses(far + torch.where(target != 1, torch.zeros_like(input), input), reduction)


@compose("margin_ranking_loss")
def margin_ranking_loss(input1, input2, target, margin=0.0, reduction=1):
    return reduce_losses((-target * (input1 - input2) + margin).clamp_min(0), reduction)


@compose("cosine_embedding_loss")
def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=1):
    eps = 1e-12
    products, squares = (input1 * input2).sum(-1), [(each * each).sum(-1) + eps for each in (input1, input2)]
    cosine = products / torch.sqrt(squares[0] * squares[1])
    zero = torch.zeros_like(cosine)
    losses = torch.where(target == 1, 1 - cosine, zero) + torch.where(
        target == -1, (cosine - margin).clamp_min(0), zero
    )
    return reduce_losses(losses, reduction)


@compose("triplet_margin_loss")
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction=1):
    near, far = (torch.pairwise_distance(anchor, each, p, eps) for each in (positive, negative))
    if swap:
        far = torch.minimum(far, torch.pairwise_distance(positive, negative, p, eps))
    return reduce_losses((margin + near - far).clamp_min(0), reduction)


@compose("poisson_nll_loss")
def poisson_nll_loss(input, target, log_input=True, full=False, eps=1e-8, reduction=1, size_average=None, reduce=None):
    losses = torch.exp(input) - target * input if log_input else input - target * torch.log(input + eps)
    if full:
        more = target * torch.log(target) - target + 0.5 * torch.log(2 * math.pi * target)
        losses = losses + torch.where(target <= 1, torch.zeros_like(more), more)
    return reduce_losses(losses, reduction)


@compose("gaussian_nll_loss")
def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    if not isinstance(var, Tensor):
        return NotImplemented
    if var.dim() == input.dim() - 1:
        var = var.unsqueeze(-1)
    var = var.clamp_min(eps)
    losses = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    return reduce_losses(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


@compose("multilabel_soft_margin_loss")
def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    losses = -(target * F.logsigmoid(input) + (1 - target) * F.logsigmoid(-input))
    losses = losses if weight is None else losses * weight
    return reduce_losses(losses.mean(-1), reduction)


@compose("nll_loss_nd nll_loss nll_loss2d")
def nll_loss(self, target, weight=None, reduction=1, ignore_index=-100):
    dim = 0 if self.dim() == 1 else 1
    kept = target != ignore_index
    places = torch.where(kept, target, torch.zeros_like(target))
    losses = -torch.gather(self, dim, places.unsqueeze(dim)).squeeze(dim)
    factors = (
        kept.to(self.dtype)
        if weight is None
        else torch.index_select(weight, 0, places.reshape(-1)).reshape(places.shape) * kept.to(self.dtype)
    )
    losses = torch.where(kept, losses, torch.zeros_like(losses)) * factors
    return losses.sum() / factors.sum() if reduction in (1, "mean") else reduce_losses(losses, reduction)


@compose("cross_entropy_loss cross_entropy")
def cross_entropy_loss(
    self, target, weight=None, reduction=1, ignore_index=-100, label_smoothing=0.0, size_average=None, reduce=None
):
    dim = 0 if self.dim() == 1 else 1
    logs = torch.log_softmax(self, dim)
    if target.is_floating_point():
        if weight is not None:
            return NotImplemented
        target = target * (1 - label_smoothing) + label_smoothing / self.shape[dim] if label_smoothing else target
        losses = -(logs * target).sum(dim)
        return losses.sum() / (losses.numel() or 1) if reduction in (1, "mean") else reduce_losses(losses, reduction)
    sharp = nll_loss(logs, target, weight, reduction, ignore_index)
    if not label_smoothing:
        return sharp
    if weight is not None:
        return NotImplemented
    kept = (target != ignore_index).to(self.dtype)
    even = -logs.sum(dim) * kept
    even = even.sum() / kept.sum() if reduction in (1, "mean") else reduce_losses(even, reduction)
    return (1 - label_smoothing) * sharp + label_smoothing / self.shape[dim] * even
