"""Losses: how far predictions are from targets, as one number (reduction 'mean' or 'sum') or for each ('none')."""

from tensh.engine.errors.warnings import warn
from tensh.nn import functional as F
from tensh.nn.modules.distance import PairwiseDistance
from tensh.nn.modules.linear_loss import LinearCrossEntropyLoss
from tensh.nn.modules.reduced_loss import KEPT, OLD, _Loss, _WeightedLoss, reduction_of  # noqa: F401 (a text names it)

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss",
    "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "LinearCrossEntropyLoss", "MSELoss", "MarginRankingLoss",
    "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "NLLLoss2d", "PoissonNLLLoss",
    "SmoothL1Loss", "SoftMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss",
]  # fmt: skip


# ── of single values ─────────────────────────────────────────────────────────
class L1Loss(_Loss, computes="l1_loss(input, target, reduction=reduction)"):
    """Mean absolute error, ``|input - target|``.

    Shapes: input and target [*]; output [], or [*] with reduction "none".

    >>> import tensh as torch
    >>> torch.nn.L1Loss()(torch.tensor([1., 2.]), torch.tensor([0., 5.]))
    tensor(2.)
    """


class MSELoss(_Loss, computes="mse_loss(input, target, reduction=reduction)"):
    """Mean squared error, ``(input - target)²``.

    Shapes: input and target [*]; output [], or [*] with reduction "none".

    >>> import tensh as torch
    >>> torch.nn.MSELoss()(torch.tensor([1., 2.]), torch.tensor([0., 5.]))
    tensor(5.)
    """


class SmoothL1Loss(_Loss, settings=f"{OLD}, reduction='mean', beta=1.0", keeps=KEPT,
                   computes="smooth_l1_loss(input, target, reduction=reduction, beta=beta)"):  # fmt: skip
    """Mean error with a quadratic centre: half the square over beta below beta, the error less beta / 2 elsewhere.

    Shapes: input and target [*]; output [], or [*] with reduction "none". Raise RuntimeError for a negative beta.

    >>> import tensh as torch
    >>> loss = torch.nn.SmoothL1Loss(reduction="none")
    >>> loss(torch.tensor([1., 2.]), torch.tensor([0.5, 5.]))
    tensor([0.1250, 2.5000])
    """


class HuberLoss(_Loss, settings="reduction='mean', delta=1.0",
                computes="huber_loss(input, target, reduction=reduction, delta=delta)"):  # fmt: skip
    """Mean error with a quadratic centre: half the square below delta, ``delta * (error - delta / 2)`` elsewhere.

    Shapes: input and target [*]; output [], or [*] with reduction "none". Raise RuntimeError unless delta is positive.

    >>> import tensh as torch
    >>> torch.nn.HuberLoss(delta=2.)(torch.tensor([1.]), torch.tensor([5.]))
    tensor(6.)
    """

    def _check(self):
        if not isinstance(self.delta, float | int):
            raise TypeError(f"delta must be a float or int, got: {type(self.delta)}")


class BCELoss(_WeightedLoss, computes="binary_cross_entropy(input, target, weight=weight, reduction=reduction)"):
    """Cross entropy of probabilities and binary targets.

    Shapes: input and target [*]; output [], or [*] with reduction "none". Both are within [0, 1]. ``weight`` multiplies
    the loss of each element, and is broadcast. Raise ValueError for different shapes, RuntimeError for probabilities
    outside [0, 1].

    >>> import tensh as torch
    >>> torch.nn.BCELoss()(torch.tensor([0.5, 0.5]), torch.tensor([0., 1.]))
    tensor(0.6931)
    """


class BCEWithLogitsLoss(_Loss, settings=f"weight=None, {OLD}, reduction='mean', pos_weight=None", keeps=KEPT,
                        buffers="weight pos_weight",
                        computes="binary_cross_entropy_with_logits(input, target, weight, pos_weight=pos_weight, "
                                 "reduction=reduction)"):  # fmt: skip
    """Cross entropy of ``sigmoid(input)`` and binary targets, without overflow.

    Shapes: input and target [*]; output [], or [*] with reduction "none". ``weight`` multiplies the loss of each
    element, ``pos_weight`` that of targets 1; both are broadcast. Raise ValueError for different shapes.

    >>> import tensh as torch
    >>> torch.nn.BCEWithLogitsLoss()(torch.zeros(2), torch.tensor([0., 1.]))
    tensor(0.6931)
    """


