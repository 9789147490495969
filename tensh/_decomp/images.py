"""Decompositions of functions of images: pixels that move between channels and places, windows, and grids."""

import tensh as torch
from tensh._aten.calls import aten
from tensh._aten.steps import reshape
from tensh._decomp.rules import PLACE, full, rule

ops = torch.ops.aten


@rule("pixel_shuffle")
def pixel_shuffle(self, upscale_factor):
    r, (*batch, c, h, w) = upscale_factor, self.shape
    n = len(batch)
    parts = aten("view", self, [*batch, c // (r * r), r, r, h, w])
    wide = aten("permute", parts, [*range(n), n, n + 3, n + 1, n + 4, n + 2])
    whole = reshape(wide, [*batch, c // (r * r), h * r, w * r])
    return aten("clone", whole, memory_format=torch.contiguous_format)


@rule("pixel_unshuffle")
def pixel_unshuffle(self, downscale_factor):
    r, (*batch, c, h, w) = downscale_factor, self.shape
    n = len(batch)
    parts = aten("view", self, [*batch, c, h // r, r, w // r, r])
    wide = aten("permute", parts, [*range(n), n, n + 2, n + 4, n + 1, n + 3])
    whole = reshape(wide, [*batch, c * r * r, h // r, w // r])
    return aten("clone", whole, memory_format=torch.contiguous_format)


@rule("channel_shuffle")
def channel_shuffle(self, groups):
    batch, channels, *sizes = self.shape
    parts = aten("view", self, [batch, groups, channels // groups, *sizes])
    whole = reshape(aten("permute", parts, [0, 2, 1, *range(3, parts.dim())]), list(self.shape))
    return whole if whole.is_contiguous() else aten("clone", whole, memory_format=torch.contiguous_format)


@rule("im2col")
def im2col(self, kernel_size, dilation, padding, stride):
    if self.dim() != 4:
        return NotImplemented
    batch, channels, *sizes = self.shape
    rows, columns = (
        places_of_windows(*each) for each in zip(sizes, *map(list, (kernel_size, dilation, padding, stride)))
    )
    (high, wide), (top, left) = kernel_size, padding
    padded = aten("constant_pad_nd", self, [left, left, top, top], 0.0)
    rows = aten("unsqueeze", aten("unsqueeze", rows, -1), -1)
    windows = aten("index", padded, [None, None, rows, columns])
    count = windows.shape[3] * windows.shape[5]
    return reshape(aten("permute", windows, [0, 1, 2, 4, 3, 5]), [batch, channels * high * wide, count])


def places_of_windows(size, kernel, dilation, padding, stride):
    """Return the place of each element of each window along a dimension: [kernel, windows]."""
    options = {"dtype": torch.int64, **PLACE, "pin_memory": False}
    end = size + 2 * padding - dilation * (kernel - 1)
    starts = aten("unsqueeze", aten("arange", 0, end, stride, **options), 0)
    offsets = aten("unsqueeze", aten("arange", 0, kernel * dilation, dilation, **options), -1)
    return aten("add", starts, offsets)


@rule("grid_sampler")
def grid_sampler(self, grid, interpolation_mode, padding_mode, align_corners):
    kind = "grid_sampler_2d" if self.dim() == 4 else "grid_sampler_3d"
    return aten(kind, self, grid, interpolation_mode, padding_mode, align_corners)


@rule("affine_grid_generator")
def affine_grid_generator(theta, size, align_corners):
    if len(size) != 4:
        return NotImplemented
    batch, _, high, wide = size
    across = aten("view", coordinates(wide, theta.dtype, align_corners), [1, wide, 1])
    down = aten("view", coordinates(high, theta.dtype, align_corners), [high, 1, 1])
    ones = full([1, 1, 1], 1, theta.dtype)
    parts = [
        aten("constant_pad_nd", each, pad, 0.0) for each, pad in ((across, [0, 2]), (down, [1, 1]), (ones, [2, 0]))
    ]
    points = aten("view", aten("add", aten("add", parts[0], parts[1]), parts[2]), [-1, 3, 1])
    moved = aten("mul", points, aten("unsqueeze", aten("permute", theta, [0, 2, 1]), 1))
    return aten("view", ops.sum.dim_IntList(moved, [-2]), [batch, high, wide, 2])


def coordinates(size, dtype, align_corners):
    """Return the places of pixels between -1 and 1."""
    end = 1.0 if align_corners else (size - 1) / size
    return aten("linspace", -end, end, size, dtype=dtype, **PLACE, pin_memory=False)
