"""Fake quantization: numbers rounded to the steps that a quantized tensor would have, for training with them."""

import operator

import numpy as np

from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.table import op
from tensh.engine.core.nodes import uses_gradient
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.dtype import bfloat16, float16, float32, int32
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.precision import F4, widen

TENSOR = "fake_quantize_tensor_cachemask_kernel_type_handling"
CHANNEL = "fake_quantize_channel_cachemask_cpu_type_handling"
TWO_TO_63 = 2.0**63


def steps_of(input, scale, zero_point, whole):
    """Return the step number of each element.

    ``whole`` gives 64 bit integers, where C has -2**63 for numbers out of range.
    """
    steps = widen(input) * (F4.type(1) / scale)
    steps = np.rint(steps + zero_point) if whole else np.rint(steps) + zero_point
    return np.where(np.abs(steps) < TWO_TO_63, steps, -TWO_TO_63) + F4.type(0) if whole else steps


@op(public=False, input=None)
def is_on_a_step(input, scale, zero_point, quant_min, quant_max, whole):
    """True where an element lies between the first and the last step, where fake quantization passes its gradient on."""
    steps = steps_of(input, scale, zero_point, whole)
    return (steps >= quant_min) & (steps <= quant_max)


def compute(input, scale, zero_point, quant_min, quant_max, whole):
    steps = np.fmin(np.fmax(steps_of(input, scale, zero_point, whole), quant_min), quant_max)
    return ((steps - zero_point) * scale).astype(input.dtype)


def declare(name, node, kernel_name):
    """Declare fake quantization with the node of one of PyTorch's overloads."""
    return op(
        compute, name=name, doc="The element's step, as a number.", public=False, types="f", node=node, kernel_name=kernel_name,
        input="only(g, is_on_a_step(input, scale, zero_point, quant_min, quant_max, whole))",
    )  # fmt: skip


per_tensor, per_tensor_of_tensors, per_channel = (
    declare(f"fake_quantize_{name}", f"FakeQuantize{node}Backward0", kernel_name)
    for name, node, kernel_name in (
        ("tensor", "PerTensorAffineCachemask", TENSOR),
        ("tensor_of_tensors", "PerTensorAffineCachemaskTensorQparams", TENSOR),
        ("channels", "PerChannelAffineCachemask", CHANNEL),
    )
)


def require_order(quant_min, quant_max):
    if quant_min > quant_max:
        raise RuntimeError("`quant_min` should be less than or         equal to `quant_max`.")


@composite(method=False)
def fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max):
    """The elements rounded to the steps ``(k - zero_point) * scale`` for k from ``quant_min`` to ``quant_max``.

    Shape: [*], kept; ``scale`` and ``zero_point`` are numbers, or tensors of one element. The gradient passes where the
    element lies between the first and the last step. Raise RuntimeError for limits in the wrong order.

    >>> import tensh as torch
    >>> torch.fake_quantize_per_tensor_affine(torch.tensor([0.24, 9.0]), 0.1, 0, 0, 7)
    tensor([0.2000, 0.7000])
    """
    is_tensor = hasattr(scale, "array")
    if is_tensor:
        for name, each in (("scale", scale), ("zero_point", zero_point)):
            if uses_gradient(refresh_node(each)):
                raise RuntimeError(
                    "The function '_fake_quantize_per_tensor_affine_cachemask_tensor_qparams' is not differentiable with respect "
                    f"to argument '{name}'. This input cannot have requires_grad True."
                )
        scale, zero_point = scale.item(), int(zero_point.item())
    require_order(quant_min, quant_max)
    if not is_tensor and not quant_min <= zero_point <= quant_max:
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")
    function = per_tensor_of_tensors if is_tensor else per_tensor
    with np.errstate(divide="ignore"):
        return function.fn(input, F4.type(scale), F4.type(operator.index(zero_point)), quant_min, quant_max, False)


@composite(method=False)
def fake_quantize_per_channel_affine(input, scale, zero_point, axis, quant_min, quant_max):
    """The elements rounded as by ``fake_quantize_per_tensor_affine``, with separate steps for each index along ``axis``.

    Shape: [*], kept; ``scale`` (float32 or bfloat16) and ``zero_point`` (int32, float32 or float16) [size of the axis].
    Differentiable with respect to the input. Raise RuntimeError for other dtypes and sizes, limits in the wrong order,
    and a zero point beyond them.

    >>> import tensh as torch
    >>> scale, zero_point = torch.tensor([0.1, 0.5]), torch.tensor([0, 0], dtype=torch.int32)
    >>> torch.fake_quantize_per_channel_affine(torch.tensor([0.24, 9.0]), scale, zero_point, 0, 0, 7)
    tensor([0.2000, 3.5000])
    """
    if scale.dtype not in (float32, bfloat16):
        raise RuntimeError(f"Scale must be Float or BFloat16, found {scale.dtype.title}")
    if zero_point.dtype not in (int32, float32, float16):
        raise RuntimeError(f"Zero-point must be Int32, Float or Half, found {zero_point.dtype.title}")
    for name, each in (("scale", scale), ("zero point", zero_point)):
        if each.array.ndim != 1:
            raise RuntimeError(f"{name} should be a 1-D tensor")
    size, shape = scale.array.size, input.array.shape
    if zero_point.array.size != size:
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    if shape[wrap_dim(axis, len(shape))] != size:
        raise RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")
    require_order(quant_min, quant_max)
    points = zero_point.array
    if points.dtype.kind == "i" and size and not quant_min <= points.min() <= points.max() <= quant_max:
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")
    if axis < 0:
        raise RuntimeError("`axis` must be between 0 and number of dimensions of input")
    along = (-1, *[1] * (len(shape) - axis - 1))
    given = [array.astype(F4).reshape(along) for array in (scale.array, points)]
    return per_channel.fn(input, *given, quant_min, quant_max, True)
