"""Forms of padding and of image resizing."""

import numpy as np

from tensh._aten.resizing import OPERATORS
from tensh.onnx.builder import Value
from tensh.onnx.errors import no_form
from tensh.onnx.forms.table import compose, form


@form("pad constant_pad_nd reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d")
def pad(o, node, self, pad, mode="constant", value=None):
    name = node.target._opname
    mode = "reflect" if name.startswith("reflection") else "replicate" if name.startswith("replication") else mode
    before, after = [0] * self.rank, [0] * self.rank
    for place in range(len(pad) // 2):
        before[-1 - place], after[-1 - place] = pad[2 * place], pad[2 * place + 1]
    mode = {"replicate": "edge", "circular": "wrap"}.get(mode, mode)
    fill = o.number(value or 0, self.dtype) if mode == "constant" else None
    return o.Pad(self, o.ints(before + after), fill, mode=mode)


@form("interpolate upsample upsample_nearest upsample_bilinear")
def interpolate(
    o,
    node,
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    name = getattr(node.target, "__name__", "")
    mode = {"upsample_nearest": "nearest", "upsample_bilinear": "bilinear"}.get(name, mode)
    align_corners = True if name == "upsample_bilinear" else align_corners
    if mode == "area":
        raise no_form(node)
    attributes = resize_attributes(mode, align_corners, antialias)
    sizes = node.meta["val"].shape[2:]
    if scale_factor is not None and not recompute_scale_factor:
        factors = [scale_factor] * len(sizes) if isinstance(scale_factor, (int, float)) else scale_factor
        return o.Resize(input, None, o.array(np.asarray([1.0, 1.0, *factors], np.float32)), **attributes)
    wanted = [size] * len(sizes) if isinstance(size, Value) else size
    is_computed = isinstance(wanted, (tuple, list)) and any(isinstance(each, Value) for each in wanted)
    front = o.Slice(o.Shape(input), [0], [2])
    return o.Resize(
        input, None, None, o.Concat(front, o.ints(list(wanted if is_computed else sizes)), axis=0), **attributes
    )


WAYS = {"nearest": ("nearest", "asymmetric", "floor"), "nearest-exact": ("nearest", "half_pixel", "round_prefer_ceil")}
"""Mode of PyTorch -> ONNX's interpolation, coordinates and rounding, where these do not depend on ``align_corners``."""


def resize_attributes(mode, align_corners, antialias):
    """Return the attributes of ONNX's Resize for an interpolation of PyTorch."""
    smooth = "cubic" if mode == "bicubic" else "linear"
    corners = "align_corners" if align_corners else "pytorch_half_pixel"
    way, coordinates, nearest = WAYS.get(mode, (smooth, corners, None))
    return {
        "mode": way,
        "coordinate_transformation_mode": coordinates,
        "nearest_mode": nearest,
        "antialias": int(antialias) or None,
        "exclude_outside": int(antialias) or None,
        "cubic_coeff_a": (-0.5 if antialias else -0.75) if way == "cubic" else None,
    }


@form(" ".join(OPERATORS))
def upsample(o, node, input, output_size, scale_factors, align_corners=False):
    mode, antialias = OPERATORS[node.target._opname]
    return interpolate(o, node, input, output_size, scale_factors, mode, align_corners, antialias=antialias)


@form("grid_sample grid_sampler grid_sampler_2d")
def grid_sample(
    o, node, input, grid, mode="bilinear", padding_mode="zeros", align_corners=None, interpolation_mode=None
):
    modes = {0: "linear", 1: "nearest", 2: "cubic", "bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}
    paddings = {0: "zeros", 1: "border", 2: "reflection"}
    mode = modes[mode if interpolation_mode is None else interpolation_mode]
    if o.opset < 20:
        mode = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)
    return o.GridSample(
        input,
        grid,
        mode=mode,
        padding_mode=paddings.get(padding_mode, padding_mode),
        align_corners=int(bool(align_corners)),
    )


@compose("pixel_shuffle")
def pixel_shuffle(self, upscale_factor):
    r, (channels, h, w), front = upscale_factor, self.shape[-3:], list(self.shape[:-3])
    k = len(front)
    parts = self.reshape(*front, channels // r**2, r, r, h, w)
    return parts.permute(*range(k), k, k + 3, k + 1, k + 4, k + 2).reshape(*front, channels // r**2, h * r, w * r)


@compose("pixel_unshuffle")
def pixel_unshuffle(self, downscale_factor):
    r, (channels, h, w), front = downscale_factor, self.shape[-3:], list(self.shape[:-3])
    k = len(front)
    parts = self.reshape(*front, channels, h // r, r, w // r, r)
    return parts.permute(*range(k), k, k + 2, k + 4, k + 1, k + 3).reshape(*front, channels * r**2, h // r, w // r)


@compose("channel_shuffle")
def channel_shuffle(self, groups):
    n, channels, *rest = self.shape
    return self.reshape(n, groups, channels // groups, *rest).transpose(1, 2).reshape(n, channels, *rest)
