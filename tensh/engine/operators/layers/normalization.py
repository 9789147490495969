"""Normalisation: elements minus their mean, divided by their standard deviation, group by group.

Batch, layer and group normalisation differ only in the definition of a group.  ``form`` is that definition: the input
reshaped to [A, B, S] has B groups of A * S elements.  ``at`` is the shape in which weight and bias are broadcast to the
input.

Note [Whitening]
With the mean m, the inverse deviation s and x = (input - m) * s, the derivative of x sends g to
s * (g - mean(g) - x * mean(g * x)): ``whiten_back``.  Its own derivatives need x, s and means as functions of the
input, so these are operators, too; the forward pass hands its own results on as ``mean`` and ``rstd``.
"""

import functools
import math

import numpy as np

from tensh.engine.arrays.threads import PARALLEL, even_share, map_rows
from tensh.engine.codegen.mixing import SCALARS
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS
from tensh.engine.operators.layers.formats import keeping_format
from tensh.engine.operators.linalg.products import multiply
from tensh.engine.operators.precision import ONES, compute_in_float32, is_half, narrow_result, widen
from tensh.engine.operators.reductions.product_sums import add_row_products
from tensh.engine.operators.reductions.summation import SMALL, add_along

FAR = 8  # the mean, in deviations, from which its rounding shows in whitened values
STATS = "input, mean, rstd, form"


# ── sums over groups ─────────────────────────────────────────────────────────
def group_sums(grouped):
    """Return the sums over all but the middle dimension."""
    if grouped.shape[2] == 1:
        return add_along(grouped[:, :, 0], 0)
    if len(grouped) == 1:
        return add_along(grouped[0], 1)
    return add_along(add_along(grouped, 2), 0)


def group_products(one, other):
    """Return the sums of products over all but the middle dimension, without an array of products."""
    if one.shape[2] == 1:
        return add_along(np.multiply(one[:, :, 0], other[:, :, 0]), 0)
    rows = add_row_products(one, other)
    return rows[0] if len(rows) == 1 else add_along(rows, 0)


def number(form):
    return max(form[0] * form[2], 1)


def spread(values, form):
    """Return one number for each group, as an array that broadcasts to ``form``.

    Few numbers are repeated, which takes less time.
    """
    a, groups, s = form
    if a * groups * s <= SMALL:
        if a == 1:
            return values.repeat(s).reshape(form)
        if s == 1:
            return values[None].repeat(a, 0).reshape(form)
    return values[:, None]


def some_at_a_time(work, form):
    """Call ``work(part)`` for slices of the groups: all groups, or one large block at a time."""
    a, groups, s = form
    if a * groups * s < PARALLEL:
        work(slice(None))
    else:
        map_rows(work, groups, a * s, even_share(a * groups * s))


def invert_deviation(variance, eps):
    """Return the inverse deviations, computed in one array."""
    rstd = np.add(variance, SCALARS[float(eps), variance.dtype])
    return np.reciprocal(np.sqrt(rstd, rstd), rstd)


def is_far(mean, rstd):
    """Return True if the largest mean is FAR from zero; for few numbers ``argmax`` takes a tenth of the time of ``max``."""
    squares = mean * rstd
    if not squares.dot(squares) > FAR * FAR:  # their sum
        return False
    np.multiply(squares, squares, squares)
    return squares.size > 0 and squares.item(squares.argmax()) > FAR * FAR


def whiten_into(grouped, eps, out):
    """Write the whitened groups into ``out``; return the means, the inverse deviations and the variances.

    The rounding error of a mean FAR from zero is corrected, so that equal numbers become zero.
    """
    count = SCALARS[number(grouped.shape), grouped.dtype]
    mean = group_sums(grouped) / count
    np.subtract(grouped, spread(mean, grouped.shape), out)
    variance = group_products(out, out) / count
    rstd = invert_deviation(variance, eps)
    if is_far(mean, rstd):
        off = group_sums(out) / count
        off[~np.isfinite(off)] = 0  # an infinite mean is left as it is
        mean = mean + off
        np.subtract(grouped, mean[:, None], out)
        variance = group_products(out, out) / count
        rstd = invert_deviation(variance, eps)
    np.multiply(out, spread(rstd, grouped.shape), out)
    return mean, rstd, variance


def whiten_some(grouped, eps, out):
    """Whiten some groups at a time."""
    facts = np.empty((3, grouped.shape[1]), grouped.dtype)

    def work(part):
        facts[:, part] = whiten_into(grouped[:, part], eps, out[:, part])

    some_at_a_time(work, grouped.shape)
    return facts


