"""Creation of tensors from data: numbers, nested lists, arrays."""

import numpy as np

from tensh.engine.arguments.binding import KEYWORDS, bind, finish, make_leaf, place
from tensh.engine.arguments.lazy_signatures import PLACED, shows
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays.absent import drop_elements
from tensh.engine.arrays.owners import lend
from tensh.engine.codegen.registry import METHODS
from tensh.engine.codegen.scalars import cast_element
from tensh.engine.codegen.table import public
from tensh.engine.core.tensor import Tensor, new, wrap
from tensh.engine.dtypes.device import HERE, cpu, meta
from tensh.engine.dtypes.dtype import BY_NUMPY, float16, of_scalar
from tensh.engine.dtypes.dtype import dtype as DType
from tensh.engine.errors.warnings import warn
from tensh.engine.methods.conversion import recast
from tensh.engine.methods.creation import nested
from tensh.engine.methods.creation.sharing import from_dlpack, frombuffer, is_unread_capsule, share_array

FLOATS = {float}
DATA = "object data, *, torch.dtype dtype = None, torch.device device = None"


# ── copies ───────────────────────────────────────────────────────────────────
@public
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """Make a tensor with a copy of ``data``: a number, nested sequences of numbers, an array or a tensor.

    The dtype is that of the data; Python floats get the default dtype.  Raise ValueError for sequences of different
    lengths, RuntimeError for numbers that the dtype cannot represent.

    >>> import tensh as torch
    >>> torch.tensor([[1, 2], [3, 4.5]])
    tensor([[1.0000, 2.0000],
            [3.0000, 4.5000]])
    """
    kind = type(data)
    if (
        (kind is list and {*map(type, data)} == FLOATS or kind is float)
        and HERE
        and dtype is None and device is None and pin_memory is False and of_scalar[float] is not float16
    ):  # fmt: skip
        array = np.array(data, of_scalar[float].numpy)  # the most common data: 0.9 µs instead of 1.6
    elif device is None and pin_memory is False and HERE and (dtype is None or type(dtype) is DType):
        array = copy_data(data, dtype)
    else:
        given = {"dtype": dtype, "device": device, "pin_memory": pin_memory, "requires_grad": requires_grad}
        dtype = bind("tensor", (f"({DATA}, bool requires_grad = False, bool pin_memory = False)",), (data,), given)[
            "dtype"
        ]
        away = place(device, None, pin_memory)
        array = drop_elements(copy_data(data, dtype)) if away else copy_data(data, dtype)
    if requires_grad is not False:
        if requires_grad is not True:
            raise TypeError(f"tensor(): argument 'requires_grad' must be bool, not {type_name(requires_grad)}")
        return make_leaf(array, True)
    t = new()
    t.array = array
    t.node = t._base = t._kept = None
    return t


def copy_data(data, dtype, advice="torch.tensor(sourceTensor)"):
    """Copy the data to new memory."""
    if isinstance(data, Tensor):
        warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            f"sourceTensor.detach().clone().requires_grad_(True), rather than {advice}.",
        )
        return convert_array(data.array, dtype, True)
    if isinstance(data, np.ndarray):
        array = convert_array(share_array(data), dtype, True)
        return array if array.size else array.view()  # a view keeps the strides of zero that NumPy gave it
    return nested.read(data, dtype)


def convert_array(array, dtype, copy):
    """Return the array in ``dtype`` (or its own), copied if necessary or requested."""
    if dtype is None or dtype.numpy is array.dtype:
        return array.copy(order="K") if copy else array
    return recast(wrap(array), dtype).array


