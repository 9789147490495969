"""The names of torch.nn.functional, and helpers of many layers.

The functions are not methods; they are in the torch namespace only if PyTorch has them there, too.
"""

from tensh.engine.codegen.registry import PUBLIC, Registry

LAYERS = Registry("LAYERS")  # the names of torch.nn.functional: functions and operators


def layer(fn=None, *, torch=False):
    """Make ``fn`` public as ``torch.nn.functional.NAME``, and with ``torch`` also as ``torch.NAME``."""
    if fn is None:
        return lambda f: layer(f, torch=torch)
    fn.__module__ = "torch.nn.functional"
    LAYERS[fn.__name__] = fn
    if torch:
        PUBLIC[fn.__name__] = fn
    return fn


def rename(fn, name, doc=None):
    """Rename ``fn``, a function written for any number of dimensions."""
    fn.__name__ = fn.__qualname__ = name
    if doc is not None:
        fn.__doc__ = doc
    return fn


# ── docstrings of functions for any number of dimensions ─────────────────────
SIZES = {1: ("L",), 2: ("H", "W"), 3: ("D", "H", "W")}


def last(dims):
    """Name the dimensions after the channels."""
    return "last dimension" if dims == 1 else f"last {dims} dimensions"


def shapes(dims):
    """Describe the input's and the output's shape of a function of windows."""
    before, after = ", ".join(SIZES[dims]), ", ".join(f"{size}_out" for size in SIZES[dims])
    return f"Shapes: [N, C, {before}] to [N, C, {after}], or both without N."


SMALL = ("uint8", "int8", "int16", "int32")
HALF = ("float16", "bfloat16")


def refuse_dtypes(kernel_name, tensor, *names):
    """Raise PyTorch's error for unsupported dtypes that the operator's ``types`` cannot express."""
    if tensor.dtype.name in names:
        raise NotImplementedError(f"\"{kernel_name}\" not implemented for '{tensor.dtype.title}'")


def require_constants(function, **tensors):
    """Raise if tensors without a derivative require a gradient."""
    for name, tensor in tensors.items():
        if tensor is not None and tensor.requires_grad:
            raise RuntimeError(
                f"The function '{function}' is not differentiable with respect to argument '{name}'. This input cannot have "
                "requires_grad True."
            )
