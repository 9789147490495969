"""Padding and image resizing."""

import math

import numpy as np

import tensh as torch
from tensh.nn import functional as F
from tensh.onnx.operators.table import MissingOperator, ints, operator


@operator
def Pad(a, pads_input=None, value=None, axes=None, mode="constant", pads=None, **attributes):
    pads = ints(pads_input) if pads_input is not None else list(pads)
    axes = [axis % a.dim() for axis in ints(axes)] if axes is not None else list(range(a.dim()))
    number = len(axes)
    before, after = [0] * a.dim(), [0] * a.dim()
    for place, axis in enumerate(axes):
        before[axis], after[axis] = pads[place], pads[place + number]
    flat = [each for axis in reversed(range(a.dim())) for each in (before[axis], after[axis])]
    if mode == "constant":
        return F.pad(a, flat, value=0 if value is None else value.item())
    while flat and not (flat[-1] or flat[-2]):
        flat = flat[:-2]
    kind = {"edge": "replicate", "reflect": "reflect", "wrap": "circular"}[mode]
    dims = len(flat) // 2
    if not flat:
        return a
    front = a.dim() - dims
    return F.pad(a.reshape(1, -1, *a.shape[front:]), flat, mode=kind).reshape(
        *a.shape[:front], *pad_sizes(a.shape[front:], flat)
    )


def pad_sizes(sizes, flat):
    """Return the sizes of the last dimensions after padding, given in the order of ``F.pad``."""
    dims = len(sizes)
    return [size + flat[2 * (dims - 1 - place)] + flat[2 * (dims - 1 - place) + 1] for place, size in enumerate(sizes)]


OLD = 10
"""The last version of the operators in which resizing has one rule."""


@operator
def Resize(
    x, roi=None, scales=None, sizes=None, mode="nearest", coordinate_transformation_mode="half_pixel",
    nearest_mode="round_prefer_floor", cubic_coeff_a=-0.75, antialias=0, axes=None, exclude_outside=0,
    extrapolation_value=0.0, keep_aspect_ratio_policy="stretch", opset=13,
):  # fmt: skip
    if opset <= OLD:  # where scales are the second input
        roi, scales, coordinate_transformation_mode, nearest_mode = None, roi, "asymmetric", "floor"
    axes = [axis % x.dim() for axis in axes] if axes is not None else list(range(x.dim()))
    old = [x.shape[axis] for axis in axes]
    scales = None if scales is None or not scales.numel() else scales.tolist()
    if sizes is None:
        sizes = [int(math.floor(n * s)) for n, s in zip(old, scales)]
    else:
        sizes, scales = fit_sizes(ints(sizes), old, keep_aspect_ratio_policy)
    exact = all(n * s == m for n, s, m in zip(old, scales, sizes))
    plain = exact and not (antialias or exclude_outside) and cubic_coeff_a == -0.75
    if plain and len(axes) == x.dim() and sizes[:2] == old[:2]:
        found = interpolate(x, sizes[2:], mode, coordinate_transformation_mode, nearest_mode)
        if found is not None:
            return found
    rule = Rule(
        mode,
        coordinate_transformation_mode,
        nearest_mode,
        cubic_coeff_a,
        antialias,
        exclude_outside,
        extrapolation_value,
    )
    region = [0.0] * len(axes) + [1.0] * len(axes) if roi is None or not roi.numel() else roi.tolist()
    for place, (axis, size, scale) in enumerate(zip(axes, sizes, scales)):
        if size != x.shape[axis] or coordinate_transformation_mode == "tf_crop_and_resize":
            x = rule.resize(x, axis, size, scale, region[place], region[place + len(axes)])
    return x


def fit_sizes(sizes, old, policy):
    """Return the sizes and the scales, which are alike for all axes unless the policy stretches."""
    scales = [new / n for new, n in zip(sizes, old)]
    if policy != "stretch":
        scale = min(scales) if policy == "not_larger" else max(scales)
        sizes, scales = [int(math.floor(scale * n + 0.5)) for n in old], [scale] * len(old)
    return sizes, scales


def interpolate(x, sizes, mode, coordinates, nearest_mode):
    """Resize images by PyTorch's function; None if that has no such rule."""
    spatial, sizes = x.dim() - 2, tuple(sizes)
    if spatial not in (1, 2, 3):
        return None
    if mode == "nearest":
        if (coordinates, nearest_mode) == ("asymmetric", "floor"):
            return F.interpolate(x, sizes, mode="nearest")
        halves = (coordinates, nearest_mode) == ("half_pixel", "round_prefer_ceil")
        return F.interpolate(x, sizes, mode="nearest-exact") if halves else None
    way = {"linear": {1: "linear", 2: "bilinear", 3: "trilinear"}, "cubic": {2: "bicubic"}}.get(mode, {}).get(spatial)
    if way is None or coordinates not in ("align_corners", "half_pixel"):
        return None
    return F.interpolate(x, sizes, mode=way, align_corners=coordinates == "align_corners")


