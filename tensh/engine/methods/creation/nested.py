"""Arrays from nested Python data: their dtype and shape, and PyTorch's errors.

Note [Two ways to read data]
NumPy reads lists of plain numbers: the types of the leaves are collected at C speed and determine the dtype. All other
data (NumPy scalars, tensors and arrays in lists, ragged lists, numbers that do not fit) go through
``read_by_elements``, which examines one element after the other, as PyTorch does.
"""

import operator
from collections.abc import Sequence
from itertools import chain

import numpy as np

from tensh.engine.arrays.eight_bits import round_to_eight_bits
from tensh.engine.codegen.scalars import limits_of, overflow, wrap_integer
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import (
    BOOL,
    BY_NUMPY,
    COMPLEX,
    FLOAT,
    INTEGER,
    bfloat16,
    float16,
    of_scalar,
    promote_types,
    uint64,
)
from tensh.engine.errors.warnings import warn_once
from tensh.support.naming import name_type

PLAIN = frozenset({bool, int, float, complex})
EXACT = frozenset({bool, int})
LISTS = frozenset({list, tuple})
MOST_DIMS = 128


def read(data, dtype=None):
    """Read ``data`` (numbers, nested sequences of them, arrays) into a new array of ``dtype`` or its own dtype."""
    if type(data) in LISTS:
        kinds = {*map(type, data)}
        level = data
        depth = 0
        while kinds and kinds <= LISTS and depth < MOST_DIMS:
            depth += 1
            level = [*chain.from_iterable(level)]
            kinds = {*map(type, level)}
    else:
        kinds = {type(data)}
    if kinds <= PLAIN:
        to = infer_plain_dtype(kinds) if dtype is None else dtype
        if to.category != INTEGER or kinds <= EXACT:
            try:
                if to.itemsize < 3 and to.category == FLOAT and to is not bfloat16:  # PyTorch rounds twice, too
                    return narrow(np.array(data, np.float32), to.numpy)
                return np.array(data, to.numpy)
            except (ValueError, TypeError, OverflowError):
                pass
    return read_by_elements(data, dtype)


def infer_plain_dtype(kinds):
    """Return the dtype of data whose leaves have these Python types; the default dtype if there are none."""
    for kind in (complex, float, int, bool):
        if kind in kinds:
            return of_scalar[kind]
    return of_scalar[float]


def read_by_elements(data, dtype):
    """Read any data element by element; raise PyTorch's errors."""
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{kind_of(data)}'")
    if isinstance(data, np.ndarray):
        return data.astype((dtype or BY_NUMPY[data.dtype]).numpy)
    if hasattr(type(data), "untyped"):
        return read_storage(data, dtype)
    shape = shape_of(data)
    to = dtype or dtype_of(data)
    leaves = []
    if 0 not in shape:
        collect(data, shape, 0, leaves)
    return elements(leaves, to).reshape(shape)


