"""Normalisation: elements minus their mean, divided by their standard deviation, group by group.

Batch, layer and group normalisation differ only in what a group is.  ``form`` says it: the input seen as [A, B, S] has B
groups, each of A * S elements.  ``at`` is the shape in which weight and bias meet the input.

Note [Whitening]
With the mean m, the inverse deviation s and x = (input - m) * s, the derivative of x sends g to
s * (g - mean(g) - x * mean(g * x)): ``whiten_back``.  Its own derivatives need x, s and means as functions of the
input, so these are operators, too; what the forward pass has computed of them is handed on as ``mean`` and ``rstd``.
"""

import numpy as np

from tensh.engine.cores import SPREAD, over_rows, spread
from tensh.engine.ops.layers.formats import keeping_format
from tensh.engine.ops.precision import ONES, in_float32, widened
from tensh.engine.ops.reductions.reduce import ALONE
from tensh.engine.table import op

STATS = "input, mean, rstd, form"


# ── sums over groups ─────────────────────────────────────────────────────────
def group_sums(grouped):
    """The sums over all but the middle dimension."""
    a, b, s = grouped.shape
    if s == 1:
        return np.add.reduce(grouped[:, :, 0], 0)
    if grouped.dtype not in ONES:
        return np.add.reduce(grouped, (0, 2))
    rows = grouped.reshape(a * b, s)
    ones = ONES[grouped.dtype][s]
    rows = rows.dot(ones) if rows.size <= ALONE else np.vecdot(rows, ones)
    return rows if a == 1 else np.add.reduce(rows.reshape(a, b), 0)


def group_products(one, other):
    """The same of products, without an array of them."""
    a, b, s = one.shape
    if s == 1:
        return np.einsum("ab,ab->b", one[:, :, 0], other[:, :, 0])
    rows = np.vecdot(one, other)
    return rows[0] if a == 1 else np.add.reduce(rows, 0)


def number(form):
    return max(form[0] * form[2], 1)


def statistics(grouped, eps):
    """(the input minus its means, the means, the inverse deviations, the variances)."""
    count = grouped.dtype.type(number(grouped.shape))
    mean = group_sums(grouped) / count
    apart = np.subtract(grouped, mean[:, None])
    variance = group_products(apart, apart) / count
    return apart, mean, 1 / np.sqrt(variance + variance.dtype.type(eps)), variance


# ── the layers ───────────────────────────────────────────────────────────────
def normalised(input, weight=None, bias=None, at=(), form=(), eps=1e-5):
    grouped = widened(input).reshape(form)
    out, mean, rstd, variance = whole(grouped, eps) if input.size < SPREAD else in_groups(grouped, eps)
    out = with_affine(out.reshape(input.shape), weight, bias, at)
    return out.astype(input.dtype, copy=False), mean, rstd, variance


def whole(grouped, eps):
    """(the whitened input, the means, the inverse deviations, the variances)."""
    out, mean, rstd, variance = statistics(grouped, eps)
    return np.multiply(out, rstd[:, None], out), mean, rstd, variance


def in_groups(grouped, eps):
    """The same, some groups at a time."""
    a, groups, s = grouped.shape
    out, results = np.empty_like(grouped), np.empty((3, groups), grouped.dtype)

    def work(part):
        out[:, part], *facts = whole(grouped[:, part], eps)
        results[:, part] = facts

    over_rows(work, groups, a * s)
    return out, *results


def with_affine(out, weight, bias, at):
    """``out`` times weight plus bias, written over ``out`` as far as it is not large."""
    weight, bias = (each if each is None else widened(each).reshape(at) for each in (weight, bias))
    if out.size >= SPREAD and weight is not None and bias is not None:
        return spread(stretched, (out, weight, bias), (), out)
    if weight is not None:
        np.multiply(out, weight, out)
    if bias is not None:
        np.add(out, bias, out)
    return out


def stretched(input, scale, shift):
    """input * scale + shift."""
    out = np.multiply(input, scale)
    return np.add(out, shift, out)


