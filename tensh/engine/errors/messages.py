"""PyTorch's error messages for NumPy's exceptions.

The kernels are NumPy's, and so are the exceptions they raise.  ``translate_error`` runs only after one was raised, and finds
the error that PyTorch would have raised.  Exceptions that a kernel raises on purpose pass through.
"""

import inspect
import math
import operator
import re
from itertools import accumulate

import numpy as np

from tensh.engine.arrays.absent import Absent as WithoutElements
from tensh.engine.arrays.memory import NO_MEMORY
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.clock import stamp_write
from tensh.engine.core.lift import Absence
from tensh.engine.dtypes.dtype import BY_NUMPY, DIFFERENTIABLE, HALF_COMPLEX
from tensh.engine.errors.integers import read_int, read_number

second_time = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


OTHER_DTYPE = "Expected out tensor to have dtype {0.spoken}, but got {1.spoken} instead"
"""Message for an ``out=`` of another dtype than the result."""


def translate_error(error, name, operands, shapes_first=False):
    """Return the exception that PyTorch raises where NumPy raised ``error`` for these raw operands.

    ``shapes_first`` reports shapes that do not fit before a dtype.
    """
    if not isinstance(error, REFUSALS) and name.endswith("_"):  # the kernel may have written some elements
        stamp_write(operands[0])
    if isinstance(error, KeyboardInterrupt):
        return error
    if any(type(a) is WithoutElements for a in operands):
        raise Absence from None
    for a in operands:
        # a sparse tensor, whose rule has its own checks and errors
        if (lift := getattr(a, "lift", None)) is not None:
            raise lift from None
    arrays = [a for a in (operands[::-1] if name in REVERSED else operands) if isinstance(a, np.ndarray)]
    if too_large(error) is not None:
        op = OPS.get(name.removesuffix("_"))
        shapes = [a.shape for a in arrays] if op is not None and op.parallel else []
        if (clash := broadcast_clash(shapes)) is not None:
            return RuntimeError(clash)
        shape = broadcast(shapes) if shapes else None
        return too_large(error, shape, arrays[0].itemsize if shapes else 1)
    if len(arrays) > 1 and (
        isinstance(error, ValueError) or comes_last(error) or shapes_first and isinstance(error, NotImplementedError)
    ):
        clash = broadcast_clash([a.shape for a in arrays])
        if clash is not None:
            return RuntimeError(clash)
        if name.endswith("_") and (shape := broadcast([a.shape for a in arrays])) != arrays[0].shape:
            return RuntimeError(does_not_fit(arrays[0].shape, shape))
    if isinstance(error, TypeError) and arrays and ("ufunc" in str(error) or "numpy boolean" in str(error)):
        return dtype_error(name, arrays[0].dtype)
    return error


HALF_WAY = (MemoryError, KeyboardInterrupt)
"""The exceptions that a write may end with when some elements are written."""

WRITE_FAILURES = (Exception, KeyboardInterrupt)
"""The exceptions that a kernel writing into its first operand may end with."""

REFUSALS = (ArithmeticError, IndexError, RuntimeError, TypeError, ValueError)
"""The exceptions by which a kernel refuses its operands, before it writes."""

REVERSED = ("rsub", "rsub_scaled")  # functions that PyTorch computes with their operands exchanged
LARGEST = 2**63  # bytes that a size in PyTorch may stand for
TOO_LARGE = re.compile(
    "array is too big|Maximum allowed (dimension|size) exceeded|array size defined by dims is larger"
    "|broadcast dimensions too large|arange: overflow"
)
"""NumPy's messages for sizes that no array can have."""

NOT_REAL = re.compile(
    "^float.. argument must be .*, not 'complex'|^'[<>]=?' not supported between instances of .*'complex'"
)
"""Python's messages for complex numbers in place of real ones."""

MANY_DIMENSIONS = re.compile("maximum supported dimension|number of dimensions must be within")
PYTHONS_OWN = ("int too ", "can't convert negative int")
"""Beginnings of Python's words for numbers that are out of range, which PyTorch lets through."""


