"""Derivatives of single calls of ``aten`` operators, by PyTorch's operators, where the node of tensh does not know them.

A derivative is a function ``(g, results, wanted, *arguments)``: the gradient of the first result, all results of the
call, the places of the arguments that want a gradient, and the arguments with their defaults.  It returns the gradients
of arguments by their places.
"""

import tensh as torch
from tensh._aten.calls import aten
from tensh._aten.overloads import schemas
from tensh.func.trees import leaves_of


def differentiate_named(overload, places, gradients, args, options, results):
    """Return the gradients of a call for the tensors at places among the leaves of its arguments; None if unknown."""
    formula = FORMULAS.get(overload._opname.removesuffix("_"))
    if formula is None or gradients[0] is None or any(g is not None for g in gradients[1:]):
        return None
    starts, start = {}, 0
    for place, each in enumerate(args):
        starts[start] = place
        start += len(leaves_of(each))
    wanted = [starts.get(place) for place in places]
    if None in wanted:
        return None
    found = formula(gradients[0], results, wanted, *args, **options)
    return None if found is None else tuple(found[place] for place in wanted)


def mask_of(wanted, *places):
    """Return which of the arguments at these places want a gradient."""
    return [place in wanted for place in places]


def layer_norm(g, results, wanted, input, shape, weight=None, bias=None, eps=1e-5):
    _, mean, rstd = results
    places = 0, 2, 3
    args = g, input, list(shape), mean, rstd, weight, bias, mask_of(wanted, *places)
    return dict(zip(places, aten("native_layer_norm_backward", *args)))


def group_norm(g, results, wanted, input, weight, bias, n, c, size, groups, eps):
    _, mean, rstd = results
    g = g if g.is_contiguous() else aten("clone", g, memory_format=torch.contiguous_format)
    args = g, input, mean, rstd, weight, n, c, size, groups, mask_of(wanted, 0, 1, 2)
    return dict(enumerate(aten("native_group_norm_backward", *args)))


def batch_norm(g, results, wanted, input, weight, bias, running_mean, running_var, training, momentum, eps):
    _, mean, rstd = results
    args = g, input, weight, running_mean, running_var, mean, rstd, training, eps, mask_of(wanted, 0, 1, 2)
    return dict(enumerate(aten("native_batch_norm_backward", *args)))


def attention(g, results, wanted, query, key, value, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None):
    out, sums = results
    named = {"attn_mask": attn_mask} | ({} if scale is None else {"scale": scale})
    name = "_scaled_dot_product_flash_attention_for_cpu_backward"
    return dict(enumerate(aten(name, g, query, key, value, out, sums, dropout_p, is_causal, **named)))


def nll_loss(name):
    def derivative(g, results, wanted, input, target, weight, reduction, ignore_index):
        return {0: aten(name, g, input, target, weight, reduction, ignore_index, results[1])}

    return derivative


def ctc_loss(g, results, wanted, log_probs, targets, input_lengths, target_lengths, blank=0, zero_infinity=False):
    loss, scores = results
    args = g, log_probs, targets, input_lengths, target_lengths, loss, scores, blank, zero_infinity
    return {0: aten("_ctc_loss_backward", *args)}


def leaky_relu(g, results, wanted, input, negative_slope=0.01):
    return {0: aten("leaky_relu_backward", g, input, negative_slope, False)}


def kthvalue(g, results, wanted, input, k, dim=-1, keepdim=False):
    indices = results[1]
    if not input.dim():
        return None
    if not keepdim:
        g, indices = (aten("unsqueeze", each, dim) for each in (g, indices))
    return {0: aten("scatter", aten("new_zeros", g, list(input.shape)), dim, indices, g)}


def masked_select(g, results, wanted, input, mask):
    sizes = list(torch.broadcast_shapes(input.shape, mask.shape))
    if list(input.shape) != sizes:
        return None
    zeros = schemas()["zeros_like"]["default"](aten("expand", input, sizes), memory_format=torch.preserve_format)
    return {0: aten("masked_scatter", zeros, mask, g)}


def clamp(name):
    def derivative(g, results, wanted, input, bound):
        if wanted != [0]:
            return None
        zero = aten("scalar_tensor", 0.0, dtype=g.dtype)
        return {0: aten("where", aten(name, input, bound), g, zero)}

    return derivative


def index_put(g, results, wanted, input, indices, values, accumulate=False):
    found = {2: aten("index", g, list(indices))} if 2 in wanted else {}
    if 2 in wanted and found[2].shape != values.shape:
        return None
    if 0 in wanted:
        place = {"layout": torch.strided, "device": torch.device("cpu")}
        zeros = None if accumulate else schemas()["zeros"]["default"](list(values.shape), dtype=g.dtype, **place)
        found[0] = g if accumulate else aten("index_put", g, list(indices), zeros)
    return found


def inverse(g, results, wanted, input, *, check_errors=False):
    inverse, *_ = results
    if g.is_complex():
        return None
    right = torch.matmul(g, aten("transpose", inverse, -2, -1))
    return {0: aten("neg", torch.matmul(aten("transpose", inverse, -2, -1), right))}


FORMULAS = {
    "native_layer_norm": layer_norm,
    "native_group_norm": group_norm,
    "native_batch_norm": batch_norm,
    "_scaled_dot_product_flash_attention_for_cpu": attention,
    "nll_loss_forward": nll_loss("nll_loss_backward"),
    "nll_loss2d_forward": nll_loss("nll_loss2d_backward"),
    "_ctc_loss": ctc_loss,
    "leaky_relu": leaky_relu,
    "kthvalue": kthvalue,
    "masked_select": masked_select,
    "clamp_min": clamp("ge"),
    "clamp_max": clamp("le"),
    "index_put": index_put,
    "linalg_inv_ex": inverse,
}
"""Name of an operator -> the derivative of a call."""
