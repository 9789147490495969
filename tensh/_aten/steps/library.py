"""Less common functions of ``torch.nn.functional`` for traces and wrapper subclasses: each as PyTorch's Python composes it.

A step returns NotImplemented for arguments that the function refuses, or that another step or operator takes.
"""

import math

import tensh as torch
from tensh.engine.arguments.checks import ntuple
from tensh.engine.operators.layers.composites.likelihoods import fit_variance
from tensh.engine.operators.layers.composites.probabilities import imply_dim
from tensh.engine.operators.layers.composites.unpooling import size_before_pooling
from tensh.nn import functional as F

REDUCE = {"none": lambda loss: loss, "mean": torch.mean, "sum": torch.sum}


# ── activations and dropout ──────────────────────────────────────────────────
def implicit(name):
    """Return the step of a softmax whose dimension is left out, with PyTorch's warning."""

    def step(input, dim=None, _stacklevel=3, dtype=None):
        if dim is not None:
            return NotImplemented
        return getattr(F, name)(input, imply_dim(name, input), dtype=dtype)

    return step


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    return (-input).softmax(imply_dim("softmin", input) if dim is None else dim, dtype=dtype)


def drop_channels(batched_dim, dims):
    """Return the step of a dropout of channels; inputs with fewer dimensions than ``batched_dim`` have no batch."""

    def step(input, p=0.5, training=True, inplace=False):
        if input.dim() not in dims or not 0.0 <= p <= 1.0 or (inplace and batched_dim):
            return NotImplemented
        drop = torch.feature_dropout_ if inplace else torch.feature_dropout
        if not batched_dim or input.dim() == batched_dim:
            return drop(input, p, training)
        return drop(input.unsqueeze(0), p, training).squeeze(0)

    return step


# ── pooling ──────────────────────────────────────────────────────────────────
def adaptive_pool(kind, dims):
    """Return the step of adaptive pooling whose output keeps some sizes of the input: those that are None."""
    name = f"adaptive_{kind}_pool{dims}d"

    def step(input, output_size, return_indices=False):
        sizes = output_size if isinstance(output_size, (tuple, list)) else [output_size] * dims
        if None not in sizes or len(sizes) != dims:
            return NotImplemented
        first = input.dim() - dims
        sizes = [input.size(first + place) if each is None else each for place, each in enumerate(sizes)]
        if kind == "avg":
            return getattr(F, name)(input, sizes)
        return getattr(F, name)(input, sizes, return_indices)

    return step


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    if not return_indices:
        return NotImplemented
    settings = [[] if each is None else [*ntuple(each, 1)] for each in (kernel_size, stride, padding, dilation)]
    return tuple(torch.ops.aten.max_pool1d_with_indices(input, *settings, ceil_mode))


def fractional_pool(dims):
    """Return the step of ``fractional_max_pool``, whose random numbers are a separate operator."""

    def step(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        if (output_size is None) is (output_ratio is None) or input.dim() not in (dims + 1, dims + 2):
            return NotImplemented
        if output_size is None:
            ratios = ntuple(output_ratio, dims)
            if not all(0 < each < 1 for each in ratios):
                return NotImplemented
            output_size = [int(n * each) for n, each in zip(input.array.shape[-dims:], ratios)]
        if _random_samples is None:
            batch = input.size(0) if input.dim() == dims + 2 else 1
            places = batch, input.size(-dims - 1), dims
            _random_samples = torch.rand(*places, dtype=input.dtype, device=input.device)
        sizes = [*ntuple(kernel_size, dims)], [*ntuple(output_size, dims)]
        found = getattr(torch.ops.aten, f"fractional_max_pool{dims}d")(input, *sizes, _random_samples)
        return tuple(found) if return_indices else found[0]

    return step


def unpool(dims):
    """Return the step of ``max_unpool``."""

    def step(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        kernel = ntuple(kernel_size, dims)
        steps, edges = kernel if stride is None else ntuple(stride, dims), ntuple(padding, dims)
        sizes = [*size_before_pooling(input, kernel, steps, edges, output_size)]
        if dims == 3:
            return torch.ops.aten.max_unpool3d(input, indices, sizes, [*steps], [*edges])
        if dims == 2:
            return torch.ops.aten.max_unpool2d(input, indices, sizes)
        return torch.ops.aten.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*sizes, 1]).squeeze(-1)

    return step


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    given = () if stride is None else (stride,)
    mean = F.avg_pool3d(input.pow(norm_type), kernel_size, *given, ceil_mode=ceil_mode)
    count = math.prod(ntuple(kernel_size, 3))
    return (torch.sign(mean) * F.relu(torch.abs(mean))).mul(count).pow(1.0 / norm_type)