def too_large(error, shape=None, itemsize=1):
    """PyTorch's error for missing memory or a number that is too large; None for any other error.

    ``shape`` is that of the new array, if it is known.
    """
    if isinstance(error, MemoryError):
        shape, dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
        if shape is None or dtype is None:
            return RuntimeError(NO_MEMORY.format("more"))
        return no_room(shape, dtype.itemsize)
    if isinstance(error, (ValueError, IndexError)) and MANY_DIMENSIONS.search(str(error)):
        return RuntimeError("a tensor of more than 64 dimensions is not supported")
    if isinstance(error, ValueError) and TOO_LARGE.search(str(error)):
        return RuntimeError("numel: integer multiplication overflow") if shape is None else no_room(shape, itemsize)
    if isinstance(error, ValueError) and str(error) == "negative dimensions are not allowed":
        return RuntimeError("Trying to create tensor with negative dimension")
    if isinstance(error, (OverflowError, ValueError)) and str(error).startswith("cannot convert float "):
        return RuntimeError("value cannot be converted to type int64_t without overflow")
    if isinstance(error, TypeError) and NOT_REAL.search(str(error)):
        return RuntimeError("value cannot be converted to type double without overflow")
    if isinstance(error, OverflowError) and not str(error).startswith(PYTHONS_OWN):
        return RuntimeError("value cannot be converted to type int64_t without overflow")
    return None


def no_room(shape, itemsize):
    """Return the error for an array of this shape that does not fit into memory."""
    size = math.prod(shape) * itemsize
    if size >= LARGEST or max(accumulate(shape, operator.mul), default=0) >= 2 * LARGEST:
        return RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    if 0 in shape and math.prod(n or 1 for n in shape[1:]) * itemsize >= LARGEST:
        return RuntimeError("Stride calculation overflowed")
    return RuntimeError(NO_MEMORY.format(size))


def comes_last(error):
    """Return True if the error is about a number, which PyTorch looks at after the shapes."""
    last = "Boolean alpha", "For integral", "For non-complex", "ZeroDivisionError", "value cannot be converted"
    return type(error) is RuntimeError and str(error).startswith(last)


def broadcast_clash(shapes):
    """PyTorch's message for the first two shapes that cannot be broadcast together, or None."""
    size = ()
    for shape in shapes:
        if shape == size:
            continue
        for back in range(1, min(len(size), len(shape)) + 1):
            a, b = size[-back], shape[-back]
            if a != b and a != 1 and b != 1:
                dim = max(len(size), len(shape)) - back
                return (
                    f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}"
                )
        size = broadcast([size, shape]) if size else tuple(shape)
    return None


def broadcast(shapes):
    """Return the shape that fitting shapes broadcast to, also where NumPy has no array of its size."""
    longest = max(map(len, shapes), default=0)
    padded = [(1,) * (longest - len(shape)) + tuple(shape) for shape in shapes]
    return tuple([next((n for n in sizes if n != 1), 1) for sizes in zip(*padded)])


def expandable(shape, target):
    """Return True if an array of this shape can be expanded to the other one."""
    return len(shape) <= len(target) and all(n in (1, m) for n, m in zip(shape[::-1], target[::-1]))


def invalid(what, shape, expected):
    """Return the message for a gradient that cannot be summed to the shape of its tensor."""
    return f"{what} - got {list(shape)} but expected shape compatible with {list(expected)}"


class Misfit(Exception):
    """A gradient that cannot be summed to the shape of its output; the arguments are both shapes."""


def invalid_gradient(name, index, shape, expected):
    """Return the error for a gradient of the wrong shape that a node computed for one of its inputs."""
    return RuntimeError(invalid(f"Function {name} returned an invalid gradient at index {index}", shape, expected))


def does_not_fit(shape, broadcast):
    """Return the message for an in-place result that is larger than its target."""
    return f"output with shape {list(shape)} doesn't match the broadcast shape {list(broadcast)}"


