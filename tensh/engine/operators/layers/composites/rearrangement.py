"""Pixels and channels rearranged, windows as columns and back, one-hot vectors."""

from tensh.engine.arguments.checks import integer
from tensh.engine.core import lift
from tensh.engine.dispatch.override.points import watch_check
from tensh.engine.dtypes.dtype import int64
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.forms import require
from tensh.engine.operators.indexing.gather import extent
from tensh.engine.operators.layers.composites.registry import layer
from tensh.engine.operators.layers.composites.windows import integers
from tensh.engine.operators.layers.rearrangement import channel_shuffle as channel_shuffle_op
from tensh.engine.operators.layers.rearrangement import col2im, im2col, one_hot_of
from tensh.engine.operators.layers.rearrangement import pixel_shuffle as pixel_shuffle_op
from tensh.engine.operators.layers.rearrangement import pixel_unshuffle as pixel_unshuffle_op


# ── classes ──────────────────────────────────────────────────────────────────
@layer
def one_hot(input, num_classes=-1):
    """A vector for every class: 1 at its index, 0 elsewhere.  ``num_classes`` is by default the largest class plus 1.

    Shape: [*] to [*, num_classes]. Raise RuntimeError for classes out of range.

    >>> import tensh as torch
    >>> torch.nn.functional.one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    array = require(input, "one_hot", "input", 1).array
    num_classes = integer(num_classes, "one_hot", "num_classes", 2)
    if input.dtype is not int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not array.size and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if num_classes == -1:
        num_classes = input.max().item() + 1 if array.size else 0
    check_classes(input, num_classes)
    return one_hot_of.fn(input, num_classes)


@watch_check
def check_classes(input, num_classes):
    """Raise RuntimeError for a class that is negative or too large."""
    elements = lift.all_samples(input)
    if elements.size:
        lowest, highest = extent(elements)
        if lowest < 0:
            raise RuntimeError("Class values must be non-negative.")
        if highest >= num_classes:
            raise RuntimeError("Class values must be smaller than num_classes.")


# ── pixels and channels ──────────────────────────────────────────────────────
def factor(name, parameter, input, value):
    """Check and return (the input's shape, a positive factor)."""
    shape = require(input, name, "input", 1).array.shape
    value = integer(value, name, parameter, 2)
    if len(shape) < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {len(shape)} dimension(s)"
        )
    if value <= 0:
        raise RuntimeError(f"{name} expects a positive {parameter}, but got {value}")
    return shape, value


@layer(torch=True)
def pixel_shuffle(input, upscale_factor):
    """[..., C r², H, W] as [..., C, H r, W r], for an ``upscale_factor`` r.  Differentiable.

    Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.pixel_shuffle(torch.tensor([1, 2, 3, 4]).reshape(4, 1, 1), 2)
    tensor([[[1, 2],
             [3, 4]]])
    """
    shape, r = factor("pixel_shuffle", "upscale_factor", input, upscale_factor)
    if r * r >= 2**63:
        raise ValueError(f"upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor={r}")
    if shape[-3] % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
            f"input.size(-3)={shape[-3]} is not divisible by {r * r}"
        )
    return pixel_shuffle_op.fn(input, r)


@layer(torch=True)
def pixel_unshuffle(input, downscale_factor):
    """[..., C, H r, W r] as [..., C r², H, W], for a ``downscale_factor`` r.  Differentiable.

    Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.pixel_unshuffle(torch.tensor([[[1, 2], [3, 4]]]), 2).flatten()
    tensor([1, 2, 3, 4])
    """
    shape, r = factor("pixel_unshuffle", "downscale_factor", input, downscale_factor)
    for name, dim in (("height", -2), ("width", -1)):
        if shape[dim] % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({dim})={shape[dim]} is not "
                f"divisible by {r}"
            )
    return pixel_unshuffle_op.fn(input, r)


@layer(torch=True)
def channel_shuffle(input, groups):
    """The channels of [N, C, ...] reordered: the first of each of ``groups`` groups, then the second of each, and so on.

    Differentiable.

    Raise RuntimeError if groups do not divide C.

    >>> import tensh as torch
    >>> torch.channel_shuffle(torch.tensor([1, 2, 3, 4]).reshape(1, 4, 1, 1), 2).flatten()
    tensor([1, 3, 2, 4])
    """
    shape = require(input, "channel_shuffle", "input", 1).array.shape
    groups = integer(groups, "channel_shuffle", "groups", 2)
    if len(shape) <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(shape)}")
    channels = shape[1]
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if channels % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )
    return channel_shuffle_op.fn(input, groups)


