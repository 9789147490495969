"""Elements at given positions, and their gradients, which are added to zeros at these positions."""

import math

import numpy as np

from tensh.engine.arrays.gathering import is_within, take_slices
from tensh.engine.arrays.memory import copy_in_order, overlaps_itself
from tensh.engine.arrays.orders import order_of
from tensh.engine.arrays.scattering import MANY, add_at, add_at_once, write_slices
from tensh.engine.arrays.threads import PARALLEL
from tensh.engine.codegen.table import op
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.indexing.gather import extent

ALL = slice(None)
FEW = 256  # values up to which NumPy adds at several index arrays faster than at flat positions, which have to be computed
LONG = 16  # elements of a line from which finding its bounds is faster than dividing every element


def title(array):
    """Return the name of an array's dtype in error messages."""
    return BY_NUMPY[array.dtype].title


# ── x[...] with tensors ──────────────────────────────────────────────────────
def key_of(indices):
    """Return NumPy's index for a tuple of index arrays, in which None stands for a whole dimension."""
    return tuple([ALL if index is None else index for index in indices])


def refuse_empty_masks(shape, indices):
    """Raise for an empty mask that does not fit, which NumPy takes for an empty index array."""
    dim = 0
    for each in indices:
        if each is None or each.dtype.kind != "b":
            dim += 1
        else:
            if not each.size and each.shape != shape[dim : dim + each.ndim]:
                raise index_error(shape, indices, None)
            dim += each.ndim


@op(public=False, out=False, watched=("indices",), input="index_back(g, input.shape, indices)")
def index(input, indices):
    """The elements at index arrays and masks."""
    refuse_empty_masks(input.shape, indices)
    if not input.size:
        return index_nothing(input, indices)
    try:
        only = [d for d, each in enumerate(indices) if each is not None]
        if len(only) == 1 and indices[only[0]].dtype.kind != "b" and input.flags.c_contiguous:
            return slices_at(input, indices[only[0]], only[0])
        found = input[key_of(indices)]
    except IndexError as error:
        raise index_error(input.shape, indices, error) from None
    if input.flags.c_contiguous:
        return np.ascontiguousarray(found)
    return copy_in_order(found, order_of(found.shape, steps_beside(input, indices, found.ndim)))


def slices_at(input, index, dim):
    """The slices at ``index`` along ``dim``; negative indices count from the end."""
    size, n = index.size, input.shape[dim]
    if size * input.size < PARALLEL * n or not is_within(index, n):
        return input.take(index, dim)
    return take_slices(input, index, dim)


def steps_beside(input, indices, ndim):
    """Return the input's stride for every dimension of the result, 0 for dimensions of index arrays.

    These take the place of the index arrays, or come first if the index arrays are not adjacent.
    """
    steps, dim, places = [], 0, []
    for each in indices:
        if each is None:
            steps.append(input.strides[dim])
        else:
            places.append(len(steps))
        dim += each.ndim if each is not None and each.dtype.kind == "b" else 1
    steps += input.strides[dim:]
    together = places[-1] == places[0]
    return [*steps[: places[0] * together], *[0] * (ndim - len(steps)), *steps[places[0] * together :]]


def find_some(indices):
    """Return True if index arrays and masks select anything; arrays that do not broadcast select nothing."""
    shapes = [
        (np.count_nonzero(each),) if each.dtype.kind == "b" else each.shape for each in indices if each is not None
    ]
    try:
        return 0 not in np.broadcast_shapes(*shapes)
    except ValueError:
        return False


def index_nothing(input, indices):
    """Index an input without elements; PyTorch does not check indices that select nothing."""
    dim, numbers, wanted = 0, [], find_some(indices)
    for each in indices:
        if each is not None and each.dtype.kind != "b":
            if wanted and not input.shape[dim]:
                raise IndexError("index is out of bounds for dimension with size 0")
            each = np.zeros_like(each)
        numbers.append(each)
        dim += each.ndim if each is not None and each.dtype.kind == "b" else 1
    try:
        return np.asarray(input[key_of(numbers)], order="C")
    except IndexError as error:
        raise index_error(input.shape, indices, error) from None


