"""Discrete Fourier transforms: complex to complex, real to complex, complex to real.

``dim`` is a tuple of dimensions from 0, and ``scaling`` says what the sum is divided by: nothing (0), the root of the
number of elements (1), that number (2).  The numbers come from the ufuncs behind numpy.fft: its functions spend 3 to 6
µs on their arguments, as long as a transform of 512 elements takes.
"""

import math
from functools import cache

import numpy as np
from numpy import empty

from tensh.engine.table import op

REAL = {np.dtype(c): np.dtype(r) for c, r in (("F", "f"), ("D", "d"), ("f", "f"), ("d", "d"))}
COMPLEX = {np.dtype(r): np.dtype(c) for r, c in (("f", "F"), ("d", "D"))}
ONE = {dtype: real.type(1) for dtype, real in REAL.items()}  # factors of the dtype: NumPy looks no further then


@cache
def ufuncs():
    """NumPy's transforms along one dimension; loading them takes 2 ms, which only their first use needs."""
    from numpy.fft import _pocketfft_umath

    return _pocketfft_umath


def factor(dtype, scaling, shape, dim):
    """What the sums over the dimensions ``dim`` are multiplied by."""
    if not scaling:
        return ONE[dtype]
    number = math.prod([shape[d] for d in dim])
    return REAL[dtype].type(1 / (math.sqrt(number) if scaling == 1 else number))


def blank(input, shape, dim, dtype, sort=True):
    """An empty array with the strides of PyTorch's results: transformed dimensions innermost.

    The others come before them in the order of the input's strides, and so do, with ``sort``, the transformed ones.
    """
    ndim = len(shape)
    if ndim == 1 or dim == tuple(range(ndim - len(dim), ndim)) and input.flags.c_contiguous:
        return empty(shape, dtype)
    steps = input.strides
    others = sorted((d for d in range(ndim) if d not in dim), key=lambda d: -steps[d])
    order = [*others, *(sorted(dim, key=lambda d: -steps[d]) if sort else dim)]
    return empty([shape[d] for d in order], dtype).transpose(np.argsort(order))


def along(d):
    """The argument ``axes`` of the ufuncs: from dimension ``d`` of the input to that of the output."""
    return [(d,), (), (d,)]


def resized(shape, d, size):
    """The shape with another size in one dimension."""
    return (*shape[:d], size, *shape[d + 1 :])


@op(public=False, input="fft_c2c(g, dim, scaling, not forward)")
def fft_c2c(input, dim, scaling, forward):
    """The transform of complex numbers along ``dim``, or with the opposite sign if not ``forward``."""
    if not dim:
        return input.copy()
    transform = ufuncs().fft if forward else ufuncs().ifft
    shape, dtype = input.shape, input.dtype
    out = blank(input, shape, dim, dtype)
    transform(input, factor(dtype, scaling, shape, dim), axes=along(dim[-1]), out=out)
    for d in dim[-2::-1]:
        transform(out, ONE[dtype], axes=along(d), out=out)
    return out


@op(public=False, input="fft_c2c(sized(g, dim[-1], input.shape[dim[-1]]), dim, scaling, False)")
def fft_r2c(input, dim, scaling, onesided):
    """The transform of real numbers; ``onesided`` gives the first half of the last dimension, the rest is its mirror."""
    shape, dtype, last = input.shape, input.dtype, dim[-1]
    size = shape[last]
    half = size // 2 + 1
    transform = ufuncs().rfft_n_odd if size % 2 else ufuncs().rfft_n_even
    out = blank(input, resized(shape, last, half) if onesided else shape, dim, COMPLEX[dtype], False)
    first = out if onesided else part(out, last, slice(half))
    transform(input, factor(dtype, scaling, shape, dim), axes=along(last), out=first)
    if not onesided:
        np.conjugate(part(out, last, slice((size - 1) // 2, 0, -1)), part(out, last, slice(half, None)))
    for d in dim[-2::-1]:
        ufuncs().fft(out, ONE[dtype], axes=along(d), out=out)
    return out


@op(public=False, input="doubled_inside(fft_r2c(g, dim, scaling, True), dim[-1], last)")
def fft_c2r(input, dim, scaling, last):
    """The real numbers, ``last`` of them in the last dimension, whose transform has the input as its first half."""
    shape, dtype = resized(input.shape, dim[-1], last), input.dtype
    if len(dim) > 1:
        input = fft_c2c.kernel(input, dim[:-1], 0, False)
    out = blank(input, shape, dim[-1:], REAL[dtype])
    ufuncs().irfft(input, factor(dtype, scaling, shape, dim), axes=along(dim[-1]), out=out)
    return out


def part(array, d, which):
    """The array cut to the slice ``which`` of dimension ``d``."""
    return array[(slice(None),) * d + (which,)]


@op(public=False, node="ConstantPadNdBackward0", input="sized(g, dim, input.shape[dim])")
def sized(input, dim, size):
    """``size`` elements along ``dim``: the first ones, or all of them and zeros."""
    own = input.shape[dim]
    if size <= own:
        return input if size == own else part(input, dim, slice(size))
    result = np.zeros(resized(input.shape, dim, size), input.dtype)
    part(result, dim, slice(own))[...] = input
    return result


@op(public=False, node="MulBackward0", input="doubled_inside(g, dim, last)")
def doubled_inside(input, dim, last):
    """The input, half of ``last`` elements along ``dim``, with all doubled that stand for two mirrored ones."""
    result = input.copy()
    part(result, dim, slice(1, 1 + last - input.shape[dim]))[...] *= 2
    return result