@layer(torch=True)
def native_channel_shuffle(input, groups):
    """``channel_shuffle`` under its other name.  Differentiable.  Shape: [N, C, *].

    Raise RuntimeError if groups do not divide C.
    """
    return channel_shuffle(input, groups)


# ── windows as columns ───────────────────────────────────────────────────────
def pair(value, name, parameter, position, repeats=True):
    is_lone = repeats and not isinstance(value, (tuple, list))
    values = integers((value, value) if is_lone else value, name, parameter, position)
    if len(values) != 2:
        raise RuntimeError(f"It is expected {parameter} equals to 2, but got size {len(values)}")
    return values


def geometry(name, kernel_size, dilation, padding, stride, first):
    """Check and return the four pairs."""
    given = {"kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride}
    pairs = {key: pair(value, name, key, first + n) for n, (key, value) in enumerate(given.items())}
    for key, called in (("kernel_size", "kernel"), ("stride", "stride"), ("dilation", "dilation")):
        if min(pairs[key]) <= 0:
            height, width = pairs[key]
            what = "kernel size" if key == "kernel_size" else key
            raise RuntimeError(
                f"{what} should be greater than zero, but got {called}_height: {height} {called}_width: {width}"
            )
    if min(pairs["padding"]) < 0:
        height, width = pairs["padding"]
        raise RuntimeError(f"padding should be non-negative, but got pad_height: {height} pad_width: {width}")
    return tuple(pairs.values())


def blocks(spatial, kernel, dilation, padding, stride):
    """Return the number of windows in every dimension."""
    return tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in zip(spatial, kernel, dilation, padding, stride)
    )


@layer
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """All windows of [N, C, H, W], side by side: [N, C * prod(kernel_size), windows].  Differentiable.

    Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.nn.functional.unfold(torch.tensor([[[[1.0, 2.0, 3.0]]]]), (1, 2))
    tensor([[[1., 2.],
             [2., 3.]]])
    """
    shape = require(input, "im2col", "input", 1).array.shape
    if len(shape) < 3:
        wrap_dim(max(len(shape), 1), len(shape), scalar=False)
    kernel, dilation, padding, stride = geometry("im2col", kernel_size, dilation, padding, stride, 2)
    if len(shape) not in (3, 4) or 0 in shape[len(shape) == 4 :]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but "
            f"got: {list(shape)}"
        )
    size = blocks(shape[-2:], kernel, dilation, padding, stride)
    if min(size) < 1:
        raise RuntimeError(
            f"Given input with spatial size {shape[-2:]}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
            f"calculated shape of the array of sliding blocks as {size}, but its components must be at least one."
        )
    return im2col.fn(input, kernel, dilation, padding, stride, size)


@layer
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """The sum of all windows [N, C * prod(kernel_size), windows], each at its position in an image of ``output_size``.

    Differentiable.  Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.nn.functional.fold(torch.tensor([[[1.0, 2.0], [2.0, 3.0]]]), (1, 3), (1, 2))
    tensor([[[[1., 4., 3.]]]])
    """
    shape = require(input, "col2im", "input", 1).array.shape
    spatial = pair(output_size, "col2im", "output_size", 2)
    kernel, dilation, padding, stride = geometry("col2im", kernel_size, dilation, padding, stride, 3)
    if len(shape) not in (2, 3) or 0 in shape[len(shape) == 3 :]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, "
            f"but got: {list(shape)}"
        )
    rows = len(shape) == 3
    if shape[rows] % (kernel[0] * kernel[1]):
        raise RuntimeError(
            f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)="
            f"{shape[rows]} and kernel_size={kernel}."
        )
    size = blocks(spatial, kernel, dilation, padding, stride)
    if size[0] * size[1] != shape[-1]:
        raise RuntimeError(
            f"Given output_size={spatial}, kernel_size={kernel}, dilation={dilation}, padding={padding}, stride={stride}, "
            "expected size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{size[0]} * {size[1]} = {size[0] * size[1]}, but got input.size(2)={shape[-1]}."
        )
    return col2im.fn(input, spatial, kernel, dilation, padding, stride, size)
