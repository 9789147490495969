"""Operators of derivatives, such as ``gelu_backward``: the gradients of the function that they belong to."""

from math import prod

import tensh as torch
from tensh._aten.resizing import OPERATORS
from tensh.engine.autograd.gradients import grad
from tensh.engine.autograd.modes import enable_grad, is_grad_enabled
from tensh.engine.codegen.vocabulary import OPS, TENSORS
from tensh.engine.core.clock import mode, tick
from tensh.engine.core.nodes import Node
from tensh.engine.core.tensor import wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.operators.layers.composites.sequences import score_labels
from tensh.nn import functional
from tensh.support.temporary import temporarily

REDUCTIONS = ("none", "mean", "sum")


def slope(function, g, tensors, wanted=None):
    """Return the gradients of ``function(*tensors)`` for the gradient ``g`` of its result; None where ``wanted`` is false."""
    wanted = wanted or [t is not None for t in tensors]
    record, bridges = is_grad_enabled(), []
    with enable_grad():
        inputs = []
        for place, (t, want) in enumerate(zip(tensors, wanted)):
            if t is None or not want:
                continue
            if record and t.requires_grad:
                bridges.append((Bridge(t), refresh_node(t)))
                inputs.append(wrap(t.array, bridges[-1][0]))
            else:
                inputs.append(t.detach().requires_grad_())
            tensors = [*tensors[:place], inputs[-1], *tensors[place + 1 :]]
        out = function(*tensors)
    with temporarily(mode, watch=UNWATCHED):
        found = iter(grad(out, inputs, g, create_graph=record) if inputs else ())
    for bridge, node in bridges:
        bridge.inputs = (node,)
    return tuple([next(found) if want else None for want in wanted])


class Unwatched:
    """A placeholder of the watcher, while the pass of a kernel must not be seen."""

    word = staticmethod(TENSORS.__getitem__)

    def __bool__(self):
        return False


UNWATCHED = Unwatched()


class Bridge(Node):
    """A temporary end of a graph: gradients that arrive go on once the node has an input."""

    __slots__ = ()

    def __init__(self, t):
        self.inputs = self.saved = ()
        self.hooks, self.time, self.shape, self.dtype = None, tick(), t.array.shape, t.array.dtype

    def backward(self, g):
        return (g,) if self.inputs else ()

    backward_graph = backward


def one(function):
    """Return the kernel of ``NAME_backward(g, self, *settings)`` for ``function(self, *settings)``."""
    return lambda g, self, *settings, **named: slope(lambda t: function(t, *settings, **named), g, [self])[0]


def loss(function):
    """Return the kernel of ``LOSS_backward(g, self, target, reduction, setting)``."""

    def kernel(g, self, target, reduction=1, *settings):
        return slope(lambda t: function(t, target, *settings, reduction=REDUCTIONS[reduction]), g, [self])[0]

    return kernel


def binary_cross_entropy_backward(g, self, target, weight=None, reduction=1):
    reduction = REDUCTIONS[reduction]
    return slope(lambda t: functional.binary_cross_entropy(t, target, weight, reduction=reduction), g, [self])[0]


def nll_loss_backward(g, self, target, weight, reduction, ignore_index, total_weight):
    settings = {"ignore_index": ignore_index, "reduction": REDUCTIONS[reduction]}
    return slope(lambda t: functional.nll_loss(t, target, weight, **settings), g, [self])[0]


def elu_backward(g, alpha, scale, input_scale, is_result, self_or_result):
    e = self_or_result
    below = (e + alpha * scale) * input_scale if is_result else (e * input_scale).exp() * (alpha * scale * input_scale)
    return g * torch.where(e <= 0, below, scale)


def _ctc_loss_backward(g, log_probs, targets, input_lengths, target_lengths, loss, scores, blank, zero_infinity=False):
    def lose(t):
        return score_labels(t, targets, input_lengths, target_lengths, blank, zero_infinity)[0]

    return slope(lose, g, [log_probs])[0]


def native_layer_norm_backward(g, input, normalized_shape, mean, rstd, weight, bias, output_mask):
    axes = tuple(range(input.dim() - len(normalized_shape), input.dim()))
    others = tuple(range(input.dim() - len(normalized_shape)))
    mean, rstd = (t.reshape(*input.shape[: len(others)], *[1] * len(axes)) for t in (mean, rstd))
    x = (input - mean) * rstd
    want_input, want_weight, want_bias = output_mask
    grad_input = whiten_back(g if weight is None else g * weight, x, rstd, axes) if want_input else None
    grad_weight, grad_bias = (
        (t.sum(others) if others else t).reshape(normalized_shape) if wanted else None
        for t, wanted in ((g * x, want_weight), (g, want_bias))
    )
    return grad_input, grad_weight, grad_bias