@op(
    public=False,
    out=False,
    watched=("indices",),
    node="IndexPutImplBackward0",
    constant_edges=(1, 0),
    grad="index(g, indices)",
)
def index_back(grad, shape, indices):
    """``grad`` added to zeros at index arrays and masks."""
    out = np.zeros(shape, grad.dtype)
    add_into(out, indices, grad)
    return out


def add_into(out, indices, values):
    """Compute ``out[indices] += values``, where positions may occur more than once."""
    if not out.size:
        index_nothing(out, indices)  # raises for indices out of range
        return
    if not indices:
        out += values
        return
    if overlaps_itself(out):
        np.add.at(out, key_of(indices), values)
    elif not out.flags.c_contiguous:
        dense = out.copy()
        add_into(dense, indices, values)
        out[...] = dense
    elif all([each is None or each.dtype.kind == "b" for each in indices]) and sum(i is not None for i in indices) == 1:
        out[key_of(indices)] += values
    elif all([each is not None and each.dtype.kind != "b" for each in indices]):
        if indices[0].size <= values.size <= FEW and out.dtype.kind != "V":
            np.add.at(out, tuple(indices), values)
            return
        places = row_places(out.shape, indices)
        rest = out.shape[len(indices) :]
        if values.shape != places.shape + rest:  # a broadcast takes 2 µs
            values = np.broadcast_to(values, places.shape + rest)
        rows, values = out.reshape(math.prod(out.shape[: len(indices)]), *rest), values.reshape(places.size, *rest)
        add_at(rows, places.reshape(-1), values)
    else:
        places = np.arange(out.size).reshape(out.shape)[key_of(indices)]
        add_at(out.reshape(-1), places.reshape(-1), np.broadcast_to(values, places.shape).reshape(-1))


def row_places(shape, indices):
    """Return the positions of index arrays in the flattened first dimensions of ``shape``; IndexError if out of range."""
    places = None
    for each, n in zip(indices, shape):
        if each.size and not is_within(each, n):
            each = np.where(each < 0, each + n, each)
            if not is_within(each, n):
                raise IndexError("out of bounds")
        places = each if places is None else places * n + each
    return places


def index_error(shape, indices, error):
    """Return PyTorch's exception for index arrays that NumPy refused."""
    dim, expanded = 0, []
    for each in indices:
        if each is None:
            dim += 1
        elif each.dtype.kind == "b":
            for place, n in enumerate(each.shape):
                if n != shape[wrap_dim(dim + place, len(shape))]:
                    return IndexError(
                        f"The shape of the mask {list(each.shape)} at index {place} does not match the shape of the indexed "
                        f"tensor {list(shape)} at index {dim + place}"
                    )
            expanded += [(index, dim + i) for i, index in enumerate(each.nonzero())]
            dim += each.ndim
        else:
            expanded.append((each, dim))
            dim += 1
    try:
        np.broadcast_shapes(*(each.shape for each, _ in expanded))
    except ValueError:
        shapes = ", ".join(str(list(each.shape)) for each, _ in expanded)
        return IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}")
    for number, (each, dim) in enumerate(expanded):
        n = shape[dim]
        if n == 0 and each.size:
            return IndexError("index is out of bounds for dimension with size 0")
        wrong = each[(each < -n) | (each >= n)]
        if wrong.size:
            return IndexError(f"index {wrong.flat[0]} is out of bounds for dimension {number} with size {n}")
    return error


