"""Words of the derivatives of layers in ``aten``: the arguments that PyTorch's operators take, found from what tensh saves."""

import math

import numpy as np

from tensh._aten.calls import aten, call_plain
from tensh._aten.resizing import name_operator
from tensh.engine.codegen.vocabulary import OPS, TENSORS
from tensh.engine.operators.layers.composites.resampling import map_for
from tensh.engine.operators.layers.pooling import numbers_of_elements


# ── pooling ──────────────────────────────────────────────────────────────────
def is_ceiled(input, kernel, stride, padding, dilation, size):
    """True if there are more windows than fit."""
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
    ceiled = is_ceiled(input, kernel, stride, padding, [1] * len(kernel), size)
    spatial = input.shape[-len(kernel) :]
    counts = [count_elements(spatial, kernel, stride, padding, size, with_padding) for with_padding in (True, False)]
    same = [np.array_equal(np.broadcast_to(divisor, count.shape), count) for count in counts]
    with_padding, override = same[0] or not same[1], None if True in same else int(divisor)
    lists = map(list, (kernel, stride, padding))
    return aten(f"avg_pool{len(kernel)}d_backward", g, input, *lists, ceiled, with_padding, override)


def count_elements(spatial, kernel, stride, padding, size, with_padding):
    """The number of elements in every window."""
    counts = [numbers_of_elements(*each, with_padding) for each in zip(spatial, kernel, stride, padding, size)]
    return math.prod(np.ix_(*counts))


# ── maps along dimensions ────────────────────────────────────────────────────
def upsample_back(g, maps, mode):
    """The gradient of ``interpolate``; a call of tensh's own operator where the factors are not those of the sizes."""
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
    """True for equal maps."""
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
        before = int(steps[0] if len(steps) else -places[0])
        pads = [before, len(places) - n - before, *pads]
    return aten(f"{kind}_pad{len(maps)}d_backward", g, input, pads)


WORDS = {each.__name__: each for each in (max_pool_back, avg_pool_back, upsample_back, pad_back)}
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
    "multilabel_margin": {"input": "multilabel_margin_loss_backward(g, input, target, reduction, of_no_size(input))"},
}  # fmt: skip
"""Operator of tensh -> its derivatives in words of ``aten`` and these."""
