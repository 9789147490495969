"""Padding and image resizing."""

import math

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


@operator
def Resize(
    x, roi=None, scales=None, sizes=None, mode="nearest", coordinate_transformation_mode="half_pixel",
    nearest_mode="round_prefer_floor", cubic_coeff_a=-0.75, **attributes,
):  # fmt: skip
    spatial = x.dim() - 2
    scales = None if scales is None or not scales.numel() else scales.tolist()
    sizes = [int(math.floor(n * s)) for n, s in zip(x.shape, scales)] if sizes is None else ints(sizes)
    if sizes[:2] != list(x.shape[:2]) or spatial not in (1, 2, 3):
        raise MissingOperator("tensh resizes spatial dimensions only")
    sizes = tuple(sizes[2:])
    if mode == "nearest":
        if (coordinate_transformation_mode, nearest_mode) == ("asymmetric", "floor"):
            return F.interpolate(x, sizes, mode="nearest")
        if (coordinate_transformation_mode, nearest_mode) == ("half_pixel", "round_prefer_ceil"):
            return F.interpolate(x, sizes, mode="nearest-exact")
        if all(new % old == 0 for new, old in zip(sizes, x.shape[2:])):
            return F.interpolate(x, sizes, mode="nearest")
        raise MissingOperator(f"tensh does not resize by {nearest_mode} of {coordinate_transformation_mode}")
    if coordinate_transformation_mode not in ("align_corners", "pytorch_half_pixel", "half_pixel"):
        raise MissingOperator(f"tensh does not resize with coordinates {coordinate_transformation_mode}")
    way = {"linear": {1: "linear", 2: "bilinear", 3: "trilinear"}, "cubic": {2: "bicubic"}}.get(mode, {}).get(spatial)
    if way is None:
        raise MissingOperator(f"tensh does not resize by {mode} in {spatial} dimensions")
    return F.interpolate(x, sizes, mode=way, align_corners=coordinate_transformation_mode == "align_corners")


@operator
def Upsample(x, scales=None, mode="nearest", **attributes):
    factors = scales.tolist() if isinstance(scales, torch.Tensor) else scales
    sizes = tuple(int(n * s) for n, s in zip(x.shape[2:], factors[2:]))
    return F.interpolate(x, sizes, mode="nearest" if mode == "nearest" else "bilinear")


@operator
def GridSample(x, grid, align_corners=0, mode="linear", padding_mode="zeros"):
    mode = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)
    return F.grid_sample(x, grid, mode, padding_mode, bool(align_corners))
