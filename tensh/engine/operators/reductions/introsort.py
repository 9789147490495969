"""The order of equal elements after ``std::sort``, for many elements at once.

Note [Partitions at once]
Introspective sorting divides a part around a pivot by exchanges: a scan from the left stops at elements that are not
below the pivot, one from the right at elements that are not above it, and the two exchange places until the scans meet.
No scan reads an exchanged element again, so the exchanges are known beforehand: the i-th stop from the left with the
i-th from the right, as long as they have not met.  All parts of all rows are therefore divided together, level by level,
in some fifteen passes of NumPy.
"""

import numpy as np

SHORT = 16  # elements of a part that is not divided
FEW = 1 << 11  # elements of all parts from which a level takes less time in Python
KEY, PLACE = np.int64(32), np.int64(0xFFFFFFFF)  # an element is its key, a number of 31 bits, before its place


def sort_rows(keys, depth, divide_few):
    """Return the indices that sort the rows of a matrix of small integers, with equal ones in the order of ``std::sort``.

    ``divide_few(keys, depth)`` returns the indices that divide one part completely; ``depth`` is what is left of its levels.
    """
    rows, length = keys.shape
    elements = ((keys << KEY) | np.arange(length)).reshape(-1)
    first = np.arange(0, rows * length, length)
    last = first + length
    while depth and (last - first).sum() >= FEW:
        depth -= 1
        cut = divide(elements, first, last)
        first, last = np.concatenate([first, cut]), np.concatenate([cut, last])
        long = last - first > SHORT
        first, last = first[long], last[long]
    for part in map(slice, first.tolist(), last.tolist()):
        elements[part] = elements[part][divide_few((elements[part] >> KEY).tolist(), depth)]
    # no element is far from its place: what is left is an insertion sort, which keeps the order of equal ones
    elements = elements.reshape(rows, length)
    order = np.sort((elements & ~PLACE) | np.arange(length), 1) & PLACE
    return np.take_along_axis(elements & PLACE, order, 1)


def divide(elements, first, last):
    """Divide the parts from ``first`` to ``last`` around a median of three; return the starts of the upper parts."""
    exchange(elements, first, find_medians(elements, first, last))
    lengths = last - first - 1
    ends = np.cumsum(lengths)
    places = np.arange(ends[-1]) + np.repeat(first + 1 - (ends - lengths), lengths)
    values, bounds = elements.take(places), np.repeat(elements[first] & ~PLACE, lengths)
    left, right = np.flatnonzero(values >= bounds), np.flatnonzero(values <= (bounds | PLACE))
    left_ends, right_ends = np.searchsorted(left, ends), np.searchsorted(right, ends)
    left_starts, right_starts = (np.concatenate([[0], each[:-1]]) for each in (left_ends, right_ends))
    left, right = places.take(left), places.take(right)
    pairs = np.minimum(left_ends - left_starts, right_ends - right_starts)
    ends = np.cumsum(pairs)
    number = np.arange(ends[-1])
    one = left.take(number + np.repeat(left_starts - (ends - pairs), pairs))
    other = right.take(np.repeat(right_ends - 1 + (ends - pairs), pairs) - number)
    apart = one < other
    exchanged = np.diff(np.concatenate([[0], np.cumsum(apart)])[np.concatenate([[0], ends])])
    exchange(elements, one.compress(apart), other.compress(apart))
    # the scan from the left ends at its next stop, or at the last element that it sent to the right
    stops = np.append(left, 0)[left_starts + exchanged]
    stops[left_starts + exchanged == left_ends] = len(elements)
    sent = np.append(right, 0)[right_ends - exchanged]
    sent[exchanged == 0] = len(elements)
    return np.minimum(stops, sent)


def find_medians(elements, first, last):
    """Return the place of each part's median of three elements: the second, the middle one and the last."""
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    one, two, three = (elements[places] >> KEY for places in (a, b, c))
    below_b, below_c, between = one < two, one < three, two < three
    return np.where(
        below_b, np.where(between, b, np.where(below_c, c, a)), np.where(below_c, a, np.where(between, c, b))
    )


def exchange(elements, one, other):
    """Exchange elements in place; no place occurs twice."""
    elements[one], elements[other] = elements.take(other), elements.take(one)
