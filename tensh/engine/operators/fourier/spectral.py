"""Discrete Fourier transforms: complex to complex, real to complex, complex to real.

``dim`` is a tuple of dimensions from 0, and ``scaling`` selects the divisor of sums: none (0), the root of the number
of elements (1), that number (2).  The kernels call the ufuncs behind numpy.fft, whose functions spend 3 to 6 µs on
their arguments, as long as a transform of 512 elements takes.
"""

import math
from functools import cache

import numpy as np
from numpy import empty

from tensh.engine.codegen.table import op

REAL = {np.dtype(c): np.dtype(r) for c, r in (("F", "f"), ("D", "d"), ("f", "f"), ("d", "d"))}
COMPLEX = {np.dtype(r): np.dtype(c) for r, c in (("f", "F"), ("d", "D"))}
ONE = {dtype: real.type(1) for dtype, real in REAL.items()}  # factors in the input's dtype, to avoid promotion


@cache
def ufuncs():
    """NumPy's transforms along one dimension, loaded on first use, because loading takes 2 ms."""
    from numpy.fft import _pocketfft_umath

    return _pocketfft_umath


def factor(dtype, scaling, sizes):
    """Return the factor for sums over that number of elements."""
    if not scaling:
        return ONE[dtype]
    number = math.prod(sizes)
    return REAL[dtype].type(1 / (math.sqrt(number) if scaling == 1 else number))


def sort_by_stride(input, dim):
    """Sort dimensions by stride, the largest first: PyTorch transforms along the last of them first."""
    return tuple(sorted(dim, key=lambda d: -input.strides[d])) if len(dim) > 1 else dim


def blank(input, shape, dim, dtype):
    """Return an empty array with the strides of PyTorch's results, the dimensions ``dim`` innermost."""
    ndim = len(shape)
    if ndim == 1 or dim == tuple(range(ndim - len(dim), ndim)) and input.flags.c_contiguous:
        return empty(shape, dtype)
    order = [*sort_by_stride(input, [d for d in range(ndim) if d not in dim]), *dim]
    return empty([shape[d] for d in order], dtype).transpose(np.argsort(order))


def list_axes(d):
    """Return the argument ``axes`` of the ufuncs for a transform along dimension ``d``."""
    return [(d,), (), (d,)]


def resize_shape(shape, d, size):
    """Return the shape with another size in one dimension."""
    return (*shape[:d], size, *shape[d + 1 :])


NARROW = {np.dtype("f"): np.dtype("d"), np.dtype("F"): np.dtype("D")}
SAME = frozenset((1, 2, 3, 4, 5, 7, 8, 9, 16))  # sizes at which single precision gives most of PyTorch's bits
SMALL = 4096


def accurate(input, sizes):
    """Return the input in the precision to compute in.

    At sizes other than ``SAME``, PyTorch and NumPy round differently in single precision; double precision leaves only
    PyTorch's own error.  Above ``SMALL`` elements that would take twice the time.
    """
    if input.dtype not in NARROW or SAME.issuperset(sizes) or input.size > SMALL:
        return input
    return input.astype(NARROW[input.dtype])


def cast_result(out, dtype):
    return out if out.dtype is dtype else out.astype(dtype)


# ── the operators ────────────────────────────────────────────────────────────
@op(public=False, input="fft_c2c(g, dim, scaling, not forward)")
def fft_c2c(input, dim, scaling, forward):
    """The transform of complex numbers along ``dim``, or with the opposite sign if not ``forward``."""
    if not dim:
        return input.copy()
    given, shape, dim = input.dtype, input.shape, sort_by_stride(input, dim)
    sizes = [shape[d] for d in dim]
    input = accurate(input, sizes)
    dtype = input.dtype
    transform = ufuncs().fft if forward else ufuncs().ifft
    out = blank(input, shape, dim, dtype)
    transform(input, factor(dtype, scaling, sizes), axes=list_axes(dim[-1]), out=out)
    for d in dim[-2::-1]:
        transform(out, ONE[dtype], axes=list_axes(d), out=out)
    return cast_result(out, given)


@op(public=False, input="fft_c2c(resize_dim(g, dim[-1], input.shape[dim[-1]]), dim, scaling, False)")
def fft_r2c(input, dim, scaling, onesided):
    """The transform of real numbers; ``onesided`` leaves out the half of the last dimension that mirrors the first."""
    given, shape, last = input.dtype, input.shape, dim[-1]
    dim = (*sort_by_stride(input, dim[:-1]), last)
    sizes = [shape[d] for d in dim]
    size, half = sizes[-1], sizes[-1] // 2 + 1
    input = accurate(input, sizes)
    dtype = input.dtype
    transform = ufuncs().rfft_n_odd if size % 2 else ufuncs().rfft_n_even
    out = blank(input, resize_shape(shape, last, half) if onesided else shape, dim, COMPLEX[dtype])
    first = out if onesided else part(out, last, slice(half))
    transform(input, factor(dtype, scaling, sizes), axes=list_axes(last), out=first)
    if not onesided:
        np.conjugate(part(out, last, slice((size - 1) // 2, 0, -1)), part(out, last, slice(half, None)))
    for d in dim[-2::-1]:
        ufuncs().fft(out, ONE[dtype], axes=list_axes(d), out=out)
    return cast_result(out, COMPLEX[given])


@op(public=False, input="doubled_inside(fft_r2c(g, dim, scaling, True), dim[-1], last)")
def fft_c2r(input, dim, scaling, last):
    """The real numbers, ``last`` of them in the last dimension, whose transform has the input as its first half."""
    given, shape = input.dtype, resize_shape(input.shape, dim[-1], last)
    sizes = [shape[d] for d in dim]
    input = accurate(input, sizes)
    if len(dim) > 1:
        input = fft_c2c.kernel(input, dim[:-1], 0, False)
    out = blank(input, shape, dim[-1:], REAL[input.dtype])
    ufuncs().irfft(input, factor(input.dtype, scaling, sizes), axes=list_axes(dim[-1]), out=out)
    return cast_result(out, REAL[given])


def part(array, d, which):
    """Return the slice ``which`` of dimension ``d``."""
    return array[(slice(None),) * d + (which,)]


@op(public=False, node="ConstantPadNdBackward0", input="resize_dim(g, dim, input.shape[dim])")
def resize_dim(input, dim, size):
    """The first ``size`` elements along ``dim``, padded with zeros if there are fewer."""
    own = input.shape[dim]
    if size <= own:
        return input if size == own else part(input, dim, slice(size))
    result = np.zeros(resize_shape(input.shape, dim, size), input.dtype)
    part(result, dim, slice(own))[...] = input
    return result


@op(public=False, node="MulBackward0", input="doubled_inside(g, dim, last)")
def doubled_inside(input, dim, last):
    """The input, half of ``last`` elements along ``dim``, with the elements doubled that represent a mirrored pair."""
    result = input.copy()
    part(result, dim, slice(1, 1 + last - input.shape[dim]))[...] *= 2
    return result