def whiten_back(g, x, rstd, axes):
    """Return the gradient of the values that ``x`` is the normalisation of, along ``axes``."""
    return rstd * (g - g.mean(axes, keepdim=True) - x * (g * x).mean(axes, keepdim=True))


def native_group_norm_backward(g, input, mean, rstd, weight, N, C, HxW, group, output_mask):
    mean, rstd = (t.reshape(N, group, 1, 1) for t in (mean, rstd))
    parts = (N, group, C // group, HxW)
    x = (input.reshape(parts) - mean) * rstd
    scaled = g.reshape(parts) if weight is None else g.reshape(parts) * weight.reshape(1, group, C // group, 1)
    want_input, want_weight, want_bias = output_mask
    return (
        whiten_back(scaled, x, rstd, (2, 3)).reshape(input.shape) if want_input else None,
        (g.reshape(parts) * x).sum((0, 3)).reshape(C) if want_weight else None,
        g.reshape(parts).sum((0, 3)).reshape(C) if want_bias else None,
    )


def native_batch_norm_backward(
    g, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps, output_mask
):
    axes = tuple(d for d in range(input.dim()) if d != 1)
    by_channel = (1, -1, *[1] * (input.dim() - 2))
    mean = save_mean if train else running_mean
    rstd = save_invstd if train else (running_var + eps).rsqrt()
    want_input, want_weight, want_bias = output_mask
    rstd = rstd.reshape(by_channel)
    x = (input - mean.reshape(by_channel)) * rstd if train or want_weight else None
    scaled = g if weight is None else g * weight.reshape(by_channel)
    return (
        (whiten_back(scaled, x, rstd, axes) if train else scaled * rstd) if want_input else None,
        (g * x).sum(axes) if want_weight else None,
        g.sum(axes) if want_bias else None,
    )


def embedding_dense_backward(g, indices, num_weights, padding_idx, scale_grad_by_freq):
    return OPS["lookup_back"].fn(g, indices, padding_idx, scale_grad_by_freq, (num_weights, g.shape[-1]))


def convolution_backward(g, input, weight, bias_sizes, *settings):
    *settings, wanted = settings
    bias = input.new_zeros(weight.shape[0] if bias_sizes is None else bias_sizes) if wanted[2] else None
    stride, padding, dilation, transposed, output_padding, groups = settings

    def convolve(input, weight, bias):
        return torch.convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)

    return slope(convolve, g, [input, weight, bias], list(wanted))


def scatter_flat(g, self, indices, dims):
    """Add the elements to zeros, at flat positions in the last dimensions."""
    flat = g.new_zeros((*self.shape[:-dims], prod(self.shape[-dims:])))
    return flat.scatter_add(-1, indices.flatten(-dims), g.flatten(-dims)).reshape(self.shape)


def upsample_backward(mode):
    """Return the kernel of ``upsample_..._backward(g, output_size, input_size, align_corners, *scales)``."""

    def kernel(g, output_size, input_size, *settings):
        corners = settings[0] if settings and type(settings[0]) is bool else None
        blank = g.new_zeros(input_size)
        return slope(
            lambda t: functional.interpolate(t, tuple(output_size), mode=mode, align_corners=corners), g, [blank]
        )[0]

    return kernel


def pad_backward(mode):
    """Return the kernel of ``..._pad_backward(g, self, padding)``."""
    return lambda g, self, padding: slope(lambda t: functional.pad(t, list(padding), mode), g, [self])[0]


PADS = {"reflection": "reflect", "replication": "replicate"}


def pool_kernels(dims):
    """Return the kernels of pooling and padding over some dimensions."""
    average, adaptive = getattr(functional, f"avg_pool{dims}d"), getattr(functional, f"adaptive_avg_pool{dims}d")
    return {
        f"avg_pool{dims}d_backward": one(average), f"_adaptive_avg_pool{dims}d": adaptive,
        f"_adaptive_avg_pool{dims}d_backward": lambda g, self: slope(lambda t: adaptive(t, g.shape[-dims:]), g, [self])[0],
        f"adaptive_max_pool{dims}d_backward": lambda g, self, indices: scatter_flat(g, self, indices, dims),
        f"max_pool{dims}d_with_indices_backward": lambda g, self, *rest: scatter_flat(g, self, rest[-1], dims),
        f"max_pool{dims}d_with_indices": lambda *args: getattr(functional, f"max_pool{dims}d")(*args, return_indices=True),
    }  # fmt: skip


def flash_attention(query, key, value, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None):
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    scores = query @ key.transpose(-2, -1) * factor
    if is_causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -torch.inf)
    scores = scores if attn_mask is None else scores + attn_mask
    out = functional.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale=scale)
    return out, scores.logsumexp(-1)


