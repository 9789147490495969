"""Channels and pixels rearranged, and windows as columns: linear maps, each with its adjoint."""

import math

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.codegen.table import op
from tensh.engine.dtypes.device import channels_last, channels_last_3d
from tensh.engine.operators.layers.windows import add_all_windows, pad_sides, windows


# ── classes ──────────────────────────────────────────────────────────────────
@op(public=False, out=False, input=None)
def one_hot_of(input, num_classes):
    """A vector for every class: 1 at its index, 0 elsewhere."""
    out = np.zeros((*input.shape, num_classes), np.int64)
    out.reshape(-1)[np.arange(0, out.size, num_classes) + input.reshape(-1)] = 1
    return out


# ── channels and pixels ──────────────────────────────────────────────────────
FORMATS = {4: channels_last, 5: channels_last_3d}


def copy_to_shape(parts, shape, like):
    """A copy in another shape; its channels are innermost if those of ``like`` are."""
    out = np.empty(shape, parts.dtype)
    out.reshape(parts.shape)[...] = parts
    return (
        memory.copy_in_order(out, memory.order_in(out, FORMATS[out.ndim])) if memory.channels_innermost(like) else out
    )


@op(public=False, out=False, input="pixel_unshuffle(g, upscale_factor)")
def pixel_shuffle(input, upscale_factor):
    """[..., C r², H, W] as [..., C, H r, W r]."""
    r = upscale_factor
    *lead, channels, height, width = input.shape
    parts = input.reshape(*lead, channels // (r * r), r, r, height, width)
    n = len(lead)
    order = (*range(n + 1), n + 3, n + 1, n + 4, n + 2)
    return copy_to_shape(parts.transpose(order), (*lead, channels // (r * r), height * r, width * r), input)


@op(public=False, out=False, input="pixel_shuffle(g, downscale_factor)")
def pixel_unshuffle(input, downscale_factor):
    """[..., C, H r, W r] as [..., C r², H, W]."""
    r = downscale_factor
    *lead, channels, height, width = input.shape
    parts = input.reshape(*lead, channels, height // r, r, width // r, r)
    n = len(lead)
    order = (*range(n + 1), n + 2, n + 4, n + 1, n + 3)
    return copy_to_shape(parts.transpose(order), (*lead, channels * r * r, height // r, width // r), input)


@op(public=False, out=False, input="channel_shuffle(g, input.shape[1] // groups)")
def channel_shuffle(input, groups):
    """The channels, the first of every group first."""
    batch, channels, *sizes = input.shape
    parts = input.reshape(batch, groups, channels // groups, *sizes)
    return copy_to_shape(parts.swapaxes(1, 2), input.shape, input)


# ── windows as columns ───────────────────────────────────────────────────────
GEOMETRY = "kernel, dilation, padding, stride"


@op(
    public=False, out=False, node="Im2ColBackward0", types="bfc", kernel_name="im2col_out_cpu",
    input=f"col2im(g, input.shape[-2:], {GEOMETRY}, size)",
)  # fmt: skip
def im2col(input, kernel, dilation, padding, stride, size):
    """All windows of pictures [*, C, H, W], side by side: [*, C * prod(kernel), windows]."""
    *batch, channels = input.shape[:-2]
    pictures = input.reshape(math.prod(batch), *input.shape[-3:])
    columns = windows(pad_sides(pictures, padding), kernel, size, stride, dilation)
    return columns.reshape(*batch, channels * math.prod(kernel), math.prod(size))


@op(
    public=False, out=False, node="Col2ImBackward0", types="bfc", kernel_name="col2im_out_cpu",
    input=f"im2col(g, {GEOMETRY}, size)",
)  # fmt: skip
def col2im(input, output_size, kernel, dilation, padding, stride, size):
    """The sum of all windows, each at its position."""
    *batch, rows = input.shape[:-1]
    columns = input.reshape(math.prod(batch), rows // math.prod(kernel), *kernel, *size)
    pictures = add_all_windows(columns, output_size, stride, padding, dilation)
    return pictures.reshape(*batch, *pictures.shape[1:])
