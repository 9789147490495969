"""What a tensor tells about its memory, and what changes it."""

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.calls.arguments import format_named
from tensh.engine.calls.making import bind
from tensh.engine.clock import owner, wrote
from tensh.engine.declarations.table import METHODS, OPS, PUBLIC, composite
from tensh.engine.device import contiguous_format, cpu, preserve_format
from tensh.engine.dtype import BY_NUMPY
from tensh.engine.errors import wrap_dim
from tensh.engine.functional.forms import ints, method, require
from tensh.engine.graph.nodes import edge, live
from tensh.engine.tensor import SIZES


# ── sizes and places ─────────────────────────────────────────────────────────
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
    """How many elements of memory a step along every dimension, or along ``dim``, goes on."""
    steps = memory.strides(self.array)
    if dim is None:
        return steps
    if type(dim) is not int:
        dim = bind("stride", ("(int dim)",), (dim,), {})["dim"]
    return steps[wrap_dim(dim, len(steps), scalar=False)]


@method
def storage_offset(self):
    """How many elements of memory lie before the first one."""
    return memory.offset(self.array)


@method
def data_ptr(self):
    """The address of the first element."""
    return memory.address(self.array)


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
    """Do the elements lie in memory without gaps, the last dimension innermost (or as ``memory_format`` says)?"""
    if memory_format in (contiguous_format, preserve_format):
        return self.array.flags.c_contiguous
    return len(self.array.shape) == len(memory.CHANNELS[memory_format.name][1]) and memory.dense_in(
        self.array, memory_format
    )


@method
def is_set_to(self, tensor):
    """Do both tensors show the same memory in the same way?"""
    one, other = self.array, require(tensor, "is_set_to", "tensor", 1).array
    return (
        owner(one) is owner(other)
        and memory.address(one) == memory.address(other)
        and one.shape == other.shape
        and memory.strides(one) == memory.strides(other)
    )


@composite(function=False)
def contiguous(self, *, memory_format=contiguous_format):
    """The tensor itself if it is dense and in order, otherwise a copy that is.  Differentiable."""
    if memory_format is contiguous_format and self.array.flags.c_contiguous:
        return self
    if memory.dense_in(self.array, format_named(memory_format, "contiguous")):
        return self
    return OPS["clone"].fn(self, memory_format=memory_format)


# ── the memory itself ────────────────────────────────────────────────────────
class UntypedStorage:
    """The block of memory that a tensor lies in: all its bytes, and those of its other views."""

    __slots__ = ("array",)
    __module__ = "torch"

    def __init__(self, array):
        self.array = memory.dense_owner(array)

    def nbytes(self):
        """The number of bytes."""
        return self.array.nbytes

    size = __len__ = nbytes

    def data_ptr(self):
        """The address of the first byte."""
        return memory.address(self.array)

    def element_size(self):
        """1: the elements are bytes."""
        return 1

    def bytes(self):
        """The bytes as a NumPy array over the same memory."""
        return self.array.reshape(-1, order="A").view(np.uint8)

    def tolist(self):
        """The bytes as numbers."""
        return self.bytes().tolist()

    def __getitem__(self, index):
        return self.bytes()[index].tolist()

    @property
    def device(self):
        """Where the memory is."""
        return cpu

    def __repr__(self):
        lines = "".join(f" {byte}\n" for byte in self.tolist())
        return f"{lines}[torch.storage.UntypedStorage(device=cpu) of size {self.nbytes()}]"


@method
def untyped_storage(self):
    """The memory that the tensor lies in, as bytes."""
    return UntypedStorage(self.array)


@method
def resize_(self, *sizes, memory_format=contiguous_format, **named):
    """Give the tensor another size in place; new elements are not set.  Not for tensors that require grad."""
    shape = ints(sizes, named, "resize_", "size")
    if live(edge(self)):
        raise RuntimeError("cannot resize variables that require grad")
    if any(n < 0 for n in shape):
        raise RuntimeError("numel: integer multiplication overflow")
    if self.array.shape != shape:
        steps = memory.strides(memory.empty_like(np.broadcast_to(0, shape), self.array.dtype, memory_format))
        self.array = memory.in_room(self.array, shape, steps)
        wrote(self.array)
    return self


@method
def resize_as_(self, the_template, *, memory_format=contiguous_format):
    """Give the tensor the size of another one in place; new elements are not set."""
    return resize_(
        self, require(the_template, "resize_as_", "the_template", 1).array.shape, memory_format=memory_format
    )


@method
def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Let the tensor show the memory of ``source`` (a tensor or a storage), or none."""
    source = source.untyped() if hasattr(source, "untyped") else source
    if isinstance(source, UntypedStorage):
        array = source.bytes().view(self.array.dtype)
    else:
        array = np.empty(0, self.array.dtype) if source is None else require(source, "set_", "source", 1).array
    if array.dtype is not self.array.dtype:
        raise RuntimeError(
            f"Could not set tensor of type {BY_NUMPY[array.dtype].ctype} to a tensor of type {self.dtype.ctype}"
        )
    if size is not None:
        steps = memory.contiguous_strides(size) if stride is None else stride
        block = memory.dense_owner(array)
        array = memory.within(array, tuple(size), steps, storage_offset - memory.distance(block, array))
    self.array, self._base = array, None
    wrote(array)
    return self


PUBLIC["UntypedStorage"], PUBLIC["resize_as_"] = UntypedStorage, resize_as_
