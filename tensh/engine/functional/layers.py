"""The functions of torch.nn.functional that are made of others.

They are no methods and not in the torch namespace (but for the convolutions, which PyTorch has there, too).
"""

import warnings

from tensh.engine.arguments import integer
from tensh.engine.dtype import promote_types
from tensh.engine.table import OPS, PUBLIC
from tensh.engine.tensor import Tensor

LAYERS: dict = {}  # the names of torch.nn.functional


def layer(fn):
    """Make ``fn`` public as ``torch.nn.functional.NAME``."""
    fn.__module__ = "torch.nn.functional"
    LAYERS[fn.__name__] = fn
    return fn


# ── convolutions ─────────────────────────────────────────────────────────────
def _spatial(value, dims, name):
    """A number per spatial dimension."""
    if isinstance(value, (tuple, list)):
        values = tuple(value) * dims if len(value) == 1 else tuple(value)
        if len(values) != dims:
            raise RuntimeError(
                f"expected {name} to be a single integer value or a list of {dims} values to match the convolution "
                f"dimensions, but got {name}={list(value)}"
            )
        return tuple(integer(v, "conv", name, 1) for v in values)
    return (integer(value, "conv", name, 1),) * dims


def _check_positive(stride, padding, dilation, groups):
    if any(s <= 0 for s in stride):
        raise RuntimeError("non-positive stride is not supported")
    if any(d <= 0 for d in dilation):
        raise RuntimeError("non-positive dilation is not supported")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if any(p < 0 for p in padding):
        raise RuntimeError("negative padding is not supported")


def _check_dtypes(input, weight, bias):
    one, two = input.dtype, weight.dtype
    if bias is not None and bias.dtype is not one and two is one:
        raise RuntimeError(
            f"Input type ({one.ctype}) and bias type ({bias.dtype.ctype}) should be the same"
        )
    if one is not two:
        raise RuntimeError(f"expected scalar type {one.title} but found {two.title}")


def _check_shapes(input, weight, bias, groups, transposed):
    shape, size = weight.array.shape, list(input.array.shape)
    if not transposed and shape[0] % groups or shape[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of size "
            f"[{list(shape)}] instead"
        )
    expected = shape[0] if transposed else shape[1] * groups
    if size[1] != expected:
        given = "transposed=1" if transposed else f"groups={groups}"
        raise RuntimeError(
            f"Given {given}, weight of size {list(shape)}, expected input{size} to have {expected} channels, but got "
            f"{size[1]} channels instead"
        )
    outputs = shape[1] * groups if transposed else shape[0]
    if bias is not None and tuple(bias.array.shape) != (outputs,):
        given = f"transposed=1, weight of size {list(shape)}" if transposed else f"weight of size {list(shape)}"
        raise RuntimeError(
            f"Given {given}, expected bias to be 1-dimensional with {outputs} elements, but got bias of size "
            f"{list(bias.array.shape)} instead"
        )


def _batched(input, dims, name):
    """(input with a batch dimension, had it none?)."""
    if input.array.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.array.shape)}"
        )
    return (input.unsqueeze(0), True) if input.array.ndim == dims + 1 else (input, False)


def _tensors(name, input, weight, bias):
    for position, (value, parameter) in enumerate(((input, "input"), (weight, "weight"), (bias, "bias")), 1):
        if not isinstance(value, Tensor) and not (value is None and parameter == "bias"):
            raise TypeError(
                f"{name}(): argument '{parameter}' (position {position}) must be Tensor, not {type(value).__name__}"
            )


def convolution(name, dims, input, weight, bias, stride, padding, dilation, groups):
    """What conv1d, conv2d and conv3d have in common."""
    _tensors(name, input, weight, bias)
    input, unbatched = _batched(input, dims, name)
    spatial = weight.array.ndim - 2
    stride, dilation = _spatial(stride, spatial, "stride"), _spatial(dilation, spatial, "dilation")
    if isinstance(padding, str):
        input, padding = _named_padding(padding, input, weight, stride, dilation)
    padding = _spatial(padding, spatial, "padding")
    _check_positive(stride, padding, dilation, groups)
    _check_shapes(input, weight, bias, groups, transposed=False)
    _check_dtypes(input, weight, bias)
    reach = tuple(d * (k - 1) + 1 for k, d in zip(weight.array.shape[2:], dilation))
    room = tuple(n + 2 * p for n, p in zip(input.array.shape[2:], padding))
    if any(r > n for r, n in zip(reach, room)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, room))}). Kernel size: "
            f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size"
        )
    result = OPS["correlate"].fn(
        input, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=groups
    )
    return result.squeeze(0) if unbatched else result


