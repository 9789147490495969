"""Legacy constructors: ``torch.Tensor(2, 3)``, ``torch.FloatTensor([1])``, ``x.new(…)``, ``x.type(…)``.

The argument distinguishes sizes from data: numbers are sizes, a sequence is data, but ``torch.Size`` is a size.
"""

import numpy as np

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arguments.signatures import refuse_receiver
from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import drop_elements, is_absent
from tensh.engine.codegen.public_forms import function
from tensh.engine.codegen.registry import METHODS
from tensh.engine.codegen.table import public
from tensh.engine.core import ports
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.override.classes import require_tensor_class
from tensh.engine.dispatch.override.points import arm_for
from tensh.engine.dtypes.device import CONSTANTS, device, strided
from tensh.engine.dtypes.dtype import ALL, BY_NUMPY, dtype, of_scalar, set_default_dtype
from tensh.engine.dtypes.size import Size
from tensh.engine.errors.warnings import warn_once
from tensh.engine.methods.conversion import cast
from tensh.engine.methods.creation import nested
from tensh.engine.methods.creation.fill import require_room
from tensh.engine.operators.shapes.composites.resizing import require_kind
from tensh.engine.operators.shapes.views import alias

FORMS = (
    "(*, torch.device device = None)",
    "(torch.Storage storage)",
    "(Tensor other)",
    "(tuple of ints size, *, torch.device device = None)",
    "(object data, *, torch.device device = None)",
)


# ── construction ─────────────────────────────────────────────────────────────
def construct(cls, args, given, wanted=None):
    """Construct the tensor of a legacy constructor; ``wanted`` is its dtype, None for ``torch.Tensor``."""
    to = wanted or of_scalar[float]
    if len(args) == 1 and isinstance(args[0], Tensor) and given.get("device") is not None:
        raise RuntimeError(
            "Legacy tensor constructor of the form torch.Tensor(tensor, device=device) is not supported.  Use torch.tensor(...) "
            "or torch.as_tensor(...) instead."
        )
    is_data = len(args) == 1 and isinstance(args[0], (tuple, list)) and type(args[0]) is not Size
    if is_data and given.keys() <= {"device"}:
        given = bind("new", FORMS[4:], args, given)
    else:
        given = bind("new", FORMS, args, given)
    where = given.get("device")
    if where is not None and device(where).type != "cpu":
        raise RuntimeError(
            f"legacy constructor expects device type: cpu but device type: {device(where).type} was passed"
        )
    if "other" in given:
        made = alias_of(given["other"], wanted)
    elif "storage" in given:
        require_kind(given["storage"], to.numpy, "type ", to.title)
        made = wrap(np.empty(0, to.numpy)).set_(given["storage"])
    elif "data" in given:
        made = wrap(from_data(given["data"], to))
    else:
        size = given.get("size", (0,))
        require_room("new", size, to.numpy)
        made = wrap(memory.allocate(size, to.numpy))
    return made if cls is Tensor else view_as_subclass(cls, made)


def alias_of(other, wanted):
    """Return another tensor that shares the memory, recorded as a view."""
    found = BY_NUMPY[other.array.dtype]
    if wanted is not None and found is not wanted:
        raise TypeError(f"expected {options_text(wanted)} (got {options_text(found)})")
    return function(alias)(other)


def options_text(which):
    return (
        f"TensorOptions(dtype={which.spoken}, device=cpu, "
        "layout=Strided, requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))"
    )


def from_data(data, to):
    """Return the array of a sequence, converted to ``to``."""
    if isinstance(data, np.ndarray):
        return data.astype(to.numpy)
    if not isinstance(data, (str, bytes)) and not nested.is_sequence(data):
        name = f"torch.{type(data).__name__}" if type(data).__module__ == "torch" else type_name(data)
        raise TypeError(f"new(): data must be a sequence (got {name})")
    return nested.read(data, to)


def view_as_subclass(cls, t):
    """Return the tensor as an object of a subclass."""
    arm_for(cls)
    self = object.__new__(cls)
    self.array, self.node, self._base, self._kept = t.array, t.node, t._base, None
    if t._base is not None:
        self._view_info, self._time = t._view_info, t._time
    return self


def as_subclass(self, cls):
    """Return an object of ``cls``, a subclass of Tensor, with this memory and history."""
    require_tensor_class(cls)
    return view_as_subclass(cls, function(alias)(self))


@shows("self, *size_or_data", "device=None")
def new(self, *args, **given):
    """Call a legacy constructor in this tensor's dtype: ``x.new(2, 3)`` is not initialised, ``x.new([1, 2])`` has data.

    Raise RuntimeError for another device or dtype.
    """
    if not isinstance(self, Tensor):
        refuse_receiver("new", self)
    if self.layout is not strided:
        try:
            _ = self.array.strides  # raises Lift
        except Lift:
            return ports.batched_function("new", new, (self, *args), given)
    made = construct(Tensor, args, given, BY_NUMPY[self.array.dtype])
    return wrap(drop_elements(made.array)) if is_absent(self) else made


