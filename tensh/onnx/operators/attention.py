"""Attention and rotary embeddings."""

import tensh as torch
from tensh.onnx.operators.table import MissingOperator, operator


def split_heads(x, heads):
    """Return [N, S, H * D] as [N, H, S, D]."""
    return x.reshape(*x.shape[:2], heads, -1).transpose(1, 2)


@operator
def Attention(
    q, k, v, mask=None, past_key=None, past_value=None, is_causal=0, kv_num_heads=0, q_num_heads=0, qk_matmul_output_mode=0,
    scale=None, softcap=0.0, softmax_precision=None, outputs=1,
):  # fmt: skip
    if qk_matmul_output_mode and outputs > 3:
        raise MissingOperator("tensh gives the scores of Attention before masks and softcap only")
    flat = q.dim() == 3
    if flat:
        q, k, v = split_heads(q, q_num_heads), split_heads(k, kv_num_heads), split_heads(v, kv_num_heads)
    if past_key is not None:
        k, v = torch.cat([past_key, k], 2), torch.cat([past_value, v], 2)
    count = q.shape[1] // k.shape[1]  # heads that share keys and values
    keys, values = (k, v) if count == 1 else (k.repeat_interleave(count, 1), v.repeat_interleave(count, 1))
    scores = products = q @ keys.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    if is_causal:
        before = 0 if past_key is None else past_key.shape[2]
        allowed = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(before)
        scores = scores.masked_fill(~allowed, float("-inf"))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf")) if mask.dtype is torch.bool else scores + mask
    out = torch.softmax(scores, -1) @ values
    out = out.transpose(1, 2).flatten(2) if flat else out
    return out if outputs == 1 else (out, k, v, products)[:outputs]


@operator
def RotaryEmbedding(x, cos, sin, position_ids=None, interleaved=0, num_heads=0, rotary_embedding_dim=0):
    flat = x.dim() == 3
    heads = split_heads(x, num_heads) if flat else x
    size = rotary_embedding_dim or heads.shape[-1]
    turned, rest = heads[..., :size], heads[..., size:]
    if position_ids is not None:
        cos, sin = cos[position_ids], sin[position_ids]
    cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
    one, two = (turned[..., 0::2], turned[..., 1::2]) if interleaved else turned.chunk(2, -1)
    parts = one * cos - two * sin, one * sin + two * cos
    turned = torch.stack(parts, -1).flatten(-2) if interleaved else torch.cat(parts, -1)
    made = torch.cat([turned, rest], -1)
    return made.transpose(1, 2).flatten(2) if flat else made
