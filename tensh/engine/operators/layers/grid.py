"""Sampling at the points of a grid, and the grids of affine maps.

A sample is a sum over a few neighbours of the point; its weight is a product of one factor per dimension.  ``orders``
counts the derivatives of each factor by its coordinate, so that the derivative by the grid is again a sample, of one
order more.
"""

import functools
import itertools
import math

import numpy as np

from tensh.engine.arrays.orders import move_axis
from tensh.engine.arrays.scattering import add_at
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, on_tensors, word
from tensh.engine.methods.creation.spaces import compute_linspace
from tensh.engine.operators.layers import grid_halves
from tensh.engine.operators.layers.resampling import CUBIC
from tensh.engine.operators.precision import compute_in_float32, is_half, narrow_result, widen
from tensh.engine.operators.reductions.summation import add_along
from tensh.engine.operators.special.shared import polynomial

MODES = "kind, padding, corners"
# Points of a batch from which gradients are added channel by channel, in a quarter to a half of the time
POINTS = 1 << 10
LITTLE, MOST = 1 << 12, 1 << 17  # elements of a result, and of all results, up to which all images are read at once


# ── one coordinate ───────────────────────────────────────────────────────────
def fold_coordinates(at, n, padding, corners, reflect):
    """Return (coordinates within the input according to ``padding``, their slopes)."""
    slope = 1
    if padding == "reflection":
        at, slope = reflect(at, n, corners)
    if padding != "zeros":
        inside = (at > 0) & (at < n - 1)
        at, slope = np.clip(at, 0, n - 1), slope * inside
    return at, slope


def reflect_exactly(at, n, corners):
    """Return coordinates reflected at the ends, and their slopes, by exact remainders: those of volumes."""
    low, high = (0, n - 1) if corners else (-0.5, n - 0.5)
    span = max(high - low, 1e-30) if high > low else 0
    if not span:
        return np.zeros_like(at), np.zeros_like(at)
    sign = np.where(at < low, -1, 1)
    over = np.abs(at - low)
    turns, extra = np.floor(over / span), np.fmod(over, span)
    even = turns % 2 == 0
    return np.where(even, extra + low, span - extra + low), np.where(even, sign, -sign)


def neighbours(at, n, kind, padding, corners, order, volume):
    """Return [(index, weight, inside)] of a coordinate's neighbours, with the ``order``-th derivatives of the weights.

    In a plane, far coordinates have weights, too, nan if they are infinite; a ``volume`` puts them outside first.
    """
    scale = (n - 1) / 2 if corners else n / 2
    at = (at + 1) * scale - (0 if corners else 0.5)
    reflect = reflect_exactly if volume else grid_halves.reflect
    slope = 1
    if kind != "bicubic":
        at, slope = fold_coordinates(at, n, padding, corners, reflect)
    if volume:
        at = np.where(np.abs(at) < 2.0**31, at, -100)  # nan, too
    steps = (scale * slope) ** order if order else 1
    if kind == "nearest":
        return [bound_place(np.rint(at), n, np.ones_like(at))]
    left = np.floor(at)
    weights = FACTORS[kind](at - left, order)
    first = 0 if kind == "bilinear" else -1
    found = []
    for number, weight in enumerate(weights, first):
        place = left + number
        if kind == "bicubic" and padding != "zeros":
            place = fold_coordinates(place, n, padding, corners, reflect)[0]
        found.append(bound_place(place, n, np.asarray(weight * steps, at.dtype)))
    return found


def bound_place(place, n, weight):
    """Return a valid index, the weight, and whether the place was inside."""
    index = place.astype(np.int64)
    inside = index.view(np.uint64) < n  # a negative index is a large number without its sign
    return index * inside, weight, inside


def linear_factors(t, order):
    if order > 1:
        return np.zeros_like(t), np.zeros_like(t)
    return (-np.ones_like(t), np.ones_like(t)) if order else (1 - t, t)


def cubic_factors(t, order):
    """Return the weights of cubic convolution at the distances t + 1, t, 1 - t and 2 - t."""
    far, near = cubics(order)
    back = -1 if order % 2 else 1
    return (
        polynomial(t + 1, *far),
        polynomial(t, *near),
        back * polynomial(1 - t, *near),
        back * polynomial(2 - t, *far),
    )


@functools.lru_cache(16)
def cubics(order):
    """Return derivatives of cubic convolution beyond and within a distance of 1: coefficients, the highest power first."""
    a = CUBIC
    both = np.polynomial.Polynomial([-4 * a, 8 * a, -5 * a, a]), np.polynomial.Polynomial([1, 0, -a - 3, a + 2])
    return [each.deriv(order).coef[::-1].tolist() if order else each.coef[::-1].tolist() for each in both]


