"""Interpolation: every mode is, dimension by dimension, a weighted sum of a few neighbours (see taps.py).

``scale`` is the distance of two results in units of the input's elements; ``corners`` aligns the outermost elements.
"""

import functools

import numpy as np

from tensh.engine.operators.layers.taps import Taps, apply_maps, declare_tap
from tensh.engine.operators.precision import F4, F8, compute_in_float32, narrow_result, widen

CUBIC, SMOOTH_CUBIC = -0.75, -0.5  # the free parameter of cubic convolution: plain, and with anti-aliasing


def scale_of(n, size, corners, factor):
    """Return the distance of two results; ``factor`` is the requested ratio, if given."""
    if corners:
        return (n - 1) / (size - 1) if size > 1 else 0.0
    return 1.0 / factor if factor else n / size


@functools.lru_cache(1024)
def nearest(n, size, factor, exact):
    """Return the neighbour to the left, or with ``exact`` the nearest one; computed in single precision, as in PyTorch."""
    scale = np.float32(scale_of(n, size, False, factor))
    place = np.floor((np.arange(size, dtype=np.float32) + np.float32(0.5 if exact else 0)) * scale)
    return Taps(n, np.minimum(place.astype(np.int64), n - 1)[None])


@functools.lru_cache(1024)
def linear(n, size, corners, factor):
    """Return two neighbours, with linear weights; in single precision they are those of positions in that precision."""
    scale = scale_of(n, size, corners, factor)
    exact, single = (place_linear(n, size, dtype.type(scale), corners) for dtype in (F8, F4))
    left = exact[0]
    if not np.array_equal(left, single[0]):  # rounding decides on which side of an element the position lies
        single = None
    places = np.stack([left, np.minimum(left + 1, n - 1)])
    return Taps(n, places, exact[1], single=None if single is None else single[1])


def place_linear(n, size, scale, corners):
    """Return the left neighbours and both weights, in the precision of the scale; products and sums are rounded at once."""
    number = np.arange(size, dtype=scale.dtype)
    at = number * scale if corners else np.maximum((number + 0.5) * F8.type(scale) - 0.5, 0).astype(scale.dtype)
    left = np.minimum(at.astype(np.int64), n - 1)
    share = np.clip(at - left.astype(scale.dtype), 0, 1)
    return left, np.stack([1 - share, share])


@functools.lru_cache(1024)
def cubic(n, size, corners, factor):
    """Return four neighbours, with weights of cubic convolution."""
    scale = scale_of(n, size, corners, factor)
    number = np.arange(size)
    at = number * scale if corners else (number + 0.5) * scale - 0.5
    left = np.floor(at)
    distance = np.abs(at - left - np.arange(-1, 3)[:, None])
    places = np.clip(left + np.arange(-1, 3)[:, None], 0, n - 1).astype(np.int64)
    return Taps(n, places, cubic_weight(distance, CUBIC))


# ── weights by distance ──────────────────────────────────────────────────────
def cubic_weight(distance, a):
    """Return the kernel of cubic convolution: 1 at 0, and 0 at other integers and beyond 2."""
    x = distance
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = (((x - 5) * x + 8) * x - 4) * a
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def linear_weight(distance):
    return np.maximum(1 - distance, 0)


def lanczos_weight(distance):
    return np.where(distance < 3, np.sinc(distance) * np.sinc(distance / 3), 0)


WINDOWS = {
    "bilinear": (1, linear_weight),
    "bicubic": (2, functools.partial(cubic_weight, a=SMOOTH_CUBIC)),
    "lanczos": (3, lanczos_weight),
}
"""Mode -> (the radius of its kernel, the kernel)."""


@functools.lru_cache(1024)
def smooth(n, size, corners, factor, mode):
    """Return neighbours weighted by a window that grows as the result shrinks, which skips no element."""
    reach, weight = WINDOWS[mode]
    scale = scale_of(n, size, corners, factor)
    stretch = max(scale, 1.0)
    centre = scale * (np.arange(size) + 0.5)
    first = np.maximum((centre - reach * stretch + 0.5).astype(np.int64), 0)
    last = np.minimum((centre + reach * stretch + 0.5).astype(np.int64), n)
    places = first + np.arange((last - first).max(initial=1))[:, None]
    within = places < last
    weights = np.where(within, weight(np.abs(places - centre + 0.5) / stretch), 0)
    return Taps(n, np.minimum(places, last - 1), weights / weights.sum(0), within)


