"""The names of torch.nn.functional, and helpers of many layers.

The functions are not methods, and not in the torch namespace but where PyTorch has them there, too.
"""

from tensh.engine.codegen.registry import PUBLIC, Registry

LAYERS = Registry("LAYERS")  # the names of torch.nn.functional: functions and operators


def layer(fn=None, *, torch=False):
    """Make ``fn`` public as ``torch.nn.functional.NAME``, and with ``torch`` as ``torch.NAME``, too."""
    if fn is None:
        return lambda f: layer(f, torch=torch)
    fn.__module__ = "torch.nn.functional"
    LAYERS[fn.__name__] = fn
    if torch:
        PUBLIC[fn.__name__] = fn
    return fn


def rename(fn, name, doc=None):
    """``fn`` under another name, for functions that are written for all numbers of dimensions at once."""
    fn.__name__ = fn.__qualname__ = name
    if doc is not None:
        fn.__doc__ = doc
    return fn


# ── docstrings of functions that are written for all numbers of dimensions ───
SIZES = {1: ("L",), 2: ("H", "W"), 3: ("D", "H", "W")}


def last(dims):
    """The dimensions behind the channels, in words."""
    return "last dimension" if dims == 1 else f"last {dims} dimensions"


def shapes(dims):
    """The shapes of the input and of the output of a function of windows."""
    before, after = ", ".join(SIZES[dims]), ", ".join(f"{size}_out" for size in SIZES[dims])
    return f"Shapes: [N, C, {before}] to [N, C, {after}], or both without N."


SMALL = ("uint8", "int8", "int16", "int32")
HALF = ("float16", "bfloat16")


def refuse_dtypes(kernel_name, tensor, *names):
    """PyTorch's error for unsupported dtypes that ``types`` of the operator cannot express."""
    if tensor.dtype.name in names:
        raise NotImplementedError(f"\"{kernel_name}\" not implemented for '{tensor.dtype.title}'")


def constants(function, **tensors):
    """Raise if a gradient is wanted for tensors that have none."""
    for name, tensor in tensors.items():
        if tensor is not None and tensor.requires_grad:
            raise RuntimeError(
                f"The function '{function}' is not differentiable with respect to argument '{name}'. This input cannot have "
                "requires_grad True."
            )
