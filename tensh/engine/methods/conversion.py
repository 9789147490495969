"""Conversions: to another dtype, to NumPy, to Python's numbers.

A conversion that changes nothing returns the tensor itself; others are recorded as ``ToCopyBackward0``.
"""

from numpy import ndarray

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.checks import format_named
from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arguments.signatures import refuse_receiver
from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import Absent, drop_elements
from tensh.engine.arrays.eight_bits import is_eight_bits
from tensh.engine.arrays.owners import lend
from tensh.engine.codegen.registry import METHODS
from tensh.engine.core import ports
from tensh.engine.core.clock import mode
from tensh.engine.core.lift import Lift
from tensh.engine.core.nodes import uses_gradient
from tensh.engine.core.tensor import Tensor, new, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.device import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    cpu,
    on_meta,
    preserve_format,
    require_cpu,
    strided,
)
from tensh.engine.dtypes.device import device as device_of
from tensh.engine.dtypes.dtype import ALL, BOOL, BY_NUMPY, COMPLEX, FLOAT, dtype
from tensh.engine.errors.messages import too_large
from tensh.engine.errors.unavailable import sparse_on_meta
from tensh.engine.errors.warnings import warn_of_real_part
from tensh.engine.operators.basic import cast as cast_op
from tensh.engine.operators.shapes.composites.sharing import lies_in_shared, move_to_shared

TO = (
    "(torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = False, *, "
    "torch.memory_format memory_format = None)",
    "(torch.dtype dtype, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)",
    "(Tensor tensor, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)",
)
HERE = ("cpu", b"cpu", cpu)
NUMBERS = {bool: ALL["bool"], float: ALL["float64"], complex: ALL["complex128"]}


# ── to another dtype ─────────────────────────────────────────────────────────
def cast(t, to):
    """Return ``t`` in the dtype ``to``, or itself if it has it; recorded if both are floating point or complex."""
    return t if t.array.dtype is to.numpy else recast(t, to)


def recast(t, to, memory_format=None):
    """Return a copy of ``t`` in the dtype ``to``."""
    numpy = to.numpy
    if t.array.dtype.kind in "cW" and BOOL < to.category < COMPLEX:
        warn_of_real_part(t.array.size)
    if to.category >= FLOAT:
        return cast_op.fn(t, numpy, memory_format)
    result = new()  # no gradient passes through an integer
    try:
        result.array = cast_op.kernel(t.array, numpy, memory_format)
    except Lift:
        return ports.batched_function("recast", recast, (t, to, memory_format), {})
    except MemoryError as error:
        raise too_large(error) from None
    result.node = result._base = result._kept = None
    return result


@shows("self, device=None, dtype=None, non_blocking=False, copy=False, *", "memory_format=None")
def to(self, *args, **given):
    """Convert the tensor to another dtype (``to(dtype)``, ``to(other)``), another device (``to("cpu")``), or both.

    Return the tensor itself if nothing changes, unless ``copy=True``.  Differentiable.  Raise AssertionError for
    another device.

    >>> import tensh as torch
    >>> torch.tensor([1, 2]).to(torch.float64)
    tensor([1., 2.], dtype=torch.float64)
    """
    try:
        array = self.array
    except AttributeError:
        refuse_receiver("to", self)
    if len(args) == 1 and not given:
        if type(args[0]) is dtype:
            return self if array.dtype is args[0].numpy else recast(self, args[0])
        if type(args[0]) is not ndarray and args[0] in HERE:
            return self if type(array) is ndarray or not self.is_meta else move_absent(self, cpu)
        if type(args[0]) in NUMBERS:  # treated as a tensor of this number
            return cast(self, NUMBERS[type(args[0])])
    given = bind("to", TO, args, given)
    other = given.get("tensor")
    wanted = given.get("dtype") if other is None else BY_NUMPY[other.array.dtype]
    where = given.get("device") if other is None else other.device
    wanted = wanted or BY_NUMPY[self.array.dtype]
    if where is not None and on_meta(where) is not self.is_meta:
        return move_absent(self, where, wanted, given["memory_format"])
    return convert_tensor(self, wanted, given["copy"], given["memory_format"])


def move_absent(t, where, to=None, memory_format=None):
    """Return ``t`` on "meta", without its elements; raise NotImplementedError for a move from "meta" to a device."""
    if not on_meta(where):
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    if t.layout is not strided:
        raise sparse_on_meta()
    return recast(wrap(drop_elements(t.array), refresh_node(t)), to or BY_NUMPY[t.array.dtype], memory_format)


def convert_tensor(t, to, copy, memory_format):
    """Convert ``t`` to a dtype and memory format; return itself if it has both, unless ``copy``."""
    ordered = memory_format is None or memory_format is preserve_format or is_in_order(t.array, memory_format)
    if to.numpy is t.array.dtype and ordered and not copy:
        return t
    return recast(t, to, memory_format)


