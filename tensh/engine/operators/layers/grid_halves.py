"""Sampling of 16 bit numbers at the points of a grid in a plane, rounded after every step, in PyTorch's order."""

import math

import numpy as np

from tensh.engine.arrays.scattering import add_at
from tensh.engine.operators.layers.resampling import CUBIC

AT_ONCE = 16  # points whose gradients PyTorch adds together: the first neighbour of all of them comes first


# ── coordinates ──────────────────────────────────────────────────────────────
def locate(at, n, padding, corners):
    """Return coordinates in elements within the input according to ``padding``, and their slopes."""
    number = at.dtype.type
    scale = number((n - 1) / 2 if corners else n / 2)
    at = (at + number(1)) * scale
    at = at if corners else at - number(0.5)
    slope = np.full(at.shape, scale)
    if padding == "reflection":
        at, turned = reflect(at, n, corners)
        slope = np.copysign(slope, turned)
    if padding != "zeros":
        inside = (at > 0) & (at < n - 1)
        at, slope = np.minimum(np.maximum(at, number(0)), number(n - 1)), np.where(inside, slope, number(0))
    return at, slope


def reflect(at, n, corners):
    """Return coordinates reflected at the ends, and the signs of their slopes."""
    number = at.dtype.type
    low, span = (0, 2 * (n - 1)) if corners else (-0.5, 2 * n)
    if not span:
        return np.zeros_like(at), np.ones_like(at)
    shifted = at - number(low)
    size = np.abs(shifted)
    rest = size - np.trunc(size / number(span)) * number(span)
    other = number(span) - rest
    turned = np.where(rest > other, number(-1), number(1)) * np.copysign(number(1), shifted)
    at = np.minimum(rest, other)
    return at if corners else at + number(low), turned


def bound(place, n):
    """Return valid indices, and which places were within the input."""
    with_number = np.where(np.isfinite(place), place, place.dtype.type(-100)).astype(np.int64)
    inside = (with_number >= 0) & (with_number < n)
    return np.where(inside, with_number, 0), inside


class Corners:
    """The four neighbours of every point [N, P], row by row: flat positions, which exist, and the distances to them."""

    def __init__(self, grid, spatial, padding, corners):
        points = grid.reshape(len(grid), -1, 2)
        (x, self.x_slope), (y, self.y_slope) = (
            locate(points[..., i], spatial[1 - i], padding, corners) for i in (0, 1)
        )
        left, top, one = np.floor(x), np.floor(y), x.dtype.type(1)
        self.west, self.north = x - left, y - top  # the distances from the neighbours there
        self.east, self.south = one - self.west, one - self.north
        rows, columns = (
            [bound(first + step, n) for step in (0 * one, one)] for first, n in ((top, spatial[0]), (left, spatial[1]))
        )
        self.places = [row * spatial[1] + column for row, _ in rows for column, _ in columns]
        self.there = [above & beside for _, above in rows for _, beside in columns]
        self.weights = [self.east * self.south, self.west * self.south, self.east * self.north, self.west * self.north]

    def values(self, rows, n):
        """Return the values [C, P] of the neighbours of sample ``n``, zero where there are none."""
        zero = rows.dtype.type(0)
        return [
            np.where(there[n], np.take(rows[n], place[n], 1), zero) for place, there in zip(self.places, self.there)
        ]


# ── samples ──────────────────────────────────────────────────────────────────
def sample(input, grid, kind, padding, corners):
    """The input [N, C, H, W] at the points [N, *T, 2]: [N, C, *T]."""
    rows = input.reshape(*input.shape[:2], math.prod(input.shape[2:]))
    spatial, number = input.shape[2:], len(input)
    if kind == "bilinear":
        around = Corners(grid, spatial, padding, corners)
        parts = [
            add_in_order([v * w[n] for v, w in zip(around.values(rows, n), around.weights)]) for n in range(number)
        ]
    elif kind == "nearest":
        place, there = find_nearest(grid, spatial, padding, corners)
        parts = [np.where(there[n], np.take(rows[n], place[n], 1), rows.dtype.type(0)) for n in range(number)]
    else:
        parts = [sample_cubic(rows[n], grid[n], spatial, padding, corners) for n in range(number)]
    return np.stack(parts).reshape(*input.shape[:2], *grid.shape[1:-1])


