"""The memory of a tensor: its storage, strides and offset, and methods that change them."""

import math
import sys
from functools import cache

import numpy as np

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.checks import format_named
from tensh.engine.arguments.overloads import forms_of
from tensh.engine.arguments.signatures import choose
from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import Absent, is_absent
from tensh.engine.arrays.bounds import MOST, count_elements, require_storage
from tensh.engine.autograd.inference import INFERENCE, refuse_write
from tensh.engine.codegen.table import METHODS, PUBLIC, composite
from tensh.engine.core.clock import counted_on, owner, wrote
from tensh.engine.core.nodes import live
from tensh.engine.core.tensor import SPARSE, Tensor
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.device import contiguous_format, cpu, meta, preserve_format, require_cpu
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.dtypes.size import SIZES
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.methods.settings import fill_unset
from tensh.engine.operators.basic import clone as clone_op
from tensh.engine.operators.forms import ints, method, require


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
    """The address of the first element; 0 if there is none.  RuntimeError for a sparse tensor."""
    array = self.array
    if type(array) in SPARSE:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
    return memory.address(array) if array.size and type(array) is np.ndarray else 0


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
    """True if elements lie in memory without gaps, the last dimension innermost (or as ``memory_format`` says)."""
    if memory_format in (contiguous_format, preserve_format):
        return self.array.flags.c_contiguous
    return len(self.array.shape) == len(memory.CHANNELS[memory_format.name][1]) and memory.dense_in(
        self.array, memory_format
    )


@method
def is_set_to(self, tensor):
    """True if both tensors show the same memory in the same way."""
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
    return clone_op.fn(self, memory_format=memory_format)


# ── the memory itself ────────────────────────────────────────────────────────
class UntypedStorage:
    """The block of memory that a tensor lies in: all its bytes, and those of its other views.

    ``UntypedStorage(8)`` is new memory of so many bytes, ``UntypedStorage([1, 2])`` has these.
    RuntimeError for other data.

    >>> import tensh as torch
    >>> torch.UntypedStorage([1, 2]).tolist()
    [1, 2]
    """

    __module__ = "torch.storage"
    is_cuda = is_sparse = is_hpu = False
    filename = None

    def __init__(self, source=0, *, device=None):
        require_cpu(device)
        if isinstance(source, (np.ndarray, Absent)):
            self.array = memory.dense_owner(source)
        elif isinstance(source, int):
            self.array = new_row(source, np.dtype(np.uint8))
        else:
            self.array = row_of(source, np.dtype(np.uint8), UntypedStorage)

    def untyped(self):
        """The storage itself."""
        return self

    def nbytes(self):
        """The number of bytes."""
        return self.array.nbytes

    size = __len__ = nbytes

    def data_ptr(self):
        """The address of the first byte."""
        return memory.address(self.array)

    _cdata = property(data_ptr, doc="A number for the memory.")

    @staticmethod
    def from_buffer(buffer, byte_order=None, count=-1, offset=0, *, dtype):
        """A copy of the bytes of ``count`` elements of ``dtype``, of which ``byte_order`` is "native", "big" or "little"."""
        return view_storage(read_buffer(buffer, byte_order, count, offset, dtype).view(np.uint8))

    @staticmethod
    def from_file(filename, shared=False, nbytes=0):
        """The first bytes of a file, mapped into memory; writes reach the file if it is ``shared``."""
        return view_storage(np.memmap(filename, np.uint8, "r+" if shared else "c", shape=(nbytes,)).view(np.ndarray))

    def resizable(self):
        """True unless the memory is an array's of NumPy, too."""
        try:
            memory.require_resizable(self.array)
        except RuntimeError:
            return False
        return True

    def new(self):
        """A storage of no bytes."""
        return UntypedStorage()

    def cpu(self):
        """The storage itself: it is on the CPU."""
        return self

    def type(self, dtype=None, non_blocking=False):
        """The name of the class."""
        return "torch.storage.UntypedStorage"

    def is_pinned(self, device="cuda"):
        """False: memory is never pinned for a device."""
        return False

    def is_shared(self):
        """False: memory is never shared with other processes."""
        return False

    def share_memory_(self):
        """The storage itself."""
        return self

    def __reduce__(self):
        return view_storage, (self.bytes(),)

    def __deepcopy__(self, memo):
        return memo.setdefault(id(self), self.clone())

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
        data = self.bytes()
        if isinstance(index, slice):
            return view_storage(data[in_steps_of_one(index, data.size)])
        return data[place_in(index, data.size)].item()

    def __setitem__(self, index, value):
        if not isinstance(value, (int, np.integer)):
            raise RuntimeError(f"can only set storage content with a int types, but got {type(value).__name__} instead")
        data = self.bytes()
        if isinstance(index, slice):
            index = in_steps_of_one(index, data.size)
        elif not isinstance(index, int) or type(index) is bool:
            raise RuntimeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        elif not 0 <= index < data.size:
            raise RuntimeError("out of bounds")
        data[index] = int(value) & 255

    def __iter__(self):
        return iter(self.tolist())

    def fill_(self, value):
        """Set every byte to ``value``."""
        self[:] = value
        return self

    def copy_(self, source, non_blocking=None):
        """Take over the bytes of a storage of the same size.

        >>> import tensh as torch
        >>> t = torch.zeros(2, dtype=torch.uint8)
        >>> storage = t.untyped_storage().copy_(torch.UntypedStorage([1, 2]))
        >>> t
        tensor([1, 2], dtype=torch.uint8)
        """
        bind("copy_", ("(torch.Storage src, bool non_blocking = None)",), (source, non_blocking), {})
        data, new = self.bytes(), source.untyped().bytes()
        if data.size != new.size:
            raise RuntimeError(f"size does not match, self was {data.size} bytes but src was {new.size} bytes")
        data[...] = new
        return self

    def resize_(self, size):
        """Give the storage so many bytes, in memory of its own that begins with the old ones.

        Tensors over the old memory keep it.  RuntimeError where the memory is an array's of NumPy, too.
        """
        if type(size) is bool or not isinstance(size, int):
            raise RuntimeError(f"resize_ expects an int, but got {type(size).__name__}")
        memory.require_resizable(self.array)
        data, room = self.bytes(), new_row(size, np.dtype(np.uint8))
        room[: data.size] = data[:size]
        self.array = room
        return self

    def clone(self):
        """A copy."""
        return view_storage(self.bytes().copy())

    @property
    def device(self):
        """Where the memory is."""
        return meta if is_absent(self) else cpu

    def __repr__(self):
        lines = "" if is_absent(self) else "".join(f" {byte}\n" for byte in self.tolist())
        return f"{lines}[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