SLOPES = {
    "input": f"whiten_back(g if weight is None else g * reshape(weight, at), {STATS})",
    "weight": f"reshape(sum_to(g * whitened({STATS}), at), weight.shape)",
    "bias": "reshape(sum_to(g, at), bias.shape)",
}
for name, node, called in (
    ("batch_norm_train", "NativeBatchNormBackward0", "batch_norm"),
    ("layer_norm_of", "NativeLayerNormBackward0", "LayerNormKernelImpl"),
    ("group_norm_of", "NativeGroupNormBackward0", "GroupNormKernelImpl"),
):
    slopes = SLOPES if name == "group_norm_of" else SLOPES | {"bias": f"tied({SLOPES['bias']}, input)"}
    op(normalised if name == "layer_norm_of" else keeping_format(normalised), name=name, node=node, public=False, out=False, types="f", called=called,
       doc="Whitened groups, times weight, plus bias; and their means, inverse deviations and variances.",
       outs=("output", "mean", "rstd", "variance"), **slopes)  # fmt: skip


@op(public=False, out=False, node="NativeBatchNormBackward0", types="f", called="batch_norm",
    let={"r": "reshape(rsqrt(variance + eps), at)"},
    input="g * r if weight is None else g * (r * reshape(weight, at))", mean=None, variance=None,
    weight="reshape(sum_to(g * ((input - reshape(mean, at)) * r), at), weight.shape)",
    bias="tied(reshape(sum_to(g, at), bias.shape), input)")  # fmt: skip
@keeping_format
@in_float32
def batch_norm_by(input, mean, variance, weight=None, bias=None, at=(), eps=1e-5):
    """The same by given means and variances, which are constants."""
    scale = (1 / np.sqrt(variance + variance.dtype.type(eps))).astype(input.dtype, copy=False)
    if weight is not None:
        scale = scale * widened(weight)
    shift = -mean * scale if bias is None else widened(bias) - mean * scale
    scale, shift = (each.astype(input.dtype, copy=False).reshape(at) for each in (scale, shift))
    return stretched(input, scale, shift) if input.size < SPREAD else spread(stretched, (input, scale, shift))


# ── see Note [Whitening] ─────────────────────────────────────────────────────
FIXED = {"public": False, "out": False, "mean": None, "rstd": None}


@op(**FIXED, node="MulBackward0", input=f"whiten_back(g, {STATS})")
@in_float32
def whitened(input, mean, rstd, form):
    """(input - mean) * rstd."""
    out = np.subtract(input.reshape(form), mean[:, None])
    return np.multiply(out, rstd[:, None], out).reshape(input.shape)


@op(
    **FIXED, node="NativeNormBackwardBackward0",
    grad=f"whiten_back(g, {STATS})",
    let={"x": f"whitened({STATS})", "s": f"inverse_deviation({STATS})"},
    input=f"whiten_back(-s * (g * group_means(grad * x, form) + grad * group_means(g * x, form)), {STATS})"
    " - s * x * group_means(g * out, form)",
)  # fmt: skip
@in_float32
def whiten_back(grad, input, mean, rstd, form):
    """The gradient of what is whitened."""
    x = whitened.kernel(input, mean, rstd, form).reshape(form)
    g = grad.reshape(form)
    count = g.dtype.type(number(form))
    np.multiply(x, (group_products(g, x) / count)[:, None], x)
    np.add(x, (group_sums(g) / count)[:, None], x)
    np.subtract(g, x, x)
    return np.multiply(x, rstd[:, None], x).reshape(grad.shape)


@op(**FIXED, node="RsqrtBackward0", let={"s": f"inverse_deviation({STATS})"},
    input=f"-s * s * whitened({STATS}) * group_means(g, form)")  # fmt: skip
def inverse_deviation(input, mean, rstd, form):
    """The inverse deviation of every element's group."""
    return np.broadcast_to(rstd.astype(input.dtype, copy=False)[:, None], form).reshape(input.shape)


@op(public=False, out=False, node="MeanBackward1", input="group_means(g, form)")
@in_float32
def group_means(input, form):
    """The mean of every element's group."""
    means = group_sums(input.reshape(form)) / input.dtype.type(number(form))
    return np.broadcast_to(means[:, None], form).reshape(input.shape)