FACTORS = {"bilinear": linear_factors, "bicubic": cubic_factors}


def taps(grid, spatial, orders, kind, padding, corners):
    """Yield (flat position, weight, outside) of each neighbour for all points, all [N, points].

    ``outside`` is None if the neighbours of all points exist. The nearest neighbour has no slopes, and no taps for them.
    """
    if kind == "nearest" and any(orders):
        return
    points = grid.reshape(len(grid), math.prod(grid.shape[1:-1]), len(spatial))
    # the grid has the last dimension first
    form = kind, padding, corners
    each = [neighbours(points[..., -1 - d], n, *form, orders[d], len(spatial) == 3) for d, n in enumerate(spatial)]
    for choice in itertools.product(*each):
        place, weight, inside = choice[0]
        for n, (inner, factor, within) in zip(spatial[1:], choice[1:]):
            place, weight, inside = place * n + inner, weight * factor, inside & within
        yield place, weight, None if inside.all() else ~inside


def clear(values, outside):
    """Set the values of neighbours that do not exist to zero."""
    if outside is not None:
        np.copyto(values, 0, where=outside)
    return values


# ── the operators ────────────────────────────────────────────────────────────
def grid_sample(input, grid, orders, kind, padding, corners):
    """The input [N, C, *S] at the points [N, *T, dims] of a grid: [N, C, *T]."""
    if is_half(input.dtype) and orders == (0, 0) and input.size and grid.size:
        return grid_halves.sample(input, grid, kind, padding, corners)
    return sample_neighbours(input, grid, orders, kind, padding, corners)


@compute_in_float32
def sample_neighbours(input, grid, orders, kind, padding, corners):
    """The weighted sums of the neighbours of every point."""
    rows = input.reshape(*input.shape[:2], math.prod(input.shape[2:]))
    result = np.zeros((*input.shape[:2], math.prod(grid.shape[1:-1])), input.dtype)
    found = taps(grid, input.shape[2:], orders, kind, padding, corners)
    if rows.size and 0 < result.size <= min(LITTLE * len(rows), MOST):
        starts = np.arange(math.prod(rows.shape[:2])).reshape(*rows.shape[:2], 1) * rows.shape[2]
        for place, weight, outside in found:
            values = clear(rows.take(starts + place[:, None]), None if outside is None else outside[:, None])
            values *= weight[:, None]
            result += values
        return result.reshape(*input.shape[:2], *grid.shape[1:-1])
    for place, weight, outside in found:
        for n in range(len(rows)):
            values = clear(rows[n].take(place[n], 1), None if outside is None else outside[n])
            values *= weight[n]
            result[n] += values
    return result.reshape(*input.shape[:2], *grid.shape[1:-1])


@compute_in_float32
def grid_spread(grad, grid, shape, orders, kind, padding, corners):
    """Every sample added to its neighbours, times their weights: the adjoint in the input."""
    values = grad.reshape(*grad.shape[:2], math.prod(grad.shape[2:]))
    found = taps(grid, shape[2:], orders, kind, padding, corners)
    if shape[1] <= 2 * shape[0] or values.size >= POINTS * shape[1]:
        return spread_by_channels(values, found, shape)
    result = np.zeros((shape[0], math.prod(shape[2:]), shape[1]), grad.dtype)
    for place, weight, outside in found:
        for n in range(shape[0]):
            shares = clear(values[n] * weight[n], None if outside is None else outside[n])
            add_at(result[n], place[n], np.ascontiguousarray(shares.T))
    return np.ascontiguousarray(result.swapaxes(1, 2)).reshape(shape)


def spread_by_channels(values, found, shape):
    """``grid_spread`` of ``values`` [N, C, points], a channel at a time; ``found`` has the neighbours."""
    batch, channels, size = shape[0], shape[1], math.prod(shape[2:])
    result = np.zeros((channels, batch * size), values.dtype)
    starts = np.arange(batch)[:, None] * size
    for place, weight, outside in found:
        index = (place + starts).reshape(-1)
        for channel in range(channels):
            np.add.at(result[channel], index, clear(values[:, channel] * weight, outside).reshape(-1))
    return np.ascontiguousarray(result.reshape(channels, batch, size).swapaxes(0, 1)).reshape(shape)


def derive_halves(g, input, grid, input_shape, orders, kind, padding, corners):
    """The gradients of 16 bit numbers."""
    if len(orders) == 2 and not any(orders) and g.size and input.size:
        return grid_halves.DERIVE[kind](g, input, grid, padding, corners)
    slopes = [
        (widen(g) * widen(sample_neighbours(input, grid, raise_order(orders, d), kind, padding, corners))).sum(1)
        for d in range(len(orders))
    ]
    return (
        grid_spread(g, grid, input_shape, orders, kind, padding, corners),
        narrow_result(np.stack(slopes, -1), grid.dtype),
    )