def read_storage(storage, dtype):
    """Return the elements of a storage; the bytes of an untyped one are read as ``dtype``, or as int64."""
    own = getattr(storage, "dtype", None)
    if own and dtype and own is not dtype:
        raise RuntimeError(f"Expected a Storage of type {dtype.title} or an UntypedStorage, but got {own.title}")
    data, to = storage.untyped().bytes(), (dtype or own or of_scalar[int]).numpy
    return data[: data.size // to.itemsize * to.itemsize].view(to).copy()


def elements(leaves, to):
    """Make an array of dtype ``to`` from elements; raise PyTorch's error for one that does not fit."""
    convert = CONVERT[to.category]
    numbers = [convert(leaf, to) for leaf in leaves]
    narrows = to is float16 or to.category == FLOAT and to.itemsize == 1
    return narrow(np.array(numbers, np.float32), to.numpy) if narrows else np.array(numbers, to.numpy)


def narrow(array, dtype):
    """Return float32 numbers in a dtype of 16 or 8 bits."""
    return round_to_eight_bits(array, dtype) if dtype.itemsize == 1 else array.astype(dtype)


# ── shape and dtype ──────────────────────────────────────────────────────────
def is_sequence(data):
    """Return True if PyTorch reads the elements of a value; a tensor has elements, but is read as a whole."""
    if isinstance(data, (list, tuple, str, bytes, range, Sequence)):
        return True
    if isinstance(data, (dict, Tensor, np.generic)):
        return False
    members = [vars(each) for each in type(data).__mro__]  # not those of the class itself: an Enum has elements
    return all(any(name in each for each in members) for name in ("__getitem__", "__len__"))


def shape_of(data):
    """Return the lengths along the first elements of nested sequences."""
    shape = []
    while is_sequence(data):
        shape.append(len(data))
        if len(shape) > MOST_DIMS or isinstance(data, (str, bytes)):
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if not shape[-1]:
            break
        try:
            data = data[0]
        except Exception:  # raised by a sequence of the user's own
            raise ValueError(f"could not determine the shape of object type '{type(data).__name__}'") from None
    return tuple(shape)


def dtype_of(data):
    """Return the dtype that can represent every leaf."""
    if isinstance(data, np.generic):
        return BY_NUMPY[data.dtype]
    if type(data) in of_scalar:
        return of_scalar[type(data)]
    for kind in (bool, int, float, complex):
        if isinstance(data, kind):
            return of_scalar[kind]
    if isinstance(data, (Tensor, np.ndarray)):
        return data.dtype if isinstance(data, Tensor) else BY_NUMPY[data.dtype]
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{kind_of(data)}'")
    if not is_sequence(data):
        raise RuntimeError(f"Could not infer dtype of {kind_of(data)}")
    found = None
    for element in data:
        if element is data:
            raise TypeError("new(): self-referential lists are incompatible")
        each = dtype_of(element)
        found = each if found is None else promote_types(found, each)
    return found or of_scalar[float]


def collect(data, shape, dim, leaves):
    """Append the leaves of ``data``, which must have the lengths ``shape[dim:]``."""
    if dim == len(shape):
        leaves.append(data)
        return
    if isinstance(data, np.ndarray) and data.shape == shape[dim:]:
        slow_arrays()
        leaves.extend(data.ravel().tolist())
        return
    try:
        # a tensor and a set are rows, too: whatever can be iterated over
        items = data if isinstance(data, (list, tuple)) else list(data)
    except TypeError:
        raise TypeError("not a sequence") from None
    if len(items) != shape[dim]:
        raise ValueError(f"expected sequence of length {shape[dim]} at dim {dim} (got {len(items)})")
    for element in items:
        collect(element, shape, dim + 1, leaves)


def slow_arrays():
    """Warn, once, about slow lists of arrays, as PyTorch does."""
    warn_once(
        "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a"
        " single numpy.ndarray with numpy.array() before converting to a tensor.",
    )


# ── one element ──────────────────────────────────────────────────────────────
def to_bool(leaf, dtype):
    return bool(leaf) if isinstance(leaf, (*PLAIN, np.generic)) else bool(operator.index(leaf))


def to_integer(leaf, dtype):
    if isinstance(leaf, float):
        if dtype is uint64:
            raise TypeError("an integer is required")
        return check_integer(leaf, dtype)
    if isinstance(leaf, np.bool_) or not hasattr(leaf, "__index__"):
        name = type(leaf).__name__
        name = f"numpy.{name.rstrip('_')}" if isinstance(leaf, np.generic) else name
        raise TypeError(f"'{name}' object cannot be interpreted as an integer")
    return check_integer(operator.index(leaf), dtype)


def check_integer(number, dtype):
    """Return a number as an integer dtype stores it: floats truncated, negative numbers in unsigned dtypes wrapped."""
    limits = limits_of(dtype)
    if isinstance(number, float):
        high = float(limits.max)
        if not limits.min <= number <= high:
            raise overflow(dtype.name)
        return wrap_integer(int(number), limits)
    if dtype is uint64:
        if number < 0:
            raise OverflowError("can't convert negative int to unsigned")
        if number > limits.max:
            raise OverflowError("int too big to convert")
        return number
    if not -(2**63) <= number < 2**63:
        raise ValueError("Overflow when unpacking long long")
    lowest = limits.min or -limits.max
    if not lowest <= number <= limits.max:
        raise overflow(dtype.name)
    return wrap_integer(number, limits)


def to_float(leaf, dtype):
    a_complex = isinstance(leaf, complex) and not isinstance(leaf, np.generic)
    if (a_complex or not hasattr(leaf, "__float__")) and not hasattr(leaf, "__index__"):
        raise TypeError(f"must be real number, not {name_type(leaf)}")
    if isinstance(leaf, Tensor):
        if leaf.array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        if leaf.array.dtype.kind in "cW" and leaf.array.item().imag:
            raise overflow("double")
        return float(leaf.array.item().real)
    return float(leaf)


def to_complex(leaf, dtype):
    if isinstance(leaf, Tensor):
        leaf = leaf.array.item()
    return leaf if isinstance(leaf, complex) else to_float(leaf, dtype)


CONVERT = {BOOL: to_bool, INTEGER: to_integer, FLOAT: to_float, COMPLEX: to_complex}


def kind_of(data):
    """Return the name of the type of a value that cannot become a tensor."""
    from tensh.engine.arguments.mismatches import type_name

    return type_name(data)
