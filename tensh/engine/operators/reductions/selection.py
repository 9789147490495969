"""The order of equal elements: which ones ``kthvalue``, ``mode`` and ``topk`` choose, and how ``sort`` leaves them.

``topk(sorted=False)`` has an order, too.

In PyTorch they depend on the algorithm: a custom quickselect; ``std::sort`` and ``std::nth_element``, which in GCC's
library are Musser's "Introspective sorting" (1997): partitions around a median of three, and insertion sort for few
elements; or ``std::partial_sort``, which keeps the first elements in a heap (Knuth, "The Art of Computer Programming",
volume 3, section 5.2.3).  This module follows them step by step, for lines in which there is a choice.
"""

import numpy as np

from tensh.engine.arrays.orders import move_axis
from tensh.engine.operators.along import read_along
from tensh.engine.operators.kernels import has_true
from tensh.engine.operators.precision import widen
from tensh.engine.operators.reductions.introsort import SHORT, sort_rows

FEW = 1 << 12  # elements up to which lines are processed one by one; in larger arrays any equal element is selected
MANY = 1 << 12  # elements of rows from which ``sort`` divides them level by level
TIED = 1 << 14  # elements of rows with equal ones, up to which ``sort`` gives them PyTorch's order
HEAP = 64  # elements of a line for each selected one from which ``topk`` uses a heap


def select_among_equals(select, input, indices, axis):
    """Return ``indices`` along ``axis``, replaced by ``select(values, index)`` in lines with equal values."""
    if input.size > FEW:
        return indices
    lines = move_axis(widen(input), axis, -1).reshape(-1, input.shape[axis])
    found = move_axis(indices, axis, -1).reshape(-1).copy()
    chosen = read_along(lines, found[:, None], -1)
    equal = (lines == chosen) | ((lines != lines) & (chosen != chosen))
    for line in np.flatnonzero(np.count_nonzero(equal, -1) > 1).tolist():
        found[line] = select(lines[line].tolist(), found[line])
    shape = move_axis(indices, axis, -1).shape
    return move_axis(found.reshape(shape), -1, axis)


def keys(values):
    """Return the keys by which values are compared: nan exceeds any number."""
    if all(value == value for value in values):
        return values
    return [(value != value, value if value == value else 0) for value in values]


def is_tied(input, values, axis):
    """Return True if the extremes ``values`` along ``axis`` have ties or nan, or the last one has equal elements outside."""
    if axis != input.ndim - 1:
        input, values = move_axis(input, axis, -1), move_axis(values, axis, -1)
    if np.count_nonzero(input == values[..., -1:]) * values.shape[-1] != values.size:
        return True
    if values.shape[-1] > 2 and has_true(values[..., 1:-1] == values[..., :-2]):
        return True
    second = values[..., 1:2]  # nan if several of the largest are nan, which are equal here
    return values.dtype.kind not in "iub" and has_true(second != second)


def has_heap(length, k):
    """Return True if ``topk`` keeps the ``k`` extremes of a line in a heap, whatever ``sorted`` is."""
    return HEAP * k <= length


def top_among_equals(input, indices, axis, largest, ordered):
    """Return the ``indices`` of the extremes along ``axis`` as PyTorch's algorithm does; in order only if ``ordered``."""
    lines = move_axis(widen(input), axis, -1).reshape(-1, input.shape[axis])
    found = move_axis(indices, axis, -1)
    shape, found = found.shape, found.reshape(-1, found.shape[-1]).copy()
    for row, values in enumerate(rows_in_order(lines, largest)):
        if has_heap(len(values), shape[-1]):
            found[row] = first_by_heap(values, shape[-1])
        else:
            found[row] = first_by_partitions(values, shape[-1], ordered)
    found = found.reshape(shape)
    return found if axis == input.ndim - 1 else np.ascontiguousarray(move_axis(found, -1, axis))


def rows_in_order(lines, largest):
    """Return the rows as lists in which the elements to select are the smallest; nan are equal, and exceed any number."""
    if lines.dtype.kind == "f" and has_true(lines != lines):
        rows = [np.unique(line, return_inverse=True)[1].tolist() for line in lines]
    else:
        rows = lines.tolist()
    return [[-value for value in row] for row in rows] if largest else rows


# ── std::sort ────────────────────────────────────────────────────────────────
def order_equals(values, indices):
    """Return the ``indices`` that sort the rows of a matrix, with equal elements in the order of ``std::sort``.

    ``values`` are the sorted rows, ``indices`` their stable order, which is kept in rows of up to 16 elements.
    """
    fresh = values[:, 1:] != values[:, :-1]
    if values.dtype.kind not in "iub" and has_true(np.isnan(values)):
        fresh &= (values[:, 1:] == values[:, 1:]) | (values[:, :-1] == values[:, :-1])  # nan are equal to each other
    if not has_true(np.logical_not(fresh)):
        return indices
    tied = np.flatnonzero(~fresh.all(1))
    if not 0 < tied.size * values.shape[1] <= TIED:
        return indices
    ranks = np.zeros((len(tied), values.shape[1]), np.int64)
    np.cumsum(fresh[tied], 1, out=ranks[:, 1:])
    keys, found = np.empty_like(ranks), indices.copy()
    np.put_along_axis(keys, indices[tied], ranks, 1)
    found[tied] = (
        [sort_indices(row) for row in keys.tolist()]
        if keys.size < MANY
        else sort_rows(keys, depth_of(keys.shape[1]), divide_all)
    )
    return found


