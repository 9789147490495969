"""make_tensor: tensors of random numbers, for tests."""

import builtins
import math
import warnings

import tensh as torch

EIGHT_BITS = (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz)


def make_tensor(
    *shape,
    dtype,
    device,
    low=None,
    high=None,
    requires_grad=False,
    noncontiguous=False,
    exclude_zero=False,
    memory_format=None,
):
    """Return a tensor of uniform random numbers from ``low`` up to ``high``, by default from -9 up to 9.

    ``noncontiguous`` leaves gaps in the memory; ``exclude_zero`` replaces 0 by the smallest positive number, or by 1.
    Raise ValueError for an empty interval, and for gradients of integers.

    >>> import tensh as torch
    >>> torch.testing.make_tensor((2, 3), dtype=torch.int64, device="cpu", low=5, high=6)
    tensor([[5, 5, 5],
            [5, 5, 5]])
    """
    shape = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    is_float = dtype.is_floating_point or dtype.is_complex
    refuse_options(dtype, requires_grad and not is_float, noncontiguous, memory_format)
    low, high = bound_interval(dtype, low, high)
    gaps = noncontiguous and math.prod(shape) > 1 and len(shape) > 0
    size = (*shape[:-1], 2 * shape[-1]) if gaps else shape
    result = fill_uniform(size, dtype, device, low, high)
    if gaps:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = torch.finfo(dtype).tiny if is_float else 1
    return result if dtype in EIGHT_BITS else result.requires_grad_(requires_grad)


def refuse_options(dtype, wants_gradients_of_integers, noncontiguous, memory_format):
    """Raise PyTorch's errors for options that exclude each other."""
    if wants_gradients_of_integers:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}"
        )
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"noncontiguous={noncontiguous} and memory_format={memory_format}"
        )


def fill_uniform(size, dtype, device, low, high):
    """Return uniform numbers of an interval within the dtype's."""
    if dtype in EIGHT_BITS:
        return fill_uniform(size, torch.float32, device, low, high).to(dtype)
    if dtype.is_floating_point or dtype.is_complex:
        result = torch.empty(size, dtype=dtype, device=device)
        scale = 2 if high - low > torch.finfo(dtype).max else 1  # the length of the interval may overflow
        numbers = torch.view_as_real(result) if dtype.is_complex else result
        numbers.uniform_(low / scale, high / scale)
        if scale == 2:
            numbers.mul_(scale)
        return result
    return torch.randint(math.ceil(low), math.ceil(high), size, dtype=dtype, device=device)


def bound_interval(dtype, low, high):
    """Return the part of an interval that the dtype has; raise PyTorch's errors for an empty one."""
    if dtype is torch.float8_e8m0fnu:
        raise TypeError(
            f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor()."
            " To request support, file an issue at: https://github.com/pytorch/pytorch/issues"
        )
    least, most = limits_of(dtype)
    is_float = dtype.is_floating_point or dtype.is_complex
    usual = (0, 2) if dtype is torch.bool else (-9, 9 if is_float else 10)
    low, high = (given if given is not None else edge for given, edge in zip((low, high), usual, strict=True))
    if any(isinstance(edge, float) and math.isnan(edge) for edge in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low} and high={high}")
    if low == high and is_float and dtype not in EIGHT_BITS:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 and will be"
            " removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=3,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < least or low >= most:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports [{least}, {most})"
        )
    return tuple(builtins.min(builtins.max(edge, least), most) for edge in (low, high))


def limits_of(dtype):
    """Return the smallest number of a dtype, and for integers one more than the largest."""
    if dtype is torch.bool:
        return 0, 2
    if dtype.is_floating_point or dtype.is_complex:
        info = torch.finfo(dtype)
        return info.min, info.max
    info = torch.iinfo(dtype)
    return info.min, info.max + (dtype is not torch.int64)
