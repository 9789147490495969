"""New tensors of a given size: zeros, ones, one number, memory as it is."""

import numpy as np

from tensh.engine import memory
from tensh.engine.device import channels_last, channels_last_3d, contiguous_format
from tensh.engine.dtype import BY_NUMPY, of_scalar
from tensh.engine.making import KEYWORDS, OUT, bind, finish
from tensh.engine.numbers import fitting
from tensh.engine.table import METHODS, PUBLIC, public
from tensh.engine.tensor import Size, Tensor, new

SHAPES = frozenset({int, tuple, list, Size})  # what NumPy takes as a shape in the same sense as PyTorch
LIKE = f"*, torch.memory_format memory_format = None, {KEYWORDS}"


def ones(shape, dtype):
    """``np.ones`` in a third of its time."""
    array = np.empty(shape, dtype)
    array.fill(1)
    return array


# ── zeros, ones, empty ───────────────────────────────────────────────────────
def filler(name, make, what):
    """Declare ``NAME(size)``, ``NAME_like(input)`` and ``input.new_NAME(size)``, made by ``make(shape, dtype)``."""
    bare = ", torch.memory_format memory_format = None" if name == "empty" else ""
    texts, own_texts = (f"(tuple of ints size, {OUT}{bare})",), (f"(tuple of ints size, *, {KEYWORDS})",)

    def function(
        *size, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, **given
    ):
        shape = size[0] if len(size) == 1 else size
        if (
            type(shape) in SHAPES and size and out is None and layout is None and device is None and not given
            and requires_grad is False and pin_memory is False
        ):  # fmt: skip
            try:
                array = make(shape, (of_scalar[float] if dtype is None else dtype).numpy)
            except (TypeError, ValueError, AttributeError):
                pass  # said in PyTorch's words below
            else:
                t = new()
                t.array = array
                t.node = t.view = t._grad = None
                return t
        given |= {"out": out, "dtype": dtype, "layout": layout, "device": device, "pin_memory": pin_memory,
                  "requires_grad": requires_grad}  # fmt: skip
        given = bind(name, texts, size, given)
        return finish(name, lambda d: made(name, make, d, given), of_scalar[float].numpy, given)

    def method(self, *size, **given):
        given = bind(f"new_{name}", own_texts, size, given)
        return finish(f"new_{name}", lambda d: made(name, make, d, given), self.array.dtype, given)

    def like(input, **given):
        if isinstance(input, Tensor) and not given:
            t = new()
            t.array = like_array(input.array, make)
            t.node = t.view = t._grad = None
            return t
        given = bind(f"{name}_like", (f"(Tensor input, {LIKE})",), (input,), given)
        return finish(
            f"{name}_like", lambda d: like_array(input.array, make, d, given["memory_format"]), input.array.dtype, given
        )

    function.__doc__ = f"A tensor of {what} of the given size; the dtype is the default dtype unless ``dtype`` says another."
    method.__doc__ = f"A tensor of {what} of the given size, of this tensor's dtype unless ``dtype`` says another."
    like.__doc__ = f"A tensor of {what} of the shape, dtype and order of memory of ``input``."
    for each, title in (function, name), (method, f"new_{name}"), (like, f"{name}_like"):
        each.__name__ = each.__qualname__ = title
        each.__module__ = "torch"
    PUBLIC[name], PUBLIC[f"{name}_like"], METHODS[f"new_{name}"] = function, like, method


def made(name, make, dtype, given):
    """The array of the size in ``given``."""
    size, memory_format = given["size"], given.get("memory_format")
    if any(n < 0 for n in size):
        raise RuntimeError(f"{name}: Dimension size must be non-negative.")
    if memory_format is None or memory_format is contiguous_format:
        return make(size, dtype)
    if memory_format not in (channels_last, channels_last_3d):
        raise RuntimeError("unsupported memory format Preserve")
    return memory.empty_like(np.broadcast_to(0, size), dtype, memory_format)


def like_array(array, make, dtype=None, memory_format=None):
    """A new array in the shape and, unless a memory format says otherwise, the order of memory of ``array``."""
    dtype = dtype or array.dtype
    if memory_format is None and array.flags.c_contiguous or memory_format is contiguous_format:
        return make(array.shape, dtype)
    result = memory.empty_like(array, dtype, memory_format)
    if make is not np.empty:
        result.fill(make is ones)
    return result


