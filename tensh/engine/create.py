"""New tensors from data: numbers, nested lists, arrays, buffers, other libraries' arrays."""

import warnings

import numpy as np

from tensh.engine import memory, nested
from tensh.engine.convert import recast
from tensh.engine.dtype import BY_NUMPY, float16, int64, of_scalar
from tensh.engine.dtype import dtype as DType
from tensh.engine.graph import edge
from tensh.engine.making import KEYWORDS, bind, finish, leaf, place
from tensh.engine.numbers import fitting
from tensh.engine.table import METHODS, public
from tensh.engine.tensor import Tensor, new, wrap

FLOATS = {float}
DATA = "object data, *, torch.dtype dtype = None, torch.device device = None"


# ── copies ───────────────────────────────────────────────────────────────────
@public
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A new tensor with a copy of ``data``: a number, nested sequences of numbers, an array or a tensor.

    The dtype is that of the data; Python floats get the default dtype.

    >>> import tensh as torch
    >>> torch.tensor([[1, 2], [3, 4.5]])
    tensor([[1.0000, 2.0000],
            [3.0000, 4.5000]])
    """
    kind = type(data)
    if (
        (kind is list and {*map(type, data)} == FLOATS or kind is float)
        and dtype is None and device is None and pin_memory is False and of_scalar[float] is not float16
    ):  # fmt: skip
        array = np.array(data, of_scalar[float].numpy)  # the commonest data: 0.9 µs instead of 1.6
    elif device is None and pin_memory is False and (dtype is None or type(dtype) is DType):
        array = copied(data, dtype)
    else:
        given = {"dtype": dtype, "device": device, "pin_memory": pin_memory, "requires_grad": requires_grad}
        dtype = bind("tensor", (f"({DATA}, bool requires_grad = False, bool pin_memory = False)",), (data,), given)["dtype"]
        place(device, None, pin_memory)
        array = copied(data, dtype)
    if requires_grad is not False:
        if requires_grad is not True:
            raise TypeError(f"tensor(): argument 'requires_grad' must be bool, not {type(requires_grad).__name__}")
        return leaf(array, True)
    t = new()
    t.array = array
    t.node = t._view = t._grad = None
    return t


def copied(data, dtype, advice="torch.tensor(sourceTensor)"):
    """The data in memory of its own."""
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            f"sourceTensor.detach().clone().requires_grad_(True), rather than {advice}.",
            stacklevel=3,
        )
        return converted(data.array, dtype, True)
    if isinstance(data, np.ndarray):
        array = converted(shared(data), dtype, True)
        return array if array.size else array.view()  # a view keeps the strides that NumPy gave it: zeros
    return nested.read(data, dtype)


def converted(array, dtype, copy):
    """The array in ``dtype`` (or its own), copied if it must be or if so wished."""
    if dtype is None or dtype.numpy is array.dtype:
        return array.copy(order="K") if copy else array
    return recast(wrap(array), dtype).array


def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A new tensor with a copy of ``data``, of this tensor's dtype unless ``dtype`` says another."""
    given = {"dtype": dtype, "device": device, "requires_grad": requires_grad, "layout": layout, "pin_memory": pin_memory}
    given = bind("new_tensor", (f"(object data, *, {KEYWORDS})",), (data,), given)
    return finish(
        "new_tensor", lambda d: copied(data, BY_NUMPY[d], "tensor.new_tensor(sourceTensor)"), self.array.dtype, given
    )


METHODS["new_tensor"] = new_tensor


@public
def scalar_tensor(s, **given):
    """A 0-d tensor of the number ``s``, of the default dtype unless ``dtype`` says another."""
    given = bind("scalar_tensor", (f"(Number s, *, {KEYWORDS})",), (s,), given)
    number = given["s"]
    return finish(
        "scalar_tensor", lambda d: np.array(fitting(number, BY_NUMPY[d])).astype(d), of_scalar[float].numpy, given
    )


# ── shared memory ────────────────────────────────────────────────────────────
def shared(array):
    """A NumPy array as the array of a tensor: a view of its own, of a dtype and strides that tensors can have."""
    if not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. "
            "Conversion between byte orders is currently not supported."
        )
    dtype = BY_NUMPY[array.dtype].numpy
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
    return memory.adopted(array.view() if array.dtype is dtype else array.view(dtype))


@public
def from_numpy(ndarray):
    """A tensor over the memory of a NumPy array: writes to one are seen by the other.

    >>> import numpy as np, tensh as torch
    >>> a = np.zeros(2)
    >>> t = torch.from_numpy(a)
    >>> a[0] = 1
    >>> t
    tensor([1., 0.], dtype=torch.float64)
    """
    if type(ndarray) is np.ndarray and ndarray.flags.carray and BY_NUMPY.get(ndarray.dtype, int64).numpy is ndarray.dtype:
        return leaf(ndarray.view())
    if not isinstance(ndarray, np.ndarray):
        kind = type(ndarray)
        name = f"numpy.{kind.__name__}" if isinstance(ndarray, np.generic) else kind.__name__
        raise TypeError(f"expected np.ndarray (got {name})")
    t = wrap(shared(ndarray))
    if not ndarray.flags.writeable:
        warn_read_only()
    return t