def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """Make a tensor with a copy of ``data``, in this tensor's dtype unless ``dtype`` is given.

    Raise ValueError or RuntimeError for data that is not an array of numbers.
    """
    given = {
        "dtype": dtype,
        "device": device,
        "requires_grad": requires_grad,
        "layout": layout,
        "pin_memory": pin_memory,
    }
    given = bind("new_tensor", (f"(object data, *, {KEYWORDS})",), (data,), given)
    given["device"] = given["device"] or self.device
    return finish(
        "new_tensor", lambda d: copy_data(data, BY_NUMPY[d], "tensor.new_tensor(sourceTensor)"), self.array.dtype, given
    )


METHODS["new_tensor"] = new_tensor


@public
@shows("s, *", PLACED)
def scalar_tensor(s, **given):
    """Make a 0-d tensor of the number ``s``, in the default dtype unless ``dtype`` is given."""
    given = bind("scalar_tensor", (f"(Number s, *, {KEYWORDS})",), (s,), given)
    number = given["s"]
    return finish(
        "scalar_tensor", lambda d: np.array(cast_element(number, BY_NUMPY[d])).astype(d), of_scalar[float].numpy, given
    )


# ── copies if necessary ──────────────────────────────────────────────────────
@public
def as_tensor(data, *, dtype=None, device=None):
    """Return ``data`` as a tensor: itself, or sharing its memory, if the dtype is right; a copy otherwise.

    Raise ValueError for an array with a byte order or strides that tensors cannot have.
    """
    if dtype is not None or device is not None or not HERE:
        dtype = bind("as_tensor", (f"({DATA})",), (data,), {"dtype": dtype, "device": device})["dtype"]
        if place(device):
            return as_tensor(data, dtype=dtype, device=cpu).to(meta)
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray):
        return wrap(convert_array(lend(share_array(data)), dtype, False))
    return wrap(nested.read(data, dtype))


ASARRAY = "(object obj, *, torch.dtype? dtype = None, torch.device? device = None, bool? copy = None, bool? requires_grad = None)"


told: list = []  # non-empty after the first warning


@public
@shows("obj, *", "dtype=None, device=None, copy=None, requires_grad=None")
def asarray(obj, **given):
    """Convert ``obj`` to a tensor; ``copy=False`` insists on shared memory, ``copy=True`` on a copy.

    ``obj`` may be a tensor, an array or NumPy scalar, an object of another library (DLPack), a buffer, a number or a
    sequence. Raise ValueError if the memory cannot be shared as requested.
    """
    given = bind("asarray", (ASARRAY,), (obj,), given)
    dtype, copy, requires_grad = given["dtype"], given["copy"], given["requires_grad"]
    away = place(given["device"])
    source = as_source(obj, dtype)
    if source is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        array = nested.read(obj, dtype)
        return make_leaf(drop_elements(array) if away else array, bool(requires_grad))
    if copy is False and dtype is not None and dtype.numpy != source.array.dtype:
        title = BY_NUMPY[source.array.dtype].title
        raise ValueError(f"can't alias tensor with dtype '{title}' into dtype '{dtype.title}'.")
    result = source if dtype is None else source.to(dtype)
    result = result.to(meta) if away else result
    if copy and result is source:
        result = result.clone()
    if requires_grad is None and source is obj and obj.requires_grad and not told:
        told.append(True)
        warn(
            "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
            "requires_grad=False explicitly to get the old behavior and silence this warning.",
        )
    if requires_grad is not None and result.requires_grad != requires_grad:
        result = result.detach().requires_grad_(requires_grad)
    return result


def as_source(obj, dtype):
    """Return a tensor that shares the memory of ``obj``, or None if it offers none."""
    if isinstance(obj, Tensor):
        return obj
    if isinstance(obj, np.ndarray):
        return wrap(lend(share_array(obj)))
    if isinstance(obj, np.generic):
        return wrap(np.array(obj, BY_NUMPY[obj.dtype].numpy))
    if hasattr(obj, "__dlpack__") or is_unread_capsule(obj):
        return from_dlpack(obj)
    try:
        memoryview(obj)
    except TypeError:
        return None
    return frombuffer(obj, dtype=dtype or of_scalar[float])