def is_in_order(array, memory_format):
    """Return True if the order of the strides is that of the memory format, whatever their gaps.

    Row-major counts as the order of all arrays whose channels are not innermost, as in PyTorch.
    """
    if type(array) is ndarray and memory.channels_innermost(array):
        return memory_format is (channels_last if array.ndim == 4 else channels_last_3d)
    return memory_format is contiguous_format


CASTS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32", "long": "int64",
    "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool", "cfloat": "complex64", "cdouble": "complex128",
    "chalf": "complex32",
}  # fmt: skip


def declare_cast(name, to):
    """Declare the method ``NAME()``."""

    def method(self, *, memory_format=None):
        if memory_format is None:
            return cast(self, to)
        return convert_tensor(self, to, False, format_named(memory_format, name))

    method.__name__ = method.__qualname__ = name
    method.__module__ = "torch"
    gradient = "Differentiable." if to.is_floating_point or to.is_complex else "The result has no gradient."
    method.__doc__ = f"The tensor in {to}: itself if it is of that dtype, a copy otherwise.  {gradient}"
    METHODS[name] = method


for _name, _dtype in CASTS.items():
    declare_cast(_name, ALL[_dtype])


def type_as(self, other):
    """Convert the tensor to the dtype of ``other``.  Differentiable.  Raise RuntimeError for another layout."""
    if not isinstance(other, Tensor):
        raise TypeError(f"type_as(): argument 'other' (position 1) must be Tensor, not {type_name(other)}")
    if type(self.array) is not type(other.array) and self.is_meta is not other.is_meta:
        return move_absent(self, other.device, BY_NUMPY[other.array.dtype])
    if self.layout is not other.layout:
        own, wanted = (each.layout.name.title().replace("_", "").replace("Coo", "") for each in (self, other))
        raise RuntimeError(
            f"to(options) doesn't support converting to a different layout, but got self.layout being {own} and options.layout set "
            f"as {wanted}"
        )
    return cast(self, BY_NUMPY[other.array.dtype])


# ── devices: there is only the CPU ───────────────────────────────────────────
def cpu_(self, *, memory_format=None):
    """Return the tensor itself: it is on the CPU."""
    if type(self.array) is Absent:
        move_absent(self, cpu)
    return self if memory_format is None else convert_tensor(self, BY_NUMPY[self.array.dtype], False, memory_format)


def cuda(self, device=None, non_blocking=False, memory_format=None):
    """Raise AssertionError, as PyTorch without CUDA does: tensh computes on the CPU."""
    if device is not None:
        where = device_of(device)
        if where.type != "cuda":
            raise RuntimeError("Invalid device, must be cuda device")
    require_cpu("cuda")


def pin_memory(self, device=None):
    """Raise RuntimeError: there is no device to pin memory for."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


def is_pinned(self, device=None):
    """Return False: there is no device to pin memory for."""
    return False


def share_memory_(self):
    """Move the tensor's memory, with all tensors that share it, to shared memory, and return the tensor.

    Every process sees the changes of the others. Memory that is already shared stays in place, as it does on systems
    without shared memory. Raise RuntimeError if there is no room, and for meta tensors; NotImplementedError for sparse
    ones.

    >>> import tensh as torch
    >>> x = torch.ones(2); x.share_memory_().is_shared()
    True
    """
    move_to_shared(self)
    return self


def is_shared(self):
    """Return True if the tensor's memory can be mapped by other processes.

    >>> import tensh as torch
    >>> torch.ones(2).is_shared()
    False
    """
    return lies_in_shared(self.array)


# ── to NumPy and Python ──────────────────────────────────────────────────────
def numpy(self, *, force=False):
    """Return a NumPy array that shares memory with the tensor: each sees writes to the other.

    Raise RuntimeError for a tensor that requires grad while recording is on, unless ``force``, and TypeError for
    bfloat16, which NumPy lacks.
    """
    if force is not False:
        if force is not True:
            raise TypeError(f"numpy(): argument 'force' must be bool, not {type_name(force)}")
    elif mode.grad is True and uses_gradient(self.node if self._base is None else refresh_node(self)):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if type(self.array) is Absent:
        raise TypeError(
            "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
        )
    if self.array.dtype.kind == "V" or is_eight_bits(self.array.dtype):
        raise TypeError(f"Got unsupported ScalarType {BY_NUMPY[self.array.dtype].title}")
    return lend(self.array).view()


def item(self):
    """Return the only element as a Python number.  Raise RuntimeError unless there is exactly one."""
    try:
        return self.array.item()
    except ValueError:
        raise RuntimeError(f"a Tensor with {self.array.size} elements cannot be converted to Scalar") from None


def tolist(self):
    """Return the values as nested lists of Python numbers, or as a number for a 0-d tensor."""
    return self.array.tolist()


cpu_.__name__ = cpu_.__qualname__ = "cpu"
for _each in (to, type_as, cpu_, cuda, pin_memory, is_pinned, share_memory_, is_shared, numpy, item, tolist):
    METHODS[_each.__name__] = _each
