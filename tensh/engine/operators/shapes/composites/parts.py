"""Parts of a tensor: ranges, splits, diagonals, given strides, real and imaginary parts."""

import numpy as np

from tensh.engine.arguments.checks import integer
from tensh.engine.arrays import memory
from tensh.engine.arrays.bounds import require_within
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.registry import MEMBERS, METHODS, PUBLIC
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.inplace.writes import become_view, begin_write
from tensh.engine.operators.forms import dims_of, method, require
from tensh.engine.operators.shapes.composites.reshaping import reshape_to
from tensh.engine.operators.shapes.diagonal import copy_diagonal, diag_embed
from tensh.engine.operators.shapes.layout import restride, view_as_real
from tensh.engine.operators.shapes.rearrangement import narrowed_copy
from tensh.engine.operators.shapes.split import require_room_for, split_by_sizes, split_equally
from tensh.engine.operators.shapes.split import unsafe_split as unsafe_split_op
from tensh.engine.operators.shapes.split import unsafe_split_with_sizes as unsafe_sizes_op
from tensh.engine.operators.shapes.views import select, slice_dim


# ── ranges ───────────────────────────────────────────────────────────────────
def range_of(input, dim, start, length, name):
    """Check a range; return (dim, start, length)."""
    shape = require(input, name, "input", 1).array.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    length = integer(length, name, "length", 4)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if isinstance(start, Tensor) and (start.array.ndim or start.array.dtype.kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    dim, start = wrap_dim(dim, len(shape)), integer(start, name, "start", 3)
    n = shape[dim]
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    start += n if start < 0 else 0
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return dim, start, length


@composite
def narrow(input, dim, start, length):
    """The ``length`` elements from ``start`` on along ``dim``.  Differentiable, a view.

    Shape: [..., length, ...]. Raise RuntimeError or IndexError for a start out of range.

    >>> import tensh as torch
    >>> torch.arange(5).narrow(0, 1, 3)
    tensor([1, 2, 3])
    """
    dim, start, length = range_of(input, dim, start, length, "narrow")
    return slice_dim.fn(input, dim, start, start + length, 1)


@composite(out=True)
def narrow_copy(input, dim, start, length):
    """Copy the ``length`` elements from ``start`` on along ``dim`` into new memory.  Differentiable.

    Shape: [..., length, ...]. Raise RuntimeError or IndexError for a start out of range.
    """
    shape = require(input, "narrow_copy", "input", 1).array.shape
    if shape and dim >= len(shape):
        raise RuntimeError(
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  (Could this error message be "
            "improved?  If so, please report an enhancement request to PyTorch.)"
        )
    if shape and length < 0:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({shape[dim]}).")
    return narrowed_copy.fn(input, *range_of(input, dim, start, length, "narrow_copy"))


# ── splits ───────────────────────────────────────────────────────────────────
@composite(method=False)
def split(tensor, split_size_or_sections, dim=0):
    """The tensor in parts of one size along ``dim`` (the last may be smaller), or of the sizes in a list.

    Differentiable, views.  Shapes: each [*], except along ``dim``.

    >>> import tensh as torch
    >>> torch.split(torch.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    if isinstance(split_size_or_sections, Tensor) and split_size_or_sections.array.size == 1:
        split_size_or_sections = int(split_size_or_sections)  # also a fraction
    if isinstance(split_size_or_sections, int) and not isinstance(split_size_or_sections, bool):
        return split_equally.fn(tensor, integer(split_size_or_sections, "split", "split_size", 2), dim)
    return split_with_sizes(tensor, split_size_or_sections, dim)


METHODS["split"] = lambda self, split_size, dim=0: split(self, split_size, dim)
METHODS["split"].__name__, METHODS["split"].__doc__ = "split", split.__doc__


@composite
def split_with_sizes(input, split_sizes, dim=0):
    """The input in parts of the given sizes along ``dim``.  Differentiable, views.

    Shapes: each [*], except along ``dim``.
    """
    return split_by_sizes.fn(input, dims_of(split_sizes, "split_with_sizes", "split_sizes"), dim)


@composite
def chunk(input, chunks, dim=0):
    """The input in at most ``chunks`` parts of one size along ``dim``; the last may be smaller.  Differentiable, views.

    Shapes: each [*]. Raise RuntimeError for ``chunks`` below 1.

    >>> import tensh as torch
    >>> torch.arange(5).chunk(2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    return split_into_chunks(input, chunks, dim, split_equally)


def split_into_chunks(input, chunks, dim, operator):
    array = require(input, "chunk", "input", 1).array
    if not array.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    length = array.shape[wrap_dim(dim, array.ndim)]
    if length == 0:
        by_sizes = split_by_sizes if operator is split_equally else unsafe_sizes_op
        return by_sizes.fn(input, (0,) * chunks, dim)
    return operator.fn(input, -(-length // chunks), dim)


# ── parts that may be written independently ──────────────────────────────────
def count_apart(parts):
    """Make parts that share memory but have separate version counters."""
    for part in parts:
        if type(part.array) is np.ndarray:
            part.array = memory.share_apart(part.array)
    return parts


@composite
def unsafe_split(input, split_size, dim=0):
    """The parts of ``split`` without view tracking: writes are not recorded, so the input must not be used again.

    Differentiable.  Shapes: each [*]. Raise RuntimeError for a size below 1.
    """
    return count_apart(unsafe_split_op.fn(input, split_size, dim))


@composite
def unsafe_split_with_sizes(input, split_sizes, dim=0):
    """Parts of the given sizes without view tracking: writes are not recorded, so the input must not be used again.

    Differentiable.  Shapes: each [*]. Raise RuntimeError unless sizes add up.
    """
    return count_apart(unsafe_sizes_op.fn(input, split_sizes, dim))


@composite
def unsafe_chunk(input, chunks, dim=0):
    """The parts of ``chunk`` without view tracking: writes are not recorded, so the input must not be used again.

    Differentiable.  Shapes: each [*]. Raise RuntimeError for ``chunks`` below 1.
    """
    return count_apart(split_into_chunks(input, chunks, dim, unsafe_split_op))


def chunk_together(input, chunks, dim):
    """Return the parts of ``unsafe_chunk`` with a common version counter, in a fifth of the time."""
    return split_into_chunks(input, chunks, dim, unsafe_split_op)


def split_at(input, places, dim):
    """Return the parts between the given indices along ``dim``."""
    ends = (*places, input.array.shape[wrap_dim(dim, input.array.ndim)])
    return tuple(slice_dim.fn(input, dim, start, end, 1) for start, end in zip((0, *places), ends, strict=True))


@composite
def tensor_split(input, indices_or_sections, dim=0):
    """The input cut before each of the given indices along ``dim``, or in a number of parts of about the same size.

    Differentiable, views.  Shapes: each [*], except along ``dim``. Raise RuntimeError for no parts.

    >>> import tensh as torch
    >>> torch.tensor_split(torch.arange(5), 3)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    array = require(input, "tensor_split", "input", 1).array
    if not array.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = read_sections(indices_or_sections)
    elif not isinstance(indices_or_sections, (tuple, list)):
        indices_or_sections = integer(indices_or_sections, "tensor_split", "indices_or_sections", 2)
    if not isinstance(indices_or_sections, int):
        return split_at(input, dims_of(indices_or_sections, "tensor_split", "indices"), dim)
    number = indices_or_sections
    if number <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {number}")
    size, longer = divmod(array.shape[wrap_dim(dim, array.ndim)], number)
    require_room_for(number)
    return split_at(input, [i * size + min(i, longer) for i in range(1, number)], dim)


def read_sections(tensor):
    """Read sections or indices from a tensor."""
    array = tensor.array
    if array.dtype.kind != "i" or array.itemsize != 8:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
            + BY_NUMPY[array.dtype].title
        )
    if array.ndim > 1:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got a "
            f"tensor with {array.ndim} dims"
        )
    return tensor.tolist() if array.ndim == 0 else tuple(tensor.tolist())


def splits_along(name, least, dim_of, direction):
    """Declare ``hsplit``, ``vsplit`` or ``dsplit``."""

    def function(input, indices_or_sections):
        array = require(input, name, "input", 1).array
        if array.ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {array.ndim} "
                "dimensions!"
            )
        dim = dim_of(array.ndim)
        if not isinstance(indices_or_sections, (Tensor, tuple, list)):
            indices_or_sections = integer(indices_or_sections, name, "indices_or_sections", 2)
        if isinstance(indices_or_sections, int) and (not indices_or_sections or array.shape[dim] % indices_or_sections):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
                f"{array.shape[dim]} is not divisible by the split_size {indices_or_sections}!"
            )
        return tensor_split(input, indices_or_sections, dim)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The input cut {direction}: in equal parts, or before each of the given indices.

    Shapes: each [n, ...]. Raise RuntimeError for too few dimensions, or parts that are not equal.

    Differentiable, views.
    """
    composite(function)


splits_along("hsplit", 1, lambda ndim: 0 if ndim == 1 else 1, "into parts side by side")
splits_along("vsplit", 2, lambda ndim: 0, "into parts one below the other")
splits_along("dsplit", 3, lambda ndim: 2, "along its third dimension")


# ── diagonals ────────────────────────────────────────────────────────────────
@composite(out=True)
def diag(input, diagonal=0):
    """A matrix with a vector as its diagonal, or the diagonal of a matrix, as a copy.  Differentiable.

    Shape: [n] to [n, n], [n, m] to [k]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.diag(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    ndim = require(input, "diag", "input", 1).array.ndim
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    return diag_embed.fn(input, diagonal) if ndim == 1 else copy_diagonal.fn(input, diagonal)


@composite
def diagflat(input, offset=0):
    """A matrix of zeros with all elements of the input on its diagonal.  Differentiable.  Shape: [*] to [n, n]."""
    return diag_embed.fn(reshape_to(require(input, "diagflat", "input", 1), (-1,)), offset)


# ── other views of the memory ────────────────────────────────────────────────
@composite
def as_strided(input, size, stride, storage_offset=None):
    """The memory of the input in another size, with the given strides and ``storage_offset``, in elements.

    Differentiable, a view.  Shape: [*size]. Raise RuntimeError if it leaves the memory, or without a stride for each size.

    >>> import tensh as torch
    >>> torch.arange(4).as_strided((3, 2), (1, 1))
    tensor([[0, 1],
            [1, 2],
            [2, 3]])
    """
    return restride.fn(input, *steps_within("as_strided", input, size, stride, storage_offset))


def steps_within(name, input, size, stride, storage_offset):
    """Check arguments; return (size, strides, offset from the input's start, the input's strides) for operators."""
    array = require(input, name, "input", 1).array
    size, stride = dims_of(size, name, "size"), dims_of(stride, name, "stride")
    own = memory.offset(array)
    start = own if storage_offset is None else storage_offset
    require_room(array, size, stride, start)
    return size, stride, start - own, None if array.flags.c_contiguous else memory.strides(array)


def require_room(array, size, stride, start):
    """Raise unless these strides stay within the memory of ``array``."""
    require_within(memory.dense_owner(array).nbytes, array.itemsize, size, stride, start)


@method
def as_strided_(self, size, stride, storage_offset=None):
    """In-place version of ``as_strided``: the tensor becomes its own view.

    Shape: [*size]. Raise RuntimeError if it leaves the memory.
    """
    begin_write(self)
    if any(n < 0 for n in dims_of(size, "as_strided_", "size")):
        raise RuntimeError("numel: integer multiplication overflow")
    return become_view(self, as_strided(self, size, stride, storage_offset), "AsStridedBackward1")


PUBLIC["as_strided_"] = as_strided_


@composite(method=False)
def real(input):
    """The real parts of complex numbers, as a view; a real tensor itself.  Differentiable.  Shape: [*], kept.

    >>> import tensh as torch
    >>> torch.real(torch.tensor([1 + 2j]))
    tensor([1.])
    """
    return part(input, 0) if require(input, "real", "input", 1).array.dtype.kind in "cW" else input


@composite(method=False)
def imag(input):
    """The imaginary parts of complex numbers, as a view.  Differentiable.

    Shape: [*], kept. Raise RuntimeError for real numbers.
    """
    if require(input, "imag", "input", 1).array.dtype.kind not in "cW":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return part(input, 1)


def part(input, which):
    """Return the real (0) or imaginary (1) parts of a complex tensor."""
    return select.fn(view_as_real.fn(input), -1, which)


def _set_part(get):
    return lambda t, value: get(t).copy_(value)


MEMBERS["real"] = property(real, _set_part(real), doc=real.__doc__)
MEMBERS["imag"] = property(imag, _set_part(imag), doc=imag.__doc__)
