"""Attention with several heads in the public functions that PyTorch composes it of."""

import math

import tensh as torch
from tensh.nn import functional


def multi_head_attention_forward(
    query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p,
    out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, need_weights=True, attn_mask=None,
    use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None,
    average_attn_weights=True, is_causal=False,
):  # fmt: skip
    unusual = bias_k, bias_v, static_k, static_v
    if add_zero_attn or use_separate_proj_weight or any(each is not None for each in unusual):
        return NotImplemented
    if is_causal and (key_padding_mask is not None or need_weights):
        is_causal = False
    elif is_causal:
        attn_mask = None
    batched = query.dim() == 3
    if not batched:
        query, key, value = same(query, key, value, lambda t: t.unsqueeze(1))
        key_padding_mask = key_padding_mask if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, size = query.shape
    rows = key.shape[0]
    q, k, v = project(query, key, value, in_proj_weight, in_proj_bias)
    q, k, v = (t.view(t.shape[0], batch * num_heads, size // num_heads).transpose(0, 1) for t in (q, k, v))
    mask = merge_masks(attn_mask, key_padding_mask, query.dtype, batch, num_heads, rows)
    dropout_p = dropout_p if training else 0.0
    if need_weights:
        q = q * math.sqrt(1.0 / q.shape[-1])
        k = k.transpose(-2, -1)
        weights = torch.bmm(q, k) if mask is None else torch.baddbmm(mask, q, k)
        weights = functional.softmax(weights, dim=-1)
        weights = functional.dropout(weights, p=dropout_p) if dropout_p else weights
        out = torch.bmm(weights, v).transpose(0, 1).contiguous().view(length * batch, size)
    else:
        if mask is not None:
            mask = mask.unsqueeze(0) if len(mask) == 1 else mask.view(batch, num_heads, -1, rows)
        q, k, v = (t.view(batch, num_heads, t.shape[1], size // num_heads) for t in (q, k, v))
        out = functional.scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        out = out.permute(2, 0, 1, 3).contiguous().view(batch * length, size)
    out = functional.linear(out, out_proj_weight, out_proj_bias).view(length, batch, -1)
    out = out if batched else out.squeeze(1)
    if not need_weights:
        return out, None
    weights = weights.view(batch, num_heads, length, rows)
    weights = weights.mean(dim=1) if average_attn_weights else weights
    return out, weights if batched else weights.squeeze(0)


def same(query, key, value, function):
    """Return a function of three tensors, called once for those that are one."""
    q = function(query)
    k = q if key is query else function(key)
    return q, k, q if value is query else k if value is key else function(value)


def project(query, key, value, weight, bias):
    """Return the three projections, in one product where the inputs are one."""
    size = query.shape[-1]
    if query is key is value:
        joint = functional.linear(query, weight, bias).unflatten(-1, (3, size))
        joint = joint.unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
        return joint[0], joint[1], joint[2]
    if key is value:
        w_q, w_kv = weight.split([size, size * 2])
        b_q, b_kv = (None, None) if bias is None else bias.split([size, size * 2])
        q, joint = functional.linear(query, w_q, b_q), functional.linear(key, w_kv, b_kv).unflatten(-1, (2, size))
        joint = joint.unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
        return q, joint[0], joint[1]
    biases = [None] * 3 if bias is None else bias.chunk(3)
    return [functional.linear(t, w, b) for t, w, b in zip((query, key, value), weight.chunk(3), biases)]


def merge_masks(mask, padding, dtype, batch, heads, rows):
    """Return the mask that is added to the scores; None if there is none."""
    mask, padding = additive(mask, dtype), additive(padding, dtype)
    mask = mask.unsqueeze(0) if mask is not None and mask.dim() == 2 else mask
    if padding is None:
        return mask
    padding = padding.view(batch, 1, 1, rows).expand(-1, heads, -1, -1).reshape(batch * heads, 1, rows)
    return padding if mask is None else mask + padding


def additive(mask, dtype):
    if mask is None or mask.is_floating_point():
        return mask
    return torch.zeros_like(mask, dtype=dtype).masked_fill_(mask, float("-inf"))
