"""Changes of a tensor's size or memory in place."""

import math
from functools import cache

import numpy as np

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.overloads import forms_of
from tensh.engine.arguments.signatures import choose
from tensh.engine.arrays import memory
from tensh.engine.arrays.bounds import MOST, count_elements, require_storage
from tensh.engine.arrays.owners import require_resizable
from tensh.engine.autograd.inference import refuse_write
from tensh.engine.autograd.leaves import renew_leaf, replace_array
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.core.clock import continue_version, mode, owner, stamp_write
from tensh.engine.core.nodes import AccumulateGrad, uses_gradient
from tensh.engine.core.tensor import SPARSE, Tensor
from tensh.engine.core.views import INFERENCE, refresh_node
from tensh.engine.dtypes.device import CONSTANTS, channels_last, channels_last_3d, contiguous_format, preserve_format
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.inplace.writes import refuse_unrecordable
from tensh.engine.methods.settings import fill_unset
from tensh.engine.operators.forms import ints, method, require


@method
def resize_(self, *sizes, memory_format=None, **named):
    """Resize the tensor in place; new elements are uninitialized.

    Raise RuntimeError for tensors that require grad, and for more elements than the memory of a NumPy array has.
    """
    if self._base is INFERENCE:
        refuse_write(self)
    shape = ints(sizes, named, "resize_", "size")
    if not mode.inference and uses_gradient(refresh_node(self)):
        raise RuntimeError("cannot resize variables that require grad")
    if any(n < 0 for n in shape):
        raise RuntimeError("numel: integer multiplication overflow")
    if memory_format is preserve_format:
        raise RuntimeError("Unsupported memory formatPreserve")
    if self.array.shape != shape or memory_format is not None:
        require_sizes(shape, self.array.itemsize)
        steps = memory.contiguous_strides(shape)
        if memory_format not in (None, contiguous_format):
            steps = memory.strides(memory.empty_like(np.broadcast_to(0, shape), self.array.dtype, memory_format))
        before, after = self.array, memory.fit_in_room(self.array, shape, steps)
        stamp_write(before)  # nodes may have saved the former elements
        self.array = after
        if owner(self.array) is not owner(before):
            continue_version(before, self.array)
            if self.array.size > before.size and self.array.flags.c_contiguous:
                fill_unset(self.array.reshape(-1)[before.size :])
    return self


def require_sizes(shape, itemsize):
    """Raise for sizes with more elements than can be counted, or more bytes than can be addressed."""
    if max(shape, default=0) > MOST:
        bind("resize_", ("(tuple of ints size)",), (shape,), {})
    if math.prod(n or 1 for n in shape) > MOST:
        raise RuntimeError("numel: integer multiplication overflow")
    if math.prod(n or 1 for n in shape) * itemsize > MOST:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")


@method
def resize_as_(self, the_template, *, memory_format=None):
    """Resize the tensor in place to the size of another one; new elements are uninitialized.

    Raise RuntimeError for a tensor that requires grad.
    """
    shape = require(the_template, "resize_as_", "the_template", 1).array.shape
    if self.layout is CONSTANTS["sparse_coo"] and type(the_template.array) in SPARSE:
        return self.resize_as_sparse_(the_template)
    if memory_format is preserve_format:
        formats = () if the_template.is_contiguous() else (channels_last, channels_last_3d)
        memory_format = next((form for form in formats if the_template.is_contiguous(memory_format=form)), None)
    return resize_(self, shape, memory_format=memory_format)


@method
def set_(self, source=None, storage_offset=None, size=None, stride=None):
    """Make the tensor a view of the memory of ``source`` (a tensor or a storage), or of none.

    Args:
        storage_offset: the element of the memory that comes first.
        size: of the tensor; that of the source where it is left out.
        stride: in elements, of every dimension; a dense tensor where it is left out.

    Raise RuntimeError for negative numbers.  Where the memory is too short, the tensor gets a separate, longer copy;
    RuntimeError if the memory is an array's of NumPy, too.

    >>> import tensh as torch
    >>> torch.empty(0).set_(torch.arange(6.0), 1, (2, 2), (2, 1))
    tensor([[1., 2.],
            [3., 4.]])
    """
    named = {"source": source, "storage_offset": storage_offset, "size": size, "stride": stride}
    if self._base is INFERENCE:
        refuse_write(self)
    if mode.grad is True:
        refuse_unrecordable(self)
    given = choose("set_", set_forms(), (), {name: value for name, value in named.items() if value is not None})[1]
    dtype, source = self.array.dtype, given.get("source")
    if source is None:
        array = np.empty(0, dtype)
    elif isinstance(source, Tensor):
        array = source.array
        if type(array) is not type(self.array) and source.device != self.device:
            raise RuntimeError(
                f'Attempted to set the storage of a tensor on device "{self.device}" to a storage on different device '
                f'"{source.device}".  This is no longer allowed; the devices must match.'
            )
        if array.dtype is not dtype:
            raise RuntimeError(
                f"Could not set tensor of type {BY_NUMPY[array.dtype].spoken} to a tensor of type {self.dtype.spoken}"
            )
    else:
        require_kind(source, dtype, "type ", self.dtype.spoken)
        data = source.untyped().bytes()
        array = data[: data.size // dtype.itemsize * dtype.itemsize].view(dtype)
    if "size" in given:
        array = array_at(array, given["size"], given.get("stride"), given["storage_offset"])
    before = self.array
    stamp_write(before)
    self._base = None
    if type(self.node) is AccumulateGrad and self.node.shape != array.shape:
        renew_leaf(self, array)
    if owner(array) is not owner(before):  # the tensor goes on counting its own writes
        array = memory.share_apart(array)
        continue_version(before, array)
    replace_array(self, array)
    return self


def require_kind(storage, dtype, what, name, where=" for argument 1 'storage'"):
    """Raise RuntimeError for a storage of another dtype than ``dtype`` (NumPy's), which the message calls ``name``."""
    own = getattr(storage, "dtype", None)
    if own is not None and own.numpy is not dtype:
        raise RuntimeError(f"Expected a Storage of type {name} or an UntypedStorage, but got {what}{own.title}{where}")


def array_at(array, size, stride, start):
    """Return an array of this layout in the memory of ``array``, or in a longer copy of it."""
    if any(n < 0 for n in size) or math.prod(n or 1 for n in size) > MOST:
        raise RuntimeError("numel: integer multiplication overflow")
    steps = memory.contiguous_strides(size) if stride is None else stride
    if len(size) != len(steps):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(steps)})")
    require_storage(size, steps, start, array.itemsize)
    whole, need = memory.flat_memory(array), count_elements(size, steps, start)
    if need > whole.size:
        require_resizable(array)
        whole = memory.reallocate(whole, need)
    return memory.view_strided(whole, size, steps, start)


@cache
def set_forms():
    """The overloads of ``set_``."""
    return forms_of("set_", True, ())


PUBLIC["resize_as_"] = resize_as_
