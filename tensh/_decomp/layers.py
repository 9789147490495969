"""Decompositions of normalisation, pooling, dropout and attention."""

import math

import tensh as torch
from tensh._aten.calls import aten
from tensh._aten.steps.products import matmul
from tensh._decomp.rules import PLACE, STRIDED, full, rule, scalar, view_rule

ops = torch.ops.aten


# ── normalisation ────────────────────────────────────────────────────────────
@rule("layer_norm")
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
    return aten("native_layer_norm", input, list(normalized_shape), weight, bias, eps)[0]


@rule("group_norm")
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True):
    (n, c), area = input.shape[:2], 1
    for size in input.shape[2:]:
        area = size if area == 1 else area * size
    return aten("native_group_norm", input, weight, bias, n, c, area, num_groups, eps)[0]


@view_rule("batch_norm")
def batch_norm(
    input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled=True
):  # fmt: skip
    affine, settings = (input, weight, bias), (momentum, eps)
    if running_mean is None:
        return ops._native_batch_norm_legit.no_stats(*affine, training, *settings)[0]
    if not training:
        call = ops._native_batch_norm_legit_no_training.default
        return call(*affine, running_mean, running_var, *settings)[0]
    call = ops._native_batch_norm_legit_functional.default
    out, _, _, mean, variance = call(*affine, running_mean, running_var, True, *settings)
    ops.copy_.default(running_mean, mean)
    ops.copy_.default(running_var, variance)
    return out


@rule("_weight_norm")
def weight_norm(v, g, dim=0):
    dims = list(range(v.dim())) if dim == -1 else [each for each in range(v.dim()) if each != dim % v.dim()]
    return aten("mul", v, aten("div", g, aten("linalg_vector_norm", v, 2, dims, dim != -1)))


@rule("instance_norm")
def instance_norm(
    input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled=True
):  # fmt: skip
    if running_mean is not None and use_input_stats:
        return NotImplemented
    n, c, *rest = input.shape
    given = [each if each is None else aten("repeat", each, [n]) for each in (weight, bias, running_mean, running_var)]
    flat = aten("view", input, [1, n * c, *rest])
    if use_input_stats:
        out = ops._native_batch_norm_legit.no_stats(flat, *given[:2], True, momentum, eps)[0]
    else:
        out = ops._native_batch_norm_legit_no_training.default(flat, *given, momentum, eps)[0]
    return aten("view", out, [n, c, *rest])


@rule("rms_norm")
def rms_norm(input, normalized_shape, weight=None, eps=None):
    dims = list(range(input.dim() - len(normalized_shape), input.dim()))
    eps = torch.finfo(input.dtype).eps if eps is None else eps
    mean = aten("mean", aten("pow", input, 2), dims, True)
    out = aten("mul", input, aten("rsqrt", ops.add.Scalar(mean, eps)))
    return out if weight is None else aten("mul", out, weight)


# ── pooling ──────────────────────────────────────────────────────────────────
@rule("max_pool2d")
def max_pool2d(self, kernel_size, *settings):
    return aten("max_pool2d_with_indices", self, kernel_size, *settings)[0]


@rule("max_pool3d")
def max_pool3d(self, kernel_size, *settings):
    return aten("max_pool3d_with_indices", self, kernel_size, *settings)[0]


def lift(value, other):
    """Return a setting of one dimension for two, the first of which is ``other``."""
    value = value if isinstance(value, int) else value[0]
    return [other, value]


def with_dimension(name, self, *args):
    """Call an operator of two dimensions on one."""
    found = aten(name, aten("unsqueeze", self, -2), *args)
    return aten("squeeze", found if isinstance(found, torch.Tensor) else found[0], [-2])


