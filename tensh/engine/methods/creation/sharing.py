"""Tensors on existing memory: NumPy's arrays, buffers, other libraries' arrays."""

import numpy as np

from tensh.engine.arguments.binding import bind, make_leaf, place
from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import is_absent
from tensh.engine.arrays.files import map_file
from tensh.engine.arrays.owners import lend
from tensh.engine.codegen.registry import MEMBERS
from tensh.engine.codegen.table import public
from tensh.engine.core.nodes import uses_gradient
from tensh.engine.core.tensor import SPARSE, Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.dtype import BY_NUMPY, get_default_dtype, int64
from tensh.engine.errors.warnings import warn_once
from tensh.support.naming import name_type


# ── NumPy ────────────────────────────────────────────────────────────────────
def share_array(array):
    """Check that tensors can have the dtype and strides of a NumPy array; return it as an array on the same memory."""
    if not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. "
            "Conversion between byte orders is currently not supported."
        )
    array = memory.canonical(array)
    for step in array.strides:
        if step < 0:
            raise ValueError(
                "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
                "currently supported. (You can probably work around this by making a copy of your array "
                " with array.copy().) "
            )
        if step % array.itemsize:
            raise ValueError(
                "given numpy array strides not a multiple of the element byte size. "
                "Copy the numpy array to reallocate the memory."
            )
    if type(array) is not np.ndarray:
        array = np.asarray(array)
    return memory.adopt(array.view())


@public
def from_numpy(ndarray):
    """Make a tensor on the memory of a NumPy array: each sees writes to the other.

    Raise ValueError for a foreign byte order or negative strides.

    >>> import numpy as np, tensh as torch
    >>> a = np.zeros(2)
    >>> t = torch.from_numpy(a)
    >>> a[0] = 1
    >>> t
    tensor([1., 0.], dtype=torch.float64)
    """
    if (
        type(ndarray) is np.ndarray
        and ndarray.flags.carray
        and BY_NUMPY.get(ndarray.dtype, int64).numpy is ndarray.dtype
    ):
        return make_leaf(lend(ndarray.view()))
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {name_type(ndarray)})")
    t = wrap(lend(share_array(ndarray)))
    if not ndarray.flags.writeable:
        warn_read_only()
    return t


def warn_read_only(what="NumPy array", means="writing to this tensor will result in undefined behavior"):
    """Warn, once for each kind of object, that its memory is read-only."""
    warn_once(
        f"The given {what} is not writable, and PyTorch does not support non-writable tensors. This means {means}. You "
        f"may want to copy the {what.split()[-1]} to protect its data or make it writable before converting it to a "
        "tensor. This type of warning will be suppressed for the rest of this program.",
    )


# ── buffers ──────────────────────────────────────────────────────────────────
@public
def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """Make a 1-d tensor on the memory of an object with Python's buffer protocol.  Raise ValueError for a short buffer.

    >>> import tensh as torch
    >>> torch.frombuffer(bytearray([1, 2, 3]), dtype=torch.uint8)
    tensor([1, 2, 3], dtype=torch.uint8)
    """
    text = "(object buffer, *, torch.dtype dtype, int count = -1, int offset = 0, bool requires_grad = False)"
    given = {"dtype": dtype, "count": count, "offset": offset, "requires_grad": requires_grad}
    given = bind("frombuffer", (text,), (buffer,), given)
    dtype, count, offset = given["dtype"], given["count"], given["offset"]
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if not view.c_contiguous:
        raise RuntimeError("could not retrieve buffer from object")
    view = view.cast("B")
    if not view.nbytes or not count:
        raise ValueError(f"both buffer length ({view.nbytes}) and count ({count}) must not be 0")
    if not 0 <= offset < view.nbytes:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({view.nbytes} bytes) minus 1"
        )
    rest = view.nbytes - offset
    if count > 0 and count * dtype.itemsize > rest:
        raise ValueError(
            f"requested buffer length ({count} * {dtype.itemsize} bytes) after offset ({offset} bytes) must not be "
            f"greater than actual buffer length ({view.nbytes} bytes)"
        )
    if count < 0 and rest % dtype.itemsize:
        raise ValueError(
            f"buffer length ({rest} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({dtype.itemsize})"
        )
    if view.readonly:
        warn_read_only("buffer", "you can write to the underlying (supposedly non-writable) buffer using the tensor")
    number = count if count > 0 else rest // dtype.itemsize
    raw = np.frombuffer(view, np.uint8, number * dtype.itemsize, offset)
    return make_leaf(lend(raw.view(dtype.numpy)), given["requires_grad"])


