"""The memory of a tensor: its storage, as bytes."""

import sys

import numpy as np

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import Absent, is_absent, make_absent
from tensh.engine.arrays.files import map_file
from tensh.engine.arrays.owners import lend, require_resizable
from tensh.engine.arrays.whole import copy_once
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import cpu, meta, require_cpu
from tensh.engine.dtypes.device import device as Device
from tensh.engine.operators.shapes.composites.sharing import OwnMemory
from tensh.support.naming import OfTorch

BYTES = np.dtype(np.uint8)
FORMS = (  # PyTorch's text for the constructor
    "(*, int allocator = None, torch.device device = None)",
    "(int size, *, int allocator = None, torch.device device = None)",
    "(object sequence, *, int allocator = None, torch.device device = None)",
)


class UntypedStorage(OwnMemory, metaclass=OfTorch):
    """The memory of a tensor and its views, as bytes.

    ``UntypedStorage(8)`` is new memory of 8 bytes, ``UntypedStorage([1, 2])`` has the bytes 1 and 2. Raise RuntimeError
    for other data.

    >>> import tensh as torch
    >>> torch.UntypedStorage([1, 2]).tolist()
    [1, 2]
    """

    __module__ = "torch.storage"
    is_cuda = is_sparse = is_sparse_csr = is_hpu = False

    def __init__(self, *values, device=None, **options):
        if len(values) > 1 or options.keys() - {"allocator"}:
            got = "".join(f"{type_name(value)}, " for value in values).removesuffix(", " if not options else "")
            got += "".join(f"{name}={type_name(value)}, " for name, value in options.items())
            raise TypeError(
                f"torch.UntypedStorage() received an invalid combination of arguments - got ({got}), but expected one of:\n"
                + "".join(f" * {form}\n" for form in FORMS)
            )
        source = values[0] if values else 0
        if isinstance(source, (np.ndarray, Absent)):
            self.array = memory.dense_owner(source)
        elif isinstance(source, int):
            absent = device is not None and Device(device) == meta
            self.array = make_absent((source,), BYTES) if absent else new_row(source, BYTES)
            if not absent:
                require_cpu(device)
        else:
            require_cpu(device)
            self.array = row_of(source)

    def untyped(self):
        """The storage itself."""
        return self

    def nbytes(self):
        """The number of bytes."""
        return self.array.nbytes

    size = __len__ = nbytes

    def data_ptr(self):
        """The address of the first byte; 0 if there is none."""
        return memory.address(self.array) if self.array.nbytes and not is_absent(self) else 0

    @property
    def _cdata(self):
        """A number for the memory."""
        return id(self.array) if is_absent(self) else memory.address(self.array)

    @staticmethod
    def from_buffer(buffer, byte_order=None, count=-1, offset=0, *, dtype):
        """A copy of the bytes of ``count`` elements of ``dtype``, of which ``byte_order`` is "native", "big" or "little"."""
        return view_storage(read_buffer(buffer, byte_order, count, offset, dtype).view(np.uint8))

    @staticmethod
    def from_file(filename, shared=False, nbytes=0):
        """The first bytes of a file, mapped into memory; writes reach the file if it is ``shared``."""
        if not isinstance(filename, str):
            raise TypeError(f"argument 1 must be str, not {type_name(filename)}")
        return view_storage(map_file(filename, shared, nbytes))

    def resizable(self):
        """Return True unless the memory is shared with a NumPy array."""
        try:
            require_resizable(self.array)
        except RuntimeError:
            return False
        return True

    def new(self):
        """A storage of no bytes on the same device."""
        return UntypedStorage(device=self.device)

    def cpu(self):
        """The storage itself, on the CPU.  Raise NotImplementedError for one without elements."""
        return self.to(device=cpu)

    def to(self, *, device, non_blocking=False):
        """The storage itself, for its own device; other devices are errors."""
        if Device(device) != self.device:
            require_cpu(device)
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return self

    def cuda(self, device=None, non_blocking=False):
        """Not available.  Raise AssertionError."""
        require_cpu("cuda")

    def get_device(self):
        """None: the CPU has no index."""
        return self.device.index

    def pin_memory(self, device=None):
        """Not available: there is no device to pin memory for.  Raise RuntimeError."""
        raise RuntimeError("Cannot access accelerator device when none is available.")

    def byteswap(self, dtype):
        """Reverse the bytes of every element of ``dtype``, for complex numbers of both parts."""
        width = dtype.itemsize // (2 if dtype.is_complex else 1)
        rows = self.bytes().reshape(-1, width)
        rows[...] = rows[:, ::-1].copy()

    def type(self, dtype=None, non_blocking=False):
        """The name of the class."""
        return "torch.storage.UntypedStorage"

    def __reduce__(self):
        return view_storage, (self.bytes(),)

    def __deepcopy__(self, memo):
        if is_absent(self):
            return memo.setdefault(id(self), self.clone())
        return memo.setdefault(id(self), view_storage(copy_once(self.array, memo)))

    def element_size(self):
        """1: the elements are bytes."""
        return 1

    def bytes(self):
        """The bytes as a NumPy array over the same memory."""
        return self.array.reshape(-1, order="A").view(np.uint8)

    def __sizeof__(self):
        return object.__sizeof__(self) + self.nbytes()

    def tolist(self):
        """The bytes as numbers."""
        require_elements(self)
        return self.bytes().tolist()

    def __getitem__(self, index):
        require_elements(self)
        data = self.bytes()
        if isinstance(index, slice):
            part = data[read_slice(index, data.size)]
            return view_storage(lend(np.asarray(part.data)))  # a separate storage, which cannot be resized
        return data[place_in(index, data.size)].item()

    def __setitem__(self, index, value):
        if not isinstance(value, (int, np.integer)):
            raise RuntimeError(f"can only set storage content with a int types, but got {type(value).__name__} instead")
        data = self.bytes()
        if isinstance(index, slice):
            index = read_slice(index, data.size)
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
        """Copy the bytes of a storage of the same size.

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
        """Resize the storage to ``size`` bytes of new memory, which begins with the old bytes.

        Tensors over the old memory keep it.  Raise RuntimeError for memory shared with a NumPy array.
        """
        if type(size) is bool or not isinstance(size, int):
            raise RuntimeError(f"resize_ expects an int, but got {type(size).__name__}")
        require_resizable(self.array)
        self.array = resize_row(self.bytes(), size)
        return self

    def clone(self):
        """A copy."""
        return view_storage(memory.copy_memory(self.bytes()))

    @property
    def device(self):
        """Return the device of the memory."""
        return meta if is_absent(self) else cpu

    def __repr__(self):
        return f"{list_elements(self)}\n[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


def read_buffer(buffer, byte_order, count, offset, dtype):
    """Return a new array of ``count`` elements (-1: all) from a buffer, ``offset`` bytes after its start."""
    kind = dtype.numpy
    if kind.itemsize > 1 and byte_order is None:
        raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
    if byte_order not in (None, "big", "little", "native"):
        raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
    data = np.frombuffer(buffer, np.uint8)
    room = data.size - offset
    if not 0 <= offset <= data.size:
        raise ValueError(
            f"offset must be non-negative and no greater than buffer length ({offset}) , but got {data.size}"
        )
    if count < 0 and room % kind.itemsize:
        raise ValueError(f"buffer size ({data.size}) must be a multiple of element size ({kind.itemsize})")
    if count * kind.itemsize > room:
        raise ValueError(f"buffer has only {room} elements after offset {offset}, but specified a size of {count}")
    row = data[offset:][: (room // kind.itemsize if count < 0 else count) * kind.itemsize].copy()
    if kind.itemsize > 1 and byte_order != "native" and byte_order != sys.byteorder:
        row = np.ascontiguousarray(row.reshape(-1, kind.itemsize)[:, ::-1]).reshape(-1)
    return row.view(kind)


def view_storage(data):
    """Return a storage over an array of bytes, which may be part of other memory."""
    storage = object.__new__(UntypedStorage)
    storage.array = data
    return storage


def read_slice(index, size):
    """Return a slice of a storage of ``size`` elements with all bounds; raise RuntimeError unless its step is 1."""
    start, stop, step = index.indices(size)
    if step != 1:
        raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
    return slice(start, max(start, stop))


def new_row(size, dtype):
    """Allocate memory for a number of elements; raise PyTorch's errors if that is impossible."""
    nbytes = size * dtype.itemsize
    if not -(2**63) <= nbytes < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if size < 0:
        raise RuntimeError(
            "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have been called with "
            f"negative number: {nbytes % 2**64}"
        )
    return memory.allocate(size, dtype)


