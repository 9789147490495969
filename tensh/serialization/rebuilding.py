"""Rebuilding tensors from a file. A file may claim anything: nothing is used unchecked."""

import inspect

import numpy as np

from tensh.engine.arrays.absent import Absent, is_absent, lay_out
from tensh.engine.arrays.bounds import MOST_DIMENSIONS, count_elements, view_memory
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.override.state import dispatches
from tensh.engine.dtypes.device import device
from tensh.engine.dtypes.dtype import ALL, EIGHT_BITS, dtype
from tensh.engine.dtypes.size import Size
from tensh.engine.methods.protocols import count_setting
from tensh.engine.operators.shapes.composites.typed_storage import TypedStorage
from tensh.nn.parameter import Parameter
from tensh.serialization.containers import DamagedError
from tensh.serialization.sparse import outline_sparse, rebuild_sparse

__all__ = ["DamagedError", "Parameter", "Tensor"]
LARGEST = 2**62  # elements; limit of any size, stride or offset
RESERVED = frozenset(dir(Parameter))  # names of members of tensors


class FileStorage(TypedStorage):
    """The memory of tensors in a file, as elements of its dtype there."""

    __slots__ = ("others",)


FileStorage.__name__ = FileStorage.__qualname__ = TypedStorage.__name__  # the type that other code sees
FileStorage.__module__ = TypedStorage.__module__


def storage_over(row):
    """Return a storage over a row of elements."""
    storage = object.__new__(FileStorage)
    storage.row, storage.others = row, {}
    return storage


def tensor(storage, offset, size, stride, requires_grad=False, hooks=None, metadata=None):
    """Rebuild a tensor in the memory of a storage."""
    return make_tensor_in_row(storage, _row(storage), offset, size, stride, requires_grad, metadata)


def tensor_of_dtype(storage, offset, size, stride, requires_grad, hooks, kind, metadata=None):
    """Rebuild a tensor whose storage is plain bytes, with a separate dtype."""
    row = _row(storage)
    if callable(kind):  # the entry for a dtype that tensh lacks raises
        kind()
    if not isinstance(kind, dtype) or kind.name not in (ALL | EIGHT_BITS):
        raise DamagedError("it contains a tensor without a dtype")
    if row.nbytes % kind.numpy.itemsize:
        raise DamagedError(f"a storage of {row.nbytes} bytes does not hold whole elements of {kind}")
    if kind.numpy.kind == "b" and bool not in storage.others:  # checked once per storage
        if row.view(np.uint8).max(initial=0) > 1:
            raise DamagedError("it contains a bool tensor with values other than 0 and 1")
        storage.others[bool] = row
    return make_tensor_in_row(storage, row.view(kind.numpy), offset, size, stride, requires_grad, metadata)


def old_tensor(storage, offset, size, stride):
    """Rebuild a tensor of an old version, which did not store requires_grad."""
    return tensor(storage, offset, size, stride)


