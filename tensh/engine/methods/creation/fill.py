"""Creation of tensors of a given size: zeros, ones, one value, uninitialized memory."""

import math

import numpy as np
from numpy import ndarray

from tensh.engine.arguments.binding import KEYWORDS, OUT, Rare, bind, bind_plain, finish, make_leaf
from tensh.engine.arguments.lazy_signatures import PLACED, shows
from tensh.engine.arrays import memory
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.codegen.scalars import SAFE, cast_scalar
from tensh.engine.codegen.table import public
from tensh.engine.core import ports
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import channels_last, channels_last_3d, contiguous_format, shortcut
from tensh.engine.dtypes.dtype import BY_NUMPY, complex64, complex128, float64, of_scalar
from tensh.engine.dtypes.size import Size
from tensh.engine.methods.settings import fill_unset

SHAPES = shortcut({int, tuple, list, Size})  # types that NumPy and PyTorch both accept as a shape
LIKE = f"*, torch.memory_format memory_format = None, {KEYWORDS}"


def make_unset(shape, dtype):
    """Make an array with uninitialized elements."""
    return fill_unset(np.empty(shape, dtype))


def make_ones(shape, dtype):
    """Make an array of ones in a third of the time of ``np.ones``."""
    array = np.empty(shape, dtype)
    array.fill(1)
    return array


def describe_as(shown):
    """Return a decorator that gives a function with ``*args`` the signature and docstring of ``shown``."""

    def decorate(fn):
        fn.__name__ = fn.__qualname__ = shown.__name__
        fn.__doc__, fn.__module__, fn.__wrapped__ = shown.__doc__, "torch", shown
        return fn

    return decorate


def complete_options(t, given):
    """Fill in the device and layout of ``t`` where the bound keywords have none."""
    if given["device"] is None:
        given["device"] = t.device
    if given["layout"] is None:
        given["layout"] = t.layout
    return given


# ── zeros, ones, empty ───────────────────────────────────────────────────────
def declare_filled(name, make, what):
    """Declare ``NAME(size)``, ``NAME_like(input)`` and ``input.new_NAME(size)``, made by ``make(shape, dtype)``."""
    function = describe_as(
        shape_signature(
            name,
            f"A tensor of the given size, {what}.\n\nThe dtype is the default dtype unless ``dtype`` says "
            f"another.\n\n>>> import tensh as torch\n>>> torch.{name}(2, 3).shape\ntorch.Size([2, 3])",
        )
    )(define_filled(name, make))
    method = describe_as(new_signature(f"new_{name}", f"A tensor of the given size and this tensor's dtype, {what}."))(
        define_new_filled(f"new_{name}", make)
    )
    like = describe_as(
        like_signature(f"{name}_like", f"A tensor of the shape, dtype and order of memory of ``input``, {what}.")
    )(define_filled_like(f"{name}_like", make))
    PUBLIC[name], METHODS[f"new_{name}"], PUBLIC[f"{name}_like"] = function, method, like
    return function, like


def define_filled(name, make):
    """Return a function that makes a tensor of a given size."""
    text = f"(tuple of ints size, {OUT}{', torch.memory_format memory_format = None' if name == 'empty' else ''})"

    def function(*size, **given):
        shape = size[0] if len(size) == 1 else size
        if type(shape) in SHAPES and size:
            try:
                if not given:
                    return make_leaf(make(shape, of_scalar[float].numpy))
                numpy, requires_grad = bind_plain(of_scalar[float].numpy, **given)
                return make_leaf(make(shape, numpy), requires_grad)
            except (TypeError, ValueError, AttributeError, MemoryError):
                pass
        given = bind(name, (text,), size, given)
        return finish(name, lambda d: make_filled(name, make, d, given), of_scalar[float].numpy, given)

    return function


def define_new_filled(name, make):
    """Return a method that makes a tensor of a given size and of the tensor's dtype."""
    text = f"(tuple of ints size, *, {KEYWORDS})"

    def method(self, *size, **given):
        shape = size[0] if len(size) == 1 else size
        if type(shape) in SHAPES and size and type(self.array) is ndarray:
            try:
                numpy, requires_grad = bind_plain(self.array.dtype, **given)
                return make_leaf(make(shape, numpy), requires_grad)
            except (TypeError, ValueError, AttributeError, MemoryError):
                pass
        given = complete_options(self, bind(name, (text,), size, given))
        return finish(name, lambda d: make_filled(name, make, d, given), self.array.dtype, given)

    return method


def define_filled_like(name, make):
    """Return a function that makes a tensor of the shape of another."""
    text = f"(Tensor input, {LIKE})"

    def like(*args, **given):
        if len(args) == 1 and isinstance(args[0], Tensor):
            try:
                _ = args[0].node  # may raise Lift
                if type(array := args[0].array) is ndarray:
                    if not given:
                        return make_leaf(make_like_array(array, make))
                    numpy, requires_grad = bind_plain(array.dtype, **given)
                    return make_leaf(make_like_array(array, make, numpy), requires_grad)
                _ = array.strides  # a sparse tensor raises Lift
            except (TypeError, ValueError, AttributeError, MemoryError):
                pass
            except Lift:
                return ports.batched_function(name, like, args, given)
        try:
            given = bind(name, (text,), args, given)
        except TypeError:
            if answer := ports.answer_override(like, args, given):
                return answer[0]
            raise
        complete_options(given["input"], given)
        array, order = given["input"].array, given["memory_format"]
        return finish(name, lambda d: make_like_array(array, make, d, order), array.dtype, given)

    return like


def shape_signature(name, doc):
    def function(
        *size, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False
    ): ...  # fmt: skip

    return title(function, name, doc)


def new_signature(name, doc):
    def function(self, *size, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False): ...

    return title(function, name, doc)


