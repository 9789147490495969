"""Tensors repeated, rolled, flipped or combined; grids."""

import numpy as np

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.checks import integer
from tensh.engine.arguments.kinds import NO_FIT, take_int
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays.absent import is_absent
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.device import contiguous_format
from tensh.engine.errors.messages import refuse_dtype, wrap_dim
from tensh.engine.errors.warnings import warn_once
from tensh.engine.operators.basic import clone
from tensh.engine.operators.forms import dims_of, ints, method, require
from tensh.engine.operators.indexing.index import index_select
from tensh.engine.operators.indexing.mask import masked_select
from tensh.engine.operators.shapes.composites.joining import arrays_of
from tensh.engine.operators.shapes.composites.reshaping import expand_to, flatten, reshape_to
from tensh.engine.operators.shapes.rearrangement import flip_dims, repeat_dims, roll_dims, rotate_dims, stack
from tensh.engine.operators.shapes.views import unsqueeze, view


# ── repeating ────────────────────────────────────────────────────────────────
@method
def repeat(self, *repeats, **named):
    """The tensor repeated ``repeats`` times along each dimension; new dimensions come first.  Differentiable.

    Shape: [n, m] to [n r, m s]. Raise RuntimeError for too few repeats.

    >>> import tensh as torch
    >>> torch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    repeats = dims_of(ints(repeats, named, "repeat", "repeats"), "repeat", "repeats")
    shape = self.array.shape
    if len(repeats) < len(shape):
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    size = [n * times for n, times in zip((1,) * (len(repeats) - len(shape)) + shape, repeats, strict=True)]
    if (negative := next((n for n in size if n < 0), None)) is not None:
        raise RuntimeError(f"Trying to create tensor with negative dimension {negative}: {size}")
    return repeat_dims.fn(self, tuple([max(times, 0) for times in repeats]))


def repeat_tiles(input, dims):
    return repeat(input, (1,) * (input.array.ndim - len(dims)) + dims)


@method
def tile(self, *dims, **named):
    """The tensor repeated ``dims`` times along each dimension; a short ``dims`` is padded with ones in front.

    Differentiable.

    Shape: [n, m] to [n r, m s]. Raise RuntimeError for negative ``dims``.
    """
    return repeat_tiles(self, ints(dims, named, "tile", "dims"))


def tile(input, dims):  # noqa: F811
    """The input repeated ``dims`` times along each dimension; a short ``dims`` is padded with ones in front.

    Differentiable.

    Shape: [n, m] to [n r, m s]. Raise RuntimeError for negative ``dims``.

    >>> import tensh as torch
    >>> torch.tile(torch.tensor([1, 2]), (2,))
    tensor([1, 2, 1, 2])
    """
    return repeat_tiles(require(input, "tile", "input", 1), dims_of(dims, "tile", "dims"))


PUBLIC["tile"] = tile


@composite
def repeat_interleave(input=None, repeats=None, dim=None, *, output_size=None):
    """Every element repeated ``repeats`` times, a number or a tensor with a number for each, along ``dim``.

    Without ``dim`` the input is flattened; without ``repeats`` it has the number of repetitions of each index.
    Differentiable.  Shape: [*].  Raise RuntimeError for negative repeats.

    >>> import tensh as torch
    >>> torch.repeat_interleave(torch.tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
    """
    if input is None and dim is None:
        input, repeats = repeats, None
    require(input, "repeat_interleave", "input", 1)
    if isinstance(repeats, np.integer):
        repeats = int(repeats)
    if repeats is None:
        return wrap(repeat_indices(input.array, output_size))
    if dim is None:
        input, dim = flatten(input), 0
    elif not input.array.ndim and isinstance(repeats, int):
        wrap_dim(dim, 0)
        wrap_dim(1, 0)  # the neighbouring dimension, which PyTorch's message names
    dim = wrap_dim(dim, input.array.ndim, scalar=False)
    if isinstance(repeats, int):
        return repeat_slices(input, repeats, dim, output_size)
    if not isinstance(repeats, Tensor):
        forms = ("Tensor repeats", "int repeats")
        bind(
            "repeat_interleave",
            [f"({form}, int dim = None, *, int output_size = None)" for form in forms],
            (repeats,),
            {},
        )
    times, length = repeats.array, input.array.shape[dim]
    if times.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if times.size == 1:
        times = np.broadcast_to(times.reshape(()), length)
    elif len(times) != length:
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got "
            f"repeats.size(0) = {len(times)} and input.size({dim}) = {length}"
        )
    return index_select.fn(input, dim, wrap(repeat_indices(times, output_size)))


def repeat_slices(input, times, dim, output_size):
    """Repeat every slice along ``dim`` a number of times."""
    if times < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape = input.array.shape
    length = shape[dim] * times
    if output_size not in (None, length):
        raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {length} but got {output_size}")
    wide = expand_to(unsqueeze.fn(input, dim + 1), (*shape[: dim + 1], times, *shape[dim + 1 :]))
    return view.fn(clone.fn(wide, memory_format=contiguous_format), (*shape[:dim], length, *shape[dim + 1 :]))


def repeat_indices(times, output_size):
    """Return 0, 1, ... each repeated ``times`` times."""
    if times.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if times.dtype.kind != "i" or times.itemsize < 4:
        refuse_dtype("repeat_interleave", times.dtype)
    if times.size and times.min() < 0:
        raise RuntimeError("repeats can not be negative")
    if output_size is not None and output_size != times.sum():
        raise RuntimeError("allocated size does not match required size")
    return np.repeat(np.arange(len(times), dtype=times.dtype), times)


# ── moving ───────────────────────────────────────────────────────────────────
@composite
def roll(input, shifts, dims=()):
    """The elements shifted cyclically by ``shifts`` along ``dims`` (by default of the flattened input).

    Differentiable.  Shape: [*], kept. Raise RuntimeError unless there is a shift for each dimension.

    >>> import tensh as torch
    >>> torch.tensor([1, 2, 3]).roll(1)
    tensor([3, 1, 2])
    """
    array = require(input, "roll", "input", 1).array
    shifts, dims = as_tuple(shifts, "shifts"), () if dims is None else as_tuple(dims, "dims")
    if not shifts:
        raise RuntimeError("`shifts` required")
    if len(shifts) != len(dims) and (dims or len(shifts) > 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    for d in dims if array.size else ():
        wrap_dim(d, array.ndim, scalar=False)
    return roll_dims.fn(input, shifts, dims)


def as_tuple(value, name):
    number = take_int(value)
    return dims_of(value, "roll", name) if number is NO_FIT else (number,)


@method
def flip(self, *dims, **named):
    """The tensor with the order reversed along ``dims``, as a copy.  Differentiable.  Shape: [*], kept."""
    return flip_dims.fn(self, ints(dims, named, "flip", "dims"))


def flip(input, dims):  # noqa: F811
    """The input with the order reversed along ``dims``, as a copy.  Differentiable.  Shape: [*], kept.

    >>> import tensh as torch
    >>> torch.flip(torch.tensor([1, 2, 3]), (0,))
    tensor([3, 2, 1])
    """
    return flip_dims.fn(input, dims_of(dims, "flip", "dims"))


PUBLIC["flip"] = flip


@composite
def fliplr(input):
    """The input with its columns in reverse order, as a copy.  Differentiable.

    Shape: [n, m, *]. Raise RuntimeError for vectors.
    """
    if require(input, "fliplr", "input", 1).array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip_dims.fn(input, (1,))


@composite
def flipud(input):
    """The input with its rows in reverse order, as a copy.  Differentiable.

    Shape: [n, *]. Raise RuntimeError for a number.
    """
    if require(input, "flipud", "input", 1).array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip_dims.fn(input, (0,))


@composite
def rot90(input, k=1, dims=(0, 1)):
    """The input turned by ``k`` times 90 degrees in the plane of two dimensions, from the first towards the second.

    Differentiable.  Shape: [n, m] to [m, n] for odd ``k``.

    >>> import tensh as torch
    >>> torch.tensor([[1, 2], [3, 4]]).rot90()
    tensor([[2, 4],
            [1, 3]])
    """
    require(input, "rot90", "input", 1)
    return rotate_dims.fn(input, integer(k, "rot90", "k", 2), dims_of(dims, "rot90", "dims"))


# ── grids and combinations ───────────────────────────────────────────────────
@composite(method=False)
def meshgrid(*tensors, indexing=None):
    """The coordinates of all points of a grid, from the coordinates along each of its axes.  Differentiable, views.

    ``indexing`` is "ij" (the first tensor runs along the first dimension) or "xy" (the first two swapped).  Shapes:
    [n] and [m] to two of [n, m]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4]), indexing="ij")
    (tensor([[1, 1],
            [2, 2]]), tensor([[3, 4],
            [3, 4]]))
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        (tensors,) = tensors
    if not isinstance(indexing, str | None):
        raise TypeError(f"meshgrid(): argument 'indexing' must be str, not {type_name(indexing)}")
    if indexing is None:
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    return grid(tensors, "ij" if indexing is None else indexing)