class SoftMarginLoss(_Loss, computes="soft_margin_loss(input, target, reduction=reduction)"):
    """Mean of ``log(1 + exp(-target * input))`` for targets 1 and -1.

    Shapes: input and target [*]; output [], or [*] with reduction "none".

    >>> import tensh as torch
    >>> torch.nn.SoftMarginLoss()(torch.zeros(2), torch.tensor([-1., 1.]))
    tensor(0.6931)
    """


# ── of classes ───────────────────────────────────────────────────────────────
CLASSES = "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'"


class NLLLoss(_WeightedLoss, settings=CLASSES, keeps=KEPT, buffers="weight",
              computes="nll_loss(input, target, weight=weight, ignore_index=ignore_index, "
                       "reduction=reduction)"):  # fmt: skip
    """Minus the log probability of the target class, averaged.

    Shapes: input [N, C, *] of log probabilities, target [N, *] of classes, or [C] and []; output [], or that of the
    target with reduction "none". ``weight`` [C] also weights the mean; targets equal to ``ignore_index`` are ignored.
    Raise ValueError for batches of different sizes, IndexError for a class that does not exist.

    >>> import tensh as torch
    >>> torch.nn.NLLLoss()(torch.tensor([[-0.5, -2.]]), torch.tensor([0]))
    tensor(0.5000)
    """


class NLLLoss2d(NLLLoss, settings=CLASSES, keeps=KEPT, buffers="weight"):
    """NLLLoss of images, under its former name.

    Shapes: input [N, C, H, W], target [N, H, W]; output [] or [N, H, W]. ``weight``, ``ignore_index`` and ``reduction``
    are those of NLLLoss.

    >>> import tensh as torch
    >>> target = torch.zeros(1, 1, 1, dtype=torch.int64)
    >>> torch.nn.NLLLoss2d()(torch.ones(1, 2, 1, 1), target)
    tensor(-1.)
    """

    def _check(self):
        warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
        )


class CrossEntropyLoss(_WeightedLoss, settings=f"{CLASSES}, label_smoothing=0.0", keeps=KEPT, buffers="weight",
                       computes="cross_entropy(input, target, weight=weight, ignore_index=ignore_index, "
                                "reduction=reduction, label_smoothing=label_smoothing)"):  # fmt: skip
    """Cross entropy of ``softmax(input)`` and the target class, averaged.

    Shapes: input [N, C, *] of scores, target [N, *] of classes or [N, C, *] of probabilities, all without N for one
    sample; output [], or [N, *] with reduction "none". ``weight`` [C] also weights the mean; targets equal to
    ``ignore_index`` are ignored; ``label_smoothing`` mixes that share of the uniform distribution into the target.
    Raise ValueError for batches of different sizes, IndexError for a class that does not exist.

    >>> import tensh as torch
    >>> torch.nn.CrossEntropyLoss()(torch.tensor([[0., 0.]]), torch.tensor([0]))
    tensor(0.6931)
    """


class KLDivLoss(_Loss, settings=f"{OLD}, reduction='mean', log_target=False", keeps=KEPT,
                computes="kl_div(input, target, reduction=reduction, log_target=log_target)"):  # fmt: skip
    """Kullback-Leibler divergence: ``target * (log(target) - input)``, averaged.

    Shapes: input [*] of log probabilities, target [*] of probabilities, or of their logarithms with ``log_target``;
    output [], or [*] with reduction "none". Reduction "batchmean" divides the sum by the size of the first dimension,
    as the definition does.

    >>> import tensh as torch
    >>> logs = torch.tensor([[0.5, 0.5]]).log()
    >>> torch.nn.KLDivLoss(reduction="batchmean")(logs, torch.tensor([[1., 0.]]))
    tensor(0.6931)
    """


class MultiMarginLoss(_WeightedLoss, settings=f"p=1, margin=1.0, weight=None, {OLD}, reduction='mean'", keeps=KEPT,
                      buffers="weight",
                      computes="multi_margin_loss(input, target, p=p, margin=margin, weight=weight, "
                               "reduction=reduction)"):  # fmt: skip
    """Mean of ``max(0, margin - input[target] + input[i])^p`` over all classes i except the target.

    Shapes: input [N, C] and target [N], or [C] and []; output [], or that of the target with reduction "none";
    ``weight`` [C]. Raise ValueError unless p is 1 or 2 and the weight has one dimension.

    >>> import tensh as torch
    >>> scores = torch.tensor([[0.1, 0.2, 0.4, 0.8]])
    >>> torch.nn.MultiMarginLoss()(scores, torch.tensor([3]))
    tensor(0.3250)
    """

    def _check(self):
        if self.p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if self.weight is not None and self.weight.dim() != 1:
            raise ValueError(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got {self.weight.dim()}D instead"
            )