class Rule:
    """A rule of ONNX by which an axis is resized: each result is a sum of elements by the weights of a row."""

    def __init__(self, mode, coordinates, nearest_mode, a, antialias, exclude_outside, outside):
        if mode not in ("nearest", "linear", "cubic"):
            raise MissingOperator(f"tensh does not resize by {mode!r}")
        self.mode, self.coordinates, self.nearest_mode = mode, coordinates, nearest_mode
        self.a, self.antialias, self.exclude_outside, self.outside = a, antialias, exclude_outside, outside

    def resize(self, x, axis, size, scale, start, end):
        """Resize an axis; ``start`` and ``end`` of its region are fractions."""
        rows = torch.tensor([self.weigh(place, x.shape[axis], size, scale, start, end) for place in range(size)])
        made = torch.tensordot(x, rows.to(x.dtype), ([axis], [1])).movedim(-1, axis)
        if self.coordinates == "tf_crop_and_resize":
            places = [self.locate(place, x.shape[axis], size, scale, start, end) for place in range(size)]
            beyond = torch.tensor([not 0 <= each <= x.shape[axis] - 1 for each in places])
            shape = [-1 if place == axis else 1 for place in range(x.dim())]
            made = torch.where(beyond.reshape(shape), torch.tensor(self.outside, dtype=x.dtype), made)
        return made

    def locate(self, place, old, new, scale, start, end):
        """Return the coordinate in the old axis of a place in the new one, in single precision."""
        place, scale = np.float32(place), np.float32(scale)
        match self.coordinates:
            case "half_pixel":
                return (place + 0.5) / scale - 0.5
            case "pytorch_half_pixel":
                return (place + 0.5) / scale - 0.5 if new > 1 else 0.0
            case "half_pixel_symmetric":
                return old / 2 * (1 - new / (scale * old)) + (place + 0.5) / scale - 0.5
            case "align_corners":
                return place * (old - 1) / (new - 1) if new > 1 else 0.0
            case "tf_half_pixel_for_nn":
                return (place + 0.5) / scale
            case "asymmetric":
                return place / scale
            case "tf_crop_and_resize":
                step = (end - start) * (old - 1) / (new - 1) if new > 1 else 0.0
                return start * (old - 1) + place * step if new > 1 else (start + end) / 2 * (old - 1)
        raise MissingOperator(f"tensh does not resize with coordinates {self.coordinates!r}")

    def weigh(self, place, old, new, scale, start, end):
        """Return the weights of the old elements for a new one."""
        at = self.locate(place, old, new, scale, start, end)
        row = [0.0] * old
        if self.mode == "nearest":
            row[min(max(self.round(at), 0), old - 1)] = 1.0
            return row
        narrow = min(scale, 1.0) if self.antialias else 1.0
        reach = (1 if self.mode == "linear" else 2) / narrow
        if self.mode == "linear" and not self.antialias:
            at = min(max(at, 0), old - 1)
        for tap in range(math.ceil(at - reach), math.floor(at + reach) + 1):
            if 0 <= tap < old or not self.exclude_outside:
                row[min(max(tap, 0), old - 1)] += self.kernel((tap - at) * narrow)
        total = sum(row)
        return [each / total for each in row] if total and (self.exclude_outside or self.antialias) else row

    def round(self, at):
        match self.nearest_mode:
            case "round_prefer_floor":
                return math.ceil(at - 0.5)
            case "round_prefer_ceil":
                return math.floor(at + 0.5)
            case "floor":
                return math.floor(at)
            case "ceil":
                return math.ceil(at)
        raise MissingOperator(f"tensh does not resize by {self.nearest_mode!r}")

    def kernel(self, distance):
        """Return the weight of an element at a distance."""
        d, a = abs(distance), self.a
        if self.mode == "linear":
            return max(1 - d, 0.0)
        if d <= 1:
            return ((a + 2) * d - (a + 3)) * d * d + 1
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a if d < 2 else 0.0


@operator
def Upsample(x, scales=None, mode="nearest", **attributes):
    return Resize(x, torch.as_tensor(scales), mode=mode, opset=OLD)


@operator
def GridSample(x, grid, align_corners=0, mode="linear", padding_mode="zeros"):
    mode = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)
    return F.grid_sample(x, grid, mode, padding_mode, bool(align_corners))


@operator
def AffineGrid(theta, size, align_corners=0):
    return F.affine_grid(theta, ints(size), bool(align_corners))


@operator
def CenterCropPad(x, shape, axes=None):
    axes = [axis % x.dim() for axis in axes] if axes is not None else list(range(x.dim()))
    for axis, size in zip(axes, ints(shape)):
        more = size - x.shape[axis]
        if more > 0:
            flat = [0, 0] * (x.dim() - 1 - axis) + [more // 2, more - more // 2]
            x = F.pad(x, flat)
        else:
            x = x.narrow(axis, -more // 2, size)
    return x


@operator
def Col2Im(x, image_shape, block_shape, dilations=None, pads=None, strides=None):
    image, block = ints(image_shape), ints(block_shape)
    pads = list(pads or [0] * 4)
    if len(image) != 2 or pads[:2] != pads[2:]:
        raise MissingOperator("tensh runs Col2Im in two dimensions with even pads only")
    return F.fold(x, image, block, tuple(dilations or (1, 1)), tuple(pads[:2]), tuple(strides or (1, 1)))
