"""How floating point numbers are added: the one place from which all sums, means, variances and norms take it.

Note [Adding]
Every addition rounds, by half a unit in the last place of the running sum, so that the error grows with how many numbers
are added one after the other.  Here those are never more than about 32: short pieces are added side by side, and their
sums in the same way.  A piece is a product with ones where BLAS has one, which keeps several running sums in registers: it
is more exact than ``np.add.reduce`` and takes no longer.  How an array is cut depends on its shape alone.

An array is added in one of three forms, to which any dimensions of any layout are reduced one after the other: rows
[M, N], a middle dimension [A, N, K], and what BLAS cannot read (gaps between numbers, complex numbers).
"""

import math
from functools import lru_cache, reduce

import numpy as np

from tensh.engine.arrays.cores import over_rows, over_shares, run
from tensh.engine.calls.arguments import dims
from tensh.engine.ops.precision import ONES, widened

add = np.add.reduce
ALONE = 1 << 13  # elements up to which BLAS multiplies a matrix by a vector without threads of its own
COLUMNS = 16  # of the other matrix up to which as many are multiplied by it without them
SPREAD_SUMS = 1 << 22  # elements that are added on several cores: one adds half as many in 100 to 200 microseconds
PARTS = 8  # of many short rows
SUMS = 1 << 19  # elements of a middle dimension that one core adds at a time
FEW = 8  # numbers that are added one after the other as they are
STEP, STEP_NUMPY = (
    32,
    16,
)  # the most that are added so: by BLAS, which begins with four or eight at a time, and by NumPy
BATCH = 128  # the same of a small array whose rows BLAS takes FOUR numbers side by side
FOUR = 4  # what is left over of the numbers side by side it adds one after the other
NARROW, WIDE = 64, 1024  # numbers of rows that are put side by side first, and from which BLAS gains nothing
SHORT = 32  # numbers of a row up to which many rows are one product: of 16, in a sixth of the time of one by one
MEDIUM, LONG = 2048, 4096  # bytes of a row that einsum adds, and that BLAS adds; einsum is faster and less exact
PAIRS = 1 << 15  # numbers up to which NumPy adds a vector in pairs; of more, it takes twice the time of BLAS


# ── rows ─────────────────────────────────────────────────────────────────────
def times(matrix, factor, out=None):
    """``matrix @ factor``, some rows at a time."""
    if out is None:
        out = np.empty((len(matrix), factor.shape[1]), matrix.dtype)
    number = ALONE // max(*factor.shape, factor.size // COLUMNS)
    whole = len(matrix) // number * number
    if whole:
        rows, into = (a[:whole].reshape(-1, number, a.shape[1]) for a in (matrix, out))
        np.matmul(rows, factor, into)
    if whole < len(matrix):  # a call for nothing is one more wait for Python's lock
        np.matmul(matrix[whole:], factor, out[whole:])
    return out


def add_vector(vector):
    """The sum of a vector of float32 or float64."""
    if vector.size < PAIRS:
        return add(vector)
    length = LONG // vector.itemsize
    whole = vector.size // length * length
    lines = add_rows_on_cores(vector[:whole].reshape(-1, length))
    return add_vector(lines) + add(vector[whole:])


