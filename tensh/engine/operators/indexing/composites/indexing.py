"""``x[...]``: an index as views and index operators.

Plain indices (numbers, slices, None, ...) of a tensor without history are one NumPy index.  With history every part is
an operator, as PyTorch records it.  Index tensors and masks are collected for one operator at the end.
"""

from contextlib import suppress
from operator import index as index_number

import numpy as np

from tensh.engine.arguments.mismatches import type_name
from tensh.engine.codegen.scalars import cast_scalar
from tensh.engine.core import ports
from tensh.engine.core.clock import mode, owner
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor, new, wrap
from tensh.engine.core.views import record_view, refresh_node
from tensh.engine.dtypes.dtype import BY_NUMPY, of_scalar
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.errors.warnings import warn
from tensh.engine.methods.creation.nested import dtype_of, is_sequence
from tensh.engine.methods.creation.nested import read as read_data
from tensh.engine.operators.indexing.index import index as index_op
from tensh.engine.operators.shapes.views import alias, insert_dim, select, slice_dim, unsqueeze

PLAIN = {int, slice, type(None), type(...)}
ALL = slice(None)


def getitem(self, index):
    """The elements at ``index``: a view for numbers, slices, None and ..., a copy for tensors, masks and lists."""
    try:
        try:
            node = self.node if self._base is None else refresh_node(self)
        except RuntimeError:  # the view is no longer valid; a wrong index is reported first
            take_view(self, index)
            raise
        if node is None or not mode.grad:
            array = index_array(self.array, index)
            if array is not None:
                t = new()
                t.array = array
                t.node = t._kept = None
                return record_view(self, t)
        elif type(index) is int:
            try:
                return select.fn(self, 0, index)
            except IndexError:
                pass  # PyTorch's error follows below
        elif not isinstance(index, Tensor):
            t = index_by_operators(self, index if type(index) is tuple else (index,), index)
            if t is not None:
                return t
        if (
            isinstance(index, Tensor)
            and 0 < (array := index.array).ndim <= self.array.ndim
            and array.dtype.char in "?lq"
        ):
            return index_op.fn(self, (array,))
        if type(index) is tuple and (found := split_index(self.array, index)) is not None:
            array, indices = found
            if indices and array is self.array:
                return index_op.fn(self, indices)
            if node is None or not mode.grad:
                return index_op.fn(wrap(array), indices) if indices else record_view(self, wrap(array))
        view, indices = take_view(self, index)
        if indices:
            return index_op.fn(view, indices)
        return alias.fn(self) if view is self else view
    except Lift:
        return ports.batched_function("getitem", getitem, (self, index), {})
    except Exception:  # an index of no kind that is known here, perhaps an object that overrides functions
        if answer := ports.answer_override(getitem, (self, index), {}):
            return answer[0]
        raise


def index_array(array, index):
    """Return ``array[index]`` as an array that shares memory; None where PyTorch may differ from NumPy."""
    kind = type(index)
    try:
        if kind is int:
            return array[index, ...]
        if kind is tuple:
            inserts = False
            for part in index:
                kind = type(part)
                if kind is slice:
                    if part.step is not None:
                        return None
                elif part is None:
                    inserts = True
                elif kind is not int and part is not ...:
                    return None
            found = array[index]
            if inserts and found.ndim > 3:
                array, index = insert_dims(array, index)
                found = array[index]
            return found if type(found) is np.ndarray else array[*index, ...]
        if index is None:
            return array[None] if array.ndim < 3 else insert_dim(array, 0)
        if kind is slice and index.step is None or index is ...:
            return array[index]
    except (IndexError, TypeError, OverflowError):
        pass
    return None


def insert_dims(array, index):
    """Return ``array`` with the new dimensions of ``index``, and the other parts.

    The strides of new dimensions are those before the other parts.

    A slice takes the place of each None.
    """
    dim, places = 0, []
    for place, part in enumerate(index):
        if part is None:
            places.append(dim)
        elif part is ...:
            dim = array.ndim - sum([each is not None for each in index[place + 1 :]])
        else:
            dim += 1
    for dim in reversed(places):
        array = insert_dim(array, dim)
    return array, tuple([ALL if part is None else part for part in index])


