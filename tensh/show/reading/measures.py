"""Statistics of an array's elements, in one pass over pieces, without copies of its size."""

import math
from typing import NamedTuple

import numpy as np

from tensh.show.reading.describe import number
from tensh.show.reading.values import array_of, is_complex, pieces, position
from tensh.support.language import _

MOST = 2**26  # larger arrays are judged by a sample
SAMPLE = 2**20


class Statistics(NamedTuple):
    """The number of elements of each kind, and the distribution of the finite ones (`std` as in torch.std).

    `low`, `high`, `mean` and `std` are None if there are no such elements; for complex numbers they describe the
    absolute values. `is_sample` tells that not all elements were examined.
    """

    count: int
    nans: int
    infinities: int
    zeros: int
    first_nan: tuple[int, ...] | None
    low: float | None
    high: float | None
    mean: float | None
    std: float | None
    is_whole: bool
    is_bool: bool
    is_complex: bool
    is_sample: bool

    @property
    def finite(self):
        return self.count - self.nans - self.infinities


def statistics(value):
    """Compute the Statistics of a tensor or array.

    >>> import tensh
    >>> found = tensh.show.statistics(tensh.tensor([1., 2., 6., float("nan")]))
    >>> found.nans, found.first_nan, found.low, found.high, found.mean
    (1, (3,), 1.0, 6.0, 3.0)
    """
    whole = array_of(value)
    array = thin_out(whole, MOST)
    nans = zeros = number = 0
    low, high, shift, total, squares = math.inf, -math.inf, None, 0.0, 0.0
    for piece in pieces(array):
        least, most = float(piece.min()), float(piece.max())
        if not (math.isfinite(least) and math.isfinite(most)):  # shows NaN and infinities
            nans += int(np.isnan(piece).sum())
            piece = piece[np.isfinite(piece)]
            if not piece.size:
                continue
            least, most = float(piece.min()), float(piece.max())
        number += piece.size
        zeros += piece.size - int(np.count_nonzero(piece))
        low, high = min(low, least), max(high, most)
        shift = float(piece.mean()) if shift is None else shift  # sums about a mean lose no digits
        piece -= shift
        total += float(piece.sum())
        squares += float(np.multiply(piece, piece, out=piece).sum())  # np.dot would wake threads: 4 times as slow
    known = number > 0
    spread = math.sqrt(max(squares - total * total / number, 0.0) / (number - 1)) if number > 1 else None
    return Statistics(
        count=array.size, nans=nans, infinities=array.size - nans - number, zeros=zeros,
        first_nan=first_nan(whole) if nans else None,
        low=low if known else None, high=high if known else None,
        mean=shift + total / number if known else None, std=spread,
        is_whole=array.dtype.kind in "biu", is_bool=array.dtype.kind == "b", is_complex=is_complex(array),
        is_sample=array is not whole,
    )  # fmt: skip


def trouble(found):
    """Yield (kind, text) pairs for values that must not be overlooked: NaN and infinities."""
    if found.nans:
        first = _(" (first at {position})").format(position=position(found.first_nan)) if found.first_nan else ""
        yield "trouble", f"NaN {found.nans:,}{first}"
    if found.infinities:
        yield "trouble", f"inf {found.infinities:,}"


def range_of(found):
    """Describe the range of the values: `in [-1, 2]`, or `all 3`; "" if there are none."""
    if found.low is None:
        return ""
    low, high = (number(int(each) if found.is_whole else each) for each in (found.low, found.high))
    return (
        _("in [{low}, {high}]").format(low=low, high=high) if found.low < found.high else _("all {low}").format(low=low)
    )


def thin_out(array, most):
    """Return an array, or of a larger one a sample at equal distances."""
    if array.size <= most:
        return array
    return array[np.unravel_index(np.linspace(0, array.size - 1, SAMPLE).astype(np.int64), array.shape)]


def first_nan(array):
    """Return the index of the first NaN."""
    missing = np.isnan(array)
    return tuple(int(each) for each in np.unravel_index(int(missing.argmax()), array.shape))


def counts(value, low, high, bins, most=MOST):
    """Count the finite elements in equal parts of a range; for a large array those of a sample."""
    found = np.zeros(bins, np.int64)
    for piece in pieces(thin_out(array_of(value), most)):
        found += np.histogram(piece[np.isfinite(piece)], bins, (low, high))[0]
    return found
