"""Sums over the groups of a normalisation: an array [A, B, S] has B groups of A * S elements."""

import numpy as np

from tensh.engine.arrays.threads import PARALLEL, even_share, map_rows
from tensh.engine.operators.precision import ONES
from tensh.engine.operators.reductions.product_sums import add_row_products
from tensh.engine.operators.reductions.summation import SMALL, add_along, add_axis


def group_sums(grouped):
    """Return the sums over all but the middle dimension; few numbers are added by BLAS, in half of the time."""
    if grouped.size <= SMALL and grouped.dtype in ONES and 1 in grouped.shape[::2]:
        return add_few(grouped)
    if grouped.shape[2] == 1:
        return add_along(grouped[:, :, 0], 0)
    if len(grouped) == 1:
        return add_axis(grouped[0], 1, False)
    return add_along(add_along(grouped, 2), 0)


def add_few(grouped):
    """Return the sums of groups that are the columns or the rows of a matrix."""
    a, groups, s = grouped.shape
    if s == 1:
        return ONES[grouped.dtype][a].dot(grouped.reshape(a, groups))
    return grouped.reshape(groups, s).dot(ONES[grouped.dtype][s])


def group_products(one, other):
    """Return the sums of products over all but the middle dimension, without an array of products."""
    if one.size <= SMALL and one.shape[2] == 1:
        return group_sums(np.multiply(one, other))
    if one.shape[2] == 1:
        return add_along(np.multiply(one[:, :, 0], other[:, :, 0]), 0)
    rows = add_row_products(one, other)
    return rows[0] if len(rows) == 1 else add_along(rows, 0)


def number(form):
    return max(form[0] * form[2], 1)


def spread(values, form):
    """Return one number for each group, as an array that broadcasts to ``form``.

    Few numbers are repeated, which takes less time.
    """
    a, groups, s = form
    if groups == 1:
        return values.reshape(())
    if a * groups * s <= SMALL:
        if a == 1:
            return values.repeat(s).reshape(form)
        if s == 1:
            return values[None].repeat(a, 0).reshape(form)
    return values[:, None]


def some_at_a_time(work, form):
    """Call ``work(part)`` for slices of the groups: all groups, or one large block at a time."""
    a, groups, s = form
    if a * groups * s < PARALLEL:
        work(slice(None))
    else:
        map_rows(work, groups, a * s, even_share(a * groups * s))
