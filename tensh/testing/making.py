"""make_tensor: a tensor of numbers at random, for tests."""

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
    """A tensor of uniform random numbers from ``low`` up to ``high``, by default from -9 up to 9.

    ``noncontiguous`` leaves gaps in the memory; ``exclude_zero`` puts the smallest positive number, or 1, for 0.
    Raise ValueError for edges that no number lies between, and for gradients of integers.

    >>> import tensh as torch
    >>> torch.testing.make_tensor((2, 3), dtype=torch.int64, device="cpu", low=5, high=6)
    tensor([[5, 5, 5],
            [5, 5, 5]])
    """
    shape = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    is_float = dtype.is_floating_point or dtype.is_complex
    refuse(dtype, requires_grad and not is_float, noncontiguous, memory_format)
    low, high = edges(dtype, low, high)
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


def refuse(dtype, wants_gradients_of_integers, noncontiguous, memory_format):
    """PyTorch's errors for what cannot be had."""
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
    """Uniform numbers between edges that fit the dtype."""
    if dtype in EIGHT_BITS:
        return fill_uniform(size, torch.float32, device, low, high).to(dtype)
    if dtype.is_floating_point or dtype.is_complex:
        result = torch.empty(size, dtype=dtype, device=device)
        scale = 2 if high - low > torch.finfo(dtype).max else 1  # 2 where the edges are further apart than numbers go
        numbers = torch.view_as_real(result) if dtype.is_complex else result
        numbers.uniform_(low / scale, high / scale)
        if scale == 2:
            numbers.mul_(scale)
        return result
    return torch.randint(math.ceil(low), math.ceil(high), size, dtype=dtype, device=device)


def edges(dtype, low, high):
    """The edges, held to what the dtype has; PyTorch's errors for those with nothing between them."""
    if dtype is torch.float8_e8m0fnu:
        raise TypeError(
            f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor()."
            " To request support, file an issue at: https://github.com/pytorch/pytorch/issues"
        )
    least, most = limits(dtype)
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


def limits(dtype):
    """The least number of a dtype and the one above the greatest."""
    if dtype is torch.bool:
        return 0, 2
    if dtype.is_floating_point or dtype.is_complex:
        info = torch.finfo(dtype)
        return info.min, info.max
    info = torch.iinfo(dtype)
    return info.min, info.max + (dtype is not torch.int64)
