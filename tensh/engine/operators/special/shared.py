"""Helpers of special functions: float64, cache-sized blocks, and sums that replace integrals.

All are computed with NumPy and the C library alone, by formulas of the NIST Digital Library of Mathematical Functions
(https://dlmf.nist.gov, cited by number).  Inputs of up to 32 bits are computed in float64.  Where rounding in float64
would cost a float64 input digits, a second kernel computes the decisive steps in NumPy's longdouble: 64 bits of mantissa
on x86, more or as many as float64 elsewhere.
"""

import functools
import math

import numpy as np
from numpy import ndarray

from tensh.engine.arrays import memory
from tensh.engine.codegen.table import op, pointwise
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS
from tensh.engine.errors.messages import refuse_dtype
from tensh.engine.operators.precision import F8

for vocabulary in (ARRAYS, TENSORS):
    vocabulary |= {"ROOT_PI": math.sqrt(math.pi), "ROOT_TWO_PI": math.sqrt(2 * math.pi)}

REAL = {"floats": True, "types": "biuf"}
LONG = np.dtype(np.longdouble)
BLOCK = 4096  # elements: sums over 18 points of this many make temporaries that a core's cache holds


# ── declaring ────────────────────────────────────────────────────────────────
def special(kernel, doc, **options):
    """Declare a function of ``torch.special`` that is nowhere else: PyTorch calls it special_NAME."""
    name = kernel.__name__
    pointwise(
        kernel, doc, name=f"special_{name}", kernel_name=f"{name}_cpu", public=False, inplace=False, **REAL, **options
    )


def compute_in_float64(kernel=None, *, exact=None):
    """A kernel of vectors of float64 for arrays of any shape and dtype; its result takes the dtype of the first.

    ``exact`` takes over where the first is float64 itself.
    """
    if kernel is None:
        return functools.partial(compute_in_float64, exact=exact)

    @functools.wraps(kernel)
    def call(input, *rest):
        others = [each for each in rest if type(each) is ndarray]
        arrays = [input, *others]
        if any(each.shape != input.shape for each in others):
            arrays = np.broadcast_arrays(*arrays)
        vectors = [each.astype(F8, copy=False).ravel() for each in arrays]
        compute = exact if exact is not None and input.dtype is F8 else kernel
        return shape_like(compute_in_blocks(compute, vectors, rest[len(others) :]), arrays[0])

    return call


def compute_in_blocks(kernel, vectors, rest=(), block=BLOCK):
    """The kernel's result for vectors of one length, computed a block at a time."""
    size = vectors[0].size
    if size <= block:
        return kernel(*vectors, *rest)
    out = np.empty_like(vectors[0])
    for start in range(0, size, block):
        part = slice(start, start + block)
        out[part] = kernel(*(each[part] for each in vectors), *rest)
    return out


def shape_like(vector, like):
    """The numbers of a vector in the shape, dtype and order of dimensions of an array."""
    result = vector.reshape(like.shape)
    if like.flags.c_contiguous or 0 in like.strides:
        return result.astype(like.dtype, copy=False)
    out = memory.empty_like(like, like.dtype)
    out[...] = result
    return out


def wide(kernel=None, *, exact=None):
    """A kernel in float64 for a function that PyTorch does not have for 16 bit floating point numbers."""
    if kernel is None:
        return functools.partial(wide, exact=exact)
    kernel = compute_in_float64(kernel, exact=exact)

    @functools.wraps(kernel)
    def refusing(input, *rest):
        if input.itemsize == 2:
            refuse_dtype(f"special_{kernel.__name__}", input.dtype)
        return kernel(input, *rest)

    return refusing


# ── what derivatives say ─────────────────────────────────────────────────────
@op(public=False, node="WhereBackward0", constant_edges=(0, 1), input="only(g, mask)", mask=None)
def where_else(input, mask, value):
    """The input where ``mask`` is true, the number ``value`` elsewhere."""
    return np.where(mask, input, np.asarray(value, input.dtype))


def no_derivative(of):
    """Raise PyTorch's error for an argument without a derivative."""
    raise NotImplementedError(f"the derivative for '{of}' is not implemented.")


ARRAYS["no_derivative"] = TENSORS["no_derivative"] = no_derivative


# ── computing ────────────────────────────────────────────────────────────────
def compute_by_element(function, array):
    """``function`` of every element of an array of real numbers: 0.1 us each, exact to the last place."""
    return shape_like(np.fromiter(map(function, array.ravel().tolist()), array.dtype, array.size), array)


