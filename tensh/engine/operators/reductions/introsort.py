"""The order that PyTorch's ``sort`` gives equal elements, which keep theirs only with ``stable=True``.

PyTorch calls ``std::sort``, in GCC's library Musser's "Introspective sorting" (1997): parts of more than 16 elements
are divided around a median of three, a heap sorts what remains large, and insertion sort, which is stable, does the
rest.  The parts of one depth have no element in common, so those of all rows are divided at once.
"""

import numpy as np

from tensh.engine.operators.reductions.selection import SHORT, first_by_heap, sort_indices

FEW = 1 << 9  # elements up to which rows are sorted one by one: NumPy's calls take longer than the steps
MANY = (
    1 << 17
)  # elements of an array up to which equal ones are put in this order, which takes ten times as long as sorting


def order_equals(values, indices):
    """Return the ``indices`` that sort the rows of a matrix, with equal elements in the order of ``std::sort``.

    ``values`` are the sorted rows, ``indices`` their stable order, which is kept in rows of up to 16 elements.
    """
    length = values.shape[1]
    if length <= SHORT or values.size > MANY:
        return indices
    fresh = values[:, 1:] != values[:, :-1]
    if values.dtype.kind not in "iub":
        fresh &= (values[:, 1:] == values[:, 1:]) | (values[:, :-1] == values[:, :-1])  # nan are equal to each other
    tied = np.flatnonzero(~fresh.all(1))
    if not tied.size:
        return indices
    ranks = np.zeros((len(tied), length), np.int64)
    np.cumsum(fresh[tied], 1, out=ranks[:, 1:])
    keys = np.empty_like(ranks)
    np.put_along_axis(keys, indices[tied], ranks, 1)
    found = indices.copy()
    if keys.size <= FEW:
        found[tied] = [sort_indices(line) for line in keys.tolist()]
        return found
    places = np.arange(length) + np.zeros_like(keys)
    divide(keys.reshape(-1), places.reshape(-1), np.arange(len(tied)) * length, length)
    found[tied] = np.take_along_axis(places, keys.argsort(1, "stable"), 1)
    return found


def divide(keys, places, starts, length):
    """Divide rows of ``length`` keys, which begin at ``starts``, into parts of few elements; move ``places`` along."""
    first, last = starts, starts + length
    for _ in range(2 * (length.bit_length() - 1)):
        large = last - first > SHORT
        if not large.any():
            break
        first, last = first[large], last[large]
        pivot = median(keys, first + 1, first + (last - first) // 2, last - 1)
        exchange(keys, places, first, pivot)
        cut = partition(keys, places, first, last)
        first, last = np.concatenate([first, cut]), np.concatenate([cut, last])
    for start, end in zip(first.tolist(), last.tolist()):
        if end - start > SHORT:  # divided so often in vain that a heap is faster
            order = np.array(first_by_heap(keys[start:end].tolist(), end - start)) + start
            keys[start:end], places[start:end] = keys[order], places[order]


def median(keys, one, other, third):
    """Return the places of the medians of three keys each."""
    a, b, c = keys[one], keys[other], keys[third]
    above = np.where(b < c, other, np.where(a < c, third, one))
    return np.where(a < b, above, np.where(a < c, one, np.where(b < c, third, other)))


def partition(keys, places, first, last):
    """Partition each ``keys[first:last]`` around the first key; return the starts of the upper parts.

    One scan upwards stops at keys that are not below the first key, another downwards at those that are not above it.
    Where they stop for the n-th time, they exchange keys, until they meet.
    """
    sizes = last - first
    part = np.repeat(np.arange(len(first)), sizes)
    place = np.arange(len(part)) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes)
    key, bound = keys[place], np.repeat(keys[first], sizes)
    upper = key >= bound
    upper[np.cumsum(sizes) - sizes] = False  # the scan begins after the pivot
    lower = key <= bound
    ups, downs = place[upper], place[lower]
    number_up, number_down = (np.bincount(part[each], minlength=len(first)) for each in (upper, lower))
    start_up, end_down = np.cumsum(number_up) - number_up, np.cumsum(number_down)
    pairs = np.minimum(number_up, number_down)
    pair = np.repeat(np.arange(len(first)), pairs)
    turn = np.arange(len(pair)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    up, down = ups[start_up[pair] + turn], downs[end_down[pair] - 1 - turn]
    apart = up < down
    exchange(keys, places, up[apart], down[apart])
    done = np.bincount(pair[apart], minlength=len(first))
    # The scan upwards stops at its next key, or already at the last one that came from below.
    stop = np.where(done < number_up, ups[np.minimum(start_up + done, len(ups) - 1)], last)
    met = np.where(done > 0, downs[end_down - np.maximum(done, 1)], last)
    return np.minimum(stop, met)


def exchange(keys, places, one, other):
    for array in (keys, places):
        array[one], array[other] = array[other], array[one]