# ── files ────────────────────────────────────────────────────────────────────
@public
def from_file(filename, shared=None, size=0, *, dtype=None, layout=None, device=None, pin_memory=False):
    """Make a tensor on the first ``size`` elements of a file, which are read on first use.

    With ``shared``, writes to the tensor go to the file, which is created or extended if necessary.  Raise RuntimeError
    if there is no such file or it is too short.
    """
    if not isinstance(filename, str):
        raise TypeError(f"from_file(): argument 'filename' (position 1) must be str, not {type_name(filename)}")
    place(device)
    dtype = get_default_dtype() if dtype is None else dtype
    return make_leaf(map_file(filename, shared, size * dtype.itemsize).view(dtype.numpy))


# ── DLPack ───────────────────────────────────────────────────────────────────
@public
def from_dlpack(ext_tensor, *, device=None, copy=None):
    """Make a tensor on the memory of another library's array (an object with ``__dlpack__``).

    Raise RuntimeError for a capsule that was already consumed.
    """
    place(device)
    dtype = None  # the dtype of the elements, if NumPy lacks it
    if isinstance(ext_tensor, Tensor):
        ext_tensor.__dlpack_device__()
        refuse_export(ext_tensor)
        array = memory.share_apart(ext_tensor.array)
    elif hasattr(ext_tensor, "__dlpack__"):
        try:
            array = np.from_dlpack(ext_tensor)
        except (BufferError, RuntimeError):  # a dtype that NumPy lacks
            array, dtype = read_capsule(ext_tensor.__dlpack__())
    elif type(ext_tensor).__name__ == "PyCapsule":
        array, dtype = read_capsule(ext_tensor)
    else:
        raise RuntimeError(INVALID)
    array = array.copy() if copy else memory.adopt(array)
    if dtype is not None:
        array = array.view(dtype.numpy)
    return wrap(array if copy else lend(array))


def is_unread_capsule(value):
    """Return True for a DLPack capsule that nothing has consumed."""
    if type(value).__name__ != "PyCapsule":
        return False
    from tensh.engine.methods.creation import capsules  # needs ctypes

    return capsules.kind_of(value) is not None


def read_capsule(capsule):
    """Return (the array of a capsule, the dtype of its elements if NumPy lacks it)."""
    from tensh.engine.methods.creation import capsules  # needs ctypes

    dtype = capsules.make_unsigned(capsule)
    try:
        array = memory.unseal(np.from_dlpack(Exporter(capsule)))  # NumPy treats capsules without a flag as read-only
    except ValueError:
        raise RuntimeError(INVALID) from None
    return array, dtype


INVALID = (
    "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might have "
    "already constructed a tensor from it once."
)


class Exporter:
    """A capsule in the form that NumPy expects."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


@public
@shows("data")
def to_dlpack(*args, **given):
    """Return the memory of a tensor as a DLPack capsule, which ``from_dlpack`` consumes.

    Raise TypeError for anything else.
    """
    return bind("_to_dlpack", ("(Tensor data)",), args, given)["data"].detach().__dlpack__()


def refuse_export(t):
    """Raise BufferError for a tensor that cannot be exported: it requires grad, or has no array of elements."""
    if uses_gradient(refresh_node(t)):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if type(t.array) in SPARSE:
        raise BufferError("Can't export tensors with layout other than torch.strided")
    if is_absent(t):
        raise BufferError("Cannot pack tensors on meta")


def __dlpack__(self, *, stream=-1, max_version=None, dl_device=None, copy=None):
    """Export the tensor's memory to another library.

    Raise BufferError for a tensor that requires grad or has no array of elements, and for memory of another device.
    """
    refuse_export(self)
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    if stream not in (None, -1):
        raise AssertionError("stream should be None on cpu.")
    if dl_device is not None and int(dl_device[0]) != 1:
        raise BufferError(
            f"the tensor is in CPU memory (device type 1), not in memory of device type {int(dl_device[0])}"
        )
    array, asked = self.array, {"max_version": max_version, "copy": copy}
    if np.__version__.startswith("2.0."):  # this version supports neither, and makes capsules that all consumers accept
        array, asked = array.copy() if copy else array, {}
    asked = {name: value for name, value in asked.items() if value is not None}
    if array.dtype.isbuiltin == 1:
        return array.__dlpack__(**asked)
    from tensh.engine.methods.creation import capsules  # needs ctypes

    return capsules.make_own(capsules.view_unsigned(array).__dlpack__(**asked), self.dtype)


def __dlpack_device__(self):
    """Return the kind of memory, the CPU's, and its number.  Raise ValueError for a tensor without elements."""
    if is_absent(self):
        raise ValueError("Unknown device type meta for Dlpack")
    from tensh.engine.dtypes.device_types import DLDeviceType

    return DLDeviceType.kDLCPU, 0


MEMBERS.update(__dlpack__=__dlpack__, __dlpack_device__=__dlpack_device__)
