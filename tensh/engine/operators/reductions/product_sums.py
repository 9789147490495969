"""Sums of products and of squares, for which BLAS needs no array of products."""

import numpy as np

from tensh.engine.arrays.threads import map_shares
from tensh.engine.operators.precision import F4, F8, ONES
from tensh.engine.operators.reductions.summation import (
    FOLDED,
    SPREAD_SUMS,
    STEP,
    add_along,
    add_vector,
    restore_axis,
)

PRODUCTS = {F4: 1 << 10, F8: 1 << 7}  # most products that BLAS adds in a row, float32 in higher precision


def add_products(one, other, axes, keepdim):
    """Sum ``one * other``, two arrays of one shape, along ``axes``.

    For sums of rows, BLAS needs no array of products.
    """
    ndim = one.ndim
    if one.dtype not in ONES or not one.size:
        return add_along(np.multiply(one, other), axes, keepdim)
    if axes is None and not keepdim and one.flags.c_contiguous and other.flags.c_contiguous:
        return add_vector_products(one.reshape(-1), other.reshape(-1))
    axes = tuple(range(ndim)) if axes is None else (axes % ndim,) if type(axes) is int and ndim else axes
    if len(axes) == 1 and one.shape[axes[0]] <= STEP and one.size <= FOLDED:
        sums = np.vecdot(one, other, axis=axes[0])
        return restore_axis(sums, axes[0]) if keepdim else sums
    if not axes or ndim - 1 not in axes or one.strides[-1] != one.itemsize or one.shape[-1] == 1:
        return add_along(np.multiply(one, other), axes, keepdim)
    sums = add_row_products(one, other)
    if keepdim:
        sums = sums[..., None]
    return sums if len(axes) == 1 else add_along(sums, axes if keepdim else tuple(sorted(axes)[:-1]), keepdim)


def add_vector_products(one, other):
    """Return the dot product of two vectors."""
    size, length = one.size, PRODUCTS[one.dtype]
    if size <= length:
        return one.dot(other)
    whole = size // length * length
    ones, others = one[:whole].reshape(-1, length), other[:whole].reshape(-1, length)
    if size < SPREAD_SUMS:
        lines = np.vecdot(ones, others)
    else:
        lines = np.empty(len(ones), one.dtype)
        map_shares(lambda part: np.vecdot(ones[part], others[part], lines[part]), len(ones))
    total = add_vector(lines)
    return total if whole == size else total + one[whole:].dot(other[whole:])


def add_row_products(one, other):
    """Sum products along the last dimension."""
    length, most = one.shape[-1], PRODUCTS[one.dtype]
    if length <= most:
        return np.vecdot(one, other)
    whole = length // most * most
    lines, others = (a[..., :whole].reshape(*a.shape[:-1], -1, most) for a in (one, other))
    sums = add_along(np.vecdot(lines, others), -1)
    return sums if whole == length else np.add(sums, np.vecdot(one[..., whole:], other[..., whole:]))


def add_squares(array, axes=None, keepdim=False):
    """Sum squares along ``axes``."""
    return add_products(array, array, axes, keepdim)
