"""make_tensor: a tensor of numbers at random, for tests."""

import builtins
import math

import tensh as torch


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
    return result.requires_grad_(requires_grad)


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
    if dtype.is_complex:
        return torch.view_as_complex(fill_uniform((*size, 2), dtype.to_real(), device, low, high))
    if dtype.is_floating_point:
        scale = 2 if high - low > torch.finfo(dtype).max else 1  # of edges that are further apart than numbers go
        return torch.empty(size, dtype=dtype, device=device).uniform_(low / scale, high / scale).mul_(scale)
    return torch.randint(math.ceil(low), math.ceil(high), size, dtype=dtype, device=device)


def edges(dtype, low, high):
    """The edges, held to what the dtype has; PyTorch's errors for those with nothing between them."""
    least, most = limits(dtype)
    is_float = dtype.is_floating_point or dtype.is_complex
    usual = {torch.bool: (0, 2), torch.uint8: (0, 10)}.get(dtype, (-9, 9 if is_float else 10))
    low, high = (given if given is not None else edge for given, edge in zip((low, high), usual, strict=True))
    if any(isinstance(edge, float) and math.isnan(edge) for edge in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low} and high={high}")
    if low > high or low == high and not is_float:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    if low >= most and not is_float or high <= least and not is_float:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports [{least}, {most})"
        )
    return builtins.max(low, least), builtins.min(high, most)


def limits(dtype):
    """The least number of a dtype and the one behind the greatest."""
    if dtype is torch.bool:
        return 0, 2
    if dtype.is_floating_point or dtype.is_complex:
        info = torch.finfo(dtype)
        return info.min, info.max
    info = torch.iinfo(dtype)
    return info.min, info.max + (dtype is not torch.int64)
