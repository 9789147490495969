"""Gradients of normalisations of many numbers, input, weight and bias together: sums of a group are used twice.

``form`` and ``at`` are explained in normalization.py, the formula in Note [Whitening] there.
"""

import functools

import numpy as np

from tensh.engine.arrays.threads import map_rows
from tensh.engine.codegen.mixing import SCALARS
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS
from tensh.engine.operators.layers.groups import group_products, group_sums, number, some_at_a_time
from tensh.engine.operators.linalg.products import multiply
from tensh.engine.operators.precision import ONES, is_half
from tensh.engine.operators.reductions.product_sums import add_row_products
from tensh.engine.operators.reductions.summation import add_along


def slopes_of_arrays(g, input, weight, mean, rstd, at, form):
    """Return the gradients of input, weight and bias if every group has a single weight."""
    if any([a is not None and a.dtype is not input.dtype for a in (g, weight)]) or is_half(input.dtype):
        sums = [ARRAYS["sum_to"](each, at).reshape(-1) for each in (g * ARRAYS["whiten"](input, mean, rstd, form), g)]
        g = g if weight is None else g * weight.reshape(at)
        return ARRAYS["whiten_back"](g, input, mean, rstd, form), *sums
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


def use_for_many(slopes_of_many):
    """Return a function of arrays that uses ``slopes_of_many`` for many numbers of one dtype, and operators for others."""

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
    """Turn ``apart``, the distances from the mean, into the gradient of the input.

    ``scaled`` are the slopes times the weights, ``sums`` their sums, and ``products`` those of scaled slopes times distances.
    """
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
    ARRAYS[name] = use_for_many(function)
    TENSORS[name] = functools.partial(separate_slopes, TENSORS)
