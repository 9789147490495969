"""Calls that graphs of PyTorch have in place of a function into which it looks."""

import inspect

from tensh.nn import functional


def pad(input, pad, mode="constant", value=None):
    """Pad a tensor: the function that ``torch.nn.functional.pad`` calls, always with all arguments."""
    return functional.pad(input, pad, mode, value)


pad.__module__ = "torch._C._nn"
INNER = {functional.pad: pad}
"""Function -> the one that it calls."""


def look_inside(func, args, kwargs):
    """Return the function that a graph calls for another one, and its arguments."""
    if func not in INNER:
        return func, args, kwargs
    bound = inspect.signature(INNER[func]).bind(*args, **kwargs)
    bound.apply_defaults()
    return INNER[func], bound.args, bound.kwargs
