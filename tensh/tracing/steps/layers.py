"""Functions of ``torch.nn.functional`` that are Python in PyTorch: a trace has the operators that they call."""

import math

import tensh as torch
from tensh._aten.steps.layers import fold, unfold
from tensh.engine.arguments.checks import ntuple
from tensh.engine.operators.linalg.composites.distances import COMPUTE_MODES
from tensh.nn import functional as F

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


# ── activations ──────────────────────────────────────────────────────────────
def softsign(input):
    return input / (input.abs() + 1)


def tanhshrink(input):
    return input - input.tanh()


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    return NotImplemented if dim is None else (-input).softmax(dim, dtype=dtype)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    drawn = -torch.empty_like(logits, memory_format=torch.contiguous_format).exponential_().log()
    soft = ((logits + drawn) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    chosen = torch.zeros_like(logits, memory_format=torch.contiguous_format).scatter_(dim, index, 1.0)
    return chosen - soft.detach() + soft


# ── losses ───────────────────────────────────────────────────────────────────
def compare(name, *settings):
    """Return the step of a loss of two tensors, which are broadcast first; ``settings`` has the defaults of the rest."""

    def step(recorder, input, target, *given, size_average=None, reduce=None, reduction="mean", weight=None, **options):
        legacy = given or size_average is not None or reduce is not None or weight is not None
        if legacy or reduction not in REDUCTIONS:
            return NotImplemented
        pair = recorder.run("broadcast_tensors", [input, target])
        more = [options.get(key, default) for key, default in settings]
        if name == "smooth_l1_loss" and more == [0]:
            return recorder.run("l1_loss", *pair, REDUCTIONS[reduction])
        return recorder.run(name, *pair, REDUCTIONS[reduction], *more)

    return step


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    if weight is None or size_average is not None or reduce is not None or target.shape != input.shape:
        return NotImplemented
    if weight.array.shape == input.array.shape:
        return NotImplemented
    return F.binary_cross_entropy(input, target, weight.expand(input.shape), reduction=reduction)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    if reduction != "batchmean" or size_average is not None or reduce is not None:
        return NotImplemented
    return F.kl_div(input, target, reduction="sum", log_target=log_target) / input.shape[0]


def multilabel_soft_margin_loss(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean"
):  # fmt: skip
    if size_average is not None or reduce is not None:
        return NotImplemented
    loss = -(target * F.logsigmoid(input) + (1 - target) * F.logsigmoid(-input))
    loss = loss if weight is None else loss * weight
    loss = loss.sum(dim=input.dim() - 1) / input.shape[-1]
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()


# ── normalisation and pooling ────────────────────────────────────────────────
def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    if input.dim() < 3:
        return NotImplemented
    square, before = input.mul(input), [size // 2, (size - 1) // 2]
    if input.dim() == 3:
        mean = F.avg_pool2d(F.pad(square.unsqueeze(1), (0, 0, *before)), (size, 1), stride=1)
    else:
        shape = input.shape
        flat = square.view(shape[0], 1, shape[1], shape[2], -1)
        mean = F.avg_pool3d(F.pad(flat, (0, 0, 0, 0, *before)), (size, 1, 1), stride=1)
    mean = mean.squeeze(1)
    mean = mean if input.dim() == 3 else mean.view(input.shape)
    return input / mean.mul(alpha).add(k).pow(beta)


def lp_pool(dims):
    """Return the step for a power mean over windows."""

    def step(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        pool = F.avg_pool1d if dims == 1 else F.avg_pool2d
        kernel = [kernel_size] * dims if isinstance(kernel_size, int) else list(kernel_size)
        given = () if stride is None else (stride,)
        mean = pool(input.pow(norm_type), kernel_size, *given, ceil_mode=ceil_mode)
        return (torch.sign(mean) * F.relu(torch.abs(mean))).mul(math.prod(kernel)).pow(1.0 / norm_type)

    return step


def max_pool(dims):
    """Return the step for ``max_pool`` where it returns indices, too."""

    def step(recorder, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        name = f"max_pool{dims}d_with_indices"
        if not return_indices or dims == 1:
            return NotImplemented
        settings = [[] if each is None else [*ntuple(each, dims)] for each in (kernel_size, stride, padding, dilation)]
        return tuple(recorder.run(name, input, *settings, ceil_mode))

    return step


# ── sampling, bags and products ──────────────────────────────────────────────
MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
EDGES = {"zeros": 0, "border": 1, "reflection": 2}


def clamp(recorder, input, min=None, max=None):
    """Record a clamp between a number and a tensor: the operator takes numbers, of which one is read."""
    bounds = [min, max]
    tensors = [isinstance(each, torch.Tensor) for each in bounds]
    if recorder.read_item is None or None in bounds or sum(tensors) != 1 or bounds[tensors.index(True)].dim():
        return NotImplemented
    return recorder.run("clamp", input, *(recorder.read_item(recorder, b) if t else b for b, t in zip(bounds, tensors)))


def affine_grid(recorder, theta, size, align_corners=None):
    if recorder.read_item is None and not recorder.apart or not theta.is_floating_point():
        return NotImplemented
    return recorder.run("affine_grid_generator", theta, list(size), bool(align_corners))


def grid_sample(recorder, input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    if mode not in MODES or padding_mode not in EDGES:
        return NotImplemented
    return recorder.run("grid_sampler", input, grid, MODES[mode], EDGES[padding_mode], bool(align_corners))


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    return F.interpolate(input, size, scale_factor, mode, align_corners)


def cdist(recorder, x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    if compute_mode not in COMPUTE_MODES:
        return NotImplemented
    mode = COMPUTE_MODES[compute_mode]
    return recorder.run("cdist", x1, x2, float(p), *(() if mode is None else (mode,)))


def tensordot(recorder, a, b, dims=2, out=None):
    if out is not None or isinstance(dims, torch.Tensor):
        return NotImplemented
    if isinstance(dims, int):
        pair = list(range(-dims, 0)), list(range(dims))
    else:
        pair = [[each] if isinstance(each, int) else list(each) for each in dims]
    return recorder.run("tensordot", a, b, *pair)


def unique(recorder, input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    if dim is not None:
        return NotImplemented
    found, inverse, counts = recorder.run("_unique2", input, sorted, return_inverse, return_counts)
    more = [each for each, wanted in ((inverse, return_inverse), (counts, return_counts)) if wanted]
    return (found, *more) if more else found


def stft(
    input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False, onesided=None,
    return_complex=None, align_to_window=None,
):  # fmt: skip
    if center:
        dims = input.dim()
        input = F.pad(input.view([1] * (3 - dims) + list(input.shape)), [n_fft // 2, n_fft // 2], pad_mode)
        input = input.view(input.shape[-dims:])
    settings = hop_length, win_length, window, normalized, onesided, return_complex
    return torch.ops.aten.stft.default(input, n_fft, *settings, *([] if align_to_window is None else [align_to_window]))


COMPOSED = {
    "stft": stft,
    "softsign": softsign, "tanhshrink": tanhshrink, "softmin": softmin, "gumbel_softmax": gumbel_softmax, "kl_div": kl_div,
    "binary_cross_entropy": binary_cross_entropy,
    "multilabel_soft_margin_loss": multilabel_soft_margin_loss, "local_response_norm": local_response_norm,
    "lp_pool1d": lp_pool(1), "lp_pool2d": lp_pool(2), "upsample": upsample, "unfold": unfold, "fold": fold,
}  # fmt: skip
"""Public function -> what it consists of, in public functions or operators."""
CALLS = {
    "mse_loss": compare("mse_loss"), "l1_loss": compare("l1_loss"),
    "smooth_l1_loss": compare("smooth_l1_loss", ("beta", 1.0)), "huber_loss": compare("huber_loss", ("delta", 1.0)),
    **{f"max_pool{dims}d": max_pool(dims) for dims in (1, 2, 3)}, "affine_grid": affine_grid, "clamp": clamp, "grid_sample": grid_sample, "cdist": cdist, "tensordot": tensordot,
    "unique": unique,
}  # fmt: skip
"""Public function -> (recorder, arguments) -> its result."""
