"""Normalisation over batches, layers, groups, instances and neighbouring channels."""

import math

from tensh.engine.arguments.checks import integer
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays.absent import is_absent
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import watch_inner
from tensh.engine.dtypes.dtype import float32
from tensh.engine.dtypes.size import size_of
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.forms import require, require_kind
from tensh.engine.operators.layers.composites.padding import pad
from tensh.engine.operators.layers.composites.pooling import MEAN_POOLS
from tensh.engine.operators.layers.composites.registry import layer, rename, require_constants
from tensh.engine.operators.layers.composites.running_statistics import move_, move_averages_
from tensh.engine.operators.layers.composites.windows import integers
from tensh.engine.operators.layers.normalization import batch_norm_by, batch_norm_train, group_norm_of, layer_norm_of


# ── checks ───────────────────────────────────────────────────────────────────
def check_dtypes(input, *parameters):
    """Raise unless all dtypes are equal, or parameters of a half precision input are in single precision."""
    own = input.array.dtype
    for parameter in parameters:
        if parameter is not None and parameter.array.dtype is not own:
            break
    else:
        return
    given = [p.dtype for p in parameters if p is not None]
    others = {*given} - {input.dtype}
    if given[0] is input.dtype and input.dtype.itemsize > 2:
        raise RuntimeError(f"expected scalar type {given[0].title} but found {others.pop().title}")
    if others != {float32}:
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if input.dtype.itemsize != 2:
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def check_channels(channels, **parameters):
    for name, value in parameters.items():
        if value is not None and value.array.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {value.array.size}")
        if value is not None and name.startswith("running") and value.array.ndim != 1:
            raise RuntimeError(f"TensorAccessor expected 1 dims but tensor has {value.array.ndim}")


def check_trailing(input, normalized_shape, separator, **parameters):
    """Raise PyTorch's error unless the input ends in the normalized shape, a tuple, and parameters have it."""
    size, count = input.array.shape, len(normalized_shape)
    for parameter in parameters.values():
        if parameter is not None and parameter.array.shape != normalized_shape:
            break
    else:
        if count and size[-count:] == normalized_shape:
            return
    refuse_trailing(list(size), list(normalized_shape), separator, parameters)


def refuse_trailing(size, shape, separator, parameters):
    """Raise PyTorch's error for an input of ``size`` that is to be normalized over ``shape``, or for a parameter."""
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, value in parameters.items():
        if value is not None and list(value.array.shape) != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(value.array.shape)} and "
                f"normalized_shape = {shape}"
            )
    sizes = ", ".join(map(str, shape))
    raise RuntimeError(
        f"Given normalized_shape={shape}, expected input with shape [*{separator}{sizes}], but got input of size{size}"
    )


