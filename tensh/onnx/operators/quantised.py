"""Integers that stand for numbers: a scale, and the integer that stands for zero."""

import tensh as torch
from tensh.onnx.operators.layers import Conv
from tensh.onnx.operators.table import MissingOperator, dtype_of, operator


def along(given, x, axis, block=0):
    """Return scales or zeros in a shape that goes with ``x``: one for all, or one for each place or block of an axis."""
    if given is None or not given.dim() or given.numel() == 1:
        return None if given is None else given.reshape(())
    axis %= x.dim()
    if block:
        return given.repeat_interleave(block, axis).narrow(axis, 0, x.shape[axis])
    return given.reshape([-1 if place == axis else 1 for place in range(x.dim())])


HALVES = {21: (torch.uint8, 0, 15), 22: (torch.int8, -8, 7)}
"""ONNX's number of a type with 4 bits -> (dtype that holds it here, smallest, largest)."""


def round_to(values, dtype, zero, limits=None):
    """Return the integers next to numbers, counted from ``zero`` and kept within limits, or the range of the dtype."""
    if dtype not in (torch.uint8, torch.int8, torch.int16, torch.uint16, torch.int32):
        raise MissingOperator(f"tensh does not quantise to {dtype}")
    low, high = limits or (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    values = torch.round(values) if zero is None else torch.round(values) + zero.to(values.dtype)
    return values.clamp(low, high).to(dtype)


def centre(values, zero, dtype, axis=1):
    """Return integers as numbers, counted from the one that stands for zero."""
    return values.to(dtype) if zero is None else values.to(dtype) - along(zero, values, axis).to(dtype)


@operator
def QuantizeLinear(x, scale, zero=None, axis=1, saturate=1, block_size=0, output_dtype=0, precision=0):
    places = along(scale, x, axis, block_size), along(zero, x, axis, block_size)
    if output_dtype in HALVES:
        dtype, *limits = HALVES[output_dtype]
        return round_to(x / places[0], dtype, places[1], limits)
    dtype = zero.dtype if zero is not None else dtype_of(output_dtype) if output_dtype else torch.uint8
    return round_to(x / places[0], dtype, places[1])


@operator
def DequantizeLinear(x, scale, zero=None, axis=1, block_size=0, output_dtype=0):
    numbers = x.to(scale.dtype)
    if zero is not None:
        numbers = numbers - along(zero, x, axis, block_size).to(scale.dtype)
    return numbers * along(scale, x, axis, block_size)


@operator
def DynamicQuantizeLinear(x):
    low, high = x.amin().clamp_max(0), x.amax().clamp_min(0)
    scale = (high - low) / 255
    scale = torch.where(scale == 0, 1, scale)
    zero = torch.round(-low / scale).clamp(0, 255).to(torch.uint8)
    return round_to(x / scale, torch.uint8, zero), scale, zero


@operator
def MatMulInteger(a, b, a_zero=None, b_zero=None):
    wide = torch.float64  # holds each product of integers exactly
    a = centre(a, None if a_zero is None else a_zero, wide, -2)
    return torch.matmul(a, centre(b, b_zero, wide, -1)).to(torch.int32)


@operator
def ConvInteger(x, w, x_zero=None, w_zero=None, **attributes):
    wide = torch.float64
    return Conv(centre(x, x_zero, wide), centre(w, w_zero, wide, 0), **attributes).to(torch.int32)


@operator
def QLinearMatMul(a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero):
    products = torch.matmul(centre(a, a_zero, torch.float64, -2), centre(b, b_zero, torch.float64, -1))
    scale = along(a_scale, a, -2) * along(b_scale, b, -1) / y_scale
    return round_to(products * scale, y_zero.dtype, y_zero)


@operator
def QLinearConv(x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, b=None, **attributes):
    bias = None if b is None else b.to(torch.float64)
    sums = Conv(centre(x, x_zero, torch.float64), centre(w, w_zero, torch.float64, 0), bias, **attributes)
    return round_to(sums * along(x_scale * w_scale / y_scale, sums, 1), y_zero.dtype, y_zero)
