"""Operators of onnxruntime's domain ``com.microsoft``, into which it fuses layers."""

from functools import partial

import tensh as torch
from tensh.nn import functional as F
from tensh.onnx.operators.attention import RotaryEmbedding as rotate
from tensh.onnx.operators.attention import split_heads
from tensh.onnx.operators.layers import Conv, Gemm
from tensh.onnx.operators.quantised import (
    DequantizeLinear,
    DynamicQuantizeLinear,
    MatMulInteger,
    QuantizeLinear,
    round_to,
)
from tensh.onnx.operators.table import MissingOperator, declare, operator

DOMAIN = "com.microsoft"
TABLE = """
Gelu(a)                          F.gelu(a)
BiasGelu(a, b)                   F.gelu(a + b)
FastGelu(a, b=None)              F.gelu(a if b is None else a + b, approximate="tanh")
QuickGelu(a, alpha=1.702)        a * torch.sigmoid(alpha * a)
Inverse(a)                       torch.linalg.inv(a)
"""
declare(TABLE, globals(), DOMAIN)
contributed = partial(operator, domain=DOMAIN)


@contributed
def FusedMatMul(a, b, alpha=1.0, transA=0, transB=0, transBatchA=0, transBatchB=0):
    return torch.matmul(turn(a, transA, transBatchA), turn(b, transB, transBatchB)) * alpha


def activate(made, name=None, alpha=0.01):
    """Return what a fused layer gives: the values under an activation, or unchanged without a name."""
    if name is None:
        return made
    if name not in ACTIVATIONS:
        raise MissingOperator(f"tensh runs fused layers without the activation {name}")
    return ACTIVATIONS[name](made, alpha) if name == "LeakyRelu" else ACTIVATIONS[name](made)


ACTIVATIONS = {"Relu": F.relu, "Tanh": torch.tanh, "Sigmoid": torch.sigmoid, "LeakyRelu": F.leaky_relu}


@contributed
def FusedGemm(a, b, c=None, activation=None, activation_alpha=0.01, **attributes):
    return activate(Gemm(a, b, c, **attributes), activation, activation_alpha)


@contributed
def FusedConv(x, w, b=None, added=None, activation=None, activation_params=(0.01,), **attributes):
    made = Conv(x, w, b, **attributes)
    return activate(made if added is None else made + added, activation, activation_params[0])


def turn(matrix, swapped, batched):
    """Return a matrix with its dimensions in the order of a product."""
    if batched:  # [M, batch, K], of which the first two are exchanged
        matrix = matrix.movedim(0, -2)
    return matrix.mT if swapped and matrix.dim() > 1 else matrix


# ── normalisation ────────────────────────────────────────────────────────────
@contributed
def SkipLayerNormalization(x, skip, gamma, beta=None, bias=None, epsilon=1e-5, outputs=1):
    total = x + skip if bias is None else x + skip + bias
    mean = total.mean(-1, keepdim=True)
    scale = torch.rsqrt(total.var(-1, correction=0, keepdim=True) + epsilon)
    made = (total - mean) * scale * gamma
    return give((made if beta is None else made + beta, mean, scale, total), outputs)


@contributed
def SkipSimplifiedLayerNormalization(x, skip, gamma, bias=None, epsilon=1e-5, outputs=1):
    total = x + skip if bias is None else x + skip + bias
    scale = torch.rsqrt(total.square().mean(-1, keepdim=True) + epsilon)
    return give((total * scale * gamma, None, scale, total), outputs)


@contributed
def EmbedLayerNormalization(
    ids, segments, words, positions, segment_words, gamma, beta, mask=None, places=None, epsilon=1e-12, mask_index_type=0, outputs=1
):  # fmt: skip
    places = torch.arange(ids.shape[1]) if places is None else places
    total = words[ids.long()] + positions[places.long()]
    total = total if segments is None else total + segment_words[segments.long()]
    counts = torch.zeros(ids.shape[0], dtype=torch.int32) if mask is None else mask.sum(1).to(torch.int32)
    return give((F.layer_norm(total, total.shape[-1:], gamma, beta, epsilon), counts, total), outputs)


def give(made, outputs):
    return made[0] if outputs == 1 else made[:outputs]