def check_normalized_shape(name, normalized_shape):
    """Return the argument ``normalized_shape`` as a tuple."""
    if isinstance(normalized_shape, int):
        raise TypeError(f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not int")
    return integers(normalized_shape, name, "normalized_shape", 2)


# ── batches ──────────────────────────────────────────────────────────────────
def batch_norm_with_stats(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """Return (output, mean, inverse deviation); in training, move the running statistics towards those of the batch."""
    array = require(input, "batch_norm", "input", 1).array
    if isinstance(momentum, Tensor) and not momentum.array.ndim and not momentum.requires_grad:
        momentum = momentum.item()
    if not isinstance(momentum, (int, float)):
        raise TypeError(f"batch_norm(): argument 'momentum' (position 7) must be float, not {type_name(momentum)}")
    if not array.size:
        given = {"weight": weight, "bias": bias, "running_mean": running_mean, "running_var": running_var}
        for position, (name, value) in enumerate(given.items(), 2):
            if value is not None:
                require(value, "batch_norm", name, position)
        return _scale_nothing(input, weight, bias), input.new_empty(0), input.new_empty(0)
    stats = {"running_mean": running_mean, "running_var": running_var}
    if not training:
        for name, value in stats.items():
            if value is None:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
    elif (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    channels = array.shape[1] if array.ndim > 1 else 0
    check_channels(channels, **stats, weight=weight, bias=bias)
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"\"batch_norm\" not implemented for '{input.dtype.title}'")
    check_dtypes(input, weight, bias, running_mean, running_var)
    require_constants("native_batch_norm", **stats)
    wrap_dim(1, array.ndim)  # raises without a dimension of channels
    at = (channels, *(1,) * (array.ndim - 2))
    if not training:
        out = batch_norm_by.fn(input, running_mean, running_var, weight, bias, at, eps)
        return out, input.new_empty(0), input.new_empty(0)
    form = (array.shape[0], channels, math.prod(array.shape[2:]))
    out, mean, rstd, variance = batch_norm_train.fn(input, weight, bias, at, form, eps)
    if running_mean is not None and not is_absent(running_mean):
        count = form[0] * form[2]
        move_(running_mean, mean, momentum)
        move_(running_var, variance, momentum, count / (count - 1) if count > 1 else math.nan)
    return out, mean, rstd


watch_inner(batch_norm_with_stats, "batch_norm_with_stats")


def _scale_nothing(input, weight, bias):
    """Return an empty input times the first weight plus the first bias, so that both get zero gradients."""
    out = input.clone()
    if weight is not None:
        out = out * weight[0]
    return out if bias is None else out + bias[0]


def torch_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled):
    """``torch.nn.functional.batch_norm`` with its arguments in another order.  Differentiable.

    Shape: [N, C, *]. Raise ValueError for one value per channel in training.
    """
    return batch_norm_with_stats(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """Return (output, mean, inverse deviation) of batch normalisation.  Differentiable.

    Shape: [N, C, *]. Raise RuntimeError for other shapes.
    """
    require_kind("bool", training, "native_batch_norm", "training")
    return batch_norm_with_stats(input, weight, bias, running_mean, running_var, training, momentum, eps)


@layer
def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    """Every channel of ``input`` [N, C, ...] minus its mean, divided by its deviation; times weight, plus bias.

    In ``training`` mean and deviation are those of the batch, and the running ones are moved towards them in place;
    otherwise they are the running ones.  Differentiable in input, weight and bias.  Raise ValueError for one value per
    channel or an ``eps`` that is not positive in training, or a negative one; RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.nn.functional.batch_norm(torch.tensor([[1.0], [3.0]]), None, None, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    if training:
        shape = require(input, "batch_norm", "input", 1).array.shape
        if math.prod(shape[:1] + shape[2:]) == 1:
            raise ValueError(f"Expected more than 1 value per channel when training, got input size {size_of(shape)}")
        if eps <= 0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return batch_norm_with_stats(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


# ── instances ────────────────────────────────────────────────────────────────
def torch_instance_norm(
    input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled
):  # fmt: skip
    """``torch.nn.functional.instance_norm`` with its arguments in another order.  Differentiable.

    Shape: [N, C, *]. Raise ValueError for one element per channel.
    """
    shape = require(input, "instance_norm", "input", 1).array.shape
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    batch, channels = shape[:2]
    weight, bias, mean, var = (
        None if value is None else value.repeat(batch) for value in (weight, bias, running_mean, running_var)
    )
    joined = input.contiguous().view((1, batch * channels, *shape[2:]))
    out = batch_norm_with_stats(joined, weight, bias, mean, var, use_input_stats, momentum, eps)[0]
    if use_input_stats:
        for running, moved in ((running_mean, mean), (running_var, var)):
            if running is not None:
                move_averages_(running, moved, batch, channels)
    return out.view(shape)


@layer
def instance_norm(
    input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05
):  # fmt: skip
    """``batch_norm`` of every element of the batch by itself.  Differentiable in input, weight and bias.

    Shape: [N, C, *]. Raise ValueError for one element per channel.

    >>> import tensh as torch
    >>> torch.nn.functional.instance_norm(torch.tensor([[[1.0, 3.0]]]))
    tensor([[[-1.0000,  1.0000]]])
    """
    if use_input_stats:
        shape = require(input, "instance_norm", "input", 1).array.shape
        if math.prod(shape[2:]) == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {size_of(shape)}")
    return torch_instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False)


# ── layers ───────────────────────────────────────────────────────────────────
def layer_norm_with_stats(input, normalized_shape, weight, bias, eps):
    array = require(input, "layer_norm", "input", 1).array
    shape = check_normalized_shape("layer_norm", normalized_shape)
    check_trailing(input, shape, ", ", weight=weight, bias=bias)
    check_dtypes(input, weight, bias)
    first = array.ndim - len(shape)
    form = (1, math.prod(array.shape[:first]), math.prod(shape))
    return layer_norm_of.fn(input, weight, bias, shape, form, eps)


def torch_layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    """Layer normalisation, as ``torch.nn.functional.layer_norm``.  Differentiable.

    Shape: [..., *normalized_shape]. Raise RuntimeError for other shapes.
    """
    return layer_norm_with_stats(input, normalized_shape, weight, bias, eps)[0]


def native_layer_norm(input, normalized_shape, weight, bias, eps):
    """Return (output, mean, inverse deviation) of layer normalisation.  Differentiable.

    Shape: [..., *normalized_shape]. Raise RuntimeError for other shapes.
    """
    out, mean, rstd, _ = layer_norm_with_stats(input, normalized_shape, weight, bias, eps)
    kept = (*input.array.shape[: input.array.ndim - len(normalized_shape)], *(1,) * len(normalized_shape))
    return out, mean.reshape(kept), rstd.reshape(kept)


@layer
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    """The input minus its mean, divided by its deviation, both over the last dimensions, which are ``normalized_shape``.

    Times weight, plus bias.  Differentiable.  Shape: [..., *normalized_shape]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.nn.functional.layer_norm(torch.tensor([[1.0, 3.0]]), (2,))
    tensor([[-1.0000,  1.0000]])
    """
    return layer_norm_with_stats(input, normalized_shape, weight, bias, eps)[0]


# ── groups ───────────────────────────────────────────────────────────────────
def group_norm_with_stats(input, num_groups, weight, bias, eps):
    array = require(input, "group_norm", "input", 1).array
    if array.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {array.ndim}")
    num_groups = integer(num_groups, "group_norm", "num_groups", 2)
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    batch, channels = array.shape[:2]
    if channels % num_groups:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape {list(array.shape)} "
            f"and num_groups={num_groups}"
        )
    for name, value in (("weight", weight), ("bias", bias)):
        if value is not None and value.array.shape != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of shape "
                f"{list((weight if weight is not None else value).array.shape)} and input of shape {list(array.shape)}"
            )
    check_dtypes(input, weight, bias)
    form = (1, batch * num_groups, channels // num_groups * math.prod(array.shape[2:]))
    return group_norm_of.fn(input, weight, bias, (channels, *(1,) * (array.ndim - 2)), form, eps)


def torch_group_norm(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    """Group normalisation: ``torch.nn.functional.group_norm``.  Differentiable.

    Shape: [N, C, *]. Raise RuntimeError if groups do not divide C.
    """
    return group_norm_with_stats(input, num_groups, weight, bias, eps)[0]


def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    """Return (output, mean, inverse deviation) of group normalisation.  Differentiable.

    Shape: [N, C, *]. Raise RuntimeError for other shapes.
    """
    for name, number in ("N", N), ("C", C), ("HxW", HxW), ("group", group):
        require_kind("int", number, "native_group_norm", name)
    if N < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {N}: {[N, group]}")
    out, mean, rstd, _ = group_norm_with_stats(input, group, weight, bias, eps)
    return out, mean.reshape(N, group), rstd.reshape(N, group)


@layer
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05):
    """``layer_norm`` of ``num_groups`` groups of channels of [N, C, ...]; weight and bias are per channel.  Differentiable.

    Raise RuntimeError if groups do not divide C.

    >>> import tensh as torch
    >>> torch.nn.functional.group_norm(torch.tensor([[1.0, 3.0, 10.0, 30.0]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    shape = require(input, "group_norm", "input", 1).array.shape
    if len(shape) >= 2 and shape[0] * shape[1] // num_groups * math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {list(shape)}")
    return group_norm_with_stats(input, num_groups, weight, bias, eps)[0]


for fn in (torch_batch_norm, torch_instance_norm, torch_layer_norm, torch_group_norm):
    PUBLIC[fn.__name__.removeprefix("torch_")] = rename(fn, fn.__name__.removeprefix("torch_"))
for fn in (native_batch_norm, native_layer_norm, native_group_norm):
    PUBLIC[fn.__name__] = fn


# ── neighbouring channels ────────────────────────────────────────────────────
@layer
def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """The input divided by (k + alpha * the mean square of ``size`` neighbouring channels) ** beta.  Differentiable.

    Shape: [N, C, *]. Raise ValueError for fewer than three dimensions.
    """
    shape = input.array.shape
    if len(shape) < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality                          input (got {len(shape)} dimensions)"
        )
    if not input.array.size:
        return input
    squares = input.mul(input)
    if len(shape) == 3:
        squares = pad(squares.unsqueeze(1), (0, 0, size // 2, (size - 1) // 2))
        means = MEAN_POOLS[2](squares, (size, 1), stride=1).squeeze(1)
    else:
        squares = squares.view(shape[0], 1, shape[1], shape[2], -1)
        squares = pad(squares, (0, 0, 0, 0, size // 2, (size - 1) // 2))
        means = MEAN_POOLS[3](squares, (size, 1, 1), stride=1).squeeze(1).view(shape)
    return input / means.mul(alpha).add(k).pow(beta)