def split_index(array, index):
    """Return (the view of ``array`` at a tuple's numbers and slices, the index arrays by dimension).

    None for other parts and errors: ``take_view`` handles any index, in three times the time.
    """
    if len(index) > array.ndim:
        return None
    plain_parts, arrays = [], []
    for part in index:
        kind = type(part)
        if kind is Tensor and part.array.dtype.char in "lq":
            if part.array.ndim:
                arrays.append(part.array)
            plain_parts.append(ALL if part.array.ndim else part.array.item())
        elif kind is int:
            plain_parts.append(part)
        elif kind is slice and part.step is None:
            plain_parts.append(part)
            arrays.append(None)
        else:
            return None
    while arrays and arrays[-1] is None:
        arrays.pop()
    if plain_parts.count(ALL) < len(plain_parts):
        try:
            array = array[*plain_parts, ...]
        except (IndexError, TypeError, OverflowError):
            return None
    return array, tuple(arrays)


def index_by_operators(t, parts, index):
    """Apply the most common indices, one operator for each part; return None for others and for invalid ones."""
    dim, before = 0, t
    try:
        for part in parts:
            kind = type(part)
            if kind is int:
                t = select.fn(t, dim, part)
            elif kind is slice:
                if part.step is not None or dim >= t.array.ndim:
                    return None
                if part.start is not None or part.stop is not None or part is index:
                    t = take_slice(t, dim, part, whole=part is not index)
                dim += 1
            elif part is None:
                t = unsqueeze.fn(t, dim)
                dim += 1
            elif part is ... and part is not index:
                rest = parts[parts.index(...) + 1 :]
                if ... in rest:
                    return None
                dim = t.array.ndim - len(rest) + rest.count(None)
            else:
                return None
    except IndexError:
        return None
    return None if t is before else t


# ── the parts of an index ────────────────────────────────────────────────────
def parts_of(index):
    """Return the parts of an index as a tuple; a list counts as a tuple if it holds more than numbers."""
    if isinstance(index, tuple):
        return tuple(index)
    found = as_list(index)
    if isinstance(found, list) and len(found) < 32:
        for part in found:
            if part is None or part is ... or isinstance(part, (Tensor, slice, str)) or is_sequence(part):
                warn(NO_TUPLE)
                return tuple(found)
    return (found,)


NO_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], which "
    "will result either in an error or a different result"
)


def as_list(part):
    """Convert a sequence of any class to a list; return other values, and sequences that need no conversion, unchanged."""
    if type(part) in PLAIN or isinstance(part, (list, str, bytes, range, np.ndarray, Tensor)) or not is_sequence(part):
        return part
    return [part[place] for place in range(len(part))]


def take_view(t, index, writing=False):
    """Return (the view at the plain parts of ``index``, the index tensors by dimension)."""
    given = parts_of(index)
    plain_part = type(index) in PLAIN or is_integer(index)
    wanted, ndim = sum(map(width, given)), t.array.ndim
    if wanted > ndim:
        require_dimensions(ndim, given, plain_part)
    dim, arrays = 0, []
    for place, part in enumerate(map(read, given)):
        kind = type(part)
        if kind is int:
            t = select.fn(t, dim, check_number(part, t.array.shape[dim] if dim < t.array.ndim else 0, place))
        elif kind is slice:
            t = take_slice(t, dim, part, whole=not plain_part or writing)
            dim += 1
        elif part is ...:
            dim += ndim - wanted
        elif part is None:
            t = unsqueeze.fn(t, dim)
            dim += 1
        else:
            if kind is bool:
                t, part = unsqueeze.fn(t, dim), np.zeros(int(part), np.int64)
            arrays += [None] * (dim - count_consumed(arrays)) + [part]
            dim = count_consumed(arrays)
    if (taken := count_consumed(arrays)) > t.array.ndim:
        raise IndexError(f"too many indices for tensor of dimension {t.array.ndim} (got {taken})")
    return t, tuple(arrays)


def width(part):
    """Return the number of dimensions that a part of an index takes."""
    if part is None or part is ... or isinstance(part, bool):
        return 0
    array = part.array if isinstance(part, Tensor) else part
    is_mask = isinstance(array, np.ndarray) and (array.dtype.kind == "b" or array.dtype == np.uint8)
    return array.ndim if is_mask else 1


def count_consumed(arrays):
    """Return the number of dimensions that index arrays take."""
    return sum(1 if each is None else width(each) for each in arrays)


def check_number(number, n, place):
    """Return the index as a number; raise unless it is valid for a dimension of size ``n``."""
    if not -n <= number < n:
        raise IndexError(f"index {number} is out of bounds for dimension {place} with size {n}")
    return number


def require_dimensions(ndim, given, plain_part):
    """Raise PyTorch's error for more indices than dimensions."""
    if plain_part and ndim == 0:
        first = read(given[0])
        if type(first) is slice:
            read_slice(first, 0)
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        if first:
            raise IndexError(f"index {first} is out of bounds for dimension 0 with size 0")
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )
    raise IndexError(f"too many indices for tensor of dimension {ndim}")


