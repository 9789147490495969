"""Functions of ``torch.nn.functional`` on tensors of wrapper subclasses: the operators that they consist of."""

import math

import tensh as torch
from tensh._aten.calls import aten
from tensh._aten.steps.layers import scaled_dot_product_attention as flash_attention
from tensh._aten.steps.library import LIBRARY
from tensh.nn import functional as F


# ── resampling and padding ───────────────────────────────────────────────────
def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, antialias=False):  # fmt: skip
    dims = input.dim() - 2
    if (size is None) is (scale_factor is None) or (mode != "area" and not recompute_scale_factor):
        return NotImplemented
    if size is None:
        factors = scale_factor if isinstance(scale_factor, (list, tuple)) else [scale_factor] * dims
        size = [math.floor(n * factor) for n, factor in zip(input.shape[2:], factors)]
    if mode == "area":
        return getattr(F, f"adaptive_avg_pool{dims}d")(input, size)
    return F.interpolate(input, size, mode=mode, align_corners=align_corners, antialias=antialias)


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    modes, margins = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
    if mode not in modes or padding_mode not in margins or input.dim() not in (4, 5):
        return NotImplemented
    places = modes.index(mode), margins.index(padding_mode)
    return aten(f"grid_sampler_{input.dim() - 2}d", input, grid, *places, bool(align_corners))


def affine_grid(theta, size, align_corners=None):
    return aten("affine_grid_generator", theta, list(size), bool(align_corners))


def upsample(mode, align_corners=None):
    """Return the step of an older name of ``interpolate``."""

    def step(input, size=None, scale_factor=None):
        return F.interpolate(input, size, scale_factor, mode, align_corners)

    return step


def pad(input, pad, mode="constant", value=None):
    """Copy the input into the middle, then its ends into the margins of one dimension after the other, the last first."""
    if mode != "circular" or len(pad) % 2 or len(pad) // 2 != input.dim() - 2:
        return NotImplemented
    dims = [input.dim() - 1 - place for place in range(len(pad) // 2)]
    margins = dict(zip(dims, zip(pad[::2], pad[1::2])))
    shape = [n + sum(margins.get(dim, (0, 0))) for dim, n in enumerate(input.shape)]
    if min(shape) <= 0 or any(max(margins[dim]) > input.shape[dim] for dim in dims):
        return NotImplemented
    options = {"dtype": input.dtype, "layout": torch.strided, "device": input.device}
    out = aten("new_empty", input, shape, **options)
    inside, source = out, input
    for dim in reversed(dims):
        before, after = margins[dim]
        inside = aten("slice", inside, dim, max(before, 0), shape[dim] - max(after, 0))
        source = aten("slice", source, dim, max(-before, 0), input.shape[dim] - max(-after, 0))
    aten("copy_", inside, source)
    for dim in dims:
        before, after = (max(each, 0) for each in margins[dim])
        end = shape[dim] - after
        if before:
            aten("copy_", aten("slice", out, dim, 0, before), aten("slice", out, dim, end - before, end))
        if after:
            aten("copy_", aten("slice", out, dim, end, shape[dim]), aten("slice", out, dim, before, before + after))
    return out


# ── attention ────────────────────────────────────────────────────────────────
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """Attention by products and a softmax, where there is no operator for all of it."""
    given = attn_mask, dropout_p, is_causal, scale, enable_gqa
    if (result := flash_attention(query, key, value, *given)) is not NotImplemented:
        return result
    if is_causal and attn_mask is not None:
        return NotImplemented
    root = math.sqrt(1 / math.sqrt(query.shape[-1]) if scale is None else abs(scale))
    query = query * (root if scale is None or scale >= 0 else -root)
    if is_causal:
        sizes, options = [query.shape[-2], key.shape[-2]], {"dtype": torch.bool, "device": query.device}
        attn_mask = aten("tril", aten("ones", sizes, **options))
    if enable_gqa:
        count = query.shape[-3] // key.shape[-3]
        key, value = (aten("repeat_interleave", each, count, -3) for each in (key, value))
    scores = torch.matmul(query, key.transpose(-2, -1) * root)
    if attn_mask is not None:
        if attn_mask.dtype is torch.bool:
            attn_mask = torch.where(attn_mask, 0.0, -math.inf).to(query.dtype)
        scores = scores + attn_mask
    shares = aten("_safe_softmax", scores, -1)
    return torch.matmul(F.dropout(shares, dropout_p) if dropout_p else shares, value)


# ── losses ───────────────────────────────────────────────────────────────────
def multilabel_soft_margin_loss(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean"
):  # fmt: skip
    if size_average is not None or reduce is not None or reduction not in ("none", "mean", "sum"):
        return NotImplemented
    loss = -(target * F.logsigmoid(input) + (1 - target) * F.logsigmoid(-input))
    loss = loss if weight is None else loss * weight
    loss = loss.sum(dim=input.dim() - 1) / input.shape[-1]
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()


WRAPPED = {name: step for name, step in LIBRARY.items() if not name.startswith("dropout")} | {
    "interpolate": interpolate, "upsample_nearest": upsample("nearest"), "upsample_bilinear": upsample("bilinear", True), "pad": pad,
    "grid_sample": grid_sample, "affine_grid": affine_grid,
    "scaled_dot_product_attention": scaled_dot_product_attention, "multilabel_soft_margin_loss": multilabel_soft_margin_loss,
}  # fmt: skip
"""Function -> what it consists of, in public functions or operators; NotImplemented where these are not known."""
