"""The memory of tensors as MPI reads and writes it: their elements without gaps, as bytes."""

import numpy as np

from tensh.engine.core.clock import stamp_write


def read(tensor):
    """The elements of a tensor without gaps: its own memory where that is so."""
    return np.ascontiguousarray(tensor.array).reshape(tensor.array.shape)


def write(tensor, array):
    """Write elements into a tensor, unless they lie in it."""
    if tensor.array is not array:
        tensor.array[...] = array
    stamp_write(tensor.array)


def as_bytes(array):
    """The memory of an array without gaps as bytes."""
    return array.reshape(-1).view(np.uint8)


def facts_of(tensor):
    """The shape and dtype of a tensor, as a call tells them."""
    return ("shape", list(tensor.shape)), ("dtype", str(tensor.dtype).removeprefix("torch."))