class MultiLabelMarginLoss(_Loss, computes="multilabel_margin_loss(input, target, reduction=reduction)"):
    """Mean of ``max(0, 1 - input[target] + input[i])`` over all targets of a sample and all other classes i.

    Shapes: input and target [N, C] or [C], where the first negative class ends the list of targets; output [], or [N]
    with reduction "none".

    >>> import tensh as torch
    >>> scores = torch.tensor([[0.1, 0.2, 0.4, 0.8]])
    >>> torch.nn.MultiLabelMarginLoss()(scores, torch.tensor([[3, 0, -1, 1]]))
    tensor(0.8500)
    """


class MultiLabelSoftMarginLoss(_WeightedLoss, computes="multilabel_soft_margin_loss(input, target, weight=weight, "
                                                       "reduction=reduction)"):  # fmt: skip
    """Cross entropy of ``sigmoid(input)`` and binary targets, averaged over the classes.

    Shapes: input and target [N, C]; output [], or [N] with reduction "none"; ``weight`` [C].

    >>> import tensh as torch
    >>> torch.nn.MultiLabelSoftMarginLoss()(torch.zeros(1, 2), torch.tensor([[0., 1.]]))
    tensor(0.6931)
    """


# ── of distributions ─────────────────────────────────────────────────────────
class PoissonNLLLoss(_Loss, settings="log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, "
                                     "reduction='mean'", keeps=KEPT):  # fmt: skip
    """Minus the log likelihood of counts under Poisson distributions, averaged.

    Shapes: input and target [*]; output [], or [*] with reduction "none". The input is the logarithm of the rate, or
    the rate if ``log_input`` is False; ``full`` adds Stirling's term. ``eps`` is added to a rate whose logarithm is
    taken.

    >>> import tensh as torch
    >>> torch.nn.PoissonNLLLoss()(torch.zeros(2), torch.ones(2))
    tensor(1.)
    """

    def forward(self, log_input, target):
        """Return ``F.poisson_nll_loss(log_input, target, ...)``; ``log_input`` is the rate or its logarithm."""
        return F.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(_Loss, settings="*, full=False, eps=1e-6, reduction='mean'",
                      computes="gaussian_nll_loss(input, target, var, full=full, eps=eps, reduction=reduction)"):  # fmt: skip
    """Minus the log likelihood of targets under normal distributions, averaged.

    Shapes: input (means) and target [*], ``var`` (variances) [*] or broadcastable; output [], or [*] with reduction
    "none". Variances are clamped to at least ``eps``; ``full`` adds the constant ``log(2 pi) / 2``. Raise ValueError
    for negative variances and for shapes that do not fit.

    >>> import tensh as torch
    >>> torch.nn.GaussianNLLLoss()(torch.zeros(2), torch.ones(2), torch.ones(2))
    tensor(0.5000)
    """


class CTCLoss(_Loss, settings="blank=0, reduction='mean', zero_infinity=False",
              computes="ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, "
                       "zero_infinity)"):  # fmt: skip
    """Minus the log likelihood of sequences, over all ways to align them with the input (Graves et al., 2006).

    Shapes: ``log_probs`` [T, N, C] or [T, C]; ``targets`` [N, S], or [sum of lengths]; lengths [N] or []; output [], or
    [N] with reduction "none". The mean is over sequences, each divided by its length. ``blank`` is the class of the
    blank symbol; ``zero_infinity`` zeroes the loss of targets that are too long.

    >>> import tensh as torch
    >>> steps = torch.zeros(2, 1, 2).log_softmax(2)
    >>> lengths = torch.tensor([2]), torch.tensor([1])
    >>> torch.nn.CTCLoss()(steps, torch.tensor([[1]]), *lengths)
    tensor(0.2877)
    """