def piecewise(mask, inside, outside, *vectors):
    """Compute ``inside(*vectors)`` where the mask is true and ``outside(*vectors)`` elsewhere, each of its elements alone."""
    count = np.count_nonzero(mask)
    if count == mask.size:
        return inside(*vectors)
    if not count:
        return outside(*vectors)
    there = ~mask
    one, other = inside(*(each[mask] for each in vectors)), outside(*(each[there] for each in vectors))
    out = np.empty(mask.shape, np.result_type(one, other))
    out[mask], out[there] = one, other
    return out


def extend(array):
    """An array, or a number as a text, in NumPy's longdouble."""
    return LONG.type(array) if isinstance(array, str) else array.astype(LONG, copy=False)


def polynomial(x, *coefficients):
    """Horner's rule, the highest power first."""
    out, is_ours = coefficients[0], False
    for each in coefficients[1:]:
        if is_ours and type(each) is float:
            np.multiply(out, x, out)
            np.add(out, each, out)
        else:
            out = out * x + each
            is_ours = type(out) is ndarray
    return out


def fit_chebyshev(function, low, high, count):
    """``function`` from low to high by the polynomial through some of its values, at Chebyshev's points (DLMF 3.11(ii)).

    The values are computed in longdouble, when the first is asked for, and the polynomial by Clenshaw's recurrence.
    """

    @functools.cache
    def coefficients():
        angles = (np.arange(count) + 0.5) * LONG_PI / count
        values = function((high + low + (high - low) * np.cos(angles)) / 2)
        sums = 2 * (values * np.cos(np.arange(count)[:, None] * angles)).sum(1) / count
        sums[0] /= 2
        return [*map(np.array, sums.astype(F8).tolist()[::-1])]  # NumPy reads 0-d arrays in half the time of numbers

    def evaluate(x):
        *higher, constant = coefficients()
        y = (2 * x - (low + high)) / (high - low)
        twice = y + y
        last, before, spare = (np.zeros_like(y) for _ in range(3))
        for each in higher:
            np.multiply(twice, last, spare)
            np.subtract(spare, before, spare)
            np.add(spare, each, spare)
            last, before, spare = spare, last, before
        return y * last - before + constant

    return evaluate


STEPS, TERMS = 64, 8  # pieces in an interval of length 1, and coefficients of the polynomial of each


def fit_pieces(function, low, high):
    """``function`` from low to high, in longdouble: its value in the middle of each piece, and a polynomial of the distance.

    Only the sum of both needs longdouble. The polynomial times the distance goes through the differences from the middle at
    Chebyshev's points; all are computed in longdouble when the first value is asked for.
    """
    start, count = round(low * STEPS), round((high - low) * STEPS)

    @functools.cache
    def tabulate():
        middles = (start + np.arange(count) + 0.5) / STEPS
        nodes = np.cos((np.arange(TERMS) + 0.5) * np.pi / TERMS)
        distances = extend(nodes / (2 * STEPS))
        values = function(extend(middles))
        beside = function((extend(middles)[:, None] + distances).ravel()).reshape(count, TERMS)
        slopes = ((beside - values[:, None]) / distances).astype(F8)
        return values, np.linalg.solve(np.vander(nodes), slopes.T)

    def evaluate(x):
        number = np.fmin(np.floor(x.astype(F8, copy=False) * STEPS), start + count - 1)  # the last for nan
        distance = (x - (number + 0.5) / STEPS).astype(F8)
        values, columns = tabulate()
        index = number.astype(np.intp) - start
        slope = polynomial(2 * STEPS * distance, *(each.take(index) for each in columns))
        return values.take(index) + distance * slope

    return evaluate


LONG_PI, EULER = extend("3.14159265358979323846264338327950288"), extend("0.57721566490153286060651209008240243")


@functools.cache
def gauss_laguerre(alpha, count):
    """Points and weights, as columns, of the mean of a function under the density t**alpha e**-t, t > 0.

    Golub and Welsch: the eigenvalues of the matrix of the recurrence of the Laguerre polynomials (DLMF 3.5(vi)).
    """
    k = np.arange(count)
    beside = np.sqrt(k[1:] * (k[1:] + alpha))
    points, vectors = np.linalg.eigh(np.diag(2 * k + 1 + alpha) + np.diag(beside, 1) + np.diag(beside, -1))
    return points[:, None], vectors[0][:, None] ** 2


@functools.cache
def gauss_legendre(count):
    """Points and weights, as columns, of the mean of a function over the interval from 0 to 1."""
    points, weights = np.polynomial.legendre.leggauss(count)
    return (points[:, None] + 1) / 2, weights[:, None] / 2
