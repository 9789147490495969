"""The memory of tensors as MPI reads and writes it: contiguous elements, as bytes."""

import numpy as np

from tensh.engine.core.clock import stamp_write


def read(tensor):
    """Return the elements of a tensor contiguously, in its own memory if possible."""
    return np.ascontiguousarray(tensor.array).reshape(tensor.array.shape)


def write(tensor, array):
    """Write elements into a tensor, unless they are in its memory."""
    stamp_write(tensor.array)
    if tensor.array is not array:
        tensor.array[...] = array


def as_bytes(array):
    """Return the memory of a contiguous array as bytes."""
    return array.reshape(-1).view(np.uint8)


def facts_of(tensor):
    """Return the shape and dtype of a tensor for the description of a call."""
    return ("shape", list(tensor.shape)), ("dtype", str(tensor.dtype).removeprefix("torch."))