# ── the layers ───────────────────────────────────────────────────────────────
def normalise_form(input, weight=None, bias=None, at=(), form=(), eps=1e-5):
    grouped = widen(input).reshape(form)
    out = np.empty(form, grouped.dtype)
    facts = whiten_into(grouped, eps, out) if input.size < PARALLEL else whiten_some(grouped, eps, out)
    out = out.reshape(input.shape)
    stretch(out, weight, bias, at, out)
    return out if grouped.dtype is input.dtype else out.astype(input.dtype), *facts


def normalise_groups(input, weight=None, bias=None, at=(), form=(), eps=1e-5):
    """``normalise_form``; of 16 bit numbers, means and deviations are kept in 16 bits, if the weight is."""
    out, *facts = normalise_form(input, weight, bias, at, form, eps)
    if is_half(input.dtype) and (weight is None or weight.dtype is input.dtype):
        facts[:2] = [widen(narrow_result(each, input.dtype)) for each in facts[:2]]
    return out, *facts


def normalise_batches(input, weight=None, bias=None, at=(), form=(), eps=1e-5):
    """``normalise_form``; 16 bit numbers are normalised by means and deviations of 16 bits, if the weight is.

    The sums of squared distances and the variances of bfloat16 are rounded, too.
    """
    out, *facts = normalise_groups(input, weight, bias, at, form, eps)
    if is_half(input.dtype) and (weight is None or weight.dtype is input.dtype):
        mean, rstd, variance = facts
        if input.dtype.kind == "V":
            count, rounded = SCALARS[number(form), variance.dtype], lambda a: widen(narrow_result(a, input.dtype))
            variance = rounded(rounded(variance * count) / count)
            rstd = rounded(invert_deviation(variance, eps))
            facts[1:] = rstd, variance
        scale = rstd if weight is None else rstd * widen(weight)
        shift = -mean * scale if bias is None else widen(bias) - mean * scale
        wide = np.empty(input.shape, scale.dtype)
        stretch(widen(input), scale, shift, at, wide)
        out = narrow_result(wide, input.dtype)
    return out, *facts


def stretch(input, scale, shift, at, out):
    """Write ``input * scale + shift`` into ``out``, some rows at a time; scale and shift may be None."""
    if scale is None and shift is None:
        return
    scale = None if scale is None else widen(scale).reshape(at)
    shift = None if shift is None else widen(shift).reshape(at)

    def work(input, out):
        if scale is not None:
            input = np.multiply(input, scale, out)
        if shift is not None:
            np.add(input, shift, out)

    if input.size < PARALLEL:
        work(input, out)
        return
    row = input.shape[-len(at) :]
    rows, into = input.reshape(-1, *row), out.reshape(-1, *row)
    map_rows(lambda part: work(rows[part], into[part]), len(rows), math.prod(row), even_share(input.size))


def slopes_of_arrays(g, input, weight, mean, rstd, at, form):
    """The gradients of input, weight and bias if every group has one weight: both sums of a group are used twice."""
    if any([a is not None and a.dtype is not input.dtype for a in (g, weight)]) or is_half(input.dtype):
        sums = [ARRAYS["sum_to"](each, at).reshape(-1) for each in (g * whiten.kernel(input, mean, rstd, form), g)]
        g = g if weight is None else g * weight.reshape(at)
        return whiten_back.kernel(g, input, mean, rstd, form), *sums
    grouped, slopes, out = input.reshape(form), g.reshape(form), np.empty(form, g.dtype)
    count, sums = SCALARS[number(form), g.dtype], np.empty((2, form[1]), g.dtype)

    def work(part):
        g, s = slopes[:, part], rstd[part]
        apart = np.subtract(grouped[:, part], mean[part, None], out[:, part])
        by_weight, by_bias = sums[:, part] = group_products(g, apart) * s, group_sums(g)
        np.multiply(apart, (by_weight * -s / count)[:, None], apart)
        np.add(apart, g, apart)
        np.subtract(apart, (by_bias / count)[:, None], apart)
        np.multiply(apart, (s if weight is None else s * weight[part])[:, None], apart)

    some_at_a_time(work, form)
    return out.reshape(g.shape), *sums


def slopes_of_tensors(g, input, weight, mean, rstd, at, form):
    """Return these gradients as tensors, by differentiable operators."""
    words = TENSORS
    scaled = g if weight is None else g * words["reshape"](weight, at)
    by_weight, by_bias = words["sum_to"](g * words["whiten"](input, mean, rstd, form), at), words["sum_to"](g, at)
    by_weight, by_bias = (words["reshape"](each, (form[1],)) for each in (by_weight, by_bias))
    return words["whiten_back"](scaled, input, mean, rstd, form), by_weight, words["tie"](by_bias, input)