METHODS.update(new=new, as_subclass=as_subclass)


# ── legacy types ─────────────────────────────────────────────────────────────
class tensortype(type):
    """The metaclass of ``torch.FloatTensor`` and others: a class for ``isinstance``, a constructor when called."""

    __module__ = "torch"

    def __new__(cls, name, bases, members):
        for base in bases:
            raise TypeError(f"type 'torch.{base.__name__}' is not an acceptable base type")
        return type.__new__(cls, name, bases, members)

    @shows("cls, *size_or_data", "device=None")
    def __call__(cls, *args, **given):
        return construct(Tensor, args, given, cls.dtype)

    def __instancecheck__(cls, t):
        return isinstance(t, Tensor) and t.array.dtype == cls.dtype.numpy and t.layout is cls.layout

    def __subclasscheck__(cls, other):
        return other is cls


def legacy_type(which):
    """Return the type named after a dtype."""
    members = {
        "__module__": "torch", "dtype": which, "is_cuda": False, "is_sparse": False, "layout": CONSTANTS["strided"],
        "__doc__": f"Tensors of {which}, as a constructor: sizes, or data.  ``torch.tensor(data, dtype=…)`` is preferred.",
    }  # fmt: skip
    return public(tensortype(which.legacy, (), members))


LEGACY = {
    which: legacy_type(which)
    for which in map(ALL.get, "float16 bfloat16 float32 float64 bool uint8 int8 int16 int32 int64".split())
}
BY_NAME = {f"torch.{which.legacy}": which for which in ALL.values()}


def type_(self, dtype=None, non_blocking=False, **given):
    """Return the name of the legacy type; with an argument (a dtype, a type or its name), convert the tensor.

    Raise RuntimeError or ValueError for an unknown name.

    >>> import tensh as torch
    >>> torch.ones(2).type()
    'torch.FloatTensor'
    >>> torch.ones(2).type(torch.int64)
    tensor([1, 1])
    """
    if given:
        raise TypeError(f"type() got an unexpected keyword argument '{next(iter(given))}'")
    if dtype is None:
        return name_of_type(self)
    return cast(self, dtype_of_legacy(dtype))


def name_of_type(t):
    """Return the name of a tensor's legacy type; raise RuntimeError for a sparse layout without one."""
    name, layout = BY_NUMPY[t.array.dtype].legacy, t.layout
    if is_absent(t):
        return f"torch.meta.{name}"
    if layout is CONSTANTS["strided"]:
        return f"torch.{name}"
    if layout is not CONSTANTS["sparse_coo"]:
        raise RuntimeError("Unimplemented backend SparseCsrCPU")
    return f"torch.sparse.{name}"


DEFINED_IN_PYTHON = 1 << 9  # CPython's flag of types that a class statement makes


def dtype_of_legacy(which):
    """Return the dtype of a dtype, a legacy type, or the name of one."""
    if isinstance(which, dtype):
        return which
    if which is Tensor:
        return of_scalar[float]
    if isinstance(which, tensortype):
        return which.dtype
    owner = ""
    if isinstance(which, type):
        is_builtin = which.__module__ == "builtins" or which.__flags__ & DEFINED_IN_PYTHON
        owner = "" if is_builtin else f"{which.__module__}."  # as in the names of types written in C
        which = f"torch.cuda.{which.__name__}" if which.__module__ == "torch.cuda" else which.__name__
    if not isinstance(which, str):
        raise TypeError("dtype must be a type, str, or dtype object")
    if which in BY_NAME:
        return BY_NAME[which]
    if which == "torch.Tensor":
        return of_scalar[float]
    if which.startswith("torch.sparse.") and (name := which.replace("sparse.", "", 1)) in BY_NAME:
        return BY_NAME[name]
    if which.startswith("torch.cuda."):
        raise RuntimeError("Cannot initialize CUDA without ATen_cuda library.")
    raise ValueError(f"invalid type: '{owner}{which}'")


type_.__name__ = type_.__qualname__ = "type"
METHODS["type"] = type_


@public
def set_default_tensor_type(t):
    """Make a floating point type (``torch.DoubleTensor`` or its name) the default; ``set_default_dtype`` is preferred.

    Raise RuntimeError or TypeError for other types.
    """
    warn_once(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives.",
    )
    if isinstance(t, str):
        if not t.startswith("torch."):
            raise ModuleNotFoundError(f"No module named '{t.partition('.')[0]}'")
        t = LEGACY.get(BY_NAME.get(t), t)
    name = t if isinstance(t, str) else f"{getattr(t, '__module__', None)}.{getattr(t, '__name__', None)}"
    if name.startswith("torch.cuda."):
        raise TypeError(f"type {name} not available. Torch not compiled with CUDA enabled.")
    if not isinstance(t, tensortype):
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    if not t.dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    if t.is_sparse:
        raise TypeError("only dense types are supported as the default type")
    set_default_dtype(t.dtype)
