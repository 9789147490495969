"""Storages with a dtype: the memory of a tensor as an array of numbers.

Deprecated in favour of ``untyped_storage``.
"""

from collections.abc import Sequence

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.core.ports import reduce_storage
from tensh.engine.core.tensor import wrap
from tensh.engine.dtypes.device import require_cpu
from tensh.engine.dtypes.dtype import ALL, BY_NUMPY, get_default_dtype
from tensh.engine.dtypes.dtype import dtype as DType
from tensh.engine.errors.warnings import warn_once
from tensh.engine.methods.creation.data import tensor
from tensh.engine.operators.forms import method
from tensh.engine.operators.shapes.composites.sharing import OwnMemory
from tensh.engine.operators.shapes.composites.storage import (
    UntypedStorage,
    list_elements,
    new_row,
    read_buffer,
    require_elements,
    resize_row,
)
from tensh.support.naming import OfTorch, torch_is_tensh

DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. This "
    "should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)


FORMS_OF_ONE_DTYPE = "no arguments", "(int size)", "(Sequence data)", "(*, UntypedStorage wrap_storage)"
FORMS = (
    "(*, torch.device device, torch.dtype dtype)",
    "(int size, *, torch.device device, torch.dtype dtype)",
    "(Sequence data, *, torch.device device, torch.dtype dtype)",
    "(*, UntypedStorage wrap_storage, torch.dtype dtype)",
)


class StorageKind(OfTorch):
    """The metaclass of storages: all are TypedStorage, distinguished by dtype."""

    def __instancecheck__(cls, value):
        return type.__instancecheck__(TypedStorage, value) and cls.kind in (None, value.dtype)

    @property
    def dtype(cls):
        """The dtype of a class of one dtype; for other classes, the property of their storages."""
        return cls.kind or TypedStorage.__dict__["dtype"]