def sort_indices(values):
    """Return the indices of the values in ascending order."""
    order = divide_all(values, depth_of(len(values))) if len(values) > SHORT else range(len(values))
    return sorted(order, key=values.__getitem__)  # no element is far from its place: what is left is an insertion sort


def depth_of(length):
    """Return how often parts are divided before a heap sorts them."""
    return 2 * (length.bit_length() - 1)


def divide_all(values, depth):
    """Return the indices of the values in parts of up to 16 elements, whose order is ascending."""
    order = list(range(len(values)))
    parts = [(0, len(order), depth)]
    while parts:
        first, last, depth = parts.pop()
        while last - first > SHORT:
            if not depth:  # divided so often in vain that a heap is faster
                part = order[first:last]
                order[first:last] = [part[i] for i in first_by_heap([values[i] for i in part], len(part))]
                break
            depth -= 1
            cut = partition(order, values, first, last)
            parts.append((cut, last, depth))
            last = cut
    return order


def first_by_partitions(values, k, ordered):
    """Return the indices of the ``k`` smallest values, by ``std::nth_element`` and, in order, ``std::sort`` of its result."""
    order, first, last = list(range(len(values))), 0, len(values)
    while last - first > 3:
        cut = partition(order, values, first, last)
        first, last = (cut, last) if cut <= k - 1 else (first, cut)
    order[first:last] = sorted(order[first:last], key=values.__getitem__)
    if not ordered:
        return order[:k]
    chosen = order[: k - 1]
    return [*(chosen[i] for i in sort_indices([values[i] for i in chosen])), order[k - 1]]


def last_of_equals(values, index):
    """Return the index of the last element, in ascending order, equal to the one at ``index``."""
    if any(value != value for value in values):
        return index  # nan has no position in this order
    return next(i for i in reversed(sort_indices(values)) if values[i] == values[index])


def partition(order, key, first, last):
    """Partition ``order[first:last]`` around a median of three; return the start of the upper part."""
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    one, two, three = key[order[a]], key[order[b]], key[order[c]]
    if one < two:
        pivot = b if two < three else c if one < three else a
    else:
        pivot = a if one < three else c if two < three else b
    order[first], order[pivot] = order[pivot], order[first]
    bound = key[order[first]]
    low, high = first + 1, last
    while True:
        while key[order[low]] < bound:
            low += 1
        high -= 1
        while bound < key[order[high]]:
            high -= 1
        if low >= high:
            return low
        order[low], order[high] = order[high], order[low]
        low += 1


def less(order, key, one, other):
    return key[order[one]] < key[order[other]]


# ── std::partial_sort ────────────────────────────────────────────────────────
def first_by_heap(values, k):
    """Return the indices of the ``k`` smallest values in order; the largest of those so far is the root of a heap."""
    heap = list(range(k))
    for place in reversed(range(k // 2)):
        sift(heap, values, place, k, heap[place])
    bound = values[heap[0]]
    for index in range(k, len(values)):
        if values[index] < bound:
            sift(heap, values, 0, k, index)
            bound = values[heap[0]]
    for last in reversed(range(1, k)):
        largest = heap[0]
        sift(heap, values, 0, last, heap[last])
        heap[last] = largest
    return heap


def sift(heap, key, place, length, index):
    """Put ``index`` into the heap below ``place``: larger children move up to a leaf, and it rises from there."""
    top = place
    while (child := 2 * place + 2) < length:
        if less(heap, key, child, child - 1):
            child -= 1
        heap[place] = heap[child]
        place = child
    if child == length:
        heap[place] = heap[child - 1]
        place = child - 1
    while place > top and key[heap[parent := (place - 1) // 2]] < key[index]:
        heap[place] = heap[parent]
        place = parent
    heap[place] = index


# ── PyTorch's quickselect ────────────────────────────────────────────────────
def quick_select(values, nth):
    """Return the index of the ``nth`` element in order."""
    key = keys(values)
    order = list(range(len(key)))

    def swap(one, other):
        order[one], order[other] = order[other], order[one]

    def more(one, other):
        return less(order, key, other, one)

    low, high = 0, len(order) - 1
    while high > low:
        if high == low + 1:
            if more(low, high):
                swap(low, high)
            break
        swap(low + (high - low) // 2, low + 1)
        for one, other in ((low + 1, high), (low, high), (low + 1, low)):
            if more(one, other):
                swap(one, other)
        i, j, bound = low + 1, high, key[order[low]]
        while True:
            i += 1
            while key[order[i]] < bound:
                i += 1
            j -= 1
            while bound < key[order[j]]:
                j -= 1
            if j < i:
                break
            swap(i, j)
        swap(low, j)
        low, high = (i if j <= nth else low), (j - 1 if j >= nth else high)
    return order[nth]