def add_in_order(terms):
    """Return the sum of terms, each added to those before."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def find_nearest(grid, spatial, padding, corners):
    """Return the flat position of the nearest element of every point [N, P], and where there is one."""
    points = grid.reshape(len(grid), -1, 2)
    (x, beside), (y, above) = (
        bound(np.rint(locate(points[..., i], spatial[1 - i], padding, corners)[0]), spatial[1 - i]) for i in (0, 1)
    )
    return y * spatial[1] + x, beside & above


class Lines:
    """The four lines and columns around every point of one image: weights, flat positions, and which exist."""

    def __init__(self, grid, spatial, padding, corners):
        points, across = grid.reshape(-1, 2), []
        for i, n in ((0, spatial[1]), (1, spatial[0])):
            at, slope = locate(points[:, i], n, "zeros", corners)
            left, number = np.floor(at), at.dtype.type
            places = [left + number(step) for step in (-1, 0, 1, 2)]
            if padding == "reflection":
                places = [reflect(place, n, corners)[0] for place in places]
            if padding != "zeros":
                places = [np.minimum(np.maximum(place, number(0)), number(n - 1)) for place in places]
            across.append((at - left, slope, [bound(place, n) for place in places]))
        (self.x, self.x_slope, columns), (self.y, self.y_slope, lines) = across
        self.places = [[line * spatial[1] + column for column, _ in columns] for line, _ in lines]
        self.there = [[above & beside for _, beside in columns] for _, above in lines]

    def values(self, rows):
        """Return the values [C, P] of the neighbours, zero where there are none, line by line."""
        zero = rows.dtype.type(0)
        return [
            [np.where(t, np.take(rows, place, 1), zero) for place, t in zip(*line)]
            for line in zip(self.places, self.there)
        ]


def sample_cubic(rows, grid, spatial, padding, corners):
    """The samples [C, P] of one image by cubic convolution, along rows first."""
    around = Lines(grid, spatial, padding, corners)
    across, down = weigh_cubic(around.x), weigh_cubic(around.y)
    lines = [add_in_order([value * w for value, w in zip(line, across)]) for line in around.values(rows)]
    return add_in_order([value * w for value, w in zip(lines, down)])


def weigh_cubic(t):
    """Return the weights of cubic convolution at the distances t + 1, t, 1 - t and 2 - t."""
    number = t.dtype.type

    def far(x):
        return ((number(CUBIC) * x - number(5 * CUBIC)) * x + number(8 * CUBIC)) * x - number(4 * CUBIC)

    def near(x):
        return (number(CUBIC + 2) * x - number(CUBIC + 3)) * x * x + number(1)

    return far(t + number(1)), near(t), near(number(1) - t), far(number(2) - t)


def slope_cubic(t):
    """Return the slopes of these weights by -t."""
    number = t.dtype.type

    def far(x, last):
        return (x * number(-3 * CUBIC) - number(10 * CUBIC)) * x - number(last)

    def near(x, first):
        return (number(first) * x - number(2 * (CUBIC + 3))) * x

    return (
        far(number(-1) - t, 8 * CUBIC),
        near(number(0) - t, -3 * (CUBIC + 2)),
        near(number(1) - t, 3 * (CUBIC + 2)),
        (number(3 * CUBIC) * (number(2) - t) - number(10 * CUBIC)) * (number(2) - t) + number(8 * CUBIC),
    )


# ── gradients ────────────────────────────────────────────────────────────────
def derive_bilinear(g, input, grid, padding, corners):
    """The gradients of the input and of the grid for bilinear samples."""
    around = Corners(grid, input.shape[2:], padding, corners)
    rows = input.reshape(*input.shape[:2], math.prod(input.shape[2:]))
    gradients = g.reshape(*g.shape[:2], math.prod(g.shape[2:]))
    spread = np.zeros((len(input), rows.shape[2], rows.shape[1]), input.dtype)
    slopes = np.zeros((*around.places[0].shape, 2), grid.dtype)
    for n in range(len(input)):
        shares = [weight[n] * gradients[n] for weight in around.weights]
        spread_in_order(spread[n], [p[n] for p in around.places], [t[n] for t in around.there], shares)
        first, second, third, fourth = around.values(rows, n)
        along = ((second - first) * around.south[n] + (fourth - third) * around.north[n]) * gradients[n]
        down = ((third - first) * around.east[n] + (fourth - second) * around.west[n]) * gradients[n]
        zero = along.dtype.type(0)
        slopes[n, :, 0] = add_in_order([zero, *along]) * around.x_slope[n]
        slopes[n, :, 1] = add_in_order([zero, *down]) * around.y_slope[n]
    return np.ascontiguousarray(spread.swapaxes(1, 2)).reshape(input.shape), slopes.reshape(grid.shape)


def derive_cubic(g, input, grid, padding, corners):
    """The gradients of the input and of the grid for cubic convolution."""
    rows = input.reshape(*input.shape[:2], math.prod(input.shape[2:]))
    gradients = g.reshape(*g.shape[:2], math.prod(g.shape[2:]))
    spread = np.zeros((len(input), rows.shape[2], rows.shape[1]), input.dtype)
    slopes = np.zeros((len(input), gradients.shape[2], 2), grid.dtype)
    for n in range(len(input)):
        around = Lines(grid[n], input.shape[2:], padding, corners)
        across, down, values = weigh_cubic(around.x), weigh_cubic(around.y), around.values(rows[n])
        x_slopes, y_slopes = slope_cubic(around.x), slope_cubic(around.y)
        order = [(i, j) for i in range(4) for j in range(4)]
        places, there = ([found[j][i] for i, j in order] for found in (around.places, around.there))
        spread_in_order(spread[n], places, there, [gradients[n] * across[i] * down[j] for i, j in order])
        for place, parts, slope in (
            (0, [values[j][i] * gradients[n] * x_slopes[i] * down[j] for i, j in order], around.x_slope),
            (1, [values[j][i] * gradients[n] * y_slopes[j] * across[i] for i, j in order], around.y_slope),
        ):
            total = np.zeros(gradients.shape[2], grid.dtype)
            for channel in range(len(gradients[n])):
                for part in parts:
                    total = total - part[channel]
            slopes[n, :, place] = total * slope
    return np.ascontiguousarray(spread.swapaxes(1, 2)).reshape(input.shape), slopes.reshape(grid.shape)


def derive_nearest(g, input, grid, padding, corners):
    """The gradients of the input and of the grid, which is zero, for nearest elements."""
    place, there = find_nearest(grid, input.shape[2:], padding, corners)
    gradients = g.reshape(*g.shape[:2], math.prod(g.shape[2:]))
    spread = np.zeros((len(input), math.prod(input.shape[2:]), input.shape[1]), input.dtype)
    for n in range(len(input)):
        spread_in_order(spread[n], [place[n]], [there[n]], [gradients[n]])
    return np.ascontiguousarray(spread.swapaxes(1, 2)).reshape(input.shape), np.zeros_like(grid)


def spread_in_order(out, places, there, shares):
    """Add the shares [C, P] of every neighbour to ``out`` [positions, C], some points at a time."""
    number = places[0].size
    order = np.arange(-(-number // AT_ONCE) * AT_ONCE).reshape(-1, AT_ONCE)
    order = (order[:, None] + np.arange(len(places))[:, None] * order.size).reshape(-1)  # points, neighbours
    within = (order % (len(order) // len(places))) < number
    order = order[within] - (order[within] // (len(order) // len(places))) * (len(order) // len(places) - number)
    kept = np.concatenate(there)[order]
    values = np.concatenate([share.T for share in shares])[order][kept]
    add_at(out, np.concatenate(places)[order][kept], np.ascontiguousarray(values))


DERIVE = {"bilinear": derive_bilinear, "nearest": derive_nearest, "bicubic": derive_cubic}
