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


@compose("embedding_bag")
def embedding_bag(
    weight,
    indices,
    offsets,
    scale_grad_by_freq=False,
    mode=0,
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """Sum, average (mode 1) or take the largest (2) of the rows of each bag; the first result alone is read."""
    rows = torch.index_select(weight, 0, indices)
    rows = rows if per_sample_weights is None else rows * per_sample_weights.unsqueeze(-1)
    places = torch.arange(indices.shape[0])
    edges = offsets if include_last_offset else torch.cat([offsets, places[-1:] + 1])
    begins, ends = edges[:-1], edges[1:]
    within = (places >= begins.unsqueeze(1)) & (places < ends.unsqueeze(1))
    if padding_idx is not None:
        within = within & (indices != padding_idx % weight.shape[0])
    if mode == 2:
        largest = torch.where(within.unsqueeze(-1), rows, -math.inf).amax(1)
        return (torch.where(within.any(1, keepdim=True), largest, 0.0),)
    sums = within.to(rows.dtype) @ rows
    return (sums / within.sum(1, keepdim=True).clamp(min=1) if mode == 1 else sums,)


@compose("_embedding_bag")
def plain_embedding_bag(weight, indices, offsets, *settings, padding_idx=-1, **options):
    padding_idx = None if padding_idx == -1 else padding_idx
    return embedding_bag(weight, indices, offsets, *settings, padding_idx=padding_idx, **options)