def grid_slopes(g, input, grid, orders, kind, padding, corners):
    """The gradient of the grid: for each neighbour one sum over the channels, times the slopes of its weight."""
    shape, dims = input.shape[2:], range(len(orders))
    rows, values = input.reshape(*input.shape[:2], math.prod(shape)), g.reshape(*g.shape[:2], math.prod(g.shape[2:]))
    result = np.zeros((len(dims), len(values), values.shape[2]), g.dtype)
    for each in zip(*[taps(grid, shape, raise_order(orders, d), kind, padding, corners) for d in dims], strict=True):
        place, _, outside = each[0]  # the place does not depend on the order
        for n in range(len(rows)):
            read = clear(np.take(rows[n], place[n], 1), None if outside is None else outside[n])
            total = add_along(read * values[n], 0)
            for d, (_, weight, _) in enumerate(each):
                result[d, n] += total * weight[n]
    return np.ascontiguousarray(move_axis(result, 0, -1)).reshape(grid.shape)


def record_grid_slopes(g, input, grid, orders, kind, padding, corners):
    sample, add = on_tensors(f"grid_sample{len(orders)}"), on_tensors("sum_dim")
    slopes = [
        add(g * sample(input, grid, raise_order(orders, d), kind, padding, corners), 1) for d in range(len(orders))
    ]
    return on_tensors("stack")(slopes, -1)


ARRAYS["grid_slopes"], TENSORS["grid_slopes"] = grid_slopes, record_grid_slopes
GRID_SAMPLE = {}
for dims, kernel_name in ((2, "grid_sampler_2d_cpu_kernel_impl"), (3, "grid_sampler3d_cpu")):
    GRID_SAMPLE[dims] = op(grid_sample, name=f"grid_sample{dims}", public=False, out=False, types="f", kernel_name=kernel_name,
       fused=derive_halves, node=f"GridSampler{dims}DBackward0", input=f"grid_spread{dims}(g, grid, input.shape, orders, {MODES})",
       grid=f"grid_slopes(g, input, grid, orders, {MODES})")  # fmt: skip
    op(grid_spread, name=f"grid_spread{dims}", public=False, out=False, node=f"GridSampler{dims}DBackwardBackward0",
       grad=f"grid_sample{dims}(g, grid, orders, {MODES})", grid=f"grid_slopes(grad, g, grid, orders, {MODES})")  # fmt: skip


@word
def raise_order(orders, dim):
    """Return ``orders`` with one more derivative by the grid's coordinate ``dim``, which counts from the last dimension."""
    return tuple(order + (place == len(orders) - 1 - dim) for place, order in enumerate(orders))


# ── grids ────────────────────────────────────────────────────────────────────
@functools.lru_cache(64)
def even_points(sizes, corners, dtype):
    """Return the points of a grid that covers the input evenly, with a 1 for the shift: [points, dims + 1]."""
    axes = [even_axis(n, corners, dtype) for n in sizes]
    found = np.meshgrid(*axes, indexing="ij")
    return np.stack([*(axis.reshape(-1) for axis in reversed(found)), np.ones(math.prod(sizes), dtype)], 1)


def even_axis(n, corners, dtype):
    """Return the coordinates of one dimension, rounded where PyTorch rounds them."""
    if n < 2:
        return np.zeros(n, dtype)
    ends = compute_linspace(-1, 1, n, dtype)
    return ends if corners else ends * dtype.type(n - 1) / dtype.type(n)


@op(public=False, out=False, node="AffineGridGeneratorBackward0", theta="affine_slope(g, sizes, corners)")
def affine_points(theta, sizes, corners):
    """The points of an even grid [N, *sizes, dims] after the affine maps ``theta`` [N, dims, dims + 1]."""
    if math.prod(sizes) >= 2**60:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={[len(theta), *sizes, len(sizes) + 1]}")
    points = widen(even_points(sizes, corners, theta.dtype))
    result = np.matmul(points, widen(theta).swapaxes(1, 2)).reshape(len(theta), *sizes, len(sizes))
    return narrow_result(result, theta.dtype)


@op(public=False, out=False, node="AffineGridGeneratorBackward0", grad="affine_points(g, sizes, corners)")
def affine_slope(grad, sizes, corners):
    """The adjoint of ``affine_points``."""
    points = widen(even_points(sizes, corners, grad.dtype))
    wide = widen(grad).reshape(len(grad), len(points), len(sizes))
    return narrow_result(np.matmul(wide.swapaxes(1, 2), points), grad.dtype)