def tensor_without_elements(kind, size, stride, requires_grad):
    """Rebuild a meta tensor."""
    if not isinstance(kind, dtype) or kind.name not in (ALL | EIGHT_BITS):
        raise DamagedError("it contains a tensor without a dtype")
    if type(size) not in (tuple, list, Size) or type(stride) not in (tuple, list, Size):
        raise DamagedError("it contains a tensor without a size")
    check(LARGEST // kind.numpy.itemsize, 0, size, stride)
    steps = tuple(n * kind.numpy.itemsize for n in stride)
    made = wrap(Absent(lay_out(tuple(size), kind.numpy, steps)))
    if requires_grad:
        if kind.numpy.kind in "biu":
            raise DamagedError("it contains an integer tensor that requires grad")
        made.requires_grad = True
    return made


def make_tensor_in_row(storage, row, offset, size, stride, requires_grad, metadata):
    """Rebuild a tensor in a row of elements."""
    if type(size) not in (tuple, list, Size) or type(stride) not in (tuple, list, Size):
        raise DamagedError("it contains a tensor without a size")
    check(row.size, offset, size, stride)
    if metadata:
        row = resolve_flags(storage, row, metadata)
    if is_absent(row) or row.size and 0 not in size:
        array = view_memory(row, row.dtype, size, stride, offset)
    else:
        array = np.empty(tuple(size), row.dtype)
    made = wrap(array)
    count_setting(array)
    if requires_grad:
        if made.array.dtype.kind in "biu":
            raise DamagedError("it contains an integer tensor that requires grad")
        made.requires_grad = True
    return made


def resolve_flags(storage, row, metadata):
    """Return the elements of a storage for tensors that were saved with a pending conjugation or negation.

    They are computed once for all such tensors, whatever their number and strides.
    """
    if type(metadata) is not dict:
        raise DamagedError("it contains a tensor with invalid metadata")
    conj, neg = bool(metadata.get("conj")), bool(metadata.get("neg"))
    if not (conj or neg) or is_absent(row):
        return row
    key = conj, neg
    if key not in storage.others:
        row = np.conj(row) if conj else row
        storage.others[key] = np.negative(row) if neg else row
    if storage.others[key].dtype != row.dtype:
        raise DamagedError("it contains tensors of several dtypes that share their memory")
    return storage.others[key]


def _row(storage):
    if type(storage) is not FileStorage:
        raise DamagedError("it contains a tensor without a storage")
    return storage.row


def check(count, offset, size, stride):
    """Raise DamagedError unless all elements lie within a storage of ``count`` elements."""
    numbers = (offset, *size, *stride)
    if len(size) != len(stride) or not all(type(n) is int and 0 <= n < LARGEST for n in numbers):
        raise DamagedError("it contains a tensor whose size and stride do not fit together")
    if len(size) > MOST_DIMENSIONS:
        raise DamagedError(f"it contains a tensor of {len(size)} dimensions, more than {MOST_DIMENSIONS}")
    need = count_elements(size, stride, offset)
    if need > count:
        raise DamagedError(
            f"a tensor of size {tuple(size)} and stride {tuple(stride)} needs {need} elements, but its storage has {count}"
        )


def parameter(data=None, requires_grad=True, hooks=None, state=None):
    """Rebuild a parameter over a tensor's memory, with its attributes."""
    if not isinstance(data, Tensor):
        raise DamagedError("it contains a parameter without a tensor")
    if type(requires_grad) is not bool or requires_grad and data.array.dtype.kind in "biu":
        raise DamagedError("it contains an integer parameter that requires grad")
    return set_state(Parameter(data, requires_grad), state)


def wrapper(cls, kind, size, stride, offset, layout, where, requires_grad):
    """Rebuild a tensor of a class that the program allows, which wraps others: they are its attributes."""
    if not (isinstance(cls, type) and issubclass(cls, Tensor) and dispatches(cls)):
        raise DamagedError("it contains a tensor of an unsupported class")
    if not isinstance(kind, dtype) or type(size) is not tuple or type(stride) is not tuple:
        raise DamagedError("it contains a tensor without a size")
    check(LARGEST, offset, size, stride)
    facts = {"storage_offset": offset, "dtype": kind, "layout": layout, "device": where, "requires_grad": requires_grad}
    try:
        return Tensor._make_wrapper_subclass(cls, size, strides=stride, **facts)
    except (RuntimeError, TypeError, ValueError, AssertionError) as error:
        raise DamagedError(f"it contains an inconsistent tensor: {error}") from None


def set_attributes(function, cls, arguments, state):
    """Set the user's attributes of a tensor."""
    if getattr(function, "makes_all", False):  # a nested tensor, whose attributes follow from its parts
        return function(*arguments)
    makers = tensor, tensor_of_dtype, tensor_without_elements, parameter, rebuild_sparse, outline_sparse, wrapper
    known = any(function is each for each in makers)
    if not (isinstance(cls, type) and issubclass(cls, Tensor)) or not known or type(arguments) is not tuple:
        raise DamagedError("it contains a tensor of an unsupported class")
    made = function(*arguments)
    return set_state(made if isinstance(made, cls) else made.as_subclass(cls), state)


def set_state(made, state):
    """Set attributes that hide no members of tensors, and no methods of their class."""
    if not state:
        return made
    if type(state) is not dict:
        raise DamagedError("it contains a tensor whose attributes are not a dictionary")
    for name in state:
        if (
            type(name) is not str
            or name in RESERVED
            or hasattr(inspect.getattr_static(type(made), name, None), "__get__")
        ):
            raise DamagedError("it contains a tensor with an attribute that is not allowed")
    made.__dict__.update(state)
    return made


def size(sizes=()):
    """Make a torch.Size."""
    if type(sizes) not in (tuple, list) or not all(type(n) is int and -LARGEST < n < LARGEST for n in sizes):
        raise DamagedError("it contains an invalid size")
    return Size(sizes)


def make_device(kind="cpu", index=None):
    """Make a torch.device."""
    if type(kind) is not str or type(index) not in (int, type(None)):
        raise DamagedError("it contains an invalid device")
    return device(kind) if index is None else device(kind, index)