def like_signature(name, doc):
    def function(
        input, *, memory_format=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False
    ): ...  # fmt: skip

    return title(function, name, doc)


def title(function, name, doc):
    function.__name__, function.__doc__ = name, doc
    return function


def make_filled(name, make, dtype, given):
    """Make the array of the size in ``given``."""
    size, memory_format = given["size"], given.get("memory_format")
    require_room(name, size, dtype)
    if memory_format is None or memory_format is contiguous_format:
        return memory.allocate(size, dtype, make)
    if memory_format not in (channels_last, channels_last_3d):
        raise RuntimeError("unsupported memory format Preserve")
    return fill_unset(memory.empty_like(np.broadcast_to(np.uint8(0), size), dtype, memory_format))


def require_room(name, size, dtype):
    """Refuse negative sizes, and sizes that exceed any memory."""
    for n in size:
        if n < 0:
            if name == "zeros":
                raise RuntimeError("zeros: Dimension size must be non-negative.")
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(size)}")
    if math.prod(size) * dtype.itemsize >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)}")


def make_like_array(array, make, dtype=None, memory_format=None):
    """Make an array in the shape and, unless a memory format is given, the memory order of ``array``."""
    dtype = dtype or array.dtype
    if memory_format is None and memory.is_row_major(array) or memory_format is contiguous_format:
        if array.size or array.base is None:
            return make(array.shape, dtype)
        return memory.empty_strided(array.shape, memory.strides(array), dtype)
    result = memory.empty_like(array, dtype, memory_format)
    if make is make_unset:
        return fill_unset(result)
    if make is not np.empty:
        result.fill(make is make_ones)
    return result


zeros, zeros_like = declare_filled("zeros", np.zeros, "filled with zeros")
ones, ones_like = declare_filled("ones", make_ones, "filled with ones")
empty, empty_like = declare_filled("empty", make_unset, "with uninitialized elements")


# ── full ─────────────────────────────────────────────────────────────────────
def make_filler(number):
    """Return a function that makes arrays of one number."""

    def make(shape, dtype):
        array = np.empty(shape, dtype)
        array.fill(cast_scalar(number, BY_NUMPY[dtype]))
        return array

    return make


def quick_full(array, number):
    """Fill a new array with a number that certainly fits; raise ``Rare`` for any other."""
    kind = type(number)
    fits = -SAFE < number < SAFE and array.dtype.kind == "f" and array.itemsize > 2 if kind is float else kind is bool
    if not fits and (kind is not int or array.dtype.kind != "i" and (array.itemsize == 1 or not -SAFE < number < SAFE)):
        raise Rare
    array.fill(number)
    return array


@public
@shows("size, fill_value, *")
def full(size, fill_value, **given):
    """Make a tensor of ``fill_value``, whose type gives the dtype: bool, int64, or the default (complex) dtype.

    Raise RuntimeError for a negative size.

    >>> import tensh as torch
    >>> torch.full((2, 2), 7)
    tensor([[7, 7],
            [7, 7]])
    """
    if type(size) in SHAPES and type(size) is not int:
        try:
            kind = type(fill_value)
            numpy, requires_grad = bind_plain(
                (of_scalar[kind] if kind is not complex else fill_complex()).numpy, **given
            )
            return make_leaf(quick_full(np.empty(size, numpy), fill_value), requires_grad)
        except (TypeError, ValueError, AttributeError, KeyError, OverflowError, MemoryError):
            pass
    given = bind("full", (f"(tuple of ints size, Number fill_value, {OUT})",), (size, fill_value), given)
    number = given["fill_value"]
    make = make_filler(number)
    dtype = fill_complex() if type(number) is complex else of_scalar[type(number)]
    return finish("full", lambda d: make_filled("full", make, d, given), dtype.numpy, given)


def fill_complex():
    """Return the dtype of ``full`` for a complex number: complex64 also if the default dtype has 16 bits."""
    return complex128 if of_scalar[float] is float64 else complex64


@public
@shows("input, fill_value, *", f"memory_format=None, {PLACED}")
def full_like(input, fill_value, **given):
    """Make a tensor of ``fill_value`` with the shape, dtype and memory order of ``input``."""
    if isinstance(input, Tensor):
        try:
            _ = input.node  # may raise Lift
            if type(input.array) is not ndarray:
                _ = input.array.strides  # a sparse tensor raises Lift
                raise Rare
            numpy, requires_grad = bind_plain(input.array.dtype, **given)
            return make_leaf(quick_full(make_like_array(input.array, np.empty, numpy), fill_value), requires_grad)
        except (TypeError, ValueError, AttributeError, OverflowError, MemoryError):
            pass
        except Lift:
            return ports.batched_function("full_like", full_like, (input, fill_value), given)
    given = bind("full_like", (f"(Tensor input, Number fill_value, {LIKE})",), (input, fill_value), given)
    number, order = given["fill_value"], given["memory_format"]
    complete_options(input, given)

    def make(dtype):
        array = make_like_array(input.array, np.empty, dtype, order)
        array.fill(cast_scalar(number, BY_NUMPY[dtype]))
        return array

    return finish("full_like", make, input.array.dtype, given)


@shows("self, size, fill_value, *", PLACED)
def new_full(self, size, fill_value, **given):
    """Make a tensor of ``fill_value`` with a given size, in this tensor's dtype unless ``dtype`` is given.

    Raise RuntimeError for a negative size.
    """
    given = bind("new_full", (f"(tuple of ints size, Number fill_value, *, {KEYWORDS})",), (size, fill_value), given)
    make = make_filler(complete_options(self, given)["fill_value"])
    return finish("new_full", lambda d: make_filled("new_full", make, d, given), self.array.dtype, given)


METHODS["new_full"] = new_full