# ── one index per slice ──────────────────────────────────────────────────────
@op(
    out="index_select(): self and result must have the same scalar type",
    apart=True,
    input="index_select_back(g, input.shape, dim, index)",
    index=None,
)
def index_select(input, dim, index):
    """The slices at ``index`` (a vector) along ``dim``, in that order.  Differentiable.

    Shapes: [..., n, ...] and ``index`` [k] to [..., k, ...]. Raise IndexError or RuntimeError for indices out of range.

    >>> import tensh as torch
    >>> torch.index_select(torch.tensor([5, 6, 7]), 0, torch.tensor([2, 0]))
    tensor([7, 5])
    """
    dim = wrap_dim(dim, input.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype.kind != "i" or index.itemsize < 4:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if not input.ndim and index.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)")
    if index.size:
        low, high = extent(index)
        n = input.shape[dim] if input.ndim else 1
        if low < 0 or high >= n:
            raise make_range_error(input, dim, n, index[(index < 0) | (index >= n)].flat[0])
    if not input.ndim:
        return input.copy()
    return (take_slices if input.flags.c_contiguous else np.take)(input, index.reshape(-1), dim)


def make_range_error(input, dim, n, wrong):
    """Return PyTorch's error for an index out of range."""
    if input.ndim > 1 and not n:
        return RuntimeError("index_select(): self indexing axis dim should be positive")
    if input.ndim > 1 and (dim == 1 or not input.size):
        return RuntimeError(f"INDICES element is out of DATA bounds, id={wrong} axis_dim={n}")
    return IndexError("index out of range in self")


@op(public=False, out=False, node="IndexAddBackward0", grad="index_select(g, dim, index)", index=None)
def index_select_back(grad, shape, dim, index):
    """Slices added to zeros at ``index`` along ``dim``."""
    out = np.zeros(shape, grad.dtype)
    add_slices(out, wrap_dim(dim, len(shape)), index, grad)
    return out


def add_slices(out, dim, index, values):
    """Add slices of ``values`` along ``dim`` to the slices of the dense array ``out`` at ``index``.

    As in PyTorch, 16 bit sums along the first or the last of several dimensions are rounded once, others after every addition.
    """
    inner = 0 < dim < out.ndim - 1
    add = add_at if out.ndim < 2 or inner or index.dtype != np.int64 else add_at_once
    if not out.ndim:
        out += values.reshape(())
    elif dim == 0:
        add(out, index.reshape(-1), values)
    elif values.size >= MANY and inner:
        write_slices(add, out, dim, index.reshape(-1), values)
    else:
        add(out.reshape(-1), slice_places(out.shape, dim, index).reshape(-1), values.reshape(-1))


def slice_places(shape, dim, index):
    """Return the positions in flat memory of the slices at ``index``."""
    whole = np.arange(np.prod(shape[dim:], dtype=np.int64)).reshape(shape[dim:])[index.reshape(-1)]
    outer = np.arange(np.prod(shape[:dim], dtype=np.int64)) * np.prod(shape[dim:], dtype=np.int64)
    return outer.reshape(-1, *[1] * whole.ndim) + whole


# ── positions of elements ────────────────────────────────────────────────────
def find_nonzero(array):
    """The indices of the elements that are not zero, a row for each dimension."""
    if array.ndim < 2:
        return np.array(array.nonzero(), np.int64) if array.ndim else np.empty((0, int(bool(array))), np.int64)
    if array.shape[-1] < LONG:
        return np.array(array.nonzero(), np.int64)
    flat = array.reshape(-1)
    return unravel_by_bounds((flat if flat.dtype == bool else flat != 0).nonzero()[0], array.shape)


def unravel_by_bounds(flat, shape):
    """Convert ascending flat positions to indices, by the bounds of lines: a tenth of the time of divisions."""
    out = np.empty((len(shape), flat.size), np.int64)
    lines = 1
    for dim, length in enumerate(shape[:-1]):
        lines *= length
        starts = np.arange(lines + 1) * math.prod(shape[dim + 1 :])
        counts = np.diff(flat.searchsorted(starts))
        out[dim] = np.repeat(np.arange(lines) % length, counts)
    np.subtract(flat, np.repeat(starts[:-1], counts), out[-1])
    return out
