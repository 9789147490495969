"""Decompositions of functions of images: pixels that move between channels and places, windows, and grids."""

import tensh as torch
from tensh._aten.calls import aten
from tensh._aten.steps.shapes import reshape
from tensh._decomp.rules import PLACE, STRIDED, convert, count, full, rule

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


def pad_circularly(self, pad):
    """Copy a tensor into the middle, then its ends into the margins, dimension by dimension, the last one first."""
    dims = [self.dim() - 1 - place for place in range(len(pad) // 2)]
    margins = dict(zip(dims, zip(pad[::2], pad[1::2])))
    if any(max(margins[dim]) > self.shape[dim] or sum(margins[dim]) + self.shape[dim] <= 0 for dim in dims):
        return NotImplemented
    shape = [size + sum(margins.get(dim, (0, 0))) for dim, size in enumerate(self.shape)]
    out = aten("empty", shape, dtype=self.dtype, **STRIDED, **PLACE, pin_memory=False)
    inner, source = out, self
    places = [(dim, max(margins[dim][0], 0), shape[dim] - max(margins[dim][1], 0)) for dim in dims]
    for dim, start, end in places:
        before, after = (max(-each, 0) for each in margins[dim])
        inner = aten("slice", inner, dim, start, end)
        source = aten("slice", source, dim, before, self.shape[dim] - after)
    out = put(out, aten("copy", inner, source), places)
    for dim, start, end in places:
        last = shape[dim]
        for target, source in (((0, start), (end - start, end)), ((end, last), (start, start + last - end))):
            if target[0] < target[1]:
                copied = aten("copy", aten("slice", out, dim, *target), aten("slice", out, dim, *source))
                out = aten("slice_scatter", out, copied, dim, *target)
    return out


def put(out, part, places):
    """Return a tensor with a part at places (dimension, start, end)."""
    (dim, start, end), *rest = places
    if rest:
        part = put(aten("slice", out, dim, start, end), part, rest)
    return aten("slice_scatter", out, part, dim, start, end)


@rule("upsample_bicubic2d.vec")
def upsample_bicubic_by(input, output_size, align_corners, scale_factors):
    factors = scale_factors or (None, None)
    if output_size is None:
        output_size = [int(size * each) for size, each in zip(input.shape[2:], factors)]
    return upsample_bicubic(input, output_size, align_corners, *factors)


@rule("upsample_bicubic2d.default")
def upsample_bicubic(self, output_size, align_corners, scales_h=None, scales_w=None):
    """Take the sixteen pixels around each place, weighted by cubic polynomials of the distances, row by row."""
    rows, columns = self.shape[2:]
    if not self.is_floating_point():
        return NotImplemented
    over = [convert(count(size), self.dtype) for size in output_size]
    factors = [scale_of(*each, align_corners) for each in zip((rows, columns), output_size, (scales_h, scales_w))]
    x, y = (
        place_of(over[1], factors[1], align_corners),
        aten("unsqueeze", place_of(over[0], factors[0], align_corners), -1),
    )
    left, top = aten("floor", x), aten("floor", y)
    below, right = (aten("clamp", aten("sub", place, whole), 0.0, 1.0) for place, whole in ((y, top), (x, left)))
    left, top = (aten("_to_copy", each, dtype=torch.int64) for each in (left, top))
    lines = [around(each) for each in (top, left)]
    across, down = weigh(right), weigh(below)
    pixels = ([take(self, row, column, rows, columns) for column in lines[1]] for row in lines[0])
    return add_weighted([add_weighted(each, across) for each in pixels], down)


def scale_of(size, wanted, given, align_corners):
    """Return the distance between the places of neighbouring results."""
    if align_corners:
        return (size - 1.0) / (wanted - 1.0) if wanted > 1 else 0.0
    return 1.0 / given if given is not None and given > 0 else size / wanted


def place_of(numbers, factor, align_corners):
    """Return the places of results in the image."""
    if align_corners:
        return aten("mul", numbers, factor)
    return aten("sub", aten("mul", aten("add", numbers, 0.5), factor), 0.5)


def around(place):
    """Return the four numbers around a place between the second and the third."""
    return aten("sub", place, 1), place, aten("add", place, 1), aten("add", place, 2)


def weigh(distance):
    """Return the weights of the pixels around a place by its distance from the second, for a cubic convolution by -0.75."""
    shape = [2, *distance.shape]
    near = aten("view", aten("cat", [distance, ops.sub.Tensor(1.0, distance)]), shape)
    far = aten("view", aten("cat", [aten("add", distance, 1.0), ops.sub.Tensor(2.0, distance)]), shape)
    outer = aten("sub", aten("mul", far, -0.75), -3.75)
    outer = aten("add", aten("mul", outer, far), -6.0)
    outer = aten("sub", aten("mul", outer, far), -3.0)
    inner = aten("sub", aten("mul", near, 1.25), 2.25)
    inner = aten("add", aten("mul", aten("mul", inner, near), near), 1)
    (first, last), (second, third) = split(outer), split(inner)
    return first, second, third, last


def split(pair):
    halves = [aten("slice", pair, 0, place, place + 1) for place in (0, 1)]
    return [aten("squeeze", each, 0) for each in halves]


def take(image, row, column, rows, columns):
    """Return pixels; those outside of an image are those at its edge."""
    places = aten("clamp", row, 0, rows - 1), aten("clamp", column, 0, columns - 1)
    return aten("index", image, [None, None, *places])


def add_weighted(values, weights):
    """Return the sum of values by their weights."""
    found = None
    for value, weight in zip(values, weights, strict=True):
        product = aten("mul", value, weight)
        found = product if found is None else aten("add", found, product)
    return found