def resize_row(row, size):
    """Return new memory for ``size`` elements, which begins with those of ``row``; without elements if it has none."""
    if is_absent(row):
        return make_absent((size,), row.dtype)
    room = new_row(size, row.dtype)
    room[: row.size] = row[:size]
    return room


def list_elements(storage):
    """Return the elements of a storage, a line each, as PyTorch prints them."""
    return "..." if is_absent(storage) else " " + "\n ".join(map(str, storage.tolist()))


def require_elements(storage):
    """Raise NotImplementedError for a storage of the device "meta"."""
    if is_absent(storage):
        raise NotImplementedError("Not available for 'meta' device type")


def row_of(values):
    """Return the low bytes of a sequence of numbers; raise PyTorch's errors for other values."""
    if isinstance(values, Tensor) or not hasattr(values, "__getitem__"):
        raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {type(values).__name__}")
    for value in values:
        if not isinstance(value, (int, np.integer)):
            raise RuntimeError(
                f"torch.UntypedStorage(): tried to construct a storage from a sequence ({type(values).__name__}), but one "
                f"of the items was of type {type(value).__name__} instead of int"
            )
    return np.array([value & 255 for value in values], BYTES)


def place_in(index, size):
    """Return the index of an element in a storage of ``size`` elements; raise PyTorch's IndexError out of range."""
    if not isinstance(index, int):
        raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
    if not -(2**63) <= index < 2**63:
        raise ValueError("Overflow when unpacking long long")
    place = index + size if index < 0 else index
    if not 0 <= place < size:
        raise IndexError(f"index {place} out of range for storage of size {size}")
    return place
