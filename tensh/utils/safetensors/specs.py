"""Files of the format from memory: arrays that somebody else owns, described by where they lie."""

import ctypes
import operator
from collections.abc import Sequence
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
        check_instance("dtype", dtype, str)
        check_instance("shape", shape, Sequence)
        if dtype not in NAMES and dtype not in NAMES.values():
            raise SafetensorError(f'Unknown dtype "{dtype}". Supported dtypes: {", ".join(NAMES)}')
        sizes = [read_size("shape", size) for size in shape]
        return super().__new__(
            cls, NAMES.get(dtype, dtype), sizes, read_size("data_ptr", data_ptr), read_size("data_len", data_len)
        )

    def __repr__(self):
        return f"TensorSpec({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"


def check_instance(argument, value, kind):
    """Raise TypeError unless the value of an argument is of a kind."""
    if not isinstance(value, kind):
        shown = "'None'" if value is None else f"'{type(value).__name__}' object"
        raise TypeError(f"argument '{argument}': {shown} is not an instance of '{kind.__name__}'")


def read_size(argument, value):
    """Return a whole number that is not negative; raise TypeError or OverflowError for another value."""
    try:
        number = operator.index(value)
    except TypeError as error:
        raise TypeError(f"argument '{argument}': {error}") from None
    if number < 0:
        raise OverflowError("can't convert negative int to unsigned")
    return number


def read_specs(tensor_dict):
    """Return name -> array of a dict of described arrays; raise TypeError for anything else."""
    check_instance("tensor_dict", tensor_dict, dict)
    for name, spec in tensor_dict.items():
        check_instance("tensor_dict", name, str)
        check_instance("tensor_dict", spec, TensorSpec)
    return {name: array_of(spec) for name, spec in tensor_dict.items()}


def array_of(spec):
    """Return the array that a ``TensorSpec`` describes, copied."""
    memory = np.frombuffer(ctypes.string_at(spec.data_ptr, spec.data_len), np.uint8)
    dtype = dtype_of_name(spec.dtype)
    if np.prod(spec.shape, dtype=object) * dtype.itemsize != spec.data_len:
        raise SafetensorError("Error while serializing: invalid shape, data type, or offset for tensor")
    return memory.view(dtype).reshape(spec.shape)


def serialize(tensor_dict, metadata=None):
    """Return the bytes of a file that holds described arrays, by name, and texts."""
    return b"".join(pieces(read_specs(tensor_dict), metadata))


def serialize_file(tensor_dict, filename, metadata=None):
    """Write described arrays, by name, and texts into a file.  One that was there is replaced when all is written."""
    write(filename, read_specs(tensor_dict), metadata)