class TypedStorage(OwnMemory, metaclass=StorageKind):
    """The memory of a tensor as one array of elements, in memory order.

    ``TypedStorage([1, 2])`` is new memory; ``FloatStorage`` and the like have one dtype. Raise RuntimeError or
    ValueError for other data.

    >>> import tensh as torch
    >>> torch.FloatStorage([1, 2]).tolist()
    [1.0, 2.0]
    """

    __slots__ = ("row",)
    __module__ = "torch.storage"
    kind = None  # the dtype of a class of one dtype
    is_cuda = is_sparse = is_hpu = False

    @property
    def array(self):
        """The elements, as the array of a storage or tensor."""
        return self.row

    @array.setter
    def array(self, row):
        self.row = row

    def __new__(cls, *values, wrap_storage=None, dtype=None, device=None):
        """Make a TypedStorage, whatever the class: classes of one dtype are constructors only, as in PyTorch."""
        warn_once(DEPRECATED)
        cls._refuse(values, wrap_storage, dtype, device)
        dtype = cls.kind or dtype or get_default_dtype()
        require_cpu(device)
        data = values[0] if values else 0
        if wrap_storage is not None:
            data = wrap_storage.bytes()
            return wrap_row(data[: data.size // dtype.itemsize * dtype.itemsize].view(dtype.numpy))
        if isinstance(data, (int, np.integer)):
            return wrap_row(new_row(data, dtype.numpy))
        if not isinstance(data, Sequence):
            raise TypeError(cls._usage() + f"Argument type not recognized: {type(data)}")
        return wrap_row(tensor(data, dtype=dtype).array.reshape(-1))

    @classmethod
    def _usage(cls):
        """Return the start of PyTorch's error, the signature of the constructor."""
        is_of_one = cls.kind is not None
        name = f"{cls}.__new__" if is_of_one else "TypedStorage.__init__"
        forms = "".join(f" * {form}\n" for form in (FORMS_OF_ONE_DTYPE if is_of_one else FORMS))
        return f"{name} received an invalid combination of arguments. Expected one of:\n{forms}"

    @classmethod
    def _refuse(cls, values, wrap_storage, dtype, device):
        """Raise PyTorch's error for incompatible arguments."""
        usage, kind = cls._usage(), cls.kind
        for name, value in ("device", device), ("dtype", dtype):
            if kind is not None and value is not None:
                raise RuntimeError(f"{usage}Keyword argument '{name}' cannot be specified")
        if len(values) > 1:
            raise RuntimeError(f"{usage}Too many positional arguments")
        is_dtype = isinstance(dtype, DType)
        if wrap_storage is None:
            if dtype is not None and not is_dtype:
                raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
            return
        if values:
            raise RuntimeError(f"{usage}No positional arguments should be given when using 'wrap_storage'")
        if kind is None and dtype is None:
            raise RuntimeError(f"{usage}Argument 'dtype' must be specified")
        if kind is None and not is_dtype:
            raise TypeError(f"{usage}Argument 'dtype' must be torch.dtype, not {type(dtype)}")
        if device is not None:
            raise RuntimeError(f"{usage}Argument 'device' should not be specified when 'wrap_storage' is given")
        if not isinstance(wrap_storage, UntypedStorage):
            raise TypeError(f"{usage}Argument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}")

    @property
    def dtype(self):
        """The dtype of the elements."""
        return BY_NUMPY[self.row.dtype]

    @property
    def device(self):
        """The device of the memory."""
        return self.untyped().device

    def __len__(self):
        return len(self.row)

    def __sizeof__(self):
        return object.__sizeof__(self) + self.nbytes()

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        require_index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        require_elements(self)
        return self.row[index].item()

    def __setitem__(self, index, value):
        require_index(index, slice)
        wrap(self.row)[index] = value

    def __iter__(self):
        return iter(self.tolist())

    def __repr__(self):
        return f"{list_elements(self)}\n[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {len(self)}]"

    def size(self):
        """The number of elements."""
        return len(self.row)

    def nbytes(self):
        """The number of bytes."""
        return self.row.nbytes

    def element_size(self):
        """Bytes of one element."""
        return self.row.itemsize

    def data_ptr(self):
        """The address of the first element."""
        return self.untyped().data_ptr()

    def tolist(self):
        """The elements as numbers."""
        require_elements(self)
        return self.row.tolist()

    def untyped(self):
        """Return the memory as bytes."""
        return UntypedStorage(self.row)

    _untyped_storage = property(untyped, doc="The memory as bytes.")

    @classmethod
    def from_buffer(cls, buffer, byte_order=None, count=-1, offset=0, *, dtype=None):
        """A copy of ``count`` elements of a buffer, of which ``byte_order`` is "native", "big" or "little"."""
        return wrap_row(read_buffer(buffer, byte_order, count, offset, cls.kind or dtype or get_default_dtype()))

    _from_buffer = from_buffer  # a name that libraries call

    @classmethod
    def from_file(cls, filename, shared=False, size=0):
        """The first ``size`` elements of a file, mapped into memory; writes reach the file if it is ``shared``."""
        dtype = cls.kind or get_default_dtype()
        return wrap_row(UntypedStorage.from_file(filename, shared, size * dtype.itemsize).array.view(dtype.numpy))

    def resizable(self):
        """Return True unless the memory is shared with a NumPy array."""
        return self.untyped().resizable()

    def __reduce__(self):
        return reduce_storage(self) if torch_is_tensh() else (wrap_row, (self.row,))

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            whole = self.untyped()
            start = memory.address(self.row) - whole.data_ptr() if self.row.nbytes else 0
            data = whole.__deepcopy__(memo).bytes()
            memo[id(self)] = wrap_row(data[start : start + self.row.nbytes].view(self.row.dtype))
        return memo[id(self)]

    _cdata = property(lambda self: self.untyped()._cdata, doc="A number for the memory.")

    def fill_(self, value):
        """Set every element to ``value``."""
        wrap(self.row)[...] = value
        return self

    def copy_(self, source, non_blocking=None):
        """Take over the bytes of a storage of the same size."""
        self.untyped().copy_(source.untyped(), non_blocking)
        return self

    def resize_(self, size):
        """Resize the storage, in new memory that begins with the old elements."""
        row = resize_row(self.row, size)
        row[len(self) :] = 0
        self.row = row

    def clone(self):
        """A copy."""
        return wrap_row(self.row.copy())

    def cpu(self):
        """A storage over the same memory, on the CPU.  Raise NotImplementedError for one without elements."""
        return self.to(device="cpu")

    def to(self, *, device, non_blocking=False):
        """A storage over the same memory, for its own device; other devices are errors."""
        return wrap_row(self.untyped().to(device=device).bytes().view(self.row.dtype))

    def cuda(self, device=None, non_blocking=False):
        """Not available.  Raise AssertionError."""
        self.untyped().cuda(device)

    def get_device(self):
        """None: the CPU has no index."""
        return self.untyped().get_device()

    def pin_memory(self, device=None):
        """Not available: there is no device to pin memory for.  Raise RuntimeError."""
        self.untyped().pin_memory(device)

    def type(self, dtype=None, non_blocking=False):
        """The name of the class of this dtype."""
        return f"torch.{self.pickle_storage_type()}"

    def pickle_storage_type(self):
        """The name of the class of this dtype, without the module."""
        return CLASSES[self.dtype].__name__


def require_index(index, *kinds):
    """Raise RuntimeError unless ``index`` is an int or of one of these types."""
    if not isinstance(index, (int, *kinds)):
        raise RuntimeError(f"can't index a {TypedStorage} with {type(index)}")


def wrap_row(row):
    """Return a storage over an array of elements."""
    storage = object.__new__(TypedStorage)
    storage.row = memory.canonical(row)
    return storage


NAMES = """
    bfloat16 BFloat16 bool Bool uint8 Byte int8 Char complex128 ComplexDouble complex64 ComplexFloat float64 Double
    float32 Float float16 Half int32 Int int64 Long int16 Short
""".split()


def make_class(name, word):
    """The class of the storages of one dtype."""
    members = {"__slots__": (), "__module__": "torch", "__doc__": f"Storages of torch.{name}.", "kind": ALL[name]}
    return StorageKind(f"{word}Storage", (TypedStorage,), members)


CLASSES = {ALL[name]: make_class(name, word) for name, word in zip(NAMES[::2], NAMES[1::2], strict=True)}


def make_conversion(name, dtype):
    """Make the method that converts a storage to a dtype."""

    def convert(self):
        return wrap_row((self.row if isinstance(self, TypedStorage) else self.bytes()).astype(dtype.numpy))

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"A copy in {dtype}."
    return convert


for _dtype, _class in CLASSES.items():
    _word = _class.__name__.removesuffix("Storage").lower().replace("complex", "complex_")
    setattr(TypedStorage, _word, make_conversion(_word, _dtype))
    setattr(UntypedStorage, _word, make_conversion(_word, _dtype))
    PUBLIC[_class.__name__] = _class
PUBLIC.update(
    UntypedStorage=UntypedStorage,
    StorageBase=UntypedStorage,
    TypedStorage=TypedStorage,
    Storage=CLASSES[ALL["float32"]],
)


def storage_by_default():
    """Return the class ``torch.Storage``, which has the default dtype."""
    return CLASSES[get_default_dtype()]


@method
def untyped_storage(self):
    """The memory of the tensor, as bytes."""
    return UntypedStorage(self.array)


@method
def storage(self):
    """The memory of the tensor as one array of elements, deprecated in favour of ``untyped_storage``.

    >>> import tensh as torch
    >>> torch.tensor([[4.0, 1.0], [5.0, 3.0]]).t().storage().tolist()
    [4.0, 1.0, 5.0, 3.0]
    """
    warn_once(DEPRECATED)
    return wrap_row(UntypedStorage(self.array).bytes().view(self.array.dtype))


@method
def storage_type(self):
    """The class of the storage: ``torch.FloatStorage`` for float32."""
    return CLASSES[self.dtype]