# ── of pairs and triplets ────────────────────────────────────────────────────
class HingeEmbeddingLoss(_Loss, settings=f"margin=1.0, {OLD}, reduction='mean'", keeps=KEPT,
                         computes="hinge_embedding_loss(input, target, margin=margin, reduction=reduction)"):  # fmt: skip
    """Mean of ``input`` where the target is 1, of ``max(0, margin - input)`` where it is -1.

    Shapes: input and target [*]; output [], or [*] with reduction "none".

    >>> import tensh as torch
    >>> torch.nn.HingeEmbeddingLoss()(torch.tensor([0.5, 0.2]), torch.tensor([1., -1.]))
    tensor(0.6500)
    """


class MarginRankingLoss(_Loss, settings=f"margin=0.0, {OLD}, reduction='mean'", keeps=KEPT,
                        computes="margin_ranking_loss(input1, input2, target, margin=margin, "
                                 "reduction=reduction)"):  # fmt: skip
    """Mean of ``max(0, -target * (input1 - input2) + margin)``: target 1 wants a larger input1, -1 a larger input2.

    Shapes: both inputs and target [*]; output [], or [*] with reduction "none".

    >>> import tensh as torch
    >>> one, three = torch.tensor([1.]), torch.tensor([3.])
    >>> torch.nn.MarginRankingLoss()(one, three, torch.tensor([1.]))
    tensor(2.)
    """


class CosineEmbeddingLoss(_Loss, settings=f"margin=0.0, {OLD}, reduction='mean'", keeps=KEPT,
                          computes="cosine_embedding_loss(input1, input2, target, margin=margin, "
                                   "reduction=reduction)"):  # fmt: skip
    """Mean of 1 minus the cosine of two vectors where the target is 1, of the cosine above the margin where it is -1.

    Shapes: both inputs [N, D] and target [N], or [D] and []; output [], or that of the target with reduction "none".

    >>> import tensh as torch
    >>> a, b = torch.tensor([[1., 0.]]), torch.tensor([[0., 1.]])
    >>> torch.nn.CosineEmbeddingLoss()(a, b, torch.tensor([1.]))
    tensor(1.)
    """


class TripletMarginLoss(_Loss, settings=f"margin=1.0, p=2.0, eps=1e-6, swap=False, {OLD}, reduction='mean'", keeps=KEPT,
                        computes="triplet_margin_loss(anchor, positive, negative, margin=margin, p=p, eps=eps, "
                                 "swap=swap, reduction=reduction)"):  # fmt: skip
    """Mean of ``max(0, d(anchor, positive) - d(anchor, negative) + margin)`` with the distance of the norm p.

    Shapes: anchor, positive and negative [N, D] or [D]; output [], or [N] with reduction "none". With ``swap`` the
    distance between positive and negative is used where it is smaller. ``eps`` is added to the differences. Raise
    ValueError unless the margin is positive.

    >>> import tensh as torch
    >>> zero, one = torch.zeros(1, 2), torch.ones(1, 2)
    >>> torch.nn.TripletMarginLoss()(zero, zero, one).round(decimals=3)
    tensor(0.)
    """

    def _check(self):
        require_positive(self)


class TripletMarginWithDistanceLoss(_Loss, settings="*, distance_function=None, margin=1.0, swap=False, reduction='mean'",
                                    computes="triplet_margin_with_distance_loss(anchor, positive, negative, "
                                             "distance_function=distance_function, margin=margin, swap=swap, "
                                             "reduction=reduction)"):  # fmt: skip
    """Mean of ``max(0, d(anchor, positive) - d(anchor, negative) + margin)`` with a distance function of the caller.

    Shapes: anchor, positive and negative [N, *]; output [], or [N] with reduction "none". ``distance_function`` takes
    two tensors (default: PairwiseDistance). With ``swap`` the distance between positive and negative is used where it
    is smaller. Raise ValueError unless the margin is positive.

    >>> import tensh as torch
    >>> distance = lambda a, b: (a - b).abs().sum(-1)
    >>> loss = torch.nn.TripletMarginWithDistanceLoss(distance_function=distance)
    >>> loss(torch.zeros(1, 2), torch.zeros(1, 2), torch.ones(1, 2))
    tensor(0.)
    """

    def _check(self):
        require_positive(self)
        if self.distance_function is None:
            self.distance_function = PairwiseDistance()


def require_positive(loss):
    """Raise ValueError unless the margin is positive."""
    if loss.margin <= 0:
        raise ValueError(f"{type(loss).__name__}: expected margin to be greater than 0, got {loss.margin} instead")