def grid(tensors, indexing):
    arrays = arrays_of(tensors, "meshgrid", 1)
    for array, t in zip(arrays, tensors, strict=True):
        if array.dtype is not arrays[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
        if is_absent(t) is not is_absent(tensors[0]):
            raise RuntimeError("meshgrid expects all tensors to have the same device")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for array, t in zip(arrays, tensors, strict=True):
        if array.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {t}")
    order = list(range(len(tensors)))  # the dimension along which each tensor runs
    if indexing == "xy":
        order[:2] = order[1::-1]
    shape = tuple(tensors[d].array.size for d in order)
    sizes = [[n if d == own else 1 for d, n in enumerate(shape)] for own in order]
    return tuple(expand_to(view.fn(t, tuple(size)), shape) for t, size in zip(tensors, sizes, strict=True))


def require_vectors(tensors):
    for t in tensors:
        if t.array.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t.array.shape)}")


@composite(method=False)
def cartesian_prod(*tensors):
    """All tuples with one element of each vector, as rows.  Differentiable.

    Shapes: [n], [m] to [n m, 2]. Raise RuntimeError for matrices.

    >>> import tensh as torch
    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    arrays_of(tensors, "cartesian_prod")
    require_vectors(tensors)
    if len(tensors) == 1:
        return tensors[0]
    return stack.fn([reshape_to(t, (-1,)) for t in grid(tensors, "ij")], 1)


@composite(method=False)
def combinations(input, r=2, with_replacement=False):
    """All selections of ``r`` elements of a vector, in order, as rows.  Differentiable.

    Shape: [n] to [k, r]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.combinations(torch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    require_vectors([require(input, "combinations", "input", 1)])
    r = integer(r, "combinations", "r", 2)
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return wrap(np.empty(0, input.array.dtype))
    places = np.indices((input.array.size,) * r, sparse=True)
    keep = np.ones((input.array.size,) * r, bool)
    for one, next_one in zip(places, places[1:], strict=False):
        keep &= one <= next_one if with_replacement else one < next_one
    return stack.fn([masked_select.fn(t, wrap(keep)) for t in grid([input] * r, "ij")], 1)
