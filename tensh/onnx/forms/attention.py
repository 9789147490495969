"""Forms of attention and embeddings."""

import math

import tensh as torch
from tensh.onnx.errors import no_form
from tensh.onnx.forms.table import compose, form


@compose("scaled_dot_product_attention")
def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    if dropout_p:
        return NotImplemented
    if enable_gqa:  # heads of queries share those of keys
        key, value = (each.repeat_interleave(query.size(-3) // each.size(-3), -3) for each in (key, value))
    factor = query.size(-1) ** -0.5 if scale is None else scale
    scores = torch.matmul(query, key.transpose(-2, -1)) * factor
    if is_causal:
        seen = torch.ones(query.size(-2), key.size(-2)).tril() != 0
        scores = scores.masked_fill(seen.logical_not(), -math.inf)
    if attn_mask is not None:
        if attn_mask.dtype is torch.bool:
            scores = scores.masked_fill(attn_mask.logical_not(), -math.inf)
        else:
            scores = scores + attn_mask
    return torch.matmul(torch.softmax(scores, -1), value)


@form("embedding")
def embedding(
    o,
    node,
    weight,
    indices=None,
    padding_idx=-1,
    scale_grad_by_freq=False,
    sparse=False,
    input=None,
    max_norm=None,
    norm_type=2.0,
):
    if max_norm is not None:
        raise no_form(node)
    indices = input if indices is None else indices
    return o.Gather(weight, indices, axis=0)
