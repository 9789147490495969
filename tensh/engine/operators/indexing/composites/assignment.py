"""``x[...] = value``: assignment of numbers and tensors."""

import numpy as np

from tensh.engine.arguments.kinds import LIMIT
from tensh.engine.arrays.memory import address
from tensh.engine.codegen.registry import MEMBERS
from tensh.engine.codegen.scalars import SAFE, cast_element
from tensh.engine.core import ports
from tensh.engine.core.clock import owner, stamp_write
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.messages import HALF_WAY, too_large
from tensh.engine.inplace.overlap import SHARED, refuse_overlap, refuse_partial_overlap
from tensh.engine.inplace.writes import begin_write, needs_no_record
from tensh.engine.operators.basic import expand, expanded_size
from tensh.engine.operators.forms import INTS
from tensh.engine.operators.indexing.composites.indexing import (
    PLAIN,
    copy_if_shared,
    fills,
    getitem,
    index_array,
    parts_of,
    split_index,
    take_view,
)
from tensh.engine.operators.indexing.index import key_of
from tensh.engine.operators.indexing.scatter import index_put
from tensh.engine.operators.kernels import fill_by_mask
from tensh.engine.operators.precision import take_real
from tensh.engine.operators.shapes.embedding import real_part
from tensh.engine.operators.shapes.views import unsqueeze
from tensh.engine.operators.shapes.views import view as view_op
from tensh.support.naming import name_type


def setitem(self, index, value):
    """Write ``value`` (a number or a tensor, which is broadcast) to the elements at ``index``."""
    try:
        kind = type(index)
        straight = kind in PLAIN or kind is tuple and {*map(type, index)} <= PLAIN
        if straight and value is not self and needs_no_record(self, value):
            target = index_array(self.array, index)
            if target is not None:
                write_plain(target, value)
                stamp_write(self.array)
                return None
        if not isinstance(value, Tensor):
            value = number_for(self.array.dtype, value)
        if isinstance(index, Tensor) and write_straight(self, index.array, value):
            return None
        if kind is tuple and write_by_arrays(self, index, value):
            return None
        if kind is list and {*map(type, index)} <= INTS and write_straight(self, numbers_of(index), value):
            return None
        if index is False:
            return None
        if index is ...:
            return copy_into(self, value)
        if index is True:
            return copy_into(unsqueeze.fn(self, 0), value)
        parts = parts_of(index)
        view, indices = take_view(self, index if parts and parts[0] is index else parts, writing=True)
        if indices:
            first = next(i for i, each in enumerate(indices) if each is not None)
            try:
                if fills(parts, value, view.array.shape[first:], view.array.dtype):
                    value = copy_if_shared(value, view)
            except RuntimeError:
                begin_write(view, value, may_overlap=True)  # overlaps have been checked above
                raise
            refuse_shared_index(view.array, *indices)
            index_put.write_(view, indices, drop_leading_ones(value))
            return None
        return copy_into(view, value)
    except Lift:
        return ports.batched_function("setitem", setitem, (self, index, value), {})
    except HALF_WAY as error:
        stamp_write(self.array)  # some elements may have been written
        raise too_large(error) or error from None
    except Exception:  # perhaps an object that overrides functions, as an index or a value
        if not ports.answer_override(setitem, (self, index, value), {}):
            raise


def numbers_of(index):
    """Return a list of integers as an array; of floats, which no index is, if one of them is too large."""
    return np.array(index, np.int64 if -LIMIT <= min(index, default=0) <= max(index, default=0) < LIMIT else float)


def write_straight(t, index, value):
    """Write an element, or a tensor that fits, at the positions of one index tensor, if nothing is to be recorded."""
    array, source = t.array, value.array
    kind = index.dtype.kind
    if source.dtype is not array.dtype or not index.ndim or not (kind == "b" or kind == "i" and index.itemsize == 8):
        return False
    if (
        source.ndim
        and source.shape != index.shape + array.shape[1:]
        or not needs_no_record(t, value)
        or t._base is not None
    ):
        return False
    if kind == "b" and (source.ndim or index.shape != array.shape[: index.ndim]) or value is t:
        return False
    if source.base is not None and owner(source) is owner(array):
        return False
    refuse_shared_index(array, index)
    try:
        if not (kind == "b" and index.shape == array.shape and fill_by_mask(array, index, source)):
            array[index] = source
    except (IndexError, ValueError):
        return False
    stamp_write(array)
    return True


