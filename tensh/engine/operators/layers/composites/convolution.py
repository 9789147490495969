"""Convolutions and transposed convolutions in one, two and three dimensions."""

from functools import lru_cache

from tensh.engine.arguments.checks import integer
from tensh.engine.arguments.signatures import Form, choose
from tensh.engine.codegen.composites import composite
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import bfloat16, can_cast, float32
from tensh.engine.errors.messages import cannot_cast
from tensh.engine.errors.warnings import warn_once
from tensh.engine.operators.forms import INTS, require
from tensh.engine.operators.layers.composites.registry import SIZES, SMALL, layer, refuse_dtypes, rename
from tensh.engine.operators.layers.convolution import correlate, correlate_back
from tensh.engine.operators.layers.padding import constant_pad_nd

FORM = "(Tensor input, Tensor weight, Tensor bias = None, tuple of ints stride = 1, {} padding = {}, tuple of ints dilation = 1, int groups = 1)"
FORMS = (FORM.format("tuple of ints", "0"), FORM.format("str", '"valid"'))


def expand_setting(value, dims, spatial, name):
    """Return one number per spatial dimension of the weight; a single number stands for the ``dims`` of the function."""
    if type(value) is tuple and len(value) == spatial and {*map(type, value)} == INTS:
        return value
    if isinstance(value, (tuple, list)):
        values = tuple(
            int(v) if place and isinstance(v, bool) else integer(v, "conv", name, 1) for place, v in enumerate(value)
        )
    else:
        values = (integer(value, "conv", name, 1),) * dims
    values = values * spatial if len(values) == 1 else values
    if len(values) != spatial:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {spatial} values to match the convolution "
            f"dimensions, but got {name}={list(values)}"
        )
    return values


# ── checks ───────────────────────────────────────────────────────────────────
@lru_cache(1024)
def check_numbers(stride, padding, dilation, groups):
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if min(padding, default=0) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(stride, default=1) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation, default=0) < 0:
        raise RuntimeError("dilation should be greater than zero")


def check_dilation(dilation, input, weight, groups, transposed):
    """Raise for a dilation of 0; the message depends on PyTorch's kernel."""
    if all(dilation):
        return
    if is_for_library(input, weight, groups):
        raise RuntimeError("non-positive dilation is not supported")
    wide = widen(dilation, 1)
    shown = describe_axes({"dilation": wide}, ", ") if transposed else list(wide)
    raise RuntimeError(f"dilation should be greater than zero, but got {shown}")


def is_for_library(input, weight, groups):
    """Return True for a convolution that PyTorch delegates to a library."""
    small = input.array.shape[0] == 1 and input.array.size <= 20480 and max(weight.array.shape[2:]) <= 3 and groups == 1
    return input.dtype is bfloat16 or (input.dtype is float32 and not small)


def refuse_integers(input, dilation, transposed):
    """Raise for a dtype that PyTorch's kernel lacks."""
    spatial = max(input.array.ndim - 2, 2)
    if transposed:
        refuse_dtypes(f"slow_conv_transpose{spatial}d_out_cpu", input, "bool", *SMALL)
    elif max(dilation) > 1:
        refuse_dtypes("slow_conv_dilated<>", input, "bool", *SMALL)
    else:
        refuse_dtypes("slow_conv2d_cpu" if spatial == 2 else "compute_columns3d", input, "bool")


def check_dtypes(input, weight, bias, groups, transposed):
    """Raise unless all dtypes are equal.

    The message depends on PyTorch's kernel; a transposed one may take any bias.
    """
    one, what = input.dtype, "weight"
    other = weight.dtype
    if one is other and transposed and bias is not None:
        other, what = bias.dtype, "bias"
    if one is other:
        return
    by_library = is_for_library(input, weight, groups)
    if one.is_complex or by_library:
        raise RuntimeError(
            f"Input type ({one.class_of_tensors}) and {what} type ({other.class_of_tensors}) should be the same"
            + f" or input should be a MKLDNN tensor and {what} is a dense tensor" * by_library
        )
    if what == "weight" or input.array.ndim == 5:
        raise RuntimeError(f"expected scalar type {one.title} but found {other.title}")


def refuse_bias_dtype(dtype, bias):
    raise RuntimeError(f"Input type ({dtype.spoken}) and bias type ({bias.dtype.spoken}) should be the same")


def check_shapes(input, weight, bias, groups, transposed):
    """Raise PyTorch's errors for shapes that do not fit each other or the number of groups."""
    shape, size = list(weight.array.shape), list(input.array.shape)
    if len(size) != len(shape):
        raise RuntimeError(describe_dims(shape, size, " "))
    if shape[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size {shape} "
            "instead"
        )
    if shape[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of size "
            f"[{shape}] instead"
        )
    expected = shape[0] if transposed else shape[1] * groups
    if size[1] != expected:
        given = "transposed=1" if transposed else f"groups={groups}"
        raise RuntimeError(
            f"Given {given}, weight of size {shape}, expected input{size} to have {expected} channels, but got {size[1]} "
            "channels instead"
        )
    outputs = shape[1] * groups if transposed else shape[0]
    if bias is not None and bias.array.shape != (outputs,):
        raise RuntimeError(
            f"Given {'transposed=1, ' if transposed else ''}weight of size {shape}, expected bias to be 1-dimensional with "
            f"{outputs} elements, but got bias of size {list(bias.array.shape)} instead"
        )


