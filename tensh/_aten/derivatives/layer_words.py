"""Words of the derivatives of layers in ``aten``: PyTorch's arguments, found from the values that tensh saves."""

import math

import numpy as np

import tensh as torch
from tensh._aten.calls import aten, call_overload, call_plain
from tensh._aten.overloads import schemas
from tensh._aten.resizing import name_operator
from tensh._aten.steps.products import matmul
from tensh.engine.codegen.vocabulary import OPS, TENSORS
from tensh.engine.operators.layers.composites.resampling import map_for
from tensh.engine.operators.layers.pooling import numbers_of_elements


# ── pooling ──────────────────────────────────────────────────────────────────
def is_ceiled(input, kernel, stride, padding, dilation, size):
    """Return True if there are more windows than fit."""
    spatial = input.shape[-len(kernel) :]
    spans = [n + 2 * p - d * (k - 1) - 1 for n, p, d, k in zip(spatial, padding, dilation, kernel)]
    return any(n > span // s + 1 for n, span, s in zip(size, spans, stride))


def max_pool_back(g, input, kernel, stride, padding, dilation, size, indices=None):
    if indices is None:
        indices = call_plain(OPS["max_places"].fn, input, kernel, stride, padding, dilation, size)
    ceiled = is_ceiled(input, kernel, stride, padding, dilation, size)
    lists = map(list, (kernel, stride, padding, dilation))
    return aten(f"max_pool{len(kernel)}d_with_indices_backward", g, input, *lists, ceiled, indices)


def avg_pool_back(g, input, kernel, stride, padding, size, divisor):
    given = padding_of_mean(input, kernel, stride, padding, size, divisor)
    return aten(f"avg_pool{len(kernel)}d_backward", g, input, *map(list, (kernel, stride, padding)), *given)


def padding_of_mean(input, kernel, stride, padding, size, divisor):
    """Return (ceil_mode, count_include_pad, divisor_override) of a mean of windows."""
    ceiled = is_ceiled(input, kernel, stride, padding, [1] * len(kernel), size)
    spatial = input.shape[-len(kernel) :]
    counts = [count_elements(spatial, kernel, stride, padding, size, with_padding) for with_padding in (True, False)]
    same = [np.array_equal(np.broadcast_to(divisor, count.shape), count) for count in counts]
    with_padding, override = same[0] or not same[1], None if True in same else int(divisor)
    return ceiled, with_padding, override


def count_elements(spatial, kernel, stride, padding, size, with_padding):
    """Return the number of elements in every window."""
    counts = [numbers_of_elements(*each, with_padding) for each in zip(spatial, kernel, stride, padding, size)]
    return math.prod(np.ix_(*counts))


# ── maps along dimensions ────────────────────────────────────────────────────
def upsample_back(g, maps, mode):
    """Return the gradient of ``interpolate``; a call of tensh's own operator where the factors are not those of the sizes."""
    sizes = list(g.shape[2:])
    spatial = [n if taps is None else taps.size for n, taps in zip(sizes, maps)]
    for corners in (False, True):
        said = [map_for(mode, False, n, size, None, corners) for n, size in zip(spatial, sizes)]
        if all(is_same(one, other) for one, other in zip(said, maps)):
            corners = [] if mode.startswith("nearest") else [corners]
            name = name_operator(mode, len(sizes))
            return aten(f"{name}_backward", g, sizes, [*g.shape[:2], *spatial], *corners)
    name = mode.replace("-", "_")
    own = OPS[f"upsample_{name}_{len(sizes)}" if mode.startswith("nearest") else f"upsample_{name}"]
    return call_plain(own.fn, g, TENSORS["adjoint"](maps))


def is_same(one, other):
    """Return True for equal maps."""
    if one is None or other is None:
        return one is other
    weights = [each.weights if each.weights is None else each.weights.tolist() for each in (one, other)]
    return np.array_equal(one.places, other.places) and weights[0] == weights[1]


def pad_back(g, input, maps, kind):
    """The gradient of a padding by copies: the elements before and after a dimension are counted by where its own begin."""
    pads = []
    for n, taps in zip(input.shape[input.dim() - len(maps) :], maps):
        places = np.arange(n) if taps is None else taps.places[0]
        steps = np.flatnonzero((places[1:] == 1) & (places[:-1] == 0)) if n > 1 else [0]
        alone = n > 1 and not np.any(places)  # the first element and its copies
        before = int(steps[0] if len(steps) else len(places) - 1 if alone else -places[0])
        pads = [before, len(places) - n - before, *pads]
    return aten(f"{kind}_pad{len(maps)}d_backward", g, input, pads)


# ── others ───────────────────────────────────────────────────────────────────
def share_extreme(g, input, other, of_larger):
    """Return the gradient of a minimum or maximum for one of its operands, of which equal ones get half."""
    half = call_overload(schemas()["div"]["Scalar"], (g, 2))
    shared = aten("where", aten("eq", input, other), half, g)
    return aten("masked_fill_", shared, aten("gt" if of_larger else "lt", input, other), 0)


def along_norm(g, input, norm):
    """Return the gradient of a Euclidean norm: along the input, or zero."""
    return g * aten("masked_fill_", input / norm, aten("eq", norm, 0), 0)


def where_bound(g, input, bound, relation):
    """Return the gradient where the input has a relation to a bound."""
    zero = aten("scalar_tensor", 0.0, dtype=g.dtype)
    return aten("where", aten(relation, input, bound if bound.dim() else call_plain(bound.item)), g, zero)


def sum_repeats(g, shape, repeats):
    """Return the gradient of a repetition: one dimension more for each that is repeated, and a sum over these."""
    shape, sizes, sums = (1,) * (len(repeats) - len(shape)) + tuple(shape), [], []
    for n, times in zip(shape, repeats):
        if times != 1:
            sums.append(len(sizes))
            sizes.append(times)
        sizes.append(n)
    return aten("sum", aten("view", g, sizes), sums) if sums else g


def weight_norm_back(g, v, lengths, others):
    norms = call_plain(lambda: v.pow(2).sum(list(others), keepdim=True).sqrt())
    kept = next(d for d in range(v.dim()) if d not in others)
    return aten("_weight_norm_interface_backward", g, v, lengths, norms, kept)


def trilinear_back(one, two, three, indices, place):
    """Return the gradient of one factor of a sum of products."""
    given = list(indices)
    given[place], given[3] = given[3], given[place]
    return aten(*trilinear(one, two, three, given))


def trilinear(one, two, three, indices):
    """``_trilinear`` and its arguments: each factor is spread along the dimensions that it lacks."""
    *factors, kept = indices
    spread = [[d for d, name in enumerate("noij") if name not in each] for each in (*factors, kept)]
    return "_trilinear", one, two, three, *spread


def cdist_back(g, x1, x2, p, out):
    """Return the gradient of the first of two matrices."""
    return aten("_cdist_backward", aten("clone", g, memory_format=torch.contiguous_format), x1, x2, float(p), out)


def euclidean_back(g, x1, x2, out):
    """Return the gradients of both matrices, by matrix products."""
    ratio = aten("masked_fill_", aten("div", g, out), aten("eq", out, 0), 0)
    first = multiply(ratio, x2)
    first = aten("sub", aten("mul", x1, aten("sum", ratio, [-1], True)), first)
    second = multiply(aten("transpose", ratio, -2, -1), x1)
    return first, aten("sub", aten("mul", x2, aten("unsqueeze", aten("sum", ratio, [-2]), -1)), second)


def multiply(first, second):
    return aten("mm", first, second) if first.dim() == 2 else matmul(first, second)


def lstm_back(g_outputs, g_hidden, g_cell, input, w_ih, w_hh, b_ih, b_hh, hidden, cell, backwards, outputs, cells):
    ends = [call_plain(t.__getitem__, 0 if backwards else -1) for t in (outputs, cells)]
    settings = bool(backwards), 2, hidden.shape[-1], 1, True, True, False, [], False, call_plain(torch.zeros, 0)
    weights = w_ih, w_hh, b_ih, b_hh, hidden, cell
    return aten("mkldnn_rnn_layer_backward", input, *weights, outputs, *ends, g_outputs, g_hidden, g_cell, *settings)


WORDS = {
    each.__name__: each
    for each in (
        max_pool_back,
        avg_pool_back,
        upsample_back,
        pad_back,
        share_extreme,
        along_norm,
        where_bound,
        sum_repeats,
        weight_norm_back,
        trilinear_back,
        cdist_back,
        euclidean_back,
        lstm_back,
    )
}
DERIVATIVES = {
    **{f"max_pool{n}": {"input": "max_pool_back(g, input, kernel, stride, padding, dilation, size)"} for n in (2, 3)},
    **{f"max_pool{n}_with_indices": {"input": "max_pool_back(g, input, kernel, stride, padding, dilation, size, indices)"} for n in (2, 3)},
    **{f"avg_pool{n}": {"input": "avg_pool_back(g, input, kernel, stride, padding, size, divisor)"} for n in (2, 3)},
    **{f"adaptive_avg_pool{n}": {"input": f"_adaptive_avg_pool{n}d_backward(g, input)"} for n in (2, 3)},
    **{f"adaptive_max_pool{n}": {"input": f"adaptive_max_pool{n}d_backward(g, input, indices)"} for n in (2, 3)},
    **{f"upsample_{mode.replace('-', '_')}_{n}": {"input": f"upsample_back(g, maps, '{mode}')"} for mode in ("nearest", "nearest-exact") for n in (1, 2, 3)},
    **{f"upsample_{mode}": {"input": f"upsample_back(g, maps, '{mode}')"} for mode in ("linear", "bilinear", "bicubic", "trilinear")},
    **{f"{kind}_pad{n}d": {"input": f"pad_back(g, input, maps, '{kind}')"} for kind in ("reflection", "replication") for n in (1, 2, 3)},
    "celu": {"input": "elu_backward(g, alpha, 1, 1.0 / alpha, False, input)"},
    "softshrink": {"input": "softshrink_backward(g, input, lambd)"}, "hardshrink": {"input": "hardshrink_backward(g, input, lambd)"},
    "huber_difference": {
        "input": "huber_loss_backward(g, input, target, reduction, delta)",
        "target": "huber_loss_backward(g, target, input, reduction, delta)",
    },
    "nll2": {"input": "nll_back_of(g, input, target, weight, reduction, ignore_index)"},
    "soft_margin": {"input": "soft_margin_loss_backward(g, input, target, reduction)"},
    "multi_margin": {"input": "multi_margin_loss_backward(g, input, target, p, margin, weight, reduction)"},
    "safe_softmax": {"input": "softmax_backward(g, out, -1)"},
    "prelu_kernel": {
        "slopes": "_prelu_kernel_backward(g, input, weight)", "input": "slopes[0]", "weight": "slopes[1]",
    },
    "threshold": {"input": "threshold_backward(g, input, threshold)"},
    "threshold_over": {"input": "threshold_backward(g, input, threshold)"},
    "elu_over": {"input": "elu_backward(g, alpha, scale, input_scale, True, out)"},
    "celu_over": {"input": "elu_backward(g, alpha, 1, 1.0 / alpha, True, out)"},
    "leaky_relu_over": {"input": "leaky_relu_backward(g, out, negative_slope, True)"},
    "batch_norm_by": {
        "slopes": "native_batch_norm_backward(g, g if input is None else input, weight, mean, variance, None, None, False, eps, "
        "[self.inputs[0] is not None, len(self.inputs) > 1 and self.inputs[1] is not None, len(self.inputs) > 2 and self.inputs[2] is not None])",
        "input": "slopes[0]", "weight": "slopes[1]", "bias": "slopes[2]",
    },
    "index_select": {"input": "index_add(zeros_for(g, input.shape), dim, index, g)"},
    "minimum": {"input": "share_extreme(g, input, other, True)", "other": "share_extreme(g, input, other, False)"},
    "maximum": {"input": "share_extreme(g, input, other, False)", "other": "share_extreme(g, input, other, True)"},
    "clamp_min": {"input": "where_bound(g, input, min, 'ge')", "min": "where_bound(g, input, min, 'lt')"},
    "clamp_max": {"input": "where_bound(g, input, max, 'le')", "max": "where_bound(g, input, max, 'gt')"},
    "product_of_three": {
        "one": "trilinear_back(g, conj(two), conj(three), indices, 0)", "two": "trilinear_back(conj(one), g, conj(three), indices, 1)",
        "three": "trilinear_back(conj(one), conj(two), g, indices, 2)",
    },
    "pair_distances": {"x1": "cdist_back(g, x1, x2, p, out)", "x2": "cdist_back(mT(g), x2, x1, p, mT(out))"},
    "euclidean_dist": {"slopes": "euclidean_back(g, x1, x2, out)", "x1": "slopes[0]", "x2": "slopes[1]"},
    "pdist": {"input": "_pdist_backward(g, input, p, out)"},
    "with_lengths": {
        "slopes": "weight_norm_back(g, v, lengths, others)", "v": "slopes[0]", "lengths": "slopes[1]",
    },
    "repeat_dims": {"input": "sum_repeats(g, input.shape, repeats)"},
    "lstm_layer": {
        "slopes": "lstm_back(g_outputs, g_last_hidden, g_last_cell, input, w_ih, w_hh, b_ih, b_hh, hidden, cell, backwards, outputs, cells)",
        "input": "slopes[0]", "w_ih": "slopes[1]", "w_hh": "slopes[2]", "b_ih": "slopes[3]", "b_hh": "slopes[4]", "hidden": "slopes[5]",
        "cell": "slopes[6]",
    },
    "multilabel_margin": {"input": "multilabel_margin_loss_backward(g, input, target, reduction, side_or_unused(self, input))"},
}  # fmt: skip
"""Operator of tensh -> its derivatives in words of ``aten`` and these."""