# ── embeddings ───────────────────────────────────────────────────────────────
def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    if max_norm is None:
        return NotImplemented
    input = input.contiguous()
    torch.embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    return F.embedding(input, weight, padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


BAGS = {"sum": 0, "mean": 1, "max": 2}


def embedding_bag(
    input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean", sparse=False,
    per_sample_weights=None, include_last_offset=False, padding_idx=None,
):  # fmt: skip
    rows = input.dim() == 2
    if mode not in BAGS or input.dim() not in (1, 2) or rows is not (offsets is None) or input.is_floating_point():
        return NotImplemented
    if per_sample_weights is not None and (mode != "sum" or per_sample_weights.array.shape != input.array.shape):
        return NotImplemented
    if mode == "max" and (scale_grad_by_freq or sparse):
        return NotImplemented
    if rows:
        offsets = torch.arange(0, input.numel(), input.shape[1], dtype=input.dtype, device=input.device)
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    if max_norm is not None:
        torch.embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    settings = scale_grad_by_freq, BAGS[mode], sparse, per_sample_weights, include_last_offset, padding_idx
    return torch.embedding_bag(weight, input, offsets, *settings)[0]


# ── losses ───────────────────────────────────────────────────────────────────
def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    if reduction not in REDUCE or not isinstance(var, (torch.Tensor, float)) or (isinstance(var, float) and var < 0):
        return NotImplemented
    if isinstance(var, float):
        var = var * torch.ones_like(input)
    elif (var < 0).any():
        return NotImplemented
    if var.array.shape != input.array.shape:
        var = fit_variance(input.array.shape, var)
    var = var.clone()
    with torch.no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return REDUCE[reduction](loss)


def linear_cross_entropy(
    input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean", ignore_index=None, label_smoothing=0.0,
    options=None,
):  # fmt: skip
    shape, sizes = input.array.shape, linear_weight.array.shape
    fits = len(shape) in (1, 2) and len(sizes) > 1 and shape[-1] == sizes[-1] and (len(sizes) == 2 or len(shape) == 2)
    classes = sizes[:-1]
    if not fits or (linear_bias is not None and linear_bias.array.shape != classes):
        return NotImplemented
    if target.array.shape == (*shape[:-1], *classes) and ignore_index is not None:
        return NotImplemented
    if len(sizes) > 2:
        linear_weight = linear_weight.reshape((math.prod(classes), sizes[-1]))
        linear_bias = None if linear_bias is None else linear_bias.reshape((math.prod(classes),))
    scores = F.linear(input, linear_weight, linear_bias).reshape((*input.shape[:-1], *classes))
    return F.cross_entropy(
        scores, target, weight=weight, reduction=reduction, ignore_index=-100 if ignore_index is None else ignore_index,
        label_smoothing=label_smoothing,
    )  # fmt: skip


def triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):
    same = anchor.dim() == positive.dim() == negative.dim()
    if reduction not in REDUCE or margin <= 0 or not same:
        return NotImplemented
    distance = F.pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    return REDUCE[reduction](torch.clamp_min(margin + near - far, 0))


LIBRARY = {
    "softmax": implicit("softmax"), "log_softmax": implicit("log_softmax"), "softmin": softmin,
    "dropout1d": drop_channels(3, (2, 3)), "dropout2d": drop_channels(0, (4,)), "dropout3d": drop_channels(5, (4, 5)),
    **{f"adaptive_{kind}_pool{dims}d": adaptive_pool(kind, dims) for kind in ("avg", "max") for dims in (2, 3)},
    **{f"fractional_max_pool{dims}d": fractional_pool(dims) for dims in (2, 3)}, **{f"max_unpool{dims}d": unpool(dims) for dims in (1, 2, 3)},
    "max_pool1d": max_pool1d, "lp_pool3d": lp_pool3d, "embedding": embedding, "embedding_bag": embedding_bag,
    "gaussian_nll_loss": gaussian_nll_loss, "linear_cross_entropy": linear_cross_entropy,
    "triplet_margin_with_distance_loss": triplet_margin_with_distance_loss,
}  # fmt: skip
"""Function of ``torch.nn.functional`` -> what it consists of, in public functions or operators."""
