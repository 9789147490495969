"""Operators that select parts of tensors, or write into them."""

import tensh as torch
from tensh.onnx.operators.table import ints, operator


@operator
def Slice(a, starts=None, ends=None, axes=None, steps=None, **attributes):
    starts, ends = ints(starts), ints(ends)
    axes = ints(axes) if axes is not None else range(len(starts))
    steps = ints(steps) if steps is not None else [1] * len(starts)
    for start, end, axis, step in zip(starts, ends, axes, steps):
        size = a.shape[axis]
        if step > 0:
            a = a[(slice(None),) * (axis % a.dim()) + (slice(start, min(end, size), step),)]
        else:
            places = list(range(size))[
                slice(min(start, size - 1) if start >= 0 else start, None if end < -size else end, step)
            ]
            a = torch.index_select(a, axis, torch.tensor(places, dtype=torch.int64))
    return a


@operator
def Gather(a, indices, axis=0):
    axis %= a.dim()
    indices = torch.where(indices < 0, indices + a.shape[axis], indices)
    found = torch.index_select(a, axis, indices.reshape(-1).to(torch.int64))
    return found.reshape([*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :]])


@operator
def GatherElements(a, indices, axis=0):
    return torch.gather(a, axis, torch.where(indices < 0, indices + a.shape[axis], indices))


@operator
def GatherND(a, indices, batch_dims=0):
    if batch_dims:
        return torch.stack([GatherND(each, index, batch_dims - 1) for each, index in zip(a, indices)])
    return a[tuple(indices[..., place] for place in range(indices.shape[-1]))]


@operator
def ScatterElements(a, indices, updates, axis=0, reduction="none"):
    indices = torch.where(indices < 0, indices + a.shape[axis], indices)
    if reduction == "none":
        return a.scatter(axis, indices, updates)
    kinds = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}
    return a.scatter_reduce(axis, indices, updates, kinds[reduction])


@operator
def Scatter(a, indices, updates, axis=0):
    return ScatterElements(a, indices, updates, axis)


@operator
def ScatterND(a, indices, updates, reduction="none"):
    places = tuple(indices[..., place] for place in range(indices.shape[-1]))
    if reduction not in ("none", "add"):
        kinds = {"mul": "prod", "max": "amax", "min": "amin"}
        rows = torch.arange(a.numel()).reshape(a.shape)[places].reshape(-1)
        return a.reshape(-1).scatter_reduce(0, rows, updates.reshape(-1), kinds[reduction]).reshape(a.shape)
    return a.index_put(places, updates, accumulate=reduction == "add")


@operator
def NonZero(a):
    return torch.nonzero(a).t()


@operator
def Compress(a, condition, axis=None):
    a, axis = (a.reshape(-1), 0) if axis is None else (a, axis)
    return torch.index_select(a, axis, torch.nonzero(condition).reshape(-1))


@operator
def OneHot(indices, depth, values, axis=-1):
    depth = int(depth)
    places = torch.where(indices < 0, indices + depth, indices)
    found = torch.where(places.unsqueeze(-1) == torch.arange(depth), values[1], values[0])
    return found.movedim(-1, axis)


@operator
def ReverseSequence(a, lengths, batch_axis=1, time_axis=0):
    steps = torch.arange(a.shape[time_axis]).unsqueeze(1)
    places = torch.where(steps < lengths, lengths - 1 - steps, steps)  # [time, batch]
    places = places if time_axis == 0 else places.t()
    return a.gather(time_axis, places.reshape(*places.shape, *[1] * (a.dim() - 2)).expand(a.shape))


@operator
def Unique(a, axis=None, sorted=1, outputs=1):
    values, inverse, counts = torch.unique(a.detach(), True, True, True, dim=axis)
    inverse, dim = inverse.reshape(-1), 0 if axis is None else axis
    steps = torch.arange(len(inverse))
    first = torch.full((len(counts),), len(inverse)).scatter_reduce(0, inverse, steps, "amin")
    if not sorted:
        order = first.argsort()
        values, first, counts = values.index_select(dim, order), first[order], counts[order]
        inverse = order.argsort()[inverse]
    return values if outputs == 1 else (values, first, inverse, counts)[:outputs]
