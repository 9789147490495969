"""Elements read and written by their indices along one dimension, as the gradients of sorting and selection need it.

``indices`` has the result's shape, and its size differs from the input's along ``dim`` only.
"""

from functools import lru_cache

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.operators.indexing import gather
from tensh.engine.operators.precision import is_half


def places(indices, dim):
    """An index for the elements at ``indices`` along ``dim``, for reading and for writing."""
    dim %= indices.ndim
    make = places_beside if sum(indices.shape) <= FEW else places_beside.__wrapped__
    before, after = make(indices.shape, dim)
    return (*before, indices, *after)


FEW = 256  # number of indices, over all dimensions, up to which they are cached


@lru_cache(256)
def places_beside(shape, dim):
    """Return broadcastable index arrays for the dimensions other than ``dim``."""
    axes = [np.arange(n).reshape(n, *(1,) * (len(shape) - 1 - i)) for i, n in enumerate(shape)]
    return axes[:dim], axes[dim + 1 :]


MANY = 1 << 10  # elements from which elements are written by positions in flat memory, which takes a third of the time


def read_along(array, indices, dim):
    """``np.take_along_axis``, which takes three times as long."""
    if not array.flags.c_contiguous:
        return array[places(indices, dim)]
    return array.take(gather.places(array.shape, dim % array.ndim, indices), mode="wrap")


@op(public=False, node="GatherBackward0", input="add_along(g, input.shape, indices, dim)", indices=None)
def take_along(input, indices, dim):
    """The elements at ``indices`` along ``dim``."""
    return read_along(input, indices, dim) if input.ndim else input.copy()


@op(public=False, node="ScatterBackward0", constant_edges=(1, 0), input="take_along(g, indices, dim)", indices=None)
def put_along(input, shape, indices, dim):
    """Zeros of ``shape`` with the input written at ``indices``, which must be distinct."""
    if not shape:
        return input.reshape(())
    result = np.zeros(shape, input.dtype)
    if indices.size < MANY:
        result[places(indices, dim)] = input
    else:
        result.reshape(-1)[gather.places(shape, dim % len(shape), indices)] = input
    return result


@op(public=False, node="ScatterAddBackward0", constant_edges=(1, 0), input="take_along(g, indices, dim)", indices=None)
def add_along(input, shape, indices, dim):
    """Zeros of ``shape`` with the input added at ``indices``."""
    if not shape:
        return input.reshape(())
    if indices.size >= MANY or is_half(input.dtype):  # sums of 16 bit numbers are rounded once
        return gather.gather_back.kernel(input, shape, dim, indices)
    result = np.zeros(shape, input.dtype)
    np.add.at(result, places(indices, dim), input)
    return result
