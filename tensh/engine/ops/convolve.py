"""Convolutions: three linear maps, each the derivative of the other two, so any order of differentiation closes.

In the names of the mathematics, for an input x, a weight w and an output y, all with any number of spatial dimensions:
``correlate`` is x, w -> y; ``spread`` is y, w -> x, its adjoint in x and the forward pass of a transposed convolution;
``match`` is y, x -> w, its adjoint in w.  Shapes: x [N, C, *S], w [O, C / groups, *K], y [N, O, *T].
"""

import numpy as np

from tensh.engine.table import op
from tensh.engine.vocabulary import word

GEOMETRY = "stride=stride, padding=padding, dilation=dilation, groups=groups"


@op(
    public=False,
    node="ConvolutionBackward0",
    input=f"spread(g, weight, shape=input.shape, {GEOMETRY})",
    weight=f"match(g, input, weight.shape, {GEOMETRY})",
    bias="over_channels(g)",
)
def correlate(input, weight, bias=None, *, stride, padding, dilation, groups):
    """The convolution of deep learning: a sliding window of ``weight`` over ``input``, plus ``bias`` per channel."""
    size = output_size(input.shape[2:], weight.shape[2:], stride, padding, dilation)
    columns = windows(padded(input, padding), weight.shape[2:], size, stride, dilation, groups)
    kernels = weight.reshape(groups, weight.shape[0] // groups, -1)
    result = np.matmul(kernels, columns).reshape(input.shape[0], weight.shape[0], *size)
    if bias is not None:
        result += bias.reshape(-1, *(1,) * len(size))
    return result


@op(
    public=False,
    node="ConvolutionBackward0",
    grad=f"correlate(g, weight, {GEOMETRY})",
    weight=f"match(grad, g, weight.shape, {GEOMETRY})",
    bias="over_channels(g)",
)
def spread(grad, weight, bias=None, *, shape, stride, padding, dilation, groups):
    """Every output position adds the weight, scaled, to the window it saw: the adjoint of ``correlate``."""
    spatial, kernel, size = shape[2:], weight.shape[2:], grad.shape[2:]
    batch, channels = grad.shape[0], weight.shape[1] * groups
    kernels = weight.reshape(groups, weight.shape[0] // groups, -1)
    values = grad.reshape(batch, groups, -1, int(np.prod(size)))
    columns = np.matmul(kernels.swapaxes(1, 2), values).reshape(batch, channels, *kernel, *size)
    whole = np.zeros((batch, channels, *(n + 2 * p for n, p in zip(spatial, padding))), columns.dtype)
    for place in np.ndindex(*kernel):
        whole[(..., *reach(place, size, stride, dilation))] += columns[(slice(None), slice(None), *place)]
    result = whole[(..., *(slice(p, p + n) for n, p in zip(spatial, padding)))]
    if bias is not None:
        result = result + bias.reshape(-1, *(1,) * len(spatial))
    return np.ascontiguousarray(result)


@op(
    public=False,
    node="ConvolutionBackward0",
    grad=f"correlate(input, g, {GEOMETRY})",
    input=f"spread(grad, g, shape=input.shape, {GEOMETRY})",
)
def match(grad, input, shape, *, stride, padding, dilation, groups):
    """How well every window of ``input`` matches the gradient: the adjoint of ``correlate`` in the weight."""
    size = grad.shape[2:]
    columns = windows(padded(input, padding), shape[2:], size, stride, dilation, groups)
    values = grad.reshape(grad.shape[0], groups, grad.shape[1] // groups, -1)
    return np.matmul(values, columns.swapaxes(2, 3)).sum(axis=0, dtype=grad.dtype).reshape(shape)


@op(public="function", input="constant_pad_nd(g, opposite(pad), 0)")
def constant_pad_nd(input, pad, value=0):
    """The input with ``value`` around it; ``pad`` counts (before, after) from the last dimension on.

    Negative counts cut off, which makes padding its own adjoint.

    >>> import tensh as torch
    >>> torch.constant_pad_nd(torch.ones(2), (1, 2))
    tensor([0., 1., 1., 0., 0.])
    """
    if len(pad) % 2:
        raise RuntimeError("Length of pad must be even but instead it equals " + str(len(pad)))
    if len(pad) // 2 > input.ndim:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. "
            f"Pad length is {len(pad)} while the input has {input.ndim} dimensions."
        )
    ends = [(0, 0)] * (input.ndim - len(pad) // 2) + [tuple(pad[i : i + 2]) for i in range(len(pad) - 2, -1, -2)]
    shape = [n + before + after for n, (before, after) in zip(input.shape, ends)]
    for dim, (n, new, (before, after)) in enumerate(zip(input.shape, shape, ends)):
        if new < 0:
            raise RuntimeError(
                f"The input size {n}, plus negative padding {before} and {after} resulted in a negative output size, which "
                f"is invalid. Check dimension {dim} of your input."
            )
    result = np.full(shape, value, input.dtype)
    inside = tuple(slice(max(b, 0), n - max(a, 0)) for n, (b, a) in zip(shape, ends))
    kept = tuple(slice(max(-b, 0), n - max(-a, 0)) for n, (b, a) in zip(input.shape, ends))
    result[inside] = input[kept]
    return result


@word
def opposite(pad):
    """The padding that undoes ``pad``."""
    return [-n for n in pad]


@word
def over_channels(g):
    """The gradient of the bias: the sum over everything but the channels."""
    return g.sum((0, *range(2, g.ndim)))


def output_size(spatial, kernel, stride, padding, dilation):
    """How many positions the window has in every spatial dimension."""
    return tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(spatial, kernel, stride, padding, dilation)
    )


def padded(array, padding):
    """Zeros around the spatial dimensions."""
    if not any(padding):
        return array
    return np.pad(array, ((0, 0), (0, 0), *((p, p) for p in padding)))


def reach(place, size, stride, dilation):
    """The positions of the input that one element of the kernel meets, as slices."""
    return tuple(slice(k * d, k * d + (n - 1) * s + 1, s) for k, n, s, d in zip(place, size, stride, dilation))


def windows(array, kernel, size, stride, dilation, groups):
    """All windows side by side: [N, groups, C / groups * prod(K), prod(T)], ready for one matrix product."""
    batch, channels = array.shape[:2]
    steps = array.strides
    view = np.lib.stride_tricks.as_strided(
        array,
        (batch, channels, *kernel, *size),
        (*steps[:2], *(s * d for s, d in zip(steps[2:], dilation)), *(s * t for s, t in zip(steps[2:], stride))),
        writeable=False,
    )
    rows = channels // groups * int(np.prod(kernel))
    return view.reshape(batch, groups, rows, int(np.prod(size)))