def take_slice(t, dim, part, whole):
    """Take the slice ``part`` of dimension ``dim``; with ``whole``, return the tensor itself for a slice of everything."""
    n = t.array.shape[wrap_dim(dim, t.array.ndim)]
    start, stop, step = read_slice(part, n)
    if whole and step == 1 and part.start in (None, 0) and (part.stop is None or part.stop >= n):
        return t
    return slice_dim.fn(t, dim, start, stop, step)


def read_slice(part, n):
    """Return (start, stop, step) of a slice of ``n`` elements."""
    start, stop, step = part.indices(n)
    if step < 0:
        raise ValueError("step must be greater than zero")
    return start, stop, step


def is_integer(part):
    """Return True for an integer of any class, but not for a bool or an array."""
    return isinstance(part, (int, np.integer)) and not isinstance(part, bool)


def read(part):
    """Read one part of an index as an int, a slice, None, ..., a bool, or an array of integers or bools."""
    kind = type(part)
    if kind in PLAIN or kind is bool:
        if kind is int and not -(2**63) <= part < 2**63:
            raise ValueError("Overflow when unpacking long long")
        return part
    if isinstance(part, Tensor):
        return read_array(part.array)
    if isinstance(part, np.ndarray):
        is_mask = part.dtype.kind == "b" or part.dtype == np.uint8
        return read_array(part if is_mask or part.dtype == np.int64 else convert_array(part))
    if is_integer(part):
        return read(int(part))
    if isinstance(part, (list, tuple, range)):
        return read_list(part)
    if isinstance(part, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{'str' if isinstance(part, str) else 'bytes'}'")
    if is_sequence(part):
        return read_list(as_list(part))
    if not isinstance(part, np.bool_):  # before NumPy 2.3 its __index__ gives 0 or 1
        with suppress(Exception):  # whatever __index__ raises
            return read(index_number(part))
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
        f"(got {type_name(part)})"
    )


def convert_array(array):
    """Return an array of NumPy's as integers: fractions are truncated."""
    BY_NUMPY[array.dtype]  # raises PyTorch's error for one that no tensor has
    return array.astype(np.int64)


def read_array(array):
    """Read an index tensor: bytes are masks, a 0-d integer is a number."""
    kind = array.dtype.kind
    if kind == "u" and array.itemsize == 1:
        warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
        array, kind = array != 0, "b"
        array = np.asarray(array)
    if kind == "b":
        return array if array.ndim else bool(array)
    if kind in "iu" and not array.ndim:
        return int(array)
    if kind != "i" or array.itemsize < 4:
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return array


def fills(parts, value, shape, dtype):
    """Return True if PyTorch fills under the only mask, which fits the start of ``shape``, with the one element of ``value``.

    In this case the mask must be of bools, and the element must fit ``dtype``.
    """
    others = [part for part in parts if not (type(part) in PLAIN or isinstance(part, bool) or is_number(part))]
    if len(others) != 1 or value.array.size != 1:
        return False
    mask = others[0].array if isinstance(others[0], Tensor) else np.asarray(read(others[0]))
    if not mask.ndim or shape[: mask.ndim] != mask.shape:
        return False
    if mask.dtype.kind == "u" and mask.itemsize == 1:
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
    if mask.dtype.kind == "b" and value.array.dtype is not dtype:
        cast_scalar(value.array.item(), BY_NUMPY[dtype])
    return mask.dtype.kind == "b"


def copy_if_shared(value, t):
    """Return ``value``, copied if it shares memory with the target ``t``."""
    return wrap(value.array.copy(), refresh_node(value)) if owner(value.array) is owner(t.array) else value


def is_number(part):
    """Return True if a part of an index is a 0-d integer tensor."""
    return isinstance(part, Tensor) and not part.array.ndim and part.array.dtype.kind in "iu"


def read_list(part):
    """Return a list of numbers as an index tensor; fractions are truncated."""
    if any(each is part for each in part):
        raise TypeError("new(): self-referential lists are incompatible")
    try:
        array = np.array([each.array if isinstance(each, Tensor) else each for each in part])
        if array.dtype.kind == "i" or array.dtype.kind == "b" and array.size:
            return array.astype(np.int64) if array.dtype.kind == "i" else array
    except (ValueError, OverflowError):
        pass  # lists of different lengths, and values of other kinds
    which = dtype_of(part)
    return read_data(part, which if which.numpy.kind == "b" or which.name == "uint8" else of_scalar[int])
