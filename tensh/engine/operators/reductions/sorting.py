"""Sorting and selecting along a dimension.  nan comes after every number."""

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import place_beside
from tensh.engine.arrays.orders import move_axis
from tensh.engine.arrays.threads import BLOCKS, map_rows
from tensh.engine.codegen.table import OR_THE_SAME, op
from tensh.engine.errors.messages import refuse_dtype, wrap_dim
from tensh.engine.operators.along import read_along
from tensh.engine.operators.kernels import has_true
from tensh.engine.operators.precision import I8, widen
from tensh.engine.operators.reductions.extremes import ALONG, require_elements
from tensh.engine.operators.reductions.introsort import SHORT
from tensh.engine.operators.reductions.rows import as_little
from tensh.engine.operators.reductions.selection import FEW as FEW_EQUALS
from tensh.engine.operators.reductions.selection import (
    has_heap,
    is_tied,
    order_equals,
    quick_select,
    select_among_equals,
    top_among_equals,
)

LARGE = 1 << 15  # elements from which rows are sorted on several cores: two cores take 0.55 of the time
PACKED = 2048  # elements from which sorting value and index as one 64 bit number is faster than NumPy's stable argsort
# Elements of a line among several, and of all of them, from which that is so: 64 lines of 1,000 numbers take half of the time
PACKED_LINE, PACKED_LINES = 16, 4096
FEW = 16  # number of selected elements from which a partition is faster than finding one after the other


# ── the order of elements ────────────────────────────────────────────────────
def refuse_complex(name, input, dim):
    """Raise for complex numbers; a missing dimension is reported first."""
    if input.dtype.kind in "cW":
        wrap_dim(dim, input.ndim)
        raise RuntimeError(f" {name} does not support complex dtypes on CPU")


def ranks(input):
    """Return unsigned 32 bit integers in the order of the elements of up to 32 bits."""
    if input.dtype.kind == "f":
        bits = (widen(input) + np.float32(0)).view(np.uint32)  # -0 becomes 0
        ordered = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
        return np.where(np.isnan(input), np.uint32(0xFFFFFFFF), ordered)
    if input.dtype.kind == "i":
        return (input.astype(I8) + (1 << 31)).astype(np.uint32)
    return input.astype(np.uint32)


def order_stably(input, axis):
    """Return the stable order along ``axis``."""
    if input.dtype.kind == "V":
        input = widen(input)
    length = input.shape[axis]
    packed = length >= PACKED or length >= PACKED_LINE and input.size >= PACKED_LINES and input.itemsize == 4
    if not packed or input.itemsize > 4 or length >> 32:
        return input.argsort(axis, "stable")
    lines = move_axis(input, axis, -1)
    keys = ranks(lines).astype(np.uint64)
    keys <<= np.uint64(32)
    keys |= np.arange(length, dtype=np.uint64)
    keys.sort(-1)
    keys &= np.uint64(0xFFFFFFFF)
    return move_axis(keys.view(I8), -1, axis)


def order(input, axis, descending):
    """Return the indices that sort along ``axis``; equal elements keep their order in both directions."""
    if not descending:
        return order_stably(input, axis)
    turn = (*(slice(None),) * (axis % input.ndim), slice(None, None, -1))
    backwards = order_stably(input[turn], axis)
    return np.subtract(input.shape[axis] - 1, backwards[turn], order="C")  # no tensor has a negative stride


def sort_along(input, dim, descending, stable):
    """Return the sorted elements and their indices, in the memory order of the input."""
    axis = wrap_dim(dim, input.ndim)
    if input.ndim == 0:
        return input.copy(), place_beside(np.zeros((), I8), input)
    values, indices = sort_stably(input, axis, descending)
    by_digits = input.ndim == 1 and input.size >= LARGE and input.dtype.kind in "iu" and not descending
    equal = input.strides[axis] == 0  # PyTorch sorts no dimension that repeats elements
    if not stable and not by_digits and not equal and input.shape[axis] > SHORT:
        last = [move_axis(each, axis, -1).reshape(-1, input.shape[axis]) for each in (values, indices)]
        if (found := order_equals(*last)) is not last[1]:
            indices = move_axis(found.reshape(move_axis(indices, axis, -1).shape), -1, axis)
    if input.flags.c_contiguous:
        return tuple(each if each.flags.c_contiguous else memory.row_major(each) for each in (values, indices))
    return tuple(memory.copy_in_order_of(each, input) for each in (values, indices))


