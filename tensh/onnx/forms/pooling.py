"""Forms of pooling."""

import math

import numpy as np

import tensh as torch
from tensh.fx.node import Node
from tensh.onnx.builder import FreeSize, Value
from tensh.onnx.errors import no_form
from tensh.onnx.forms.table import END, compose, form, operator_name
from tensh.onnx.forms.windows import batch_input, each_dim, strides_of


@form("max_pool1d max_pool2d max_pool3d max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices")
def max_pool(o, node, self, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False, return_indices=False):
    name, _, indices = operator_name(node).partition("_with_")
    dims, return_indices = int(name[-2]), return_indices or bool(indices)
    if not return_indices and covers_image(node, dims):
        return o.ReduceMax(self, list(range(-dims, 0)), keepdims=1)
    spatial = count_places(o, self, dims) if return_indices else None
    self, end = batch_input(o, self, dims)
    kernel = each_dim(kernel_size, dims)
    found = (
        o.MaxPool(
            self, outputs=2 if return_indices else 1, kernel_shape=kernel, strides=strides_of(stride, kernel),
            pads=each_dim(padding, dims) * 2, dilations=each_dim(dilation, dims), ceil_mode=int(ceil_mode),
        )
    )  # fmt: skip
    if not return_indices:
        return end(found)
    values, places = found  # indices into the whole tensor
    places.dtype = torch.int64
    return end(values), end(o.Mod(places, spatial))


def covers_image(node, dims):
    """Return True if the windows of a pooling are as large as its input in all dimensions, which are sizes that stay free."""
    input, kernel = node.args[:2]
    if not isinstance(kernel, (list, tuple)) or not all(isinstance(each, Node) for each in kernel):
        return False
    sizes = [(each.args[0], each.args[1]) for each in kernel if getattr(each.target, "_opname", "") == "sym_size"]
    rank = input.meta["val"].dim()
    return sizes == [(input, rank - dims + place) for place in range(dims)]


def count_places(o, x, dims):
    """Return how many elements the last dimensions have."""
    sizes = x.shape[-dims:]
    if not any(isinstance(size, FreeSize) for size in sizes):
        return o.number(math.prod(sizes), torch.int64)
    return o.ReduceProd(o.Slice(o.Shape(x), [-dims], [END], [0]), keepdims=0)


@form("avg_pool1d avg_pool2d avg_pool3d")
def avg_pool(
    o, node, self, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    dims = int(operator_name(node)[-2])
    if covers_image(node, dims):
        return o.ReduceMean(self, list(range(-dims, 0)), keepdims=1)
    kernel = each_dim(kernel_size, dims)
    steps = strides_of(stride, kernel)
    sizes = self.shape[-dims:]
    if ceil_mode and any((n + 2 * p - k) % s for n, p, k, s in zip(sizes, each_dim(padding, dims), kernel, steps)):
        raise no_form(node, "ONNX uses another divisor for windows that reach beyond the padding")
    self, end = batch_input(o, self, dims)
    found = end(
        o.AveragePool(
            self, kernel_shape=kernel, strides=strides_of(stride, kernel),
            pads=each_dim(padding, dims) * 2, count_include_pad=int(count_include_pad or divisor_override is not None),
        )
    )  # fmt: skip
    if divisor_override is not None:
        return o.Mul(found, o.number(math.prod(kernel) / divisor_override, self.dtype))
    return found


@form("adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d")
def adaptive_avg_pool(o, node, self, output_size):
    dims = int(operator_name(node)[-2])
    sizes = each_dim(output_size, dims)
    axes = list(range(-dims, 0))
    if all(size == 1 for size in sizes):
        return o.ReduceMean(self, axes, keepdims=1)
    for axis, size, length in zip(axes, sizes, self.shape[-dims:]):
        self = pool_to(o, node, self, axis, size, length)
    return self


def adaptive_windows(length, size):
    """Return (begin, end) of ``size`` windows that cover ``length`` elements, overlapping if necessary."""
    return [(place * length // size, -(-(place + 1) * length // size)) for place in range(size)]


def pool_to(o, node, x, axis, size, length):
    """Average ``size`` windows along an axis, which may overlap, by a product with a matrix."""
    if size is None or not isinstance(length, FreeSize) and size == length:
        return x
    matrix = window_matrix(o, x.dtype, size, o.read_size(length) if isinstance(length, FreeSize) else length)
    if axis == -1:
        return o.MatMul(x, matrix)
    rank = node.args[0].meta["val"].dim()
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return o.Transpose(o.MatMul(o.Transpose(x, perm=order), matrix), perm=order)


def window_matrix(o, dtype, size, length):
    """Return the weights of ``length`` elements in ``size`` averages; computed if the length is a value."""
    if not isinstance(length, Value):
        weights = np.zeros((length, size))
        for place, (begin, end) in enumerate(adaptive_windows(length, size)):
            weights[begin:end, place] = 1 / (end - begin)
        return o.array(weights.astype(dtype.numpy), dtype)
    count, places = o.int_scalar(size), o.array(np.arange(size + 1, dtype=np.int64))
    edges = o.Mul(places, length)
    begins = o.Div(o.Slice(edges, [0], [size]), count)
    ends = o.Div(o.Add(o.Slice(edges, [1], [size + 1]), o.int_scalar(size - 1)), count)
    row = o.Unsqueeze(o.Range(o.int_scalar(0), length, o.int_scalar(1)), [1])
    inside = o.And(o.GreaterOrEqual(row, begins), o.Less(row, ends))
    return o.Div(o.cast(inside, dtype), o.cast(o.Sub(ends, begins), dtype))


@compose("adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d")
def adaptive_max_pool(self, output_size):
    sizes = [output_size] if isinstance(output_size, int) else list(output_size)
    for axis, size in zip(range(-len(sizes), 0), sizes):
        length = self.shape[axis]
        if size is None or size == length:
            continue
        self = torch.cat(
            [
                self.narrow(axis, begin, end - begin).amax(axis, keepdim=True)
                for begin, end in adaptive_windows(length, size)
            ],
            axis,
        )
    return (self,)  # ONNX could not compute the positions
