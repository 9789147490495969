"""Normalisation: elements minus their mean, divided by their standard deviation, group by group.

Batch, layer and group normalisation differ only in the definition of a group.  ``form`` is that definition: the input
reshaped to [A, B, S] has B groups of A * S elements.  ``at`` is the shape in which weight and bias are broadcast to the
input.

Note [Whitening]
With the mean m, the inverse deviation s and x = (input - m) * s, the derivative of x sends g to
s * (g - mean(g) - x * mean(g * x)): ``whiten_back``.  Its own derivatives need x, s and means as functions of the
input, so these are operators, too; the forward pass hands its own results on as ``mean`` and ``rstd``.
"""

import math

import numpy as np

from tensh.engine.arrays.halves import convert
from tensh.engine.arrays.threads import PARALLEL, even_share, map_rows
from tensh.engine.codegen.mixing import SCALARS
from tensh.engine.codegen.table import op
from tensh.engine.operators.layers.formats import keeping_format
from tensh.engine.operators.layers.groups import group_products, group_sums, number, some_at_a_time, spread
from tensh.engine.operators.layers.normalization_slopes import BY_GROUP, TOGETHER
from tensh.engine.operators.precision import compute_in_float32, is_half, narrow_result, widen

FAR = 8  # the mean, in deviations, from which its rounding shows in whitened values
STATS = "input, mean, rstd, form"


def invert_deviation(variance, eps):
    """Return the inverse deviations, in new arrays: in place, NumPy takes twice as long for a single number."""
    return np.reciprocal(np.sqrt(np.add(variance, SCALARS[float(eps), variance.dtype])))


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
    return out if grouped.dtype is input.dtype else convert(out, input.dtype), *facts


def normalise_groups(input, weight=None, bias=None, at=(), form=(), eps=1e-5):
    """``normalise_form``; of 16 bit numbers, means and deviations are kept in 16 bits, if the weight is."""
    if not is_half(input.dtype):
        return normalise_form(input, weight, bias, at, form, eps)
    out, *facts = normalise_form(input, weight, bias, at, form, eps)
    if weight is None or weight.dtype is input.dtype:
        facts[:2] = [widen(narrow_result(each, input.dtype)) for each in facts[:2]]
    return out, *facts


def normalise_batches(input, weight=None, bias=None, at=(), form=(), eps=1e-5):
    """``normalise_form``; 16 bit numbers are normalised by means and deviations of 16 bits, if the weight is.

    The sums of squared distances and the variances of bfloat16 are rounded, too.
    """
    if not is_half(input.dtype):
        return normalise_form(input, weight, bias, at, form, eps)
    out, *facts = normalise_groups(input, weight, bias, at, form, eps)
    if weight is None or weight.dtype is input.dtype:
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
    scale = None if scale is None else lay_beside(input, widen(scale), at)
    shift = None if shift is None else lay_beside(input, widen(shift), at)

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


def lay_beside(input, values, at):
    """Return the values in the shape ``at``, or in the input's if they are as many: NumPy takes a third of the time then."""
    return values.reshape(input.shape if values.size == input.size else at)


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
    scale = invert_deviation(variance, eps).astype(input.dtype, copy=False)
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
