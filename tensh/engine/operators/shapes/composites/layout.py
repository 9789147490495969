"""The memory layout of a tensor: sizes, strides and offset."""

import numpy as np

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.checks import format_named
from tensh.engine.arrays import memory
from tensh.engine.arrays.owners import first_owner
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.registry import METHODS
from tensh.engine.core.tensor import SPARSE
from tensh.engine.dispatch.override.state import is_wrapper
from tensh.engine.dtypes.device import contiguous_format, preserve_format
from tensh.engine.dtypes.size import SIZES
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.basic import clone as clone_op
from tensh.engine.operators.forms import method, require


@method
def size(self, dim=None):
    """The size of every dimension, or of dimension ``dim``.

    >>> import tensh as torch
    >>> torch.zeros(2, 3).size(), torch.zeros(2, 3).size(-1)
    (torch.Size([2, 3]), 3)
    """
    shape = self.array.shape
    if dim is None:
        return SIZES[shape]
    if type(dim) is not int:
        dim = bind("size", ("(int dim)",), (dim,), {})["dim"]
    return shape[wrap_dim(dim, len(shape), scalar=False)]


@method
def stride(self, dim=None):
    """Return the strides, in elements, of every dimension, or of ``dim``."""
    steps = memory.strides(self.array)
    if dim is None:
        return steps
    if type(dim) is not int:
        dim = bind("stride", ("(int dim)",), (dim,), {})["dim"]
    return steps[wrap_dim(dim, len(steps), scalar=False)]


@method
def storage_offset(self):
    """Return the offset of the first element in the storage, in elements."""
    return 0 if is_wrapper(self) else memory.offset(self.array)


@method
def data_ptr(self):
    """The address of the first element; 0 if there is none, or if only a wrapper subclass knows it.

    For meta tensors, the distance from the start of the memory.

    Raise RuntimeError for a sparse tensor.
    """
    array = self.array
    if type(array) in SPARSE:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
    if not array.size or is_wrapper(self):
        return 0
    return memory.address(array) if type(array) is np.ndarray else memory.offset(array) * array.itemsize


METHODS["const_data_ptr"] = data_ptr


@method
def element_size(self):
    """Bytes of one element."""
    return self.array.itemsize


@composite
def numel(input):
    """The number of elements."""
    return require(input, "numel", "input", 1).array.size


METHODS["nelement"] = numel


@method
def dim(self):
    """The number of dimensions."""
    return self.array.ndim


METHODS["ndimension"] = dim


@method
def is_contiguous(self, *, memory_format=contiguous_format):
    """Return True if the tensor is dense, with the last dimension innermost (or in the order of ``memory_format``)."""
    if memory_format in (contiguous_format, preserve_format):
        return self.array.flags.c_contiguous
    return len(self.array.shape) == len(memory.CHANNELS[memory_format.name][1]) and memory.dense_in(
        self.array, memory_format
    )


@method
def is_set_to(self, tensor):
    """Return True if both tensors have the same memory, sizes and strides."""
    one, other = self.array, require(tensor, "is_set_to", "tensor", 1).array
    return (
        first_owner(one) is first_owner(other)
        and memory.address(one) == memory.address(other)
        and one.shape == other.shape
        and memory.strides(one) == memory.strides(other)
    )


@composite(function=False)
def contiguous(self, *, memory_format=contiguous_format):
    """The tensor itself if it is contiguous, otherwise a contiguous copy.  Differentiable."""
    if memory_format is contiguous_format and self.array.flags.c_contiguous:
        return self
    if memory.dense_in(self.array, format_named(memory_format, "contiguous")):
        return self
    return clone_op.fn(self, memory_format=memory_format)
