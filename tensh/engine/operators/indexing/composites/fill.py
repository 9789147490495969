"""Functions that overwrite whole tensors, such as ``fill_``, ``zero_`` and ``copy_``."""

import numpy as np

from tensh.engine.arguments.binding import bind
from tensh.engine.arrays import memory
from tensh.engine.arrays.copying import MANY, copy_into
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.codegen.scalars import SAFE
from tensh.engine.core.clock import mode, owner, stamp_write
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.dtype import DIFFERENTIABLE
from tensh.engine.errors.warnings import warn_of_real_part
from tensh.engine.inplace.outside import differentiating
from tensh.engine.inplace.overlap import refuse_overlap
from tensh.engine.inplace.plain import is_plain
from tensh.engine.inplace.writes import begin_write, needs_no_record, require_fit, write_inplace
from tensh.engine.operators.forms import method, require
from tensh.engine.operators.shapes.composites.parts import as_strided
from tensh.engine.operators.shapes.embedding import (
    copying,
    fill_number,
    fill_tensor,
    filling_number,
    filling_tensor,
    number_as,
    real_part,
    zero,
)

INT64 = np.dtype(np.int64)
NUMBERS = frozenset({int, float, bool})
SMALL = frozenset({int, float})  # types of numbers that need no check if they are small


def element(value, name):
    """Return the argument of ``fill_``: a number or a 0-d tensor."""
    if isinstance(value, Tensor):
        if value.array.ndim:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.array.ndim} dimensions."
            )
        return value
    if type(value) in NUMBERS:
        return value
    forms = (
        ("(Tensor value)", "(Number value)")
        if name == "fill_"
        else ("(Tensor input, Tensor value)", "(Tensor input, Number value)")
    )
    args = (value,) if name == "fill_" else (wrap(np.zeros(())), value)
    return bind(name, forms, args, {})["value"]


@composite(method=False)
def fill(input, value):
    """A tensor of the size and dtype of ``input``, filled with ``value``.  Differentiable.

    Shape: [*]. Raise RuntimeError for a value with dimensions.
    """
    value = element(value, "fill")
    return (fill_tensor if isinstance(value, Tensor) else fill_number).fn(input, value)


@method
def fill_(self, value):
    """Set all elements to ``value``, a number or a tensor without dimensions.  Shape: [*]. Raise RuntimeError for any other.

    >>> import tensh as torch
    >>> torch.zeros(2).fill_(3)
    tensor([3., 3.])
    """
    if type(value) in SMALL and -SAFE < value < SAFE and self.node is self._base is None and not differentiating:
        array = self.array
        if array.dtype.kind == "f" or array.dtype is INT64 and type(value) is int:
            stamp_write(array)
            array.fill(value)
            return self
    value = element(value, "fill_")
    since = begin_write(self, value, may_overlap=True)
    tensor = isinstance(value, Tensor)
    if tensor:
        refuse_overlap(self.array)
    if needs_no_record(self, value):
        array = self.array
        number = real_part(value.array, array.dtype) if tensor else number_as(value, array.dtype)
        stamp_write(array)
        array[...] = number
        return self
    return write_inplace(self, since, (filling_tensor if tensor else filling_number).fn(self, value), "fill_", True)


@method
def zero_(self):
    """Set all elements to zero.  Shape: [*]."""
    if needs_no_record(self):
        stamp_write(self.array)
        self.array.fill(0)
        return self
    return write_inplace(self, begin_write(self), zero.fn(self), "zero_", True)


@method
def copy_(self, other, non_blocking=False):
    """Write the elements of ``other`` (a tensor, broadcast and cast, or a number) over those of the tensor.

    Shape: [*].

    >>> import tensh as torch
    >>> torch.zeros(2).copy_(torch.tensor([1, 2]))
    tensor([1., 2.])
    """
    if not isinstance(other, Tensor):
        if type(other) not in NUMBERS and not isinstance(other, complex):
            require(other, "copy_", "other", 1)
        other = wrap(np.asarray(other))
    array, source = self.array, other.array
    if (
        array.dtype is source.dtype and array.shape == source.shape and self._base is other._base is None
        and (self.node is other.node is None or not mode.grad) and not differentiating
    ):  # fmt: skip
        stamp_write(array)
        write_elements(array, source)
        return self
    if source.dtype.kind in "cW" and array.dtype.kind not in "cbW":
        warn_of_real_part(array.size)
    since = begin_write(self, other)
    if needs_no_record(self, other) or array.dtype.kind not in DIFFERENTIABLE:
        if same_elements(array, source):
            stamp_write(array)
            return self
        source = real_part(source, array.dtype)
        if source.shape != array.shape or memory.overlaps_itself(array):
            require_fit(self, wrap(source.astype(array.dtype, copy=False)))
        stamp_write(array)
        write_elements(array, source)
        return self
    return write_inplace(self, since, copying.fn(self, other), "copy_", same_elements(array, source))


def write_elements(array, source):
    """Write the elements of ``source``; many of another order in strips, unless they lie in the same memory."""
    large = array.size >= MANY and array.shape == source.shape and type(array) is type(source) is np.ndarray
    if large and owner(array) is not owner(source):
        copy_into(array, source)
    else:
        array[...] = source


def same_elements(one, two):
    """Return True if two arrays are the same elements of one memory."""
    return memory.is_same(one, two) and owner(one) is owner(two)


for _each in fill_, zero_:
    PUBLIC[_each.__name__] = _each


@method
def fill_diagonal_(self, fill_value, wrap=False):
    """Set the main diagonal to ``fill_value``; with ``wrap`` it starts again in tall matrices, after a row without it.

    Shape: [n, m], or [n, ..., n]. Raise RuntimeError for any other.

    >>> import tensh as torch
    >>> torch.zeros(2, 3).fill_diagonal_(1)
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    array, shape = self.array, self.array.shape
    small = type(fill_value) in SMALL and -SAFE < fill_value < SAFE
    fits = small and (array.dtype.kind == "f" or array.dtype is INT64 and type(fill_value) is int)
    if fits and len(shape) == 2 and not wrap and array.flags.c_contiguous and is_plain(self, ()):
        stamp_write(array)
        array.reshape(-1)[: min(shape) * shape[1] : shape[1] + 1] = fill_value  # eight times as fast as filling a view
        return self
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len({*shape}) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    step = sum(memory.strides(self.array))
    as_strided(self, (min(shape),), (step,)).fill_(fill_value)
    rows, columns = shape[:2]
    if wrap and len(shape) == 2 and rows > columns + 1:
        down = memory.strides(self.array)[0]
        start = memory.offset(self.array)
        for first in range(columns + 1, rows, columns + 1):
            as_strided(self, (min(columns, rows - first),), (step,), start + first * down).fill_(fill_value)
    return self
