"""Operators that change shapes, join tensors, or create them."""

import math

import tensh as torch
from tensh.nn import functional as F
from tensh.onnx.operators.table import MissingOperator, axes_of, dtype_of, ints, operator


@operator
def Shape(a, start=0, end=None):
    return torch.tensor(list(a.shape)[start:end], dtype=torch.int64)


@operator
def Reshape(a, shape=None, allowzero=0, **attributes):
    sizes = ints(shape)
    return a.reshape([a.shape[place] if size == 0 and not allowzero else size for place, size in enumerate(sizes)])


@operator
def Flatten(a, axis=1):
    axis = axis + a.dim() if axis < 0 else axis
    return a.reshape(math.prod(a.shape[:axis]), -1)


@operator
def Squeeze(a, axes_input=None, axes=None):
    axes = axes_of(axes_input, axes)
    return a.squeeze() if axes is None else a.squeeze(tuple(axes))


@operator
def Unsqueeze(a, axes_input=None, axes=None):
    axes = axes_of(axes_input, axes)
    rank = a.dim() + len(axes)
    for axis in sorted(axis % rank for axis in axes):
        a = a.unsqueeze(axis)
    return a


@operator
def Transpose(a, perm=None):
    return a.permute(perm if perm is not None else list(range(a.dim()))[::-1])


@operator
def Expand(a, shape):
    return a.expand(torch.broadcast_shapes(a.shape, ints(shape)))


@operator
def Tile(a, repeats):
    return a.repeat(ints(repeats)) if a.dim() else a


@operator
def Concat(*inputs, axis=0):
    return torch.cat(inputs, axis)


@operator
def Split(a, sizes=None, axis=0, num_outputs=None, split=None, outputs=1):
    sizes = ints(sizes) if sizes is not None else split
    if sizes is None:
        size = -(-a.shape[axis] // (num_outputs or outputs))
        return tuple(a.split(size, axis))
    return tuple(a.split(list(sizes), axis))


@operator
def Range(start, limit, delta):
    return torch.arange(start.item(), limit.item(), delta.item(), dtype=start.dtype)


@operator
def ConstantOfShape(shape, value=None):
    value = torch.zeros(1) if value is None else value
    return torch.full(ints(shape), value.item(), dtype=value.dtype)


@operator
def Constant(value=None, value_float=None, value_int=None, value_floats=None, value_ints=None):
    for given, dtype in (
        (value_float, torch.float32),
        (value_int, torch.int64),
        (value_floats, torch.float32),
        (value_ints, torch.int64),
    ):
        if given is not None:
            return torch.tensor(given, dtype=dtype)
    if value is None:
        raise MissingOperator("tensh supports numeric constants only")
    return value


@operator
def EyeLike(a, dtype=None, k=0):
    made = torch.zeros(a.shape[0], a.shape[1] + abs(k) * 2, dtype=a.dtype if dtype is None else dtype_of(dtype))
    rows = torch.arange(a.shape[0])
    columns = rows + k
    kept = (columns >= 0) & (columns < a.shape[1])
    made[rows[kept], columns[kept]] = 1
    return made[:, : a.shape[1]]


@operator
def DepthToSpace(a, blocksize, mode="DCR"):
    n, c, h, w = a.shape
    if mode == "CRD":
        return F.pixel_shuffle(a, blocksize)
    parts = a.reshape(n, blocksize, blocksize, c // blocksize**2, h, w).permute(0, 3, 4, 1, 5, 2)
    return parts.reshape(n, c // blocksize**2, h * blocksize, w * blocksize)


@operator
def SpaceToDepth(a, blocksize):
    n, c, h, w = a.shape
    parts = a.reshape(n, c, h // blocksize, blocksize, w // blocksize, blocksize).permute(0, 3, 5, 1, 2, 4)
    return parts.reshape(n, c * blocksize**2, h // blocksize, w // blocksize)