@rule("max_pool1d")
def max_pool1d(self, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    settings = [lift(kernel_size, 1), lift(stride or kernel_size, 1), lift(padding, 0), lift(dilation, 1), ceil_mode]
    return with_dimension("max_pool2d_with_indices", self, *settings)


@rule("avg_pool1d")
def avg_pool1d(self, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=True):
    settings = [lift(kernel_size, 1), lift(stride or kernel_size, 1), lift(padding, 0), ceil_mode, count_include_pad]
    return with_dimension("avg_pool2d", self, *settings)


@rule("adaptive_avg_pool1d")
def adaptive_avg_pool1d(self, output_size):
    return with_dimension("_adaptive_avg_pool2d", self, lift(output_size, 1))


@rule("adaptive_avg_pool2d")
def adaptive_avg_pool2d(self, output_size):
    if list(output_size) == [1, 1]:
        return aten("mean", self, [-1, -2], True)
    return aten("_adaptive_avg_pool2d", self, output_size)


@rule("adaptive_avg_pool3d")
def adaptive_avg_pool3d(self, output_size):
    if list(output_size) == [1, 1, 1]:
        return aten("mean", self, [-1, -2, -3], True)
    return aten("_adaptive_avg_pool3d", self, output_size)


# ── dropout and attention ────────────────────────────────────────────────────
@view_rule("dropout")
def dropout(input, p, train):
    return aten("native_dropout", input, p, True)[0] if train and p else aten("clone", input)


@view_rule("feature_dropout")
def feature_dropout(input, p, train):
    if not (train and p):
        return aten("clone", input)
    return aten("mul", input, ops.div.Scalar(draw_kept(one_a_channel(input), p), 1 - p))


@view_rule("alpha_dropout")
def alpha_dropout(input, p, train):
    if not (train and p):
        return aten("clone", input)
    order = list(range(input.dim()))
    kept = ops.empty_permuted.default(list(input.shape), order, dtype=input.dtype, **STRIDED, **PLACE, pin_memory=False)
    return move_dropped(input, draw_kept(kept, p), p)


@view_rule("feature_alpha_dropout")
def feature_alpha_dropout(input, p, train):
    return move_dropped(input, draw_kept(one_a_channel(input), p), p) if train and p else aten("clone", input)


def one_a_channel(input):
    """Make a tensor with one element for each channel of each sample."""
    size = [*input.shape[:2], *[1] * (input.dim() - 2)]
    return ops.empty.memory_format(size, dtype=input.dtype, **STRIDED, **PLACE, pin_memory=False)


def draw_kept(noise, p):
    """Draw 1 with probability 1 - p, and 0 otherwise."""
    return ops.bernoulli.p(noise, 1 - p)


def move_dropped(input, kept, p):
    """Move what is dropped to the negative limit of SELU, and keep mean and variance."""
    limit = 1.7580993408473766
    scale = 1 / math.sqrt((limit * limit * p + 1) * (1 - p))
    moved = ops.add.Scalar(ops.mul.Scalar(ops.add.Scalar(kept, -1), limit * scale), limit * scale * p)
    return aten("add", aten("mul", input, ops.mul.Scalar(kept, scale)), moved)


@rule("scaled_dot_product_attention")
def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    if dropout_p or enable_gqa or query.dim() < 3:
        return NotImplemented
    root = math.sqrt(1 / math.sqrt(query.array.shape[-1]) if scale is None else scale)
    query = ops.mul.Scalar(query, root)
    if is_causal:
        kept = aten("tril", full([query.shape[-2], key.shape[-2]], True, torch.bool))
        attn_mask = additive(kept, query.dtype)
    elif attn_mask is not None and attn_mask.dtype == torch.bool:
        attn_mask = additive(attn_mask, query.dtype)
    order = [*range(key.dim() - 2), key.dim() - 1, key.dim() - 2]
    scores = matmul(query, ops.mul.Scalar(aten("permute", key, order), root))
    scores = scores if attn_mask is None else aten("add", scores, attn_mask)
    shares = aten("_softmax", scores, -1, False)
    absent = aten("logical_not", ops.eq.Scalar(scores, -math.inf))
    absent = aten("logical_not", ops.any.dim(absent, -1, True))
    nothing = ops.full_like.default(shares, 0, pin_memory=False, memory_format=torch.preserve_format)
    out = matmul(aten("where", absent, nothing, shares), value)
    if out.dim() != 4:
        return out
    turned = aten("clone", aten("permute", out, [2, 0, 1, 3]), memory_format=torch.contiguous_format)
    return aten("permute", turned, [1, 2, 0, 3])


def additive(mask, dtype):
    """Convert a mask of what counts to numbers to add."""
    never = ops.scalar_tensor.default(-math.inf, dtype=dtype, device=torch.device("cpu"))
    return aten("where", mask, scalar(0.0, dtype), never)


@rule("embedding_bag")
def embedding_bag(
    weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
    include_last_offset=False, padding_idx=None,
):  # fmt: skip
    settings = scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset
    if padding_idx is None:
        padding_idx = -1
    elif padding_idx < 0:
        padding_idx += weight.shape[0]
    return aten("_embedding_bag", weight, indices, offsets, *settings, padding_idx)
