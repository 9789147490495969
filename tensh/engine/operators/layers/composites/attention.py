"""Scaled dot product attention, and attention with several heads."""

import functools
import math

import numpy as np

from tensh.engine.arguments.checks import require_dtype
from tensh.engine.arrays.absent import is_absent, make_absent, place_beside
from tensh.engine.codegen.scalars import FITTING
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.override.points import watch_operator
from tensh.engine.dtypes.dtype import bool_
from tensh.engine.errors.warnings import warn
from tensh.engine.operators.elementwise.numbered import times as times_op
from tensh.engine.operators.forms import require
from tensh.engine.operators.kernels import number
from tensh.engine.operators.layers.attention import attend, safe_softmax
from tensh.engine.operators.layers.composites.attention_checks import (
    check_heads,
    check_mask,
    check_operands,
    check_padding,
    check_scores,
    check_sources,
)
from tensh.engine.operators.layers.composites.attention_choice import takes_one_node
from tensh.engine.operators.layers.composites.dropout import drop
from tensh.engine.operators.layers.composites.padding import pad
from tensh.engine.operators.layers.composites.projection import linear
from tensh.engine.operators.layers.composites.registry import layer
from tensh.engine.operators.linalg.addmm import baddbmm
from tensh.engine.operators.linalg.products import bmm
from tensh.engine.operators.shapes.composites.joining import cat


# ── one head ─────────────────────────────────────────────────────────────────
def additive(mask, query, key, is_causal):
    """Return the mask to add to the scores: -inf where attention is not allowed."""
    if mask is not None and mask.dtype is bool_:
        mask = make_additive(mask, 0.0, -np.inf, query.array.dtype)
    if not is_causal:
        return mask
    causal = make_causal_mask(query.array.shape[-2], key.array.shape[-2], query.array.dtype)
    causal = wrap(place_beside(causal.array, query.array)) if is_absent(query) else causal
    return causal if mask is None else causal + mask