# ── attention ────────────────────────────────────────────────────────────────
@contributed
def Attention(
    x, weights, bias=None, mask=None, past=None, extra=None, past_length=None, num_heads=1, unidirectional=0, scale=0.0,
    mask_filter_value=-10000.0, qkv_hidden_sizes=None, do_rotary=0, outputs=1,
):  # fmt: skip
    if do_rotary or past_length is not None:
        raise MissingOperator("tensh runs com.microsoft.Attention without do_rotary and shared buffers of the past")
    made = x @ weights if bias is None else x @ weights + bias
    parts = made.split(qkv_hidden_sizes or [made.shape[-1] // 3] * 3, -1)
    q, k, v = (split_heads(each, num_heads) for each in parts)
    if past is not None:
        k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
    out = attend(q, k, v, scale, [add_mask(mask, q, k, mask_filter_value), extra], unidirectional, mask_filter_value)
    return out if outputs == 1 else (out, torch.stack([k, v]))


@contributed
def MultiHeadAttention(
    q, k=None, v=None, bias=None, mask=None, extra=None, past_key=None, past_value=None, num_heads=1, scale=0.0,
    mask_filter_value=-10000.0, unidirectional=0, outputs=1,
):  # fmt: skip
    if k is None or k.dim() != 3 or v is None or outputs > 3:
        raise MissingOperator("tensh runs com.microsoft.MultiHeadAttention with a query, keys and values of [N, S, H]")
    if bias is not None:
        sizes = q.shape[-1], k.shape[-1], v.shape[-1]
        q, k, v = (each + part for each, part in zip((q, k, v), bias.split(sizes)))
    q, k, v = (split_heads(each, num_heads) for each in (q, k, v))
    if past_key is not None:
        k, v = torch.cat([past_key, k], 2), torch.cat([past_value, v], 2)
    out = attend(q, k, v, scale, [add_mask(mask, q, k, mask_filter_value), extra], unidirectional, mask_filter_value)
    return out if outputs == 1 else (out, k, v)[:outputs]


def attend(q, k, v, scale, added, causal, least):
    """Return the attention of heads as [N, S, H]; ``added`` are terms of the scores, or None."""
    scores = q @ k.mT * (scale or q.shape[-1] ** -0.5)
    for term in added:
        scores = scores if term is None else scores + term
    if causal:
        rows, columns = scores.shape[-2:]
        allowed = torch.ones(rows, columns, dtype=torch.bool).tril(columns - rows)
        scores = torch.where(allowed, scores, torch.tensor(torch.finfo(scores.dtype).min))
    return (torch.softmax(scores, -1) @ v).transpose(1, 2).flatten(2)


def add_mask(mask, q, k, least):
    """Return the term by which a mask lowers scores: its form tells lengths from places and pairs of places."""
    if mask is None:
        return None
    batch, total = q.shape[0], k.shape[2]
    if mask.dim() == 1:  # the number of keys of each sequence, and in a second half where they begin
        places = torch.arange(total)
        end, begin = mask[:batch, None], mask[batch : 2 * batch, None] if len(mask) > batch else 0
        mask = (places < end) & (places >= begin)
    kept = mask.bool().unsqueeze(1)
    return torch.where(kept if mask.dim() == 3 else kept.unsqueeze(1), 0.0, least).to(q.dtype)


@contributed
def RotaryEmbedding(
    x, places, cos, sin, interleaved=0, num_heads=0, rotary_embedding_dim=0, scale=1.0, is_packed_batching=0
):
    if x.dim() == 3:
        heads = num_heads or x.shape[-1] // (rotary_embedding_dim or 2 * cos.shape[-1])
        length = x.shape[1]
    else:
        heads, length = 0, x.shape[2]
    if places.numel() == 1:  # the place of the first
        places = (places.reshape(1, 1) + torch.arange(length)).expand(x.shape[0], length)
    return rotate(x, cos * scale, sin * scale, places, interleaved, heads, rotary_embedding_dim)


# ── integers that stand for numbers ──────────────────────────────────────────
contributed(QuantizeLinear)
contributed(DequantizeLinear)


def on_numbers(name, function, operands=1):
    """Register an operator on integers that computes with the numbers that they stand for."""

    def run(*args, **attributes):
        parts = [args[3 * place : 3 * place + 3] for place in range(operands)]
        y_scale, y_zero = args[3 * operands], args[3 * operands + 1] if len(args) > 3 * operands + 1 else None
        made = function(*(DequantizeLinear(*part) for part in parts), **attributes)
        return round_to(made / y_scale, args[0].dtype, y_zero)

    run.__name__ = run.__qualname__ = name
    globals()[name] = contributed(run)


on_numbers("QLinearAdd", torch.add, 2)
on_numbers("QLinearMul", torch.mul, 2)
on_numbers("QLinearSigmoid", torch.sigmoid)
on_numbers("QLinearGlobalAveragePool", lambda x, **ignored: x.mean(tuple(range(2, x.dim())), keepdim=True))
on_numbers("QLinearLeakyRelu", lambda x, alpha=0.01: F.leaky_relu(x, alpha))


@contributed
def QLinearConcat(y_scale, y_zero, *parts, axis):
    numbers = [DequantizeLinear(*parts[place : place + 3]) for place in range(0, len(parts), 3)]
    return round_to(torch.cat(numbers, axis) / y_scale, parts[0].dtype, y_zero)


@contributed
def MatMulIntegerToFloat(a, b, a_scale, b_scale, a_zero=None, b_zero=None, bias=None):
    made = MatMulInteger(a, b, a_zero, b_zero).to(a_scale.dtype) * (a_scale * b_scale)
    return made if bias is None else made + bias


@contributed
def DynamicQuantizeMatMul(a, b, b_scale, b_zero=None, bias=None):
    a, a_scale, a_zero = DynamicQuantizeLinear(a)
    return MatMulIntegerToFloat(a, b, a_scale, b_scale, a_zero, b_zero, bias)


@contributed
def MatMulNBits(
    a,
    b,
    scales,
    zeros=None,
    places=None,
    bias=None,
    K=0,
    N=0,
    bits=4,
    block_size=32,
    accuracy_level=0,
    weight_prepacked=0,
):
    if bits != 4 or places is not None or weight_prepacked or zeros is not None and zeros.dtype is not torch.uint8:
        raise MissingOperator("tensh runs com.microsoft.MatMulNBits with 4 bits in the order of the columns")
    blocks = -(-K // block_size)
    zero = 8 if zeros is None else halve(zeros.reshape(N, -1))[:, :blocks, None]
    numbers = (halve(b.reshape(N, blocks, -1)) - zero) * scales.reshape(N, blocks, 1)
    made = a @ numbers.reshape(N, -1)[:, :K].mT
    return made if bias is None else made + bias


def halve(values):
    """Return the integers of 4 bits in bytes, the lower one first."""
    return torch.stack([values & 15, values >> 4], -1).flatten(-2).to(torch.int32)
