"""Softmax and the like in torch.nn.functional, where the dimension may be left out."""

from tensh.engine.errors.warnings import warn
from tensh.engine.operators.layers.composites.registry import layer


def imply_dim(name, input):
    """Return the default dimension, with PyTorch's warning."""
    ndim = input.array.ndim
    warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
    )
    return 0 if ndim in (0, 1, 3) else 1


@layer
def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """The exponentials of the elements, divided by their sum along ``dim``; ``dtype`` casts before.  Differentiable.

    Shape: [*], kept.

    >>> import tensh as torch
    >>> torch.nn.functional.softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    return input.softmax(imply_dim("softmax", input) if dim is None else dim, dtype=dtype)


@layer
def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """The softmax of the negative input.  Differentiable.  Shape: [*], kept."""
    dim = imply_dim("softmin", input) if dim is None else dim
    return (-input).softmax(dim, dtype=dtype)


@layer
def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """The logarithm of softmax along ``dim``, without overflow.  Differentiable.  Shape: [*], kept."""
    return input.log_softmax(imply_dim("log_softmax", input) if dim is None else dim, dtype=dtype)
