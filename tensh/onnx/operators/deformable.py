"""Convolution whose windows are deformed: each of their places is moved by an offset."""

import tensh as torch
from tensh.nn import functional as F
from tensh.onnx.operators.table import operator


@operator
def DeformConv(
    x, w, offset, b=None, mask=None, dilations=(1, 1), group=1, kernel_shape=None, offset_group=1, pads=(0, 0, 0, 0), strides=(1, 1)
):  # fmt: skip
    batch, channels, places = x.shape[0], x.shape[1], w.shape[2] * w.shape[3]
    rows, columns = offset.shape[2:]
    moves = offset.reshape(batch, offset_group, places, 2, rows, columns)
    starts = start_windows(rows, pads[0], strides[0]), start_windows(columns, pads[1], strides[1])
    y = (
        moves[:, :, :, 0]
        + starts[0][:, None]
        + spread(w.shape[2], dilations[0]).repeat_interleave(w.shape[3])[:, None, None]
    )
    across = moves[:, :, :, 1] + starts[1] + spread(w.shape[3], dilations[1]).repeat(w.shape[2])[:, None, None]
    grid = torch.stack([(2 * across + 1) / x.shape[3] - 1, (2 * y + 1) / x.shape[2] - 1], -1)
    parts = x.reshape(batch * offset_group, channels // offset_group, *x.shape[2:])
    found = F.grid_sample(parts, grid.reshape(batch * offset_group, -1, columns, 2), align_corners=False)
    found = found.reshape(batch, offset_group, -1, places, rows, columns)
    if mask is not None:
        found = found * mask.reshape(batch, offset_group, 1, places, rows, columns)
    found = found.reshape(batch, group, -1, rows * columns)
    made = (w.reshape(group, w.shape[0] // group, -1) @ found).reshape(batch, -1, rows, columns)
    return made if b is None else made + b.reshape(-1, 1, 1)


def start_windows(count, padding, stride):
    """Return where windows begin along an axis."""
    return torch.arange(count) * stride - padding


def spread(size, dilation):
    """Return the places of a window along an axis, from its beginning."""
    return torch.arange(size) * dilation
