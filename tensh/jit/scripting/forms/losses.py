"""Forms of losses."""

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.jit.scripting.forms.marking import form

aten = torch.ops.aten


@form(space="nn._reduction")
def get_enum(reduction: str) -> int:
    if reduction == "none":
        ret = 0
    elif reduction == "mean":
        ret = 1
    elif reduction == "sum":
        ret = 2
    else:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return ret


@form(space="nn._reduction")
def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    average = size_average is None or size_average
    reducing = reduce is None or reduce
    if average and reducing:
        ret = "mean"
    elif reducing:
        ret = "sum"
    else:
        ret = "none"
    return ret


@form
def _choose_reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce)
    return reduction


@form
def _weighted(losses: Tensor, weight: Tensor, reduction: str) -> Tensor:
    weighted = losses * weight
    if reduction == "none":
        result = weighted
    elif reduction == "sum":
        result = weighted.sum()
    else:
        result = weighted.sum() / weight.sum()
    return result


@form
def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    one, other = torch.broadcast_tensors([input, target])
    if weight is not None:
        result = _weighted((one - other).pow(2), weight, reduction)
    else:
        result = aten.mse_loss(one, other, get_enum(reduction))
    return result


@form
def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    one, other = torch.broadcast_tensors([input, target])
    if weight is not None:
        result = _weighted((one - other).abs(), weight, reduction)
    else:
        result = aten.l1_loss(one, other, get_enum(reduction))
    return result


@form
def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    one, other = torch.broadcast_tensors([input, target])
    if beta == 0.0:
        result = aten.l1_loss(one, other, get_enum(reduction))
    else:
        result = aten.smooth_l1_loss(one, other, get_enum(reduction), beta)
    return result


@form
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    one, other = torch.broadcast_tensors([input, target])
    if weight is not None:
        result = _weighted(aten.huber_loss(one, other, 0, delta), weight, reduction)
    else:
        result = aten.huber_loss(one, other, get_enum(reduction), delta)
    return result


@form
def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    return aten.soft_margin_loss(input, target, get_enum(reduction))


@form
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is deprecated. "
            "Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(target.size())
    return aten.binary_cross_entropy(input, target, weight, get_enum(reduction))


@form
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return torch.binary_cross_entropy_with_logits(input, target, weight, pos_weight, get_enum(reduction))


@form
def kl_div(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:  # fmt: skip
    chosen = _choose_reduction(size_average, reduce, reduction)
    code = get_enum("sum" if chosen == "batchmean" else chosen)
    result = torch.kl_div(input, target, code, log_target=log_target)
    if chosen == "batchmean" and input.dim() != 0:
        result = result / input.size(0)
    return result


@form
def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    return aten.nll_loss_nd(input, target, weight, get_enum(reduction), ignore_index)


@form
def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
    reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    return aten.cross_entropy_loss(input, target, weight, get_enum(reduction), ignore_index, label_smoothing)


@form
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, size_average: bool | None = None, eps: float = 1e-8,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    return torch.poisson_nll_loss(input, target, log_input, full, eps, get_enum(reduction))


@form
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    return torch.margin_ranking_loss(input1, input2, target, margin, get_enum(reduction))


@form
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    return torch.hinge_embedding_loss(input, target, margin, get_enum(reduction))


@form
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    return torch.cosine_embedding_loss(input1, input2, target, margin, get_enum(reduction))


@form
def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return torch.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, get_enum(reduction))


@form
def multi_margin_loss(
    input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    if p != 1 and p != 2:
        raise ValueError("only p == 1 and p == 2 supported")
    return aten.multi_margin_loss(input, target, p, margin, weight, get_enum(reduction))


@form
def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    return aten.multilabel_margin_loss(input, target, get_enum(reduction))


@form
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    reduction = _choose_reduction(size_average, reduce, reduction)
    loss = -(target * aten.log_sigmoid(input) + (1 - target) * aten.log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    loss = loss.mean(dim=-1)
    if reduction == "none":
        result = loss
    elif reduction == "mean":
        result = loss.mean()
    elif reduction == "sum":
        result = loss.sum()
    else:
        raise ValueError(f"{reduction} is not valid")
    return result


@form
def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int = 0, reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    return torch.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, get_enum(reduction), zero_infinity)


@form
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    spread = var.clone()
    with torch.no_grad():
        spread.clamp_(min=eps)
    loss = 0.5 * (torch.log(spread) + (input - target) ** 2 / spread)
    if full:
        loss = loss + 0.9189385332046727
    if reduction == "mean":
        result = loss.mean()
    elif reduction == "sum":
        result = loss.sum()
    else:
        result = loss
    return result
