"""The memory of tensors as a file has it: one block for all tensors that share it, by the names of PyTorch's storages."""

from typing import NamedTuple

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import is_absent
from tensh.engine.core.clock import owner
from tensh.engine.dtypes.dtype import BY_NUMPY

STORAGES = {
    "float64": "DoubleStorage", "float32": "FloatStorage", "float16": "HalfStorage", "bfloat16": "BFloat16Storage",
    "int64": "LongStorage", "int32": "IntStorage", "int16": "ShortStorage", "int8": "CharStorage", "uint8": "ByteStorage",
    "bool": "BoolStorage", "complex128": "ComplexDoubleStorage", "complex64": "ComplexFloatStorage",
}  # fmt: skip
KINDS = {storage: name for name, storage in STORAGES.items()}
UNTYPED = "UntypedStorage"  # the storage class of dtypes that have none


class Place(NamedTuple):
    """A tensor in a block of memory: the block, where in it the first element is, and the steps between elements."""

    block: np.ndarray
    offset: int
    strides: tuple[int, ...]


def place_of(array):
    """Return the memory of an array's elements: its owner's where that is one dense block, else a copy's."""
    if is_absent(array):
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    whole = owner(array)
    size = array.itemsize
    distance = memory.address(array) - memory.address(whole) if array.size else 0
    if not is_dense(whole) or distance % size or distance < 0:
        whole, distance = np.ascontiguousarray(array), 0
        return Place(flat(whole), 0, tuple(step // size for step in whole.strides))
    return Place(flat(whole), distance // size, tuple(memory.strides(array)))


def is_dense(array):
    """True if the elements of an array fill one block of memory, in any order."""
    return array.flags.c_contiguous or array.flags.f_contiguous


def flat(array):
    """The bytes of a dense array in the order of memory."""
    ordered = array if array.flags.c_contiguous else array.T
    return ordered.reshape(-1).view(np.uint8)


def dtype_name(array):
    return str(BY_NUMPY[array.dtype]).removeprefix("torch.")