ARRAYS["group_slopes"], TENSORS["group_slopes"] = slopes_of_arrays, slopes_of_tensors
BY_GROUP = {"let": {"slopes": "group_slopes(g, input, weight, mean, rstd, at, form)"}} | {
    name: f"slopes[{place}]" for place, name in enumerate(("input", "weight", "bias"))
}


def separate_slopes(words, g, input, weight, mean, rstd, at, form):
    """Return the gradients of input, weight and bias where groups share weights, each by operators."""
    scaled = g if weight is None else g * words["reshape"](weight, at)
    by_weight = words["sum_to"](g * words["whiten"](input, mean, rstd, form), at)
    return words["whiten_back"](scaled, input, mean, rstd, form), by_weight, words["tie"](words["sum_to"](g, at), input)


def together(slopes_of_many):
    """Make the function of arrays of a word for these gradients: in few passes for many numbers of one dtype."""

    def slopes(g, input, weight, mean, rstd, at, form):
        if (
            input.size < MANY
            or is_half(g.dtype)
            or any([a is not None and a.dtype is not g.dtype for a in (input, weight)])
        ):
            return separate_slopes(ARRAYS, g, input, weight, mean, rstd, at, form)
        by_input, *sums = slopes_of_many(g, input, weight, mean, rstd, form)
        return by_input.reshape(g.shape), *[each.reshape(at) for each in sums]

    return slopes


def finish_slopes(apart, scaled, sums, products, s, count):
    """Turn distances from the mean into the gradient, from the sums of the scaled slopes and of their products with them."""
    np.multiply(apart, products * (-s * s) / count, apart)
    np.add(apart, scaled, apart)
    np.subtract(apart, sums / count, apart)
    np.multiply(apart, s, apart)


def slopes_of_rows(g, input, weight, mean, rstd, form):
    """Compute the gradients where every row is a group."""
    rows, length = form[1:]
    grouped, slopes, out = input.reshape(rows, length), g.reshape(rows, length), np.empty((rows, length), g.dtype)
    count, parts = SCALARS[length, g.dtype], {}
    weights = ONES[g.dtype][length] if weight is None else weight.reshape(-1)

    def work(part):
        g, s = slopes[part], rstd[part]
        apart = np.subtract(grouped[part], mean[part, None], out[part])
        products = g * apart
        parts[part.start] = multiply(s[None], products)[0], add_along(g, 0)
        by_row = multiply(products, weights[:, None]), multiply(g, weights[:, None])
        scaled = g if weight is None else np.multiply(g, weights, products)
        finish_slopes(apart, scaled, by_row[1], by_row[0], s[:, None], count)

    map_rows(work, rows, length, CACHED)
    return out, *[add_along(np.array(each), 0) for each in zip(*[parts[start] for start in sorted(parts)], strict=True)]


def slopes_of_channels(g, input, weight, mean, rstd, form):
    """Compute the gradients where several channels are a group."""
    images, channels, groups = len(input), input.shape[1], form[1] // len(input)
    shape = form[1], channels // groups, input.size // (images * channels)
    grouped, slopes, out = input.reshape(shape), g.reshape(shape), np.empty(shape, g.dtype)
    count, sums = SCALARS[number(form), g.dtype], np.empty((2, *shape[:2]), g.dtype)
    weights = np.ones(shape[:2], g.dtype) if weight is None else np.tile(weight.reshape(groups, -1), (images, 1))

    def work(part):
        g, s, factors = slopes[part], rstd[part, None, None], weights[part]
        apart = np.subtract(grouped[part], mean[part, None, None], out[part])
        products, total = add_row_products(g, apart), add_along(g, 2)
        sums[0, part], sums[1, part] = products * s[..., 0], total
        scaled = g if weight is None else g * factors[..., None]
        by_group = [np.vecdot(each, factors)[:, None, None] for each in (total, products)]
        finish_slopes(apart, scaled, *by_group, s, count)

    map_rows(work, form[1], form[2], CACHED)
    return out, *add_along(sums.reshape(2, images, channels), 1)


MANY, CACHED = 1 << 14, 1 << 16  # elements from which these take less time, and of a block
TOGETHER = {
    "input": "slopes[0]", "weight": "reshape(slopes[1], weight.shape)", "bias": "reshape(slopes[2], bias.shape)"
}  # fmt: skip
for name, function in (("row_slopes", slopes_of_rows), ("channel_slopes", slopes_of_channels)):
    ARRAYS[name] = together(function)
    TENSORS[name] = functools.partial(separate_slopes, TENSORS)


def declare_norm(name, kernel, node, kernel_name, slopes):
    """Declare the normalisation ``name``."""
    return op(kernel, name=name, node=node, public=False, out=False, types="f", kernel_name=kernel_name,
              doc="Whitened groups, times weight, plus bias; and their means, inverse deviations and variances.",
              outs=("output", "mean", "rstd", "variance"), fused=True, **slopes)  # fmt: skip


