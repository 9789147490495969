"""Attention with several heads in traces: the public functions that PyTorch composes it of, in its order."""

import math

import tensh as torch
from tensh.engine.errors.warnings import warn
from tensh.nn import functional as F


def attention(
    query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p,
    out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, need_weights=True, attn_mask=None,
    use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None,
    average_attn_weights=True, is_causal=False,
):  # fmt: skip
    """Record ``multi_head_attention_forward`` in public functions."""
    if query.dim() not in (2, 3) or (is_causal and attn_mask is None):
        return NotImplemented
    batched = query.dim() == 3
    if not batched:
        query, key, value = (each.unsqueeze(1) for each in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    rows, batch, size = query.shape
    width = size // num_heads
    padding = additive(key_padding_mask, query.dtype)
    if is_causal and padding is None and not need_weights:
        attn_mask = None  # the kernel has its own mask
    else:
        attn_mask, is_causal = additive(attn_mask, query.dtype), False
    separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = project(query, key, value, in_proj_weight, in_proj_bias, separate)
    if attn_mask is not None and attn_mask.dim() == 2:
        attn_mask = attn_mask.unsqueeze(0)
    masks = attn_mask, padding
    if bias_k is not None and bias_v is not None:
        k, v = (torch.cat([x, each.repeat(1, batch, 1)]) for x, each in ((k, bias_k), (v, bias_v)))
        masks = pad_masks(masks)
    heads = batch * num_heads
    q = q.view(rows, heads, width).transpose(0, 1)
    k = k.view(k.shape[0], heads, width).transpose(0, 1) if static_k is None else static_k
    v = v.view(v.shape[0], heads, width).transpose(0, 1) if static_v is None else static_v
    if add_zero_attn:
        k, v = (torch.cat([x, torch.zeros((heads, 1, width), dtype=x.dtype, device=x.device)], 1) for x in (k, v))
        masks = pad_masks(masks)
    columns = k.size(1)
    mask = merge_masks(*masks, batch, num_heads, columns)
    p = dropout_p if training else 0.0
    if need_weights:
        out, shares = attend_by_weights(q, k, v, mask, p)
        out = out.reshape((rows * batch, size))
    else:
        shares = None
        out = attend_by_kernel((q, k, v), (rows, columns, columns), mask, (batch, num_heads), p, is_causal)
        out = out.reshape(batch * rows, size)
    out = F.linear(out, out_proj_weight, out_proj_bias).view(rows, batch, size)
    if shares is not None:
        shares = shares.view(batch, num_heads, rows, columns)
        shares = shares.mean(1) if average_attn_weights else shares
    if not batched:
        out, shares = out.squeeze(1), None if shares is None else shares.squeeze(0)
    return out, shares


def attend_by_weights(q, k, v, mask, p):
    """Return the values [L, N * heads, E] and the weights that add them up, for queries, keys and values by heads.

    ``p`` is the probability of dropout.
    """
    q = q * math.sqrt(1.0 / q.shape[-1])
    turned = k.transpose(-2, -1)
    scores = torch.bmm(q, turned) if mask is None else torch.baddbmm(mask, q, turned)
    shares = scores.softmax(-1)
    if p:
        shares = F.dropout(shares, p)
    return torch.bmm(shares, v).transpose(0, 1), shares


def attend_by_kernel(parts, lengths, mask, heads, p, is_causal):
    """Return the values [L, N, heads, E] for queries, keys and values [N * heads, length, E].

    ``heads`` is (N, heads), and ``p`` the probability of dropout.
    """
    if mask is not None:
        alone = mask.size(0) == 1 and mask.dim() == 3
        mask = mask.unsqueeze(0) if alone else mask.view(*heads, -1, lengths[1])
    q, k, v = (x.view(*heads, length, x.shape[-1]) for x, length in zip(parts, lengths, strict=True))
    return F.scaled_dot_product_attention(q, k, v, mask, p, is_causal).permute(2, 0, 1, 3)


# ── projections ──────────────────────────────────────────────────────────────
def project(query, key, value, weight, bias, separate):
    """Project the three inputs, in one product where inputs are the same and weights are stacked."""
    if separate is not None or key is not value:
        weights = weight.chunk(3) if separate is None else separate
        parts = (None, None, None) if bias is None else bias.chunk(3)
        return tuple(F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, parts))
    if query is key:
        return tuple(project_jointly(query, weight, bias, 3))
    size = query.shape[-1]
    weights = weight.split([size, 2 * size])
    parts = (None, None) if bias is None else bias.split([size, 2 * size])
    return F.linear(query, weights[0], parts[0]), *project_jointly(key, weights[1], parts[1], 2)


def project_jointly(input, weight, bias, parts):
    """Project one input several times; the weights are stacked in one matrix."""
    joined = F.linear(input, weight, bias)
    joined = (
        joined.unflatten(-1, (parts, weight.shape[0] // parts)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    )
    return [joined[place] for place in range(parts)]


# ── masks ────────────────────────────────────────────────────────────────────
def additive(mask, dtype):
    """Convert a mask to numbers to add; True masks an element."""
    if mask is None or mask.dtype is not torch.bool:
        return mask
    return torch.zeros_like(mask, dtype=dtype).masked_fill_(mask, -math.inf)


def padding_mask(mask, name, dtype, other=None, other_name=""):
    """Record the conversion of a mask that a layer was given; ``other`` is the dtype of its other mask."""
    if mask is not None and other is not None and mask.dtype is not other:
        warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.")
    return additive(mask, dtype)


def pad_masks(masks):
    """Extend masks by a key that every query may see."""
    return tuple(None if each is None else F.pad(each, (0, 1)) for each in masks)


def merge_masks(mask, padding, batch, heads, columns):
    """Combine the masks to one of shape [N * heads or 1, rows or 1, columns], or None."""
    if padding is None:
        return mask
    padding = padding.view(batch, 1, 1, columns).expand(-1, heads, -1, -1).reshape(batch * heads, 1, columns)
    return padding if mask is None else mask + padding