def add_batch(input, dims, name):
    """Return (the input with a batch dimension, True if it had none)."""
    ndim = input.array.ndim
    if ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.array.shape)}"
        )
    return (input.unsqueeze(0), True) if ndim == dims + 1 else (input, False)


def spatial_dims(input, weight, padding):
    """Return the number of spatial dimensions, according to the weight."""
    ndim = weight.array.ndim
    if ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if padding == "same" and ndim != input.array.ndim:
        raise RuntimeError(describe_dims(list(weight.array.shape), list(input.array.shape), ""))
    return ndim - 2


def describe_dims(shape, size, gap):
    """Return PyTorch's message for a weight and an input of different numbers of dimensions, with its space or without."""
    return (
        f"Expected {len(shape)}-dimensional input for {len(shape)}-dimensional weight{gap}{shape}, but got "
        f"{len(size)}-dimensional input of size {size} instead"
    )


# ── convolutions ─────────────────────────────────────────────────────────────
def convolve(name, dims, input, weight, bias, stride, padding, dilation, groups):
    """Compute conv1d, conv2d and conv3d."""
    if not isinstance(input, Tensor) or not isinstance(weight, Tensor) or not isinstance(bias, Tensor | None):
        choose(name, [Form(name, text) for text in FORMS], (input, weight, *(() if bias is None else (bias,))), {})
    if bias is not None and bias.dtype is not input.dtype:
        refuse_bias_dtype(input.dtype, bias)
    input, unbatched = add_batch(input, dims, name)
    padding = padding.decode(errors="replace") if isinstance(padding, bytes) else padding
    spatial = spatial_dims(input, weight, padding)
    stride = expand_setting(stride, dims, spatial, "stride")
    if isinstance(padding, str):
        dilation = expand_setting(dilation, dims, spatial, "dilation")
        check_numbers(stride, (), (), groups)
        input, padding = resolve_padding(padding, input, weight, stride, dilation)
    padding = expand_setting(padding, dims, spatial, "padding")
    dilation = expand_setting(dilation, dims, spatial, "dilation")
    check_numbers(stride, padding, dilation, groups)
    check_shapes(input, weight, bias, groups, transposed=False)
    check_dilation(dilation, input, weight, groups, transposed=False)
    refuse_integers(input, dilation, transposed=False)
    check_dtypes(input, weight, bias, groups, transposed=False)
    check_room(input.array.shape[2:], weight.array.shape[2:], padding, dilation)
    result = correlate.fn(input, weight, bias, stride, padding, dilation, groups)
    return result.squeeze(0) if unbatched else result


@lru_cache(1024)
def check_room(sizes, kernel, padding, dilation):
    """Raise unless the window fits into the padded input."""
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilation)]
    room = [n + 2 * p for n, p in zip(sizes, padding)]
    if any(r > n for r, n in zip(reach, room)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, room))}). Kernel size: "
            f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size"
        )