def _named_padding(padding, input, weight, stride, dilation):
    """'valid' and 'same' as numbers; where 'same' is uneven, the extra zero goes behind."""
    if padding == "valid":
        return input, 0
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for k, d in zip(weight.array.shape[2:], dilation)]
    if any(t % 2 for t in total):
        behind = [n for t in reversed(total) for n in (0, t % 2)]
        input = OPS["constant_pad_nd"].fn(input, behind, 0)
    return input, tuple(t // 2 for t in total)


def transposed_convolution(name, dims, input, weight, bias, stride, padding, output_padding, groups, dilation):
    """What the transposed convolutions have in common."""
    _tensors(name, input, weight, bias)
    input, unbatched = _batched(input, dims, name)
    stride, padding = _spatial(stride, dims, "stride"), _spatial(padding, dims, "padding")
    dilation, extra = _spatial(dilation, dims, "dilation"), _spatial(output_padding, dims, "output_padding")
    _check_positive(stride, padding, dilation, groups)
    if any(e < 0 for e in extra):
        raise RuntimeError("negative output_padding is not supported")
    _check_shapes(input, weight, bias, groups, transposed=True)
    _check_dtypes(input, weight, bias)
    if any(e >= s and e >= d for e, s, d in zip(extra, stride, dilation)):
        names = ("depth", "height", "width")[3 - max(dims, 2) :] if dims > 1 else ("height", "width")
        facts = {"output_padding": extra, "stride": stride, "dilation": dilation}
        shown = " ".join(
            f"{fact}_{axis}: {value}" for fact, values in facts.items() for axis, value in zip(names[-dims:], values)
        )
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {shown}")
    size = tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + e + 1
        for n, k, s, p, d, e in zip(input.array.shape[2:], weight.array.shape[2:], stride, padding, dilation, extra)
    )
    shape = (input.array.shape[0], weight.array.shape[1] * groups, *size)
    result = OPS["spread"].fn(
        input, weight, bias, shape=shape, stride=stride, padding=padding, dilation=dilation, groups=groups
    )
    return result.squeeze(0) if unbatched else result


def _declare_convolutions():
    for dims, letters in ((1, "L"), (2, "H, W"), (3, "D, H, W")):
        plain, transposed = f"conv{dims}d", f"conv_transpose{dims}d"

        def conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, dims=dims, name=plain):
            return convolution(name, dims, input, weight, bias, stride, padding, dilation, groups)

        def back(
            input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1, *, dims=dims,
            name=transposed,
        ):  # fmt: skip
            return transposed_convolution(
                name, dims, input, weight, bias, stride, padding, output_padding, groups, dilation
            )

        conv.__name__ = conv.__qualname__ = plain
        conv.__doc__ = (
            f"Convolution of ``input`` [N, C, {letters}] with ``weight`` [O, C / groups, ...], plus ``bias`` [O].\n\n"
            "``padding`` is a number per dimension, 'valid' or 'same'.  Differentiable in all three tensors."
        )
        back.__name__ = back.__qualname__ = transposed
        back.__doc__ = (
            f"Transposed convolution of ``input`` [N, C, {letters}] with ``weight`` [C, O / groups, ...], plus ``bias`` [O]:\n"
            "the derivative of a convolution, as an operator of its own.  Differentiable in all three tensors."
        )
        PUBLIC[plain], PUBLIC[transposed] = layer(conv), layer(back)


_declare_convolutions()


# ── losses ───────────────────────────────────────────────────────────────────
def reduction_of(reduction, size_average, reduce):
    """The reduction's name, from the keyword or from the two flags it replaced."""
    if size_average is not None or reduce is not None:
        averaged = size_average is None or size_average
        reduction = ("mean" if averaged else "sum") if reduce is None or reduce else "none"
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.", stacklevel=4
        )
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


@layer
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The mean squared difference of ``input`` and ``target`` (``reduction``: 'mean', 'sum' or 'none').

    >>> import tensh as torch
    >>> torch.nn.functional.mse_loss(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 0.0]))
    tensor(2.5000)
    """
    if input.array.shape != target.array.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely "
            "lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=2,
        )
    reduction = reduction_of(reduction, size_average, reduce)
    if weight is not None:
        losses = OPS["squared_difference"].fn(input, target, "none") * weight
        if reduction == "none":
            return losses
        return losses.sum() if reduction == "sum" else losses.sum() / weight.sum()
    if input.dtype is not target.dtype:
        common = promote_types(input.dtype, target.dtype)
        input, target = input.to(common), target.to(common)
    return OPS["squared_difference"].fn(input, target, reduction)
