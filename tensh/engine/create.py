"""New tensors from data: numbers, nested lists, arrays, buffers."""

import warnings

import numpy as np

from tensh.engine import nested
from tensh.engine.arguments import options
from tensh.engine.dtype import BY_NUMPY, of_scalar
from tensh.engine.errors import refuse_dtype  # noqa: F401
from tensh.engine.graph import AccumulateGrad
from tensh.engine.table import PUBLIC, public
from tensh.engine.tensor import Tensor, new, wrap


def leaf(array, requires_grad=False):
    """A tensor over ``array`` that, if so wished, gradients are computed for."""
    t = wrap(array)
    if requires_grad:
        if t.array.dtype.kind not in "fcV":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        t.node = AccumulateGrad(t)
    return t


def require_bool(value, name):
    """Refuse a ``requires_grad`` that is no bool."""
    if type(value) is not bool:
        raise TypeError(f"{name}(): argument 'requires_grad' must be bool, not {type(value).__name__}")


FLOATS = {float}


@public
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A new tensor with a copy of ``data``: a number, nested sequences of numbers, an array or a tensor.

    The dtype is that of the data; Python floats get the default dtype.

    >>> import tensh as torch
    >>> torch.tensor([[1, 2], [3, 4.5]])
    tensor([[1.0000, 2.0000],
            [3.0000, 4.5000]])
    """
    if dtype is None and device is None and pin_memory is False:
        kind = type(data)
        if kind is list and {*map(type, data)} == FLOATS or kind is float:
            array = np.array(data, of_scalar[float].numpy)
        else:
            array = copied(data, None)
    else:
        array = copied(data, options("tensor", dtype=dtype, device=device, pin_memory=pin_memory))
    if requires_grad is not False:
        require_bool(requires_grad, "tensor")
        return leaf(array, True)
    t = new()
    t.array = array
    t.node = t.view = t._grad = None
    return t


def copied(data, numpy, advice="torch.tensor(sourceTensor)"):
    """The data in memory of its own."""
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            f"sourceTensor.detach().clone().requires_grad_(True), rather than {advice}.",
            stacklevel=3,
        )
        return data.array.astype(numpy or data.array.dtype)
    if isinstance(data, np.ndarray):
        array = shared(data)
        return array.astype(numpy or array.dtype)
    return nested.read(data, None if numpy is None else BY_NUMPY[numpy])


def shared(array):
    """A NumPy array as the array of a tensor: a view of its own, of a dtype and strides that tensors can have."""
    dtype = BY_NUMPY[array.dtype].numpy
    if any(s < 0 for s in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with array.copy().) "
        )
    return np.asarray(array).view(dtype)


@public
def from_numpy(ndarray):
    """A tensor over the memory of a NumPy array: writes to one are seen by the other.

    >>> import numpy as np, tensh as torch
    >>> a = np.zeros(2)
    >>> torch.from_numpy(a).fill_(1)
    tensor([1., 1.], dtype=torch.float64)
    >>> a
    array([1., 1.])
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    return wrap(shared(ndarray))


@public
def as_tensor(data, dtype=None, device=None):
    """``data`` as a tensor, without copying where it is a tensor or an array of that dtype already."""
    numpy = options("as_tensor", dtype=dtype, device=device)
    if isinstance(data, Tensor):
        return data if numpy is None else data.to(BY_NUMPY[numpy])
    if isinstance(data, np.ndarray):
        array = shared(data)
        return wrap(array if numpy is None else array.astype(numpy, copy=False))
    return wrap(nested.read(data, None if numpy is None else BY_NUMPY[numpy]))


PUBLIC["scalar_tensor"] = tensor