def sort_stably(input, axis, descending):
    """Return the sorted elements and their indices; equal ones keep their order.  The cores share a large array's lines."""
    length = input.shape[axis]
    if input.size < LARGE or input.size == length:
        indices = order(input, axis, descending)
        return read_along(input, indices, axis), indices
    lines = memory.row_major(move_axis(input, axis, -1))
    values, indices = np.empty_like(lines), np.empty(lines.shape, I8)
    rows, *results = (a.reshape(-1, length) for a in (lines, values, indices))

    def work(part):
        found = order(rows[part], 1, descending)
        results[0][part], results[1][part] = read_along(rows[part], found, 1), found

    map_rows(work, *rows.shape, rows.size // BLOCKS, LARGE)
    return tuple(move_axis(each, -1, axis) for each in (values, indices))


def sort(input, dim, descending):
    refuse_complex("Sort", input, dim)
    return sort_along(input, dim, descending, False)


def sort_as_told(input, dim, descending, stable):
    refuse_complex("Sort", input, dim)
    return sort_along(input, dim, descending, stable)


# PyTorch has two operators, with and without the parameter `stable`.
sort_dim, sort_stable = (
    op(
        kernel,
        name=name, doc="The sorted elements along ``dim``, and their indices.", public=False, node=node,
        outs=("values", "indices"), returns="sort", input="put_along(g, input.shape, indices, dim)",
    )
    for kernel, name, node in ((sort, "sort_dim", "SortBackward0"), (sort_as_told, "sort_stable", "SortBackward1"))
)  # fmt: skip


@op(input=None, out=False)
def argsort(input, dim=-1, descending=False, *, stable=False):
    """The indices that sort the elements along ``dim``.  Shape: [*], kept. Raise RuntimeError for complex numbers.

    >>> import tensh as torch
    >>> torch.tensor([3, 1, 2]).argsort()
    tensor([1, 2, 0])
    """
    refuse_complex("Sort", input, dim)
    return sort_along(input, dim, descending, stable)[1]


def one_by_one(input, k, largest):
    """Return the indices of the ``k`` extremes along the last dimension, each overwritten when it is found.

    None if the value to overwrite with is among them, or nan where it comes last.
    """
    values = widen(input)
    if values.dtype.kind == "f":
        worst = -np.inf if largest else np.inf
    else:
        worst = np.iinfo(values.dtype).min if largest else np.iinfo(values.dtype).max
    lines = values.reshape(-1, input.shape[-1])
    indices, clean = np.empty((len(lines), k), I8), []
    find = np.ndarray.argmax if largest else np.ndarray.argmin

    def work(part):
        left = lines[part].copy()
        places, found = np.arange(len(left)), indices[part]
        for i in range(k):
            found[:, i] = find(left, 1)
            chosen = left[places, found[:, i]]
            left[places, found[:, i]] = worst
            clean.append(not (chosen == worst).any() and (largest or not (chosen != chosen).any()))

    map_rows(work, *lines.shape)
    return indices.reshape(*input.shape[:-1], k) if all(clean) else None


def top_of_rows(matrix, k, largest):
    """Return the ``k`` extremes of each row of a small matrix and their indices; None where nan or ties leave a choice."""
    if has_true(np.isnan(matrix)):
        return None
    order = (np.negative(matrix) if largest else matrix).argsort(1)
    indices = order[:, : k + 1].copy()  # one more, which may be equal to the last
    values = read_along(matrix, indices, 1)
    if has_true(np.equal(values[:, 1:], values[:, :-1])):
        return None
    return (values, indices) if k == indices.shape[1] else (values[:, :k].copy(), indices[:, :k].copy())


# ── selections ───────────────────────────────────────────────────────────────
@op(apart=OR_THE_SAME, outs=("values", "indices"), input="put_along(g, input.shape, indices, dim)")
def topk(input, k, dim=-1, largest=True, sorted=True):
    """The ``k`` largest (or smallest) elements along ``dim``, in order, and their indices.  Differentiable.

    Without ``sorted`` the order is that in which they are found, except in large tensors. Raise RuntimeError if the
    dimension has fewer than ``k`` elements.  Shape: [..., k, ...].

    >>> import tensh as torch
    >>> torch.tensor([3, 1, 2]).topk(2).values
    tensor([3, 2])
    """
    axis = wrap_dim(dim, input.ndim)
    length = input.shape[axis] if input.ndim else 1
    if not 0 <= k <= length:
        raise RuntimeError("selected index k out of range")
    refuse_complex("topk", input, dim)
    if input.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if input.ndim == 0:
        return input.copy(), place_beside(np.zeros((), I8), input)
    choice = 0 < input.size <= FEW_EQUALS and k
    partitioned = choice and not sorted and not has_heap(length, k)  # in no order
    matrix = None if partitioned or axis != input.ndim - 1 else as_little(input, axis)
    if matrix is not None and (found := top_of_rows(matrix, k, largest)) is not None:
        return found if matrix is input else tuple(each.reshape(*input.shape[:-1], k) for each in found)
    if axis < input.ndim - 1 and input.size >= PACKED and not choice:  # NumPy's functions are slow across rows
        found = topk.kernel(np.ascontiguousarray(input.swapaxes(axis, -1)), k, -1, largest, sorted)
        return tuple(each.swapaxes(axis, -1).copy("C") for each in found)
    indices = one_by_one(input, k, largest) if axis == input.ndim - 1 and k <= FEW and input.size >= PACKED else None
    if indices is not None:
        pass
    elif 4 * k < length:
        candidates = np.argpartition(widen(input), -k if largest and k else k, axis)
        cut = (slice(None),) * axis
        candidates = candidates[*cut, length - k :] if largest else candidates[*cut, :k]
        candidates = np.sort(candidates, axis)
        chosen = order(read_along(input, candidates, axis), axis, largest)
        indices = read_along(candidates, chosen, axis)
    else:
        indices = order(input, axis, largest)[(slice(None),) * axis + (slice(k),)]
    values = read_along(input, indices, axis)
    if choice and (partitioned or is_tied(input, values, axis)):
        indices = top_among_equals(input, indices, axis, largest, sorted)
        values = read_along(input, indices, axis)
    return values, np.array(indices, order="C")


@op(out="output values must be of same type as input", apart=True, outs=("values", "indices"), input=ALONG)
def kthvalue(input, k, dim=-1, keepdim=False):
    """The ``k``-th smallest element along ``dim`` (from 1), and its index.  Differentiable.

    Shape: [*] without ``dim``. Raise RuntimeError for a ``k`` out of range.

    >>> import tensh as torch
    >>> torch.tensor([30, 10, 20]).kthvalue(2).values
    tensor(20)
    """
    axis = wrap_dim(dim, input.ndim)
    require_elements("kthvalue", input, (axis,))
    if not 1 <= k <= (input.shape[axis] if input.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    if input.ndim == 0:
        return input.copy(), place_beside(np.zeros((), I8), input)
    if input.dtype.kind in "bc":
        refuse_dtype("kthvalue", input.dtype)
    indices = np.take(np.argpartition(widen(input), k - 1, axis), [k - 1], axis)
    indices = select_among_equals(lambda values, index: quick_select(values, k - 1), input, indices, axis)
    values = read_along(input, indices, axis)
    return (values, indices) if keepdim else (values.squeeze(axis), indices.squeeze(axis))