def read_buffer(buffer, byte_order, count, offset, dtype):
    """A new row of ``count`` elements (-1: all) that lie ``offset`` bytes behind the beginning of a buffer."""
    kind = dtype.numpy
    if kind.itemsize > 1 and byte_order is None:
        raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
    data = np.frombuffer(buffer, np.uint8)
    room = data.size - offset
    if room <= 0 or count < 0 and room % kind.itemsize or count * kind.itemsize > room:
        raise ValueError(
            f"buffer of {data.size} bytes has no {'whole' if count < 0 else count} elements of {dtype} from byte {offset} on"
        )
    row = data[offset:][: (room // kind.itemsize if count < 0 else count) * kind.itemsize].copy()
    if kind.itemsize > 1 and byte_order != "native" and byte_order != sys.byteorder:
        row = np.ascontiguousarray(row.reshape(-1, kind.itemsize)[:, ::-1]).reshape(-1)
    return row.view(kind)


def view_storage(data):
    """A storage over a row of bytes, which may be part of other memory."""
    storage = object.__new__(UntypedStorage)
    storage.array = data
    return storage


def in_steps_of_one(index, size):
    """A slice of a storage of ``size`` elements, with numbers; RuntimeError for one with another step."""
    start, stop, step = index.indices(size)
    if step != 1:
        raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
    return slice(start, max(start, stop))


def new_row(size, dtype):
    """New memory for a number of elements; PyTorch's errors where there cannot be so much."""
    nbytes = size * dtype.itemsize
    if not -(2**63) <= nbytes < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if size < 0:
        raise RuntimeError(
            "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have been called with "
            f"negative number: {nbytes % 2**64}"
        )
    return memory.allocate(size, dtype)


def row_of(values, dtype, cls):
    """The numbers of a sequence as a row of elements."""
    try:
        return np.array([*values], dtype).reshape(-1)
    except (TypeError, ValueError, OverflowError):
        one = next((value for value in values if not isinstance(value, int)), 0) if hasattr(values, "__iter__") else 0
        raise RuntimeError(
            f"torch.{cls.__name__}(): tried to construct a storage from a sequence ({type(values).__name__}), but one of "
            f"the items was of type {type(one).__name__} instead of int"
        ) from None


def place_in(index, size):
    """The place of an element in a storage of ``size`` elements; PyTorch's IndexError where there is none."""
    if not isinstance(index, int):
        raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
    if not -(2**63) <= index < 2**63:
        raise ValueError("Overflow when unpacking long long")
    place = index + size if index < 0 else index
    if not 0 <= place < size:
        raise IndexError(f"index {place} out of range for storage of size {size}")
    return place


@method
def untyped_storage(self):
    """The memory that the tensor lies in, as bytes."""
    return UntypedStorage(self.array)


@method
def resize_(self, *sizes, memory_format=contiguous_format, **named):
    """Give the tensor another size in place; new elements are not set.

    RuntimeError for tensors that require grad, and for more elements than the memory of a NumPy array has.
    """
    if self._base is INFERENCE:
        refuse_write(self)
    shape = ints(sizes, named, "resize_", "size")
    if live(refresh_node(self)):
        raise RuntimeError("cannot resize variables that require grad")
    if any(n < 0 for n in shape):
        raise RuntimeError("numel: integer multiplication overflow")
    if self.array.shape != shape:
        require_sizes(shape, self.array.itemsize)
        steps = memory.contiguous_strides(shape)
        if memory_format is not contiguous_format:
            steps = memory.strides(memory.empty_like(np.broadcast_to(0, shape), self.array.dtype, memory_format))
        before, self.array = self.array, memory.in_room(self.array, shape, steps)
        if owner(self.array) is not owner(before):
            counted_on(before, self.array)
            if self.array.size > before.size and self.array.flags.c_contiguous:
                fill_unset(self.array.reshape(-1)[before.size :])
        wrote(self.array)
    return self


def require_sizes(shape, itemsize):
    """Refuse sizes of more elements than can be counted, or more bytes than can be addressed."""
    if max(shape, default=0) > MOST:
        bind("resize_", ("(tuple of ints size)",), (shape,), {})
    if math.prod(n or 1 for n in shape) > MOST:
        raise RuntimeError("numel: integer multiplication overflow")
    if math.prod(n or 1 for n in shape) * itemsize > MOST:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")


@method
def resize_as_(self, the_template, *, memory_format=contiguous_format):
    """Give the tensor the size of another one in place; new elements are not set.

    RuntimeError for a tensor that requires grad.
    """
    return resize_(
        self, require(the_template, "resize_as_", "the_template", 1).array.shape, memory_format=memory_format
    )


@method
def set_(self, source=None, storage_offset=None, size=None, stride=None):
    """Let the tensor show the memory of ``source`` (a tensor or a storage), or none.

    Args:
        storage_offset: the element of the memory that comes first.
        size: of the tensor; that of the source where it is left out.
        stride: in elements, of every dimension; a dense tensor where it is left out.

    RuntimeError for negative numbers.  Where the memory is too short, the tensor gets a longer copy of its own; RuntimeError
    if the memory is an array's of NumPy, too.

    >>> import tensh as torch
    >>> torch.empty(0).set_(torch.arange(6.0), 1, (2, 2), (2, 1))
    tensor([[1., 2.],
            [3., 4.]])
    """
    named = {"source": source, "storage_offset": storage_offset, "size": size, "stride": stride}
    if self._base is INFERENCE:
        refuse_write(self)
    given = choose("set_", set_forms(), (), {name: value for name, value in named.items() if value is not None})[1]
    dtype, source = self.array.dtype, given.get("source")
    if source is None:
        array = np.empty(0, dtype)
    elif isinstance(source, Tensor):
        array = source.array
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
    self.array, self._base = array, None
    wrote(array)
    return self


def require_kind(storage, dtype, what, name, where=" for argument 1 'storage'"):
    """RuntimeError for a storage of another dtype than ``dtype`` (NumPy's), which the message calls ``name``."""
    own = getattr(storage, "dtype", None)
    if own is not None and own.numpy is not dtype:
        raise RuntimeError(f"Expected a Storage of type {name} or an UntypedStorage, but got {what}{own.title}{where}")


def array_at(array, size, stride, start):
    """An array of a size at a place in the memory of ``array``, or in a longer copy of it."""
    if any(n < 0 for n in size) or math.prod(n or 1 for n in size) > MOST:
        raise RuntimeError("numel: integer multiplication overflow")
    steps = memory.contiguous_strides(size) if stride is None else stride
    if len(size) != len(steps):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(steps)})")
    require_storage(size, steps, start, array.itemsize)
    whole, need = memory.flat_memory(array), count_elements(size, steps, start)
    if need > whole.size:
        memory.require_resizable(array)
        whole = memory.reallocate(whole, need)
    return memory.view_strided(whole, size, steps, start)


@cache
def set_forms():
    """The forms of ``set_``."""
    return forms_of("set_", True, ())


PUBLIC["UntypedStorage"], PUBLIC["resize_as_"] = UntypedStorage, resize_as_