def add_rows(matrix):
    """The sums of rows of float32 or float64, on one core; those of a row do not depend on how many there are."""
    rows, length = matrix.shape
    if length <= SHORT:
        return times(matrix, ONES[matrix.dtype][length][:, None])[:, 0]
    size = length * matrix.itemsize
    if size <= MEDIUM:
        return np.einsum("ij->i", matrix)
    if size <= LONG:
        return np.vecdot(matrix, ONES[matrix.dtype][length])
    pieces = -(-size // LONG)
    length //= pieces
    whole = pieces * length
    sums = np.vecdot(matrix[:, :whole].reshape(rows, pieces, length), ONES[matrix.dtype][length])
    total = reduce(np.add, sums.T) if pieces <= FEW else add(sums, 1)
    return total if whole == matrix.shape[1] else np.add(total, np.einsum("ij->i", matrix[:, whole:]), total)


def add_rows_on_cores(matrix):
    """The same on the machine's cores."""
    if len(matrix) == 1:
        return add_vector(matrix[0]).reshape(1)
    if matrix.size < SPREAD_SUMS:
        return add_rows(matrix)
    sums = np.empty(len(matrix), matrix.dtype)

    def work(part):
        sums[part] = add_rows(matrix[part])

    if matrix.shape[1] > SHORT:
        over_shares(work, len(matrix))
    else:  # where a product begins tells how it is rounded
        over_rows(work, *matrix.shape, -(-matrix.size // PARTS))
    return sums


# ── a middle dimension ───────────────────────────────────────────────────────
def add_middle(array):
    """The sums over the middle one of three dimensions, of float32 or float64 numbers that are adjacent in the last."""
    outer, number, width = array.shape
    if number <= FEW or width > WIDE:
        return add_strided(array, 1)
    small = number * width <= ALONE
    if small and number <= (STEP if width % FOUR else BATCH):
        return np.matmul(ONES[array.dtype][number], array)
    if width <= NARROW and array.strides[1] == width * array.itemsize:
        if width == 1:
            return add_rows(array.reshape(outer, number)).reshape(outer, 1)
        return add_folded(array, fold(number) if small else WIDE // 4 // width // FOUR * FOUR)
    step = min(STEP_NUMPY if width % FOUR else STEP, ALONE // width)
    steps = number // step
    whole = steps * step
    if steps < 2:
        whole = step = number
        steps = 1
    sums = np.matmul(ONES[array.dtype][step], array[:, :whole].reshape(outer, steps, step, width))
    total = sums[:, 0] if steps == 1 else add_middle(sums)
    return total if whole == number else np.add(total, add_middle(array[:, whole:]), total)


def add_folded(array, side):
    """The same of narrow rows, of which ``side`` are put side by side."""
    outer, number, width = array.shape
    whole = number // side * side
    sums = add_middle(array[:, :whole].reshape(outer, number // side, side * width))
    total = add_middle(sums.reshape(outer, side, width))
    return total if whole == number else np.add(total, add_middle(array[:, whole:]), total)


@lru_cache
def fold(number):
    """How many of a small number of rows to put side by side: about as many as are then left to add, and all if possible."""
    root = math.isqrt(number)
    near = [n for n in range(FOUR, 2 * root, FOUR) if number // n <= BATCH]
    return min(near, key=lambda n: (number % n > 0, abs(n - root)))


def add_middle_on_cores(array):
    """The same on the machine's cores."""
    outer, number, width = array.shape
    if array.size < 2 * SUMS:
        return add_middle(array)
    if outer > 1:
        sums = np.empty((outer, width), array.dtype)

        def work(part):
            sums[part] = add_middle(array[part])

        over_rows(work, outer, number * width, least=SPREAD_SUMS)
        return sums
    rows = max(STEP, SUMS // width)
    blocks = -(-number // rows)
    sums = np.empty((1, blocks, width), array.dtype)

    def add_block(i):
        sums[0, i] = add_middle(array[:, i * rows : (i + 1) * rows])[0]

    run(add_block, blocks, array.size < SPREAD_SUMS)
    return add_middle(sums)


# ── what BLAS cannot read ────────────────────────────────────────────────────
def add_strided(array, axis):
    """The sums along one dimension of any array: NumPy adds adjacent numbers in pairs, and others one after the other."""
    number = array.shape[axis]
    if number <= STEP_NUMPY or axis == array.ndim - 1:
        return add(array, axis)
    steps = number // STEP_NUMPY
    whole = steps * STEP_NUMPY
    before = (slice(None),) * axis
    parts = array[(*before, slice(whole))].reshape(*array.shape[:axis], steps, STEP_NUMPY, *array.shape[axis + 1 :])
    total = add_strided(add(parts, axis + 1), axis)
    return total if whole == number else np.add(total, add(array[(*before, slice(whole, None))], axis), total)


# ── any dimensions ───────────────────────────────────────────────────────────
def add_along(array, axes=None, keepdim=False):
    """The sums of an array of floating point or complex numbers along ``axes``: None (all), an int or several."""
    shape, ndim = array.shape, array.ndim
    axes = range(ndim) if axes is None else (axes % ndim,) if type(axes) is int and ndim else dims(axes, ndim)
    count = math.prod([shape[axis] for axis in axes])
    if array.dtype.kind in "VW" or array.dtype == np.float16:
        return add_along(widened(array), tuple(axes), keepdim).astype(array.dtype)
    if not array.size or not axes:
        return add(array, tuple(axes), None, None, keepdim)
    if len(axes) == ndim and array.flags.forc and array.dtype in ONES:
        sums = add_vector(array.ravel("K"))
        return sums.reshape((1,) * ndim) if keepdim else sums
    if len(axes) == 1 and array.dtype in ONES and array.flags.c_contiguous:
        axis = axes[0]
        sums = add_contiguous(array.reshape(-1, count, math.prod(shape[axis + 1 :])))
        return sums.reshape(shape[:axis] + (1,) * keepdim + shape[axis + 1 :])
    sums = add_groups(array, axes)
    return np.expand_dims(sums, tuple(axes)) if keepdim else sums


def add_contiguous(array):
    """The sums over the middle of three dimensions of an array without gaps."""
    outer, number, width = array.shape
    if width == 1:
        return add_rows_on_cores(array.reshape(outer, number))
    return add_middle_on_cores(array)


def add_groups(array, axes):
    """The sums along several dimensions, one group of adjacent ones after the other, the innermost first."""
    order = sorted(range(array.ndim), key=lambda i: -abs(array.strides[i]))  # as the numbers lie in memory
    left = [i for i in order if i not in axes]
    array = array.transpose(order)
    sizes, flags = group(array, [i in axes for i in order])
    kept = [array.shape[order.index(i)] for i in left]
    array = array.reshape(sizes)
    while True in flags:
        axis = len(flags) - 1 - flags[::-1].index(True)
        array = add_group(array, axis)
        del flags[axis]
    return array.reshape(kept).transpose([left.index(i) for i in sorted(left)])


def group(array, reduced):
    """The sizes of groups of dimensions that can be seen as one, and whether each is reduced."""
    groups = []  # of [size, step, is reduced]
    for size, step, flag in zip(array.shape, array.strides, reduced, strict=True):
        if size == 1:
            continue
        if groups and groups[-1][2] is flag and groups[-1][1] == size * step:
            groups[-1][:2] = groups[-1][0] * size, step
        else:
            groups.append([size, step, flag])
    return [size for size, _, _ in groups], [flag for _, _, flag in groups]


def add_group(array, axis):
    """The sums along one dimension of an array whose numbers lie in order, with or without gaps."""
    kind, shape = array.dtype.kind, array.shape
    if kind == "c" and array.strides[-1] == array.itemsize and axis < array.ndim - 1:
        parts = array.view(f"f{array.itemsize // 2}")
        return add_group(parts, axis).view(array.dtype)
    if array.dtype not in ONES or array.strides[-1] != array.itemsize:
        return add_strided(array, axis)
    before, after = shape[:axis], shape[axis + 1 :]
    if array.flags.c_contiguous:
        return add_contiguous(array.reshape(-1, shape[axis], math.prod(after))).reshape(before + after)
    if len(after) == 0 and len(before) == 1:
        return add_rows(array)
    if len(after) == 1 and len(before) <= 1 and array.strides[axis] > 0:
        return add_middle(array.reshape(-1, shape[axis], *after)).reshape(before + after)
    return add_strided(array, axis)


# ── products ─────────────────────────────────────────────────────────────────
def add_products(one, other, axes=None, keepdim=False):
    """The sums of ``one * other``, real numbers of one shape, along ``axes``.

    Where rows are added, BLAS needs no array of the products.
    """
    shape, ndim = one.shape, one.ndim
    axes = tuple(range(ndim)) if axes is None else (axes % ndim,) if type(axes) is int and ndim else dims(axes, ndim)
    if one.dtype not in ONES or ndim - 1 not in axes or one.strides[-1] != one.itemsize or shape[-1] == 1:
        return add_along(np.multiply(one, other), axes, keepdim)
    if len(axes) == ndim and one.flags.c_contiguous and other.flags.c_contiguous:
        sums = add_row_products(one.reshape(1, -1), other.reshape(1, -1)).reshape(())
        return sums.reshape((1,) * ndim) if keepdim else sums[()]
    sums = add_row_products(one, other)
    if keepdim:
        sums = sums[..., None]
    return sums if len(axes) == 1 else add_along(sums, axes if keepdim else sorted(axes)[:-1], keepdim)


def add_row_products(one, other):
    """The sums of products along the last dimension."""
    length = LONG // one.itemsize
    pieces, left = divmod(one.shape[-1], length)
    if pieces < 2 and not (pieces and left):
        return np.vecdot(one, other)
    before = one.shape[:-1]
    lines, others = (a[..., : pieces * length].reshape(*before, pieces, length) for a in (one, other))
    if before == (1,) and one.size >= SPREAD_SUMS:
        parts = np.empty((1, pieces), one.dtype)
        over_rows(lambda part: np.vecdot(lines[0, part], others[0, part], parts[0, part]), pieces, length)
    else:
        parts = np.vecdot(lines, others)
    sums = add_along(parts, -1)
    return np.add(sums, np.vecdot(one[..., -left:], other[..., -left:])) if left else sums


def add_squares(array, axes=None, keepdim=False):
    """The sums of squares along ``axes``."""
    if array.dtype in ONES:
        return add_products(array, array, axes, keepdim)
    return add_along(np.multiply(array, array), axes, keepdim)