filler("zeros", np.zeros, "zeros")
filler("ones", ones, "ones")
filler("empty", np.empty, "elements that are not set")


# ── full ─────────────────────────────────────────────────────────────────────
def filled(number):
    """A maker of arrays of one number."""

    def make(shape, dtype):
        array = np.empty(shape, dtype)
        array.fill(fitting(number, BY_NUMPY[dtype]))
        return array

    return make


@public
def full(size, fill_value, **given):
    """A tensor of ``fill_value``, whose kind decides the dtype: bool, int64, the default dtype or its complex dtype.

    >>> import tensh as torch
    >>> torch.full((2, 2), 7)
    tensor([[7, 7],
            [7, 7]])
    """
    given = bind("full", (f"(tuple of ints size, Number fill_value, {OUT})",), (size, fill_value), given)
    number = given["fill_value"]
    make = filled(number)
    return finish("full", lambda d: made("full", make, d, given), of_scalar[type(number)].numpy, given)


@public
def full_like(input, fill_value, **given):
    """A tensor of ``fill_value`` of the shape, dtype and order of memory of ``input``."""
    given = bind("full_like", (f"(Tensor input, Number fill_value, {LIKE})",), (input, fill_value), given)
    make = filled(given["fill_value"])

    def array(dtype):
        result = memory.empty_like(input.array, dtype, given["memory_format"])
        result[...] = make((), dtype)
        return result

    return finish("full_like", array, input.array.dtype, given)


def new_full(self, size, fill_value, **given):
    """A tensor of ``fill_value`` of the given size, of this tensor's dtype unless ``dtype`` says another."""
    given = bind("new_full", (f"(tuple of ints size, Number fill_value, *, {KEYWORDS})",), (size, fill_value), given)
    make = filled(given["fill_value"])
    return finish("new_full", lambda d: made("full", make, d, given), self.array.dtype, given)


# ── memory with steps of its own ─────────────────────────────────────────────
@public
def empty_strided(size, stride, **given):
    """A tensor with the given strides, whose elements are not set.

    >>> import tensh as torch
    >>> torch.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    given = bind("empty_strided", (f"(tuple of ints size, tuple of ints stride, *, {KEYWORDS})",), (size, stride), given)
    return finish("empty_strided", lambda d: strided(given["size"], given["stride"], d), of_scalar[float].numpy, given)


def new_empty_strided(self, size, stride, **given):
    """A tensor with the given strides, of this tensor's dtype, whose elements are not set."""
    text = f"(tuple of ints size, tuple of ints stride, *, {KEYWORDS})"
    given = bind("new_empty_strided", (text,), (size, stride), given)
    return finish("new_empty_strided", lambda d: strided(given["size"], given["stride"], d), self.array.dtype, given)


def strided(size, stride, dtype):
    """An array with these strides, in elements."""
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    for n in size:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(size)}")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    room = 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) if 0 not in size else 0
    return memory.strided(np.empty(room, dtype), size, stride, 0)


@public
def empty_permuted(size, physical_layout, **given):
    """A tensor without gaps whose dimensions lie in memory in the order ``physical_layout``; elements are not set."""
    text = f"(tuple of ints size, tuple of ints physical_layout, *, {KEYWORDS})"
    given = bind("empty_permuted", (text,), (size, physical_layout), given)
    size, order = given["size"], given["physical_layout"]
    if len(size) != len(order):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; "
            f"i.e. len(size) = {len(size)} is not equal to len(physical_layout) = {len(order)}"
        )
    for index, dim in enumerate(order):
        if not 0 <= dim < len(size):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {dim} at index {index}). "
                " NB: negative dims not currently supported; file an issue if you want it."
            )
        if dim in order[:index]:
            raise RuntimeError("Duplicate dim not allowed")
    shape = [size[dim] for dim in order]
    return finish(
        "empty_permuted", lambda d: np.empty(shape, d).transpose(np.argsort(order)), of_scalar[float].numpy, given
    )


for _each in new_full, new_empty_strided:
    METHODS[_each.__name__] = _each