def is_dense_rows(input):
    """Return True for a row-major input, also where it is ambiguous: for batches PyTorch asks this first."""
    return input.flags.c_contiguous


batch_norm_train = declare_norm(
    "batch_norm_train",
    keeping_format(normalise_batches, unless=is_dense_rows),
    "NativeBatchNormBackward0",
    "batch_norm",
    BY_GROUP,
)
layer_norm_of = declare_norm(
    "layer_norm_of",
    normalise_groups,
    "NativeLayerNormBackward0",
    "LayerNormKernelImpl",
    {"let": {"slopes": "row_slopes(g, input, weight, mean, rstd, at, form)"}} | TOGETHER,
)
group_norm_of = declare_norm(
    "group_norm_of",
    keeping_format(normalise_groups),
    "NativeGroupNormBackward0",
    "GroupNormKernelImpl",
    {"let": {"slopes": "channel_slopes(g, input, weight, mean, rstd, at, form)"}} | TOGETHER,
)


@op(public=False, out=False, fused=True, node="NativeBatchNormBackward0", types="f", kernel_name="batch_norm",
    let={"r": "reshape(rsqrt(variance + eps), at)"},
    input="g * r if weight is None else g * (r * reshape(weight, at))", mean=None, variance=None,
    weight="reshape(sum_to(g * ((input - reshape(mean, at)) * r), at), weight.shape)",
    bias="tie(reshape(sum_to(g, at), bias.shape), input)")  # fmt: skip
@keeping_format(unless=is_dense_rows)
@compute_in_float32
def batch_norm_by(input, mean, variance, weight=None, bias=None, at=(), eps=1e-5):
    """Batch normalisation with given, constant means and variances."""
    scale = (1 / np.sqrt(variance + variance.dtype.type(eps))).astype(input.dtype, copy=False)
    if weight is not None:
        scale = scale * widen(weight)
    shift = -mean * scale if bias is None else widen(bias) - mean * scale
    out = np.empty(input.shape, input.dtype)
    stretch(input, scale.astype(input.dtype, copy=False), shift.astype(input.dtype, copy=False), at, out)
    return out


# ── see Note [Whitening] ─────────────────────────────────────────────────────
FIXED = {"public": False, "out": False, "mean": None, "rstd": None}


@op(**FIXED, node="MulBackward0", input=f"whiten_back(g, {STATS})")
@compute_in_float32
def whiten(input, mean, rstd, form):
    """(input - mean) * rstd."""
    grouped, out = input.reshape(form), np.empty(form, input.dtype)

    def work(part):
        apart = np.subtract(grouped[:, part], mean[part, None], out[:, part])
        np.multiply(apart, rstd[part, None], apart)

    some_at_a_time(work, form)
    return out.reshape(input.shape)


@op(
    **FIXED, node="NativeNormBackwardBackward0",
    grad=f"whiten_back(g, {STATS})",
    let={"x": f"whiten({STATS})", "s": f"inverse_deviation({STATS})"},
    input=f"whiten_back(-s * (g * group_means(grad * x, form) + grad * group_means(g * x, form)), {STATS})"
    " - s * x * group_means(g * out, form)",
)  # fmt: skip
@compute_in_float32
def whiten_back(grad, input, mean, rstd, form):
    """The gradient of the whitened values."""
    grouped, slopes, out = input.reshape(form), grad.reshape(form), np.empty(form, grad.dtype)
    count = SCALARS[number(form), grad.dtype]

    def work(part):
        g, s = slopes[:, part], rstd[part]
        apart = np.subtract(grouped[:, part], mean[part, None], out[:, part])
        np.multiply(apart, (group_products(g, apart) * (-s * s) / count)[:, None], apart)
        np.add(apart, g, apart)
        np.subtract(apart, (group_sums(g) / count)[:, None], apart)
        np.multiply(apart, s[:, None], apart)

    some_at_a_time(work, form)
    return out.reshape(grad.shape)


@op(**FIXED, node="RsqrtBackward0", let={"s": f"inverse_deviation({STATS})"},
    input=f"-s * s * whiten({STATS}) * group_means(g, form)")  # fmt: skip
def inverse_deviation(input, mean, rstd, form):
    """The inverse deviation of every element's group."""
    return np.broadcast_to(rstd.astype(input.dtype, copy=False)[:, None], form).reshape(input.shape)


@op(public=False, out=False, node="MeanBackward1", input="group_means(g, form)")
@compute_in_float32
def group_means(input, form):
    """The mean of every element's group."""
    means = group_sums(input.reshape(form)) / input.dtype.type(number(form))
    return np.broadcast_to(means[:, None], form).reshape(input.shape)
