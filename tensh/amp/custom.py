"""Decorators for the methods of a Function that is used under autocast."""

import functools
from collections.abc import Iterable, Mapping

from numpy import ndarray

from tensh.amp import settings as told
from tensh.amp.regions import autocast
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import float64


def convert(value, device_type, dtype):
    """Return the floating point tensors in a value, but those of float64, in ``dtype``."""
    if isinstance(value, Tensor):
        fits = value.is_floating_point() and value.device.type == device_type and value.dtype is not float64
        return value.to(dtype) if fits else value
    if isinstance(value, (str, bytes, ndarray)) or not isinstance(value, Iterable):
        return value
    if isinstance(value, Mapping):
        return {convert(k, device_type, dtype): convert(v, device_type, dtype) for k, v in value.items()}
    converted = (convert(each, device_type, dtype) for each in value)
    return type(value)(converted) if isinstance(value, (list, tuple)) else converted


def require_string(device_type):
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    """Decorate the ``forward`` of a Function.

    Where autocast is on and ``cast_inputs`` is a dtype, ``forward`` gets its tensors in that dtype, and runs with autocast
    off. Raise ValueError where ``device_type`` is not a string.

    >>> import tensh as torch
    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    ...     def forward(ctx, x):
    ...         return x * x
    >>> with torch.autocast("cpu"):
    ...     Square.apply(torch.ones(1, dtype=torch.bfloat16)).dtype
    torch.float32
    """
    require_string(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(ctx, *args, **kwargs):
        active = told.is_autocast_enabled(device_type)
        ctx._dtype = told.get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = active and cast_inputs is None
        if cast_inputs is None or not active:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(ctx, *convert(args, device_type, cast_inputs), **convert(kwargs, device_type, cast_inputs))

    return forward


def custom_bwd(bwd=None, *, device_type):
    """Decorate the ``backward`` of a Function whose ``forward`` has ``custom_fwd``: autocast is as it was there.

    >>> import tensh as torch
    >>> backward = torch.amp.custom_bwd(lambda ctx, g: g, device_type="cpu")
    """
    require_string(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(ctx, *args, **kwargs):
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(ctx, *args, **kwargs)

    return backward
