"""Regions of images."""

import math

import tensh as torch
from tensh.onnx.operators.table import MissingOperator, operator


def corners(boxes, center_point_box):
    """Return boxes [N, 4] as lower and upper corners."""
    if center_point_box:
        middle, half = boxes[:, :2], boxes[:, 2:].abs() / 2
        return middle - half, middle + half
    return torch.minimum(boxes[:, :2], boxes[:, 2:]), torch.maximum(boxes[:, :2], boxes[:, 2:])


def suppress(low, high, scores, most, overlap, least):
    """Return the places of boxes with the best scores, of which none overlaps another by more than ``overlap``."""
    order = torch.argsort(scores, descending=True, stable=True).tolist()
    areas, kept = (high - low).prod(1), []
    for place in order:
        if len(kept) == most or least is not None and not scores[place] > least:
            break
        others = torch.tensor(kept, dtype=torch.int64)
        common = (
            (torch.minimum(high[others], high[place]) - torch.maximum(low[others], low[place])).clamp_min(0).prod(1)
        )
        if not bool((common / (areas[others] + areas[place] - common) > overlap).any()):
            kept.append(place)
    return kept


@operator
def NonMaxSuppression(boxes, scores, most=None, overlap=None, least=None, center_point_box=0):
    boxes, scores = boxes.detach(), scores.detach()
    most = 0 if most is None else int(most)
    overlap, least = 0.0 if overlap is None else float(overlap), None if least is None else float(least)
    rows = []
    for image in range(scores.shape[0]):
        low, high = corners(boxes[image], center_point_box)
        for kind in range(scores.shape[1]):
            found = suppress(low, high, scores[image, kind], most, overlap, least) if most else []
            rows += [[image, kind, place] for place in found]
    return torch.tensor(rows, dtype=torch.int64).reshape(-1, 3)


def sample(image, y, x):
    """Return an image [C, H, W] at points [K], 0 beyond one pixel from its edge."""
    height, width = image.shape[1:]
    inside = (y >= -1) & (y <= height) & (x >= -1) & (x <= width)
    y, x = y.clamp(0, height - 1), x.clamp(0, width - 1)
    top, left = y.floor().long(), x.floor().long()
    bottom, right = (top + 1).clamp_max(height - 1), (left + 1).clamp_max(width - 1)
    down, across = y - top, x - left
    parts = (
        image[:, top, left] * (1 - down) * (1 - across), image[:, top, right] * (1 - down) * across,
        image[:, bottom, left] * down * (1 - across), image[:, bottom, right] * down * across,
    )  # fmt: skip
    return torch.stack([torch.where(inside, each, torch.zeros_like(each)) for each in parts])


@operator
def RoiAlign(
    x, rois, batch_indices, coordinate_transformation_mode=None, mode="avg", output_height=1, output_width=1,
    sampling_ratio=0, spatial_scale=1.0, opset=16,
):  # fmt: skip
    if mode not in ("avg", "max"):
        raise MissingOperator(f"tensh does not run RoiAlign with mode {mode!r}")
    way = coordinate_transformation_mode or ("half_pixel" if opset >= 16 else "output_half_pixel")
    offset, least = (0.5, 0.0) if way == "half_pixel" else (0.0, 1.0)
    made = []
    for roi, number in zip(rois.detach().tolist(), batch_indices.tolist()):
        left, top, right, bottom = (each * spatial_scale - offset for each in roi)
        axes = []
        for start, end, count in ((top, bottom, output_height), (left, right, output_width)):
            size = max(end - start, least) / count
            points = sampling_ratio or max(math.ceil((end - start) / count), 1)
            steps = (torch.arange(points) + 0.5) / points
            axes.append((start + (torch.arange(count).unsqueeze(1) + steps) * size).to(x.dtype))
        ys, xs = axes
        grid = (ys.reshape(-1, 1).expand(-1, xs.numel()), xs.reshape(1, -1).expand(ys.numel(), -1))
        parts = sample(x[number], *(each.reshape(-1) for each in grid))
        shape = (4, x.shape[1], output_height, ys.shape[1], output_width, xs.shape[1])
        parts = parts.reshape(shape)
        made.append(parts.sum(0).mean((2, 4)) if mode == "avg" else parts.amax((0, 3, 5)))
    return torch.stack(made) if made else x.new_zeros(0, x.shape[1], output_height, output_width)


def count_half_up(value):
    """Return the nearest integer of a number that is not negative, as C++ rounds it."""
    return math.floor(value + 0.5)


def cut_region(low, high, count, most):
    """Return the (first, end) of the parts into which a region of an axis is divided; they may overlap."""
    size = max(high - low + 1, 1)
    edges = [(low + part * size // count, low - (-(part + 1) * size // count)) for part in range(count)]
    return [(min(max(first, 0), most), min(max(end, 0), most)) for first, end in edges]


@operator
def MaxRoiPool(x, regions, pooled_shape, spatial_scale=1.0):
    made = []
    for image, *corner in regions.tolist():
        left, top, right, bottom = (count_half_up(each * spatial_scale) for each in corner)
        rows = cut_region(top, bottom, pooled_shape[0], x.shape[2])
        columns = cut_region(left, right, pooled_shape[1], x.shape[3])
        parts = [x[int(image), :, a:b, c:d].flatten(1) for a, b in rows for c, d in columns]
        most = [part.amax(1) if part.shape[1] else part.new_zeros(part.shape[0]) for part in parts]
        made.append(torch.stack(most, 1).reshape(-1, *pooled_shape))
    return torch.stack(made)
