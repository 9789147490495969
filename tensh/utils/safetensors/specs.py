"""Files of the format from memory: arrays that somebody else owns, described by where they lie."""

import ctypes
from typing import NamedTuple

import numpy as np

from tensh.utils.safetensors.format import NAMES, SafetensorError, dtype_of_name, pieces, write


class Spec(NamedTuple):
    """The fields of a ``TensorSpec``."""

    dtype: str
    shape: list
    data_ptr: int
    data_len: int


class TensorSpec(Spec):
    """An array by its dtype (such as "float32"), shape, address and length in bytes; the owner keeps the memory alive.

    Raise SafetensorError for a dtype that the format does not have, or that tensh computes nothing in.
    """

    __slots__ = ()
    __module__ = "safetensors"

    def __new__(cls, *, dtype, shape, data_ptr, data_len):
        if dtype not in NAMES and dtype not in NAMES.values():
            raise SafetensorError(f'Unknown dtype "{dtype}". Supported dtypes: {", ".join(NAMES)}')
        return super().__new__(cls, NAMES.get(dtype, dtype), [*map(int, shape)], int(data_ptr), int(data_len))

    def __repr__(self):
        return f"TensorSpec({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"


def array_of(spec):
    """The array that a ``TensorSpec`` describes, copied."""
    memory = np.frombuffer(ctypes.string_at(spec.data_ptr, spec.data_len), np.uint8)
    dtype = dtype_of_name(spec.dtype)
    if np.prod(spec.shape, dtype=object) * dtype.itemsize != spec.data_len:
        raise SafetensorError("Error while serializing: invalid shape, data type, or offset for tensor")
    return memory.view(dtype).reshape(spec.shape)


def serialize(tensor_dict, metadata=None):
    """The bytes of a file that holds described arrays, by name, and texts."""
    return b"".join(pieces({name: array_of(spec) for name, spec in tensor_dict.items()}, metadata))


def serialize_file(tensor_dict, filename, metadata=None):
    """Write described arrays, by name, and texts into a file.  One that was there is replaced when all is written."""
    write(filename, {name: array_of(spec) for name, spec in tensor_dict.items()}, metadata)