def write_by_arrays(t, index, value):
    """Write at the positions of index tensors, combined with numbers and slices, if nothing is to be recorded."""
    array, source = t.array, value.array
    if source.dtype is not array.dtype or value is t or t._base is not None or not needs_no_record(t, value):
        return False
    if (found := split_index(array, index)) is None:
        return False
    part, indices = found
    if not part.size or indices and source.base is not None and owner(source) is owner(array):
        return False  # PyTorch's error depends on the index here
    try:
        if indices:
            refuse_shared_index(part, *indices)
            part[key_of(indices)] = source
        else:
            write_plain(part, value)
    except (IndexError, ValueError):
        return False
    stamp_write(array)
    return True


def refuse_shared_index(array, *indices):
    """Raise if an index array or mask shares the memory to be written."""
    for index in indices:
        if index is not None and index.dtype is array.dtype and owner(index) is owner(array):
            if index.dtype.kind == "b":
                refuse_partial_overlap(array, index)
            elif np.may_share_memory(array, index):
                raise RuntimeError(SHARED)


def write_plain(target, value):
    """Write a tensor or a number into the array ``target``."""
    refuse_overlap(target)
    if not isinstance(value, Tensor):
        small = type(value) is float and target.dtype.kind == "f" and -SAFE < value < SAFE
        target[...] = value if small else number_for(target.dtype, value).array
        return
    value = value.array
    if value.ndim:
        if value.shape != target.shape:
            value = value.reshape(value.shape[leading_ones(value.shape) :])
            expanded_size(value, target.shape)
        if owner(value) is owner(target) and value.size == target.size:
            if same_place(value, target):
                return  # as after ``x[i] += y``
            refuse_partial_overlap(target, value.reshape(target.shape))
    if value.dtype is not target.dtype:
        value = real_part(take_real(value, target.dtype), target.dtype)
    target[...] = value


def same_place(one, other):
    """Return True if two arrays over one memory have the same elements in the same order."""
    alike = one.shape == other.shape and one.strides == other.strides and one.dtype is other.dtype
    return alike and address(one) == address(other)


def number_for(dtype, value):
    """Return a number as a 0-d tensor of the target's dtype."""
    if isinstance(value, (bool, int, float, complex, np.integer)):
        value = value.item() if isinstance(value, np.generic) else value
        if type(value) is int and not -(2**63) <= value < 2**63:
            raise ValueError("Overflow when unpacking long long")
        return wrap(np.asarray(cast_element(value, BY_NUMPY[dtype]), dtype))
    raise TypeError(f"can't assign a {name_type(value)} to a torch.{BY_NUMPY[dtype].legacy}")


def leading_ones(shape):
    """The number of leading dimensions of size 1."""
    return next((d for d, n in enumerate(shape) if n != 1), len(shape))


def drop_leading_ones(value):
    """Remove leading dimensions of size 1 from the value, as PyTorch does in assignments."""
    shape = value.array.shape
    ones = leading_ones(shape)
    return view_op.fn(value, shape[ones:]) if ones else value


def copy_into(view, value):
    """Write a tensor into a view, as an assignment in PyTorch does."""
    if value.array.shape == view.array.shape:
        view.copy_(value)
    elif not value.array.ndim:
        view.fill_(value)
    else:
        shape = value.array.shape
        value = view_op.fn(value, shape[leading_ones(shape) :])
        size = expanded_size(value.array, view.array.shape)
        view.copy_(value if value.array.shape == size else expand.fn(value, size))


MEMBERS.update(__getitem__=getitem, __setitem__=setitem)
