"""Discrete Fourier transforms: complex to complex, real to complex, complex to real.

``scaling`` says what the sum is divided by: nothing (0), the root of the number of elements (1), that number (2).
"""

import math

import numpy as np

from tensh.engine.table import op


def factor(number, scaling):
    return (1.0, 1 / math.sqrt(number), 1 / number)[scaling]


def scale(result, number, scaling):
    """The result divided as ``scaling`` says, in its own memory."""
    if scaling:
        result *= result.real.dtype.type(factor(number, scaling))
    return result


def count(input, dim):
    return math.prod(input.shape[d] for d in dim)


@op(public=False, input="fft_c2c(g, dim, scaling, not forward)")
def fft_c2c(input, dim, scaling, forward):
    """The transform of complex numbers along ``dim``, or with the opposite sign if not ``forward``."""
    if not dim or not input.size:
        return input.copy()
    transform, norm = (np.fft.fftn, "backward") if forward else (np.fft.ifftn, "forward")
    return scale(transform(input, axes=dim, norm=norm), count(input, dim), scaling)


@op(public=False, input="fft_c2c(sized(g, dim[-1], input.shape[dim[-1]]), dim, scaling, False)")
def fft_r2c(input, dim, scaling, onesided):
    """The transform of real numbers; ``onesided`` gives the first half of the last dimension, the rest is its mirror."""
    transform = np.fft.rfftn if onesided else np.fft.fftn
    return scale(transform(input, axes=dim), count(input, dim), scaling)


@op(public=False, input="doubled_inside(fft_r2c(g, dim, scaling, True), dim[-1], last)")
def fft_c2r(input, dim, scaling, last):
    """The real numbers, ``last`` of them in the last dimension, whose transform has the input as its first half."""
    sizes = [input.shape[d] for d in dim[:-1]] + [last]
    result = np.fft.irfftn(input, sizes, dim, "forward")
    return scale(result, math.prod(sizes), scaling)


@op(public=False, node="ConstantPadNdBackward0", input="sized(g, dim, input.shape[dim])")
def sized(input, dim, size):
    """``size`` elements along ``dim``: the first ones, or all of them and zeros."""
    own = input.shape[dim]
    if size == own:
        return input
    before = (slice(None),) * (dim % input.ndim)
    if size < own:
        return input[*before, :size]
    result = np.zeros((*input.shape[: dim % input.ndim], size, *input.shape[dim % input.ndim + 1 :]), input.dtype)
    result[*before, :own] = input
    return result


@op(public=False, node="MulBackward0", input="doubled_inside(g, dim, last)")
def doubled_inside(input, dim, last):
    """The input with what stands for two mirrored elements of ``last`` doubled."""
    result = input.copy()
    result[(slice(None),) * (dim % input.ndim) + (slice(1, 1 + last - input.shape[dim]),)] *= 2
    return result