def flash_attention_backward(g, query, key, value, out, logsumexp, dropout_p, is_causal, *, attn_mask=None, scale=None):
    def attend(query, key, value):
        return functional.scaled_dot_product_attention(query, key, value, attn_mask, 0.0, is_causal, scale=scale)

    return slope(attend, g, [query, key, value])


def mkldnn_rnn_layer_backward(input, *given):
    *weights, _, _, _, g_outputs, g_hidden, g_cell, backwards = given[:13]
    with enable_grad():
        found = TENSORS["lstm_slopes"](g_outputs, g_hidden, g_cell, input, *weights, backwards)
    found = found if mode.grad else [t if t is None else t.detach() for t in found]
    return *found[:4], found[3].clone() if found[3] is not None else None, *found[4:]


def _prelu_kernel_backward(g, self, weight):
    positive = self > 0
    return g.where(positive, g * weight), (g * self).masked_fill(positive, 0)


def _weight_norm_interface_backward(g, saved_v, saved_g, saved_norms, dim):
    others = [d for d in range(saved_v.dim()) if d != dim]
    along = (g * saved_v).sum(others, keepdim=True)
    slope = saved_g / saved_norms * (g - saved_v * (along / (saved_norms * saved_norms)))
    return slope, along / saved_norms


def _cdist_backward(g, x1, x2, p, cdist):
    return slope(lambda x: OPS["pair_distances"].fn(x, x2, p), g, [x1])[0]


def _pdist_backward(g, self, p, pdist):
    return slope(lambda x: OPS["pdist"].fn(x, p), g, [self])[0]


def _trilinear(one, two, three, *spread):
    """Return the kernel of products of three factors."""
    parts = ["".join(name for d, name in enumerate("noij") if d not in each) for each in spread[:4]]
    return OPS["product_of_three"].fn(one, two, three, tuple(parts))


BACKWARD_KERNELS = {
    **{f"{name}_backward": one(getattr(functional, name)) for name in ("gelu", "silu", "hardtanh", "hardswish", "hardsigmoid", "softplus", "mish", "glu", "softshrink", "hardshrink")},
    **pool_kernels(2), **pool_kernels(3),
    **{f"{name}_backward": upsample_backward(mode) for name, (mode, antialias) in OPERATORS.items() if not antialias},
    **{f"{name}_pad{dims}d": lambda self, padding, mode=mode: functional.pad(self, list(padding), mode) for name, mode in PADS.items() for dims in (1, 2, 3)},
    **{f"{name}_pad{dims}d_backward": pad_backward(mode) for name, mode in PADS.items() for dims in (1, 2, 3)},
    "soft_margin_loss_backward": loss(functional.soft_margin_loss),
    "multilabel_margin_loss_backward": lambda g, self, target, reduction, is_target: loss(functional.multilabel_margin_loss)(g, self, target, reduction),
    "multi_margin_loss_backward": lambda g, self, target, p, margin, weight=None, reduction=1: OPS["multi_margin_back"].fn(g, self, target, weight, p, margin, REDUCTIONS[reduction]),
    "im2col": functional.unfold, "col2im": functional.fold,
    "logit_backward": one(torch.logit),
    "leaky_relu_backward": lambda g, self, negative_slope, self_is_result: torch.where(self > 0, g, g * negative_slope),
    "log_sigmoid_backward": lambda g, self, buffer: g * torch.sigmoid(-self),
    "mse_loss_backward": loss(functional.mse_loss),
    "smooth_l1_loss_backward": lambda g, self, target, reduction, beta: loss(lambda *args, **named: functional.smooth_l1_loss(*args, beta=beta, **named))(g, self, target, reduction),
    "huber_loss_backward": lambda g, self, target, reduction, delta: loss(lambda *args, **named: functional.huber_loss(*args, delta=delta, **named))(g, self, target, reduction),
    "nll_loss2d_backward": nll_loss_backward,
    "native_dropout_backward": lambda g, mask, scale: g * mask * scale,
    "_scaled_dot_product_flash_attention_for_cpu": flash_attention,
    "_scaled_dot_product_flash_attention_for_cpu_backward": flash_attention_backward,
    **{each.__name__: each for each in (
        mkldnn_rnn_layer_backward, _prelu_kernel_backward, _weight_norm_interface_backward, _trilinear, _cdist_backward,
        _pdist_backward, _ctc_loss_backward, binary_cross_entropy_backward, nll_loss_backward, elu_backward, native_layer_norm_backward,
        native_group_norm_backward, native_batch_norm_backward, embedding_dense_backward, convolution_backward,
    )},
}  # fmt: skip
