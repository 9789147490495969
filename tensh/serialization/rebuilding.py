"""Tensors out of what a file says of them.  A file may say anything: nothing is believed that was not checked."""

import numpy as np

from tensh.engine.dtype import ALL
from tensh.engine.tensor import Tensor, wrap

__all__ = ["Tensor"]


class DamagedError(RuntimeError):
    """What a file says of a tensor does not fit its memory."""


def tensor(storage, offset, size, stride, requires_grad=False, hooks=None, metadata=None):
    """A tensor in the memory of a storage (a NumPy array of its elements)."""
    if not isinstance(storage, np.ndarray):
        raise DamagedError("a tensor in this file has no storage")
    check(storage.size, offset, size, stride)
    strides = tuple(step * storage.itemsize for step in stride)
    array = (
        np.lib.stride_tricks.as_strided(storage[offset:], tuple(size), strides)
        if storage.size
        else empty(storage, size)
    )
    made = wrap(array if type(array) is np.ndarray else np.asarray(array))
    if requires_grad:
        made.requires_grad = True
    return made


def empty(storage, size):
    return np.empty(tuple(size), storage.dtype)


def tensor_of_dtype(storage, offset, size, stride, requires_grad, hooks, dtype, metadata=None):
    """The same where the storage is plain bytes and the dtype is said apart."""
    if not isinstance(storage, np.ndarray) or dtype not in ALL.values():
        raise DamagedError("a tensor in this file has no storage, or no dtype")
    if storage.nbytes % dtype.numpy.itemsize:
        raise DamagedError(f"a storage of {storage.nbytes} bytes does not hold whole elements of {dtype}")
    return tensor(storage.view(dtype.numpy), offset, size, stride, requires_grad)


def check(count, offset, size, stride):
    """Raise unless all elements lie within a storage of ``count`` elements."""
    numbers = (offset, *size, *stride)
    if len(size) != len(stride) or not all(type(n) is int and 0 <= n < 2**62 for n in numbers):
        raise DamagedError(f"a tensor in this file has size {tuple(size)} and stride {tuple(stride)}")
    if 0 in size:
        return
    last = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    if last >= count:
        raise DamagedError(
            f"a tensor of size {tuple(size)} and stride {tuple(stride)} needs {last + 1} elements, and its storage has {count}"
        )
    if len(size) > 64:
        raise DamagedError(f"a tensor in this file has {len(size)} dimensions, and 64 is the most")


def parameter(data, requires_grad=True, hooks=None, state=None):
    """A parameter over a tensor's memory."""
    from tensh.nn.parameter import Parameter

    if not isinstance(data, Tensor):
        raise DamagedError("a parameter in this file has no tensor")
    return Parameter(data, bool(requires_grad))