# ── 16 bit numbers ───────────────────────────────────────────────────────────
def round_weights(taps, dtype):
    """Return the weights of 16 bit numbers in float32: the last of two is rounded first, the first is what is left."""
    rounded = taps.cast_weights(F4).astype(dtype)
    if len(rounded) == 2:
        rounded[0] = np.ones((), dtype) - rounded[1]
    return rounded.astype(F4)


def resample_halves(input, maps):
    """Interpolate 16 bit numbers by weights of 16 bits, the last dimension first; only the result is rounded again."""
    if any([taps is not None and taps.is_adjoint for taps in maps]) or not input.size:
        return share_out_halves(input, maps)
    wide = widen(input)
    for after, taps in enumerate(reversed(maps)):
        if taps is not None:
            weights = round_weights(taps, input.dtype).reshape(*taps.places.shape, *(1,) * after)
            parts = [np.take(wide, places, input.ndim - 1 - after) * w for places, w in zip(taps.places, weights)]
            wide = functools.reduce(np.add, parts)
    return narrow_result(wide, input.dtype)


def share_out_halves(gradient, maps):
    """The adjoint of either, whose sums begin with zero."""
    return compute_in_float32(apply_maps)(gradient, maps) + gradient.dtype.type(0)


def resample_half_images(input, maps):
    """Interpolate images of 16 bit numbers by products of the weights of rows and columns, each added by one rounding."""
    if any([taps is None or taps.is_adjoint for taps in maps]) or not input.size:
        return share_out_halves(input, maps)
    whole = input.shape[-3] // LANES * LANES
    parts = [
        add_corners(input[..., some, :, :], maps, order)
        for some, order in ((slice(whole), VECTORS), (slice(whole, None), REST))
    ]
    return narrow_result(np.concatenate(parts, -3), input.dtype)


LANES = 16  # channels of 16 bit numbers that PyTorch computes at once
VECTORS, REST = ((1, 0), (1, 1), (0, 1), (0, 0)), ((0, 1), (0, 0), (1, 0), (1, 1))  # orders of the four neighbours


def add_corners(images, maps, order):
    """Add the four neighbours of every place in an order of (row, column)."""
    wide, total = widen(images), None
    rows, columns = [list(zip(taps.places, taps.cast_weights(F4))) for taps in maps]
    for i, j in order:
        (row, across), (column, along) = rows[i], columns[j]
        part = np.multiply(wide[..., row[:, None], column], across[:, None] * along, dtype=F8)
        total = (part if total is None else part + total).astype(F4)
    return total


HALVES = dict.fromkeys(("linear", "trilinear", "bicubic"), resample_halves) | {"bilinear": resample_half_images}


# ── the operators, by PyTorch's names ────────────────────────────────────────
UPSAMPLE = {}  # mode, with the number of dimensions where it has several -> the operator
for dims in (1, 2, 3):
    for name, mode in (("Nearest", "nearest"), ("NearestExact", "nearest-exact")):
        called = (
            "upsample_nearest2d_channels_last" if (dims, mode) == (2, "nearest") else "compute_indices_weights_nearest"
        )
        UPSAMPLE[mode, dims] = declare_tap(
            f"upsample_{mode.replace('-', '_')}_{dims}",
            f"Upsample{name}{dims}DBackward0",
            kernel_name=called,
            types="uf",
        )
for mode, node, called in (
    ("linear", "Linear1D", "compute_indices_weights_linear"),
    ("bilinear", "Bilinear2D", "upsample_bilinear2d_channels_last"),
    ("trilinear", "Trilinear3D", "compute_indices_weights_linear"),
    ("bicubic", "Bicubic2D", "compute_indices_weights_cubic"),
    ("bilinear_smooth", "Bilinear2DAa", "compute_index_ranges_weights"),
    ("bicubic_smooth", "Bicubic2DAa", "compute_index_ranges_weights"),
    ("lanczos_smooth", "Lanczos2DAa", "compute_index_ranges_weights"),
):
    types = "uf" if "2D" in node else "f"  # images may be bytes
    UPSAMPLE[mode] = declare_tap(
        f"upsample_{mode}", f"Upsample{node}Backward0", kernel_name=called, types=types, halves=HALVES.get(mode)
    )
