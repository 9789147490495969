"""The memory of tensors in a file: one block for all tensors that share it, with the names of PyTorch's storages."""

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
UNTYPED = "UntypedStorage"  # storage class of dtypes without their own


class Place(NamedTuple):
    """A tensor's location in a block of memory: the block, the offset of its first element, and the strides."""

    block: np.ndarray
    offset: int
    strides: tuple[int, ...]


def place_of(array):
    """Return the memory of an array: its owner's if that is a single dense block, else a copy."""
    if is_absent(array):
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    whole = owner(array)
    size = array.itemsize
    distance = memory.address(array) - memory.address(whole) if array.size else 0
    if not memory.is_dense(whole) or distance % size or distance < 0:
        whole, distance = np.ascontiguousarray(array), 0
        return Place(flat(whole), 0, tuple(step // size for step in whole.strides))
    return Place(flat(memory.dense_owner(whole)), distance // size, tuple(memory.strides(array)))


def flat(array):
    """Return the bytes of a dense array in memory order."""
    ordered = array if array.flags.c_contiguous else array.T
    return ordered.reshape(-1).view(np.uint8)


def dtype_name(array):
    return str(BY_NUMPY[array.dtype]).removeprefix("torch.")