def repeat_heads(query, key, value):
    """Return key and value with their heads repeated for the heads of the query."""
    heads, *shared = [t.size(-3) for t in (query, key, value)]
    if any(not n or heads % n for n in shared):
        raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
    return [t.repeat_interleave(heads // n, -3) for t, n in zip((key, value), shared, strict=True)]


def make_causal_mask(rows, columns, dtype):
    """Return a mask with 0 up to the query's position and -inf after it; one step in captured graphs."""
    return wrap((keep_lower if rows * columns <= KEPT else fill_lower)(rows, columns, dtype))


def fill_lower(rows, columns, dtype):
    """Return a matrix of 0 up to the diagonal and -inf after it."""
    return np.where(np.tri(rows, columns, dtype=bool), 0.0, -np.inf).astype(dtype)


KEPT = 1 << 14  # elements of a mask up to which it is kept: a tenth of the time of attention of eight rows
keep_lower = functools.lru_cache(16)(fill_lower)


def make_additive(mask, true, false, dtype):
    """Return one number where a mask is true and another elsewhere; one step in captured graphs."""
    if is_absent(mask):
        return wrap(make_absent(mask.array.shape, dtype))
    return wrap(np.where(mask.array, true, false).astype(dtype))


for _step in (make_causal_mask, make_additive):
    watch_operator(_step, None)


@layer
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False
):  # fmt: skip
    """softmax(query @ key.T * scale + attn_mask) @ value.

    Shapes: ``query`` [..., L, E], ``key`` [..., S, E], ``value`` [..., S, V].

    ``scale`` is 1 / sqrt(E) by default; a bool mask is True where attention is allowed, ``is_causal`` allows earlier
    positions only; ``enable_gqa`` lets several heads of the query share one of the key.  Differentiable.  Raise
    RuntimeError for other shapes, and for a mask beside ``is_causal`` unless one node computes attention: in four
    dimensions, of equal batches and heads, without dropout, with a mask that does not require grad, unless
    ``torch.nn.attention.sdpa_kernel`` chooses otherwise.

    >>> import tensh as torch
    >>> x = torch.zeros(1, 2, 2)
    >>> torch.nn.functional.scaled_dot_product_attention(x, x, torch.tensor([[[1.0, 0.0], [3.0, 0.0]]]))
    tensor([[[2., 0.],
             [2., 0.]]])
    """
    for position, (name, tensor) in enumerate((("query", query), ("key", key), ("value", value)), 1):
        require(tensor, "scaled_dot_product_attention", name, position)
    drops = number(dropout_p, "scaled_dot_product_attention", "dropout_p", 5) > 0
    check_operands(query, key, value, attn_mask)
    size = query.array.shape[-1]
    scale = (1 / math.sqrt(size) if size else 1.0) if scale is None else scale
    mask = additive(attn_mask, query, key, is_causal)
    if enable_gqa:
        key, value = repeat_heads(query, key, value)
    if takes_one_node(query, key, value, attn_mask, drops):
        if mask is not None:
            check_scores(query, key, mask)
        if dropout_p < 0:
            raise RuntimeError("scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0")
        return attend.fn(query, key, value, mask, scale, bool(is_causal))
    if attn_mask is not None and is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    dtype = query.dtype
    if dtype.itemsize == 2:
        query, key, value = query.float(), key.float(), value.float()
    times, root = times_op.fn, math.sqrt(scale)
    scores = times(query, root).matmul(times(key.transpose(-2, -1), root))
    if mask is not None:
        scores = scores + mask
    weights = safe_softmax.fn(scores)
    if drops:
        weights = drop(weights, dropout_p, True)
    out = weights.matmul(value)
    return out if out.dtype is dtype else out.to(dtype)


# ── several heads ────────────────────────────────────────────────────────────
def require_mask(mask):
    """Raise RuntimeError unless a mask is a tensor or None."""
    if mask is not None and not isinstance(mask, Tensor):
        raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def dtype_of_mask(mask):
    """Return the dtype of a mask; None without one."""
    require_mask(mask)
    return None if mask is None else mask.dtype


def float_mask(mask, name, dtype, other=None, other_name=""):
    """Return a mask as numbers to add; in bool masks of this kind True forbids attention.

    Warn if its dtype differs from ``other``, the dtype of the other mask.
    """
    require_mask(mask)
    if mask is None:
        return None
    if mask.dtype is not bool_ and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype is not other:
        warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.")
    if mask.dtype is not bool_:
        return mask
    require_dtype(dtype, "zeros_like")  # raises for an input that is not a tensor
    FITTING[-np.inf, dtype.numpy]  # raises for a dtype without infinity
    return make_additive(mask, -np.inf, 0.0, dtype.numpy)


def project(query, key, value, weights, bias, separate):
    """Apply the linear layers of query, key and value, with one weight for all three or one for each."""
    size = query.array.shape[-1]
    if separate:
        for name, x, w in zip(("query", "key", "value"), (query, key, value), weights):
            if w.array.shape != (size, x.array.shape[-1]):
                expected = (size, x.array.shape[-1])
                raise AssertionError(f"expecting {name} weights shape of {expected}, but got {w.shape}")
        parts = (None, None, None) if bias is None else bias.chunk(3)
        return [linear(x, w, b) for x, w, b in zip((query, key, value), weights, parts)]
    return in_projection_packed(query, key, value, weights, bias)


def in_projection_packed(q, k, v, w, b=None):
    """Project query, key and value by one weight for all three; equal inputs are projected once."""
    size = q.size(-1)
    if k is not v:
        parts = (None, None, None) if b is None else b.chunk(3)
        return tuple([linear(x, weight, bias) for x, weight, bias in zip((q, k, v), w.chunk(3), parts)])
    if q is k:
        return take_apart(linear(q, w, b), 3, size)
    (w_q, w_kv), (b_q, b_kv) = ((None, None) if each is None else each.split([size, size * 2]) for each in (w, b))
    return (linear(q, w_q, b_q), *take_apart(linear(k, w_kv, b_kv), 2, size))


def take_apart(joined, number, size):
    """Return the parts of a joint projection, each in one piece."""
    joined = joined.unflatten(-1, (number, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return tuple([joined[each] for each in range(number)])


def merge_masks(attn_mask, key_padding_mask, batch, heads, rows, columns, dtype):
    """Return both masks as one [N * heads or 1, rows or 1, columns] of numbers to add, or None."""
    mask = float_mask(attn_mask, "attn_mask", dtype)
    if mask is not None and (mask.array.shape[0] != 1 or mask.array.shape[1:] != (rows, columns)):
        check_mask(mask, (batch * heads, rows, columns))
    padding = float_mask(key_padding_mask, "key_padding_mask", dtype)
    if padding is None:
        return mask
    check_padding(padding, batch, columns)
    padding = padding.view(batch, 1, 1, columns).expand(-1, heads, -1, -1).reshape(batch * heads, 1, columns)
    return padding if mask is None else mask + padding


@layer
def multi_head_attention_forward(
    query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p,
    out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, need_weights=True, attn_mask=None,
    use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None,
    average_attn_weights=True, is_causal=False,
):  # fmt: skip
    """Attention of ``num_heads`` heads: ``query`` [L, N, E], ``key`` and ``value`` [S, N, E] (or without N).

    Return (output [L, N, E], weights [N, L, S] or None).  Masks are True where attention is forbidden, or are added.
    Differentiable. Raise AssertionError or RuntimeError where shapes do not fit.
    """
    batched = check_heads(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        same_key, same_value = key is query, value is key
        query = query.unsqueeze(1)
        key = query if same_key else key.unsqueeze(1)
        value = key if same_value else value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    rows, batch, size = query.array.shape
    if size != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}")
    width = size // num_heads
    if width * num_heads != size:
        raise AssertionError(f"embed_dim {size} not divisible by num_heads {num_heads}")
    check_sources(key, value, use_separate_proj_weight)
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    dtype = query.dtype
    key_padding_mask = float_mask(key_padding_mask, "key_padding_mask", dtype, dtype_of_mask(attn_mask), "attn_mask")
    attn_mask = float_mask(attn_mask, "attn_mask", dtype)
    if attn_mask is not None and attn_mask.array.ndim == 2:
        check_mask(attn_mask, (rows, key.array.shape[0]))
        attn_mask = attn_mask.unsqueeze(0)
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else in_proj_weight
    q, k, v = project(query, key, value, weights, in_proj_bias, use_separate_proj_weight)
    if bias_k is not None and bias_v is not None:
        k, v = (cat([x, bias.repeat(1, batch, 1)]) for x, bias in ((k, bias_k), (v, bias_v)))
        attn_mask, key_padding_mask = one_longer(attn_mask), one_longer(key_padding_mask)
    q = split_heads(q, batch * num_heads, width)
    k = split_heads(k, batch * num_heads, width) if static_k is None else static_k
    v = split_heads(v, batch * num_heads, width) if static_v is None else static_v
    if add_zero_attn:
        zeros = (batch * num_heads, 1, width)
        k, v = cat([k, k.new_zeros(zeros)], 1), cat([v, v.new_zeros(zeros)], 1)
        attn_mask, key_padding_mask = one_longer(attn_mask), one_longer(key_padding_mask)
    mask = merge_masks(attn_mask, key_padding_mask, batch, num_heads, rows, k.array.shape[1], dtype)
    p = dropout_p if training else 0.0
    attended = attend_with_weights if need_weights else attend_without_weights
    out, shares = attended(q, k, v, mask, p, batch, num_heads)
    out = linear(out, out_proj_weight, out_proj_bias).view(rows, batch, size)
    if shares is not None:
        shares = shares.view(batch, num_heads, rows, shares.array.shape[2])
        shares = shares.mean(1) if average_attn_weights else shares
    if not batched:
        out, shares = out.squeeze(1), None if shares is None else shares.squeeze(0)
    return out, shares


def split_heads(x, number, width):
    """Rearrange [L, N, heads * width] to [N * heads, L, width]."""
    return x.view(x.array.shape[0], number, width).transpose(0, 1)


def one_longer(mask):
    """Extend a mask by one visible key."""
    return None if mask is None else pad(mask, (0, 1))


def attend_with_weights(q, k, v, mask, p, batch, heads):
    """Return (output [L * N, E], weights [N * heads, L, S])."""
    number, rows, width = q.array.shape
    q = q * math.sqrt(1.0 / width)
    turned = k.transpose(-2, -1)
    scores = bmm.fn(q, turned) if mask is None else baddbmm.fn(mask, q, turned)
    weights = scores.softmax(-1)
    if p > 0:
        weights = drop(weights, p, True)
    out = bmm.fn(weights, v).transpose(0, 1).reshape((rows * batch, heads * width))
    return out, weights


def attend_without_weights(q, k, v, mask, p, batch, heads):
    """Return the output [L * N, E], without the weights."""
    number, rows, width = q.array.shape
    columns = k.array.shape[1]
    if mask is not None:
        one = mask.array.shape[0] == 1
        mask = mask.unsqueeze(0) if one else mask.view(batch, heads, mask.array.shape[1], columns)
    q = q.view(batch, heads, rows, width)
    k = k.view(batch, heads, columns, width)
    v = v.view(batch, heads, columns, width)
    out = scaled_dot_product_attention(q, k, v, mask, p)
    return out.permute(2, 0, 1, 3).reshape((batch * rows, heads * width)), None
