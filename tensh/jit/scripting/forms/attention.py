"""Forms of attention."""

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.jit.scripting.forms.dropping import dropout
from tensh.jit.scripting.forms.marking import form

aten = torch.ops.aten


@form
def _additive_mask(mask: Tensor, like: Tensor) -> Tensor:
    if mask.dtype == torch.bool:
        result = torch.zeros_like(mask, dtype=like.dtype).masked_fill_(mask, float("-inf"))
    else:
        result = mask
    return result


@form
def _add_masks(mask: Tensor | None, padding: Tensor | None, heads: int) -> Tensor | None:
    if padding is not None:
        batch, length = padding.shape
        wide = padding.view(batch, 1, 1, length).expand(-1, heads, -1, -1).reshape(batch * heads, 1, length)
        mask = wide if mask is None else mask + wide
    return mask


@form
def _split_heads(projected: Tensor, rows: int, count: int, width: int) -> Tensor:
    return projected.view(rows, count, width).transpose(0, 1)


@form
def _choose_weights(
    joint: Tensor | None, separate: bool, q: Tensor | None, k: Tensor | None, v: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    if separate:
        if q is None or k is None or v is None:
            raise AssertionError("use_separate_proj_weight is True but one of the weights is None")
        weights = q, k, v
    else:
        if joint is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        w_q, w_k, w_v = joint.chunk(3)
        weights = w_q, w_k, w_v
    return weights


@form
def _project(
    query: Tensor, key: Tensor, value: Tensor, weights: tuple[Tensor, Tensor, Tensor], bias: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    w_q, w_k, w_v = weights
    if bias is None:
        q, k, v = aten.linear(query, w_q), aten.linear(key, w_k), aten.linear(value, w_v)
    else:
        b_q, b_k, b_v = bias.chunk(3)
        q = aten.linear(query, w_q, b_q)
        k = aten.linear(key, w_k, b_k)
        v = aten.linear(value, w_v, b_v)
    return q, k, v


@form
def _one_longer(mask: Tensor | None) -> Tensor | None:
    if mask is not None:
        mask = aten.pad(mask, [0, 1])
    return mask


@form
def _attend_with_weights(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, rate: float) -> tuple[Tensor, Tensor]:
    scaled = q * (1.0 / float(q.size(-1))) ** 0.5
    if mask is not None:
        scores = torch.baddbmm(mask, scaled, k.transpose(-2, -1))
    else:
        scores = torch.bmm(scaled, k.transpose(-2, -1))
    chosen = scores.softmax(-1)
    if rate > 0.0:
        chosen = dropout(chosen, rate)
    return torch.bmm(chosen, v), chosen


@form
def _mask_of_heads(mask: Tensor | None, batch: int, heads: int, source: int) -> Tensor | None:
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.size(0) == 1 and mask.dim() == 3 else mask.view(batch, heads, -1, source)
    return mask


@form
def multi_head_attention_forward(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int, in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None, add_zero_attn: bool, dropout_p: float,
    out_proj_weight: Tensor, out_proj_bias: Tensor | None, training: bool = True, key_padding_mask: Tensor | None = None,
    need_weights: bool = True, attn_mask: Tensor | None = None, use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None, static_v: Tensor | None = None, average_attn_weights: bool = True, is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    batched = query.dim() == 3
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, batch, width = query.shape
    if width != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}")
    if key_padding_mask is not None:
        key_padding_mask = _additive_mask(key_padding_mask, query)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    is_causal = is_causal and key_padding_mask is None and not need_weights
    if is_causal:
        attn_mask = None
    elif attn_mask is not None:
        attn_mask = _additive_mask(attn_mask, query)
    head = width // num_heads
    weights = _choose_weights(in_proj_weight, use_separate_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight)
    q, k, v = _project(query, key, value, weights, in_proj_bias)
    if attn_mask is not None and attn_mask.dim() == 2:
        attn_mask = attn_mask.unsqueeze(0)
    if bias_k is not None and bias_v is not None:
        k, v = torch.cat([k, bias_k.repeat(1, batch, 1)]), torch.cat([v, bias_v.repeat(1, batch, 1)])
        attn_mask, key_padding_mask = _one_longer(attn_mask), _one_longer(key_padding_mask)
    q = _split_heads(q, length, batch * num_heads, head)
    k = static_k if static_k is not None else _split_heads(k, k.shape[0], batch * num_heads, head)
    v = static_v if static_v is not None else _split_heads(v, v.shape[0], batch * num_heads, head)
    if add_zero_attn:
        zeros = torch.zeros([batch * num_heads, 1, head], dtype=k.dtype, device=k.device)
        k, v = torch.cat([k, zeros], dim=1), torch.cat([v, zeros], dim=1)
        attn_mask, key_padding_mask = _one_longer(attn_mask), _one_longer(key_padding_mask)
    source = k.size(1)
    mask = _add_masks(attn_mask, key_padding_mask, num_heads)
    rate = dropout_p if training else 0.0
    shares: Tensor | None = None
    if need_weights:
        output, each = _attend_with_weights(q, k, v, mask, rate)
        output = output.transpose(0, 1).contiguous().view(length * batch, width)
        each = each.view(batch, num_heads, length, source)
        each = each.mean(dim=1) if average_attn_weights else each
        shares = each if batched else each.squeeze(0)
    else:
        q, k, v = (
            q.view(batch, num_heads, length, head),
            k.view(batch, num_heads, source, head),
            v.view(batch, num_heads, source, head),
        )
        output = aten.scaled_dot_product_attention(
            q, k, v, _mask_of_heads(mask, batch, num_heads, source), rate, is_causal
        )
        output = output.permute(2, 0, 1, 3).contiguous().view(batch * length, width)
    output = aten.linear(output, out_proj_weight, out_proj_bias).view(length, batch, width)
    if not batched:
        output = output.squeeze(1)
    return output, shares