def resolve_padding(padding, input, weight, stride, dilation):
    """Convert 'valid' and 'same' to numbers; the extra zero of an uneven 'same' comes last."""
    if padding == "valid":
        return input, (0,)
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for k, d in zip(weight.array.shape[2:], dilation)]
    if any(t % 2 for t in total):
        warn_once(
            "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be "
            "created",
        )
        input = constant_pad_nd.fn(input, [n for t in reversed(total) for n in (0, t % 2)], 0)
    return input, tuple(t // 2 for t in total)


def convolve_transposed(name, dims, input, weight, bias, stride, padding, output_padding, groups, dilation):
    """Compute the transposed convolutions."""
    require(input, name, "input", 1), require(weight, name, "weight", 2)
    if bias is not None:
        require(bias, name, "bias", 3)
    if isinstance(padding, str):
        raise TypeError(f"{name}(): argument 'padding' must be tuple of ints, not str")
    input, unbatched = add_batch(input, dims, name)
    spatial = spatial_dims(input, weight, padding)
    stride, padding = expand_setting(stride, dims, spatial, "stride"), expand_setting(padding, dims, spatial, "padding")
    dilation = expand_setting(dilation, dims, spatial, "dilation")
    extra = expand_setting(output_padding, dims, spatial, "output_padding")
    check_numbers(stride, padding, dilation, groups)
    if any(e < 0 for e in extra):
        raise RuntimeError("negative output_padding is not supported")
    check_shapes(input, weight, bias, groups, transposed=True)
    check_dilation(dilation, input, weight, groups, transposed=True)
    refuse_integers(input, dilation, transposed=True)
    check_dtypes(input, weight, bias, groups, transposed=True)
    check_output_padding(extra, stride, dilation)
    sizes = input.array.shape[2:]
    size = [
        (n - 1) * s - 2 * p + d * (k - 1) + e + 1
        for n, k, s, p, d, e in zip(sizes, weight.array.shape[2:], stride, padding, dilation, extra)
    ]
    if min(size) < 1:
        raise RuntimeError(
            f"Given input size per channel: ({' x '.join(map(str, sizes))}). Calculated output size per channel: "
            f"({' x '.join(map(str, size))}). Output size is too small"
        )
    if 0 in sizes and input.array.shape[0]:
        shown = list(input.array.shape)
        shown[2:2] = [1] * (spatial == 1)  # PyTorch handles a row as an image of height 1
        raise RuntimeError(f"Only zero batch or zero channel inputs are supported, but got input shape: {shown}")
    shape = (input.array.shape[0], weight.array.shape[1] * groups, *size)
    apart = bias is not None and bias.dtype is not input.dtype  # added afterwards, by the rules of dtypes
    result = correlate_back.fn(input, weight, None if apart else bias, shape, stride, padding, dilation, groups)
    result = add_other_dtype(result, bias.reshape(-1, *[1] * spatial)) if apart else result
    return result.squeeze(0) if unbatched else result


def add_other_dtype(result, bias):
    """Add a bias of another dtype; raise RuntimeError if the sum cannot be cast to the dtype of the result."""
    total = result + bias
    if not can_cast(total.dtype, result.dtype):
        raise cannot_cast(total.dtype, result.dtype)
    return total.to(result.dtype)


def check_output_padding(extra, stride, dilation):
    if any(e >= s and e >= d for e, s, d in zip(extra, stride, dilation)):
        facts = {"output_padding": widen(extra, 0), "stride": widen(stride, 1), "dilation": widen(dilation, 1)}
        found = describe_axes(facts, " ")
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {found}")


def widen(setting, filler):
    """Return the setting for an image; a row is an image of height 1."""
    return (filler, *setting) if len(setting) == 1 else setting


def describe_axes(facts, between):
    """Format settings by name and axis, as PyTorch does."""
    axes = ("depth", "height", "width")
    return between.join(
        f"{fact}_{axis}: {v}" for fact, values in facts.items() for axis, v in zip(axes[-len(values) :], values)
    )


# ── the functions ────────────────────────────────────────────────────────────
def declare(dims):
    """Make ``conv1d`` and ``conv_transpose1d``, or their forms of more dimensions, public."""
    plain, transposed = f"conv{dims}d", f"conv_transpose{dims}d"

    def conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        return convolve(plain, dims, input, weight, bias, stride, padding, dilation, groups)

    def back(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        return convolve_transposed(
            transposed, dims, input, weight, bias, stride, padding, output_padding, groups, dilation
        )

    before = ", ".join(SIZES[dims])
    after, kernel = (", ".join(f"{size}_{end}" for size in SIZES[dims]) for end in ("out", "kernel"))
    end = "Differentiable in all three tensors.  Raise RuntimeError for other shapes."
    doc = f"""Convolution of ``input`` [N, C, {before}] (or without N) with ``weight``, plus ``bias``: [N, O, {after}].

    ``weight`` is [O, C / groups, {kernel}] and ``bias`` [O].  Each setting is a number, or one for each dimension;
    ``padding`` is also 'valid' (none) or 'same', which keeps the size where ``stride`` is 1.  {end}
    """
    layer(rename(conv, plain, doc), torch=True)
    doc = f"""Transposed convolution of ``input`` [N, C, {before}] (or without N) with ``weight``: [N, O, {after}].

    The adjoint of a convolution: the map by which it sends gradients back to its input.  ``weight`` is
    [C, O / groups, {kernel}], and ``bias`` [O] is added.  ``output_padding`` chooses among the sizes that a convolution
    maps to one.  {end}
    """
    layer(rename(back, transposed, doc), torch=True)


declare(1), declare(2), declare(3)


@composite(method=False)
def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """A convolution, or with ``transposed`` its transpose; the weight has two dimensions more than the convolution.

    Differentiable.

    Shapes: [N, C, *] to [N, O, *]. Raise RuntimeError for other shapes.
    """
    dims = weight.array.ndim - 2
    if transposed:
        return convolve_transposed(
            "convolution", dims, input, weight, bias, stride, padding, output_padding, groups, dilation
        )
    return convolve("convolution", dims, input, weight, bias, stride, padding, dilation, groups)


@layer(torch=True)
def conv_tbc(input, weight, bias, pad=0):
    """A convolution along the first dimension: ``input`` [T, N, C], ``weight`` [K, C, O], ``bias`` [O].  Differentiable.

    Raise RuntimeError for other shapes.
    """
    if input.array.ndim != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if weight.array.ndim != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias.array.ndim != 1:
        raise RuntimeError("Bias must be 1-D")
    if input.array.shape[2] != weight.array.shape[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if weight.array.shape[2] != bias.array.shape[0]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    result = convolve("conv_tbc", 1, input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, 1, pad, 1, 1)
    return result.permute(2, 0, 1)