def own_refusal(name, dtype):
    """Return the error that an operator declares for a dtype, or None."""
    op = OPS.get(name.removesuffix("_"))
    return None if op is None else op.refusal.get("c" if dtype.char in HALF_COMPLEX else dtype.kind)


def dtype_error(name, dtype):
    """Return the error for a dtype that an operator is not defined for."""
    if (error := own_refusal(name, dtype)) is not None:
        return type(error)(*error.args)
    name = name.removesuffix("_")
    op = OPS.get(name)
    called = f"{name}_cpu" if op is None or not op.kernel_name else op.kernel_name
    return NotImplementedError(f"\"{called}\" not implemented for '{BY_NUMPY[dtype].title}'")


REQUIRED = inspect.Parameter.empty  # the default of a required parameter that may also be given under another name


class Absent:
    """The default of a parameter to which None may be given: ``sum(x, None, keepdim=True)``, but not without the None."""

    def __repr__(self):
        return "None"


ABSENT = Absent()


def raise_missing(name, parameter):
    """Raise PyTorch's error for a missing argument."""
    raise TypeError(f'{name}() missing 1 required positional arguments: "{parameter}"')


def refuse_dtype(name, dtype, *operands):
    """Raise PyTorch's error for a dtype, or first for shapes that do not fit, unless the operator has its own words."""
    refused = own_refusal(name, dtype) is not None
    if (
        not refused
        and len(operands) > 1
        and (clash := broadcast_clash([array.shape for array in operands])) is not None
    ):
        raise RuntimeError(clash)
    raise dtype_error(name, dtype)


def require_differentiable(dtype):
    """Raise PyTorch's error for a result that would have a node, but whose dtype has no gradient."""
    if dtype.kind not in DIFFERENTIABLE:
        raise RuntimeError(f"Autograd not support dtype: {BY_NUMPY[dtype].title}")


def cannot_cast(result, target):
    """Return the error for a result of a higher category than the tensor it should be written into."""
    return RuntimeError(f"result type {result.title} can't be cast to the desired output type {target.title}")


def is_long(value):
    """Return True for an integer of more than 64 bits."""
    return value.__class__ is int and not -(2**63) <= value < 2**63


def is_not_int64(value):
    """Return True for anything but an int of at most 64 bits."""
    return value.__class__ is not int or not -(2**63) <= value < 2**63


def wrap_dim(dim, ndim, *, scalar=True):
    """``dim`` as a number from 0; IndexError if there is no such dimension.

    A 0-d tensor counts as having one dimension, as in PyTorch, unless ``scalar`` is False.
    """
    if type(dim) is not int:
        if (number := read_int(dim)) is None:
            raise TypeError(f"argument 'dim' must be int, not {type(dim).__name__}")
        dim = number
    size = ndim or 1 if scalar else ndim
    if -size <= dim < size:
        return dim % size
    if not -(2**63) <= dim < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if size == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    raise IndexError(f"Dimension out of range (expected to be in range of [{-size}, {size - 1}], but got {dim})")


def size_at(shape, dim):
    """Return the size of a dimension, which must exist: a 0-d tensor has none here."""
    return shape[wrap_dim(dim, len(shape), scalar=False)]


def wrap_dims(dims, ndim):
    """Several dims, each once; of truth values only the first is refused."""
    if len(dims) == 1 and type(dims[0]) is int:
        return (wrap_dim(dims[0], ndim),)
    try:
        wrapped = tuple([wrap_dim(d, ndim) for d in dims])
    except TypeError:
        numbers = [int(d) if place and isinstance(d, bool) else read_number(d) for place, d in enumerate(dims)]
        wrapped = tuple(wrap_dim(d if n is None else n, ndim) for n, d in zip(numbers, dims))
    if len({*wrapped}) < len(wrapped):
        again = next(d for number, d in enumerate(wrapped) if d in wrapped[:number])
        raise RuntimeError(f"dim {again} appears multiple times in the list of dims")
    return wrapped


COWARDLY = (
    "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support crossing process "
    "boundaries.  If you just want to transfer the data, call detach() on the tensor before serializing (e.g., putting it "
    "on the queue)."
)