def warn_read_only(what="NumPy array", name="array"):
    """Warn, once, that a tensor over memory that must not be written cannot be written either."""
    if what not in warned:
        warned.add(what)
        warnings.warn(
            f"The given {what} is not writable, and PyTorch does not support non-writable tensors. This means writing to "
            f"this tensor will result in undefined behavior. You may want to copy the {name} to protect its data or make "
            "it writable before converting it to a tensor. This type of warning will be suppressed for the rest of this "
            "program.",
            stacklevel=3,
        )


warned: set = set()


@public
def as_tensor(data, *, dtype=None, device=None):
    """``data`` as a tensor: itself, or over the same memory, where its dtype is right; a copy otherwise."""
    if dtype is not None or device is not None:
        dtype = bind("as_tensor", (f"({DATA})",), (data,), {"dtype": dtype, "device": device})["dtype"]
        place(device)
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray):
        return wrap(converted(shared(data), dtype, False))
    return wrap(nested.read(data, dtype))


ASARRAY = (
    "(object obj, *, torch.dtype? dtype = None, torch.device? device = None, bool? copy = None, bool? requires_grad = None)"
)


@public
def asarray(obj, **given):
    """``obj`` as a tensor; ``copy=False`` insists on sharing memory, ``copy=True`` on a copy.

    Takes tensors, arrays and NumPy scalars, objects of other libraries (DLPack), buffers, numbers and sequences.
    """
    given = bind("asarray", (ASARRAY,), (obj,), given)
    dtype, copy, requires_grad = given["dtype"], given["copy"], given["requires_grad"]
    place(given["device"])
    source = as_source(obj, dtype)
    if source is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return leaf(nested.read(obj, dtype), bool(requires_grad))
    if copy is False and dtype is not None and dtype.numpy != source.array.dtype:
        title = BY_NUMPY[source.array.dtype].title
        raise ValueError(f"can't alias tensor with dtype '{title}' into dtype '{dtype.title}'.")
    result = source if dtype is None else source.to(dtype)
    if copy and result is source:
        result = result.clone()
    if requires_grad is not None and result.requires_grad != requires_grad:
        result = result.detach().requires_grad_(requires_grad)
    return result


def as_source(obj, dtype):
    """A tensor over the memory that ``obj`` offers, or None."""
    if isinstance(obj, Tensor):
        return obj
    if isinstance(obj, np.ndarray):
        return wrap(shared(obj))
    if isinstance(obj, np.generic):
        return wrap(np.array(obj, BY_NUMPY[obj.dtype].numpy))
    if hasattr(obj, "__dlpack__"):
        return from_dlpack(obj)
    try:
        memoryview(obj)
    except TypeError:
        return None
    return frombuffer(obj, dtype=dtype or of_scalar[float])


@public
def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A 1-d tensor over the memory of an object with Python's buffer protocol.

    >>> import tensh as torch
    >>> torch.frombuffer(bytearray([1, 2, 3]), dtype=torch.uint8)
    tensor([1, 2, 3], dtype=torch.uint8)
    """
    text = "(object buffer, *, torch.dtype dtype, int count = -1, int offset = 0, bool requires_grad = False)"
    given = {"dtype": dtype, "count": count, "offset": offset, "requires_grad": requires_grad}
    given = bind("frombuffer", (text,), (buffer,), given)
    dtype, count, offset = given["dtype"], given["count"], given["offset"]
    try:
        view = memoryview(buffer).cast("B")
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
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
        warn_read_only("buffer", "buffer")
    number = count if count > 0 else rest // dtype.itemsize
    raw = np.frombuffer(view, np.uint8, number * dtype.itemsize, offset)
    return leaf(raw.view(dtype.numpy), given["requires_grad"])


# ── DLPack ───────────────────────────────────────────────────────────────────
@public
def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor over the memory of another library's array (an object with ``__dlpack__``)."""
    place(device)
    if isinstance(ext_tensor, Tensor):
        array = memory.apart(ext_tensor.array)
    elif hasattr(ext_tensor, "__dlpack__"):
        array = np.from_dlpack(ext_tensor)
    elif type(ext_tensor).__name__ == "PyCapsule":
        array = np.from_dlpack(Exporter(ext_tensor))
    else:
        raise RuntimeError(
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might "
            "have already constructed a tensor from it once."
        )
    return wrap(array.copy() if copy else memory.adopted(array))


class Exporter:
    """A capsule as NumPy asks for it."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


@public
def to_dlpack(tensor):
    """The memory of a tensor as a DLPack capsule, which ``from_dlpack`` takes once."""
    return tensor.__dlpack__()


def __dlpack__(self, *, stream=-1, max_version=None, dl_device=None, copy=None):
    """The tensor's memory for another library."""
    if edge(self) is not None:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    return self.array.__dlpack__(max_version=max_version, copy=copy)


def __dlpack_device__(self):
    """The kind of memory: (1, 0), the CPU's."""
    return self.array.__dlpack_device__()


for _each in __dlpack__, __dlpack_device__:
    setattr(Tensor, _each.__name__, _each)
