"""Addition of floating point numbers, for all sums, means, variances and norms.

Note [Adding] Every addition rounds, by half a unit in the last place of the running sum, so that the error grows with
the number of sequential additions.  Here they are at most about 32: short pieces are added in parallel, and their sums
in the same way.  A piece is a product with ones if BLAS has one, which keeps several running sums in registers: it is
more exact than ``np.add.reduce`` and takes no longer.  The pieces depend on the array's shape alone.

An array is added in one of three forms, to which any dimensions of any layout are reduced one after the other: rows
[M, N], a middle dimension [A, N, K], and what BLAS cannot read (gaps between numbers, complex numbers).
"""

import math
from functools import lru_cache, reduce

import numpy as np

from tensh.engine.arrays.threads import map_rows, map_shares, run
from tensh.engine.arrays.vectors import BLAS_HAS_AVX512
from tensh.engine.dtypes.dtype import HALF_COMPLEX
from tensh.engine.operators.precision import F4, F8, ONES, widen
from tensh.engine.operators.reductions.small import COLUMN, FEW, MOST, QUARTERS, add_all, add_columns

add = np.add.reduce
# elements per product with ones: 128 rows of 256 take a third of the time of blocks of 1 << 13
AT_ONCE = 1 << 20
FOLDED = 1 << 13  # elements, or numbers of a column, up to which rows are merged in two steps
COLUMNS = 16  # elements of the other matrix, up to which as many are multiplied by it at once
SPREAD_SUMS = 1 << 22  # elements from which several cores add: one core adds half as many in 100 to 200 µs
PARTS = 8  # parts of many short rows
SUMS = 1 << 19  # elements of a middle dimension that one core adds at a time
FEW_LINES = 8  # numbers that are simply added one after the other
STEP = 32  # most sequential additions in BLAS, which adds four or eight numbers in parallel
STEP_NUMPY = 16  # most sequential additions in NumPy
LINE = 64  # numbers from which BLAS adds four or more in parallel on every processor (it needs at least 56)
BATCH = 128  # numbers of a small array that BLAS adds FOUR in parallel
SMALL = 256  # numbers of a vector that one product adds
ROW = {F4: 128, F8: 96}  # numbers of each of several rows, of which it adds fewer in parallel
FOUR = 4  # BLAS adds the remainder after these one by one
NARROW, WIDE = 64, 1024  # numbers in rows that are merged first; more bring no gain in BLAS
SHORT = 32  # numbers of a row up to which many rows are one product: rows of 16 take a sixth of the time
LONG = 4096  # bytes of a row in one BLAS call
# Of each of many lines of a vector: 16 sequential additions of the processor.  As exact as lines of 64 numbers in one matrix, and
# a third faster.  With lines twice as long, which take 0.9 of the time, sums of equal numbers are off by two units in the last place.
LINE_BYTES = 2048 if BLAS_HAS_AVX512 else 1024
PIECE = 1 << 16  # numbers of a piece of a vector that is computed while it is added
PAIRS = 3 << 13  # numbers up to which NumPy adds a vector pairwise; above, it takes up to twice the time of BLAS


# ── rows ─────────────────────────────────────────────────────────────────────
def times(matrix, factor, out=None):
    """Compute ``matrix @ factor``, some rows at a time."""
    if out is None:
        out = np.empty((len(matrix), factor.shape[1]), matrix.dtype)
    number = AT_ONCE // max(*factor.shape, factor.size // COLUMNS)
    whole = len(matrix) // number * number
    if whole:
        rows, into = (a[:whole].reshape(-1, number, a.shape[1]) for a in (matrix, out))
        np.matmul(rows, factor, into)
    if whole < len(matrix):  # an empty call would wait for Python's lock again
        np.matmul(matrix[whole:], factor, out[whole:])
    return out


def add_vector(vector):
    """Sum a vector of float32 or float64; a long one in lines, whose sums are added in float64.

    Numbers that cancel between its halves, such as a and -a, cancel exactly, because both halves are cut alike.
    """
    size, dtype = vector.size, vector.dtype
    if size <= PAIRS:
        return add(vector)
    half, length = size // 2, LINE_BYTES // dtype.itemsize
    width = half // length
    whole = width * length
    halves = vector[: 2 * half].reshape(2, half)
    lines, ones = halves[:, :whole].reshape(2, width, length), ONES[dtype][length]
    if size < SPREAD_SUMS:
        sums = np.vecdot(lines, ones)
    else:
        sums = np.empty((2, width), dtype)
        map_shares(lambda part: np.vecdot(lines[:, part], ones, sums[:, part]), width)
    total = add(sums, None, F8)
    if whole < half:
        total += add(halves[:, whole:], None, F8)
    return dtype.type(total + vector[-1] if size % 2 else total)


def add_pieces(compute, size, dtype, alone):
    """Sum a vector of more than PAIRS numbers, of which ``compute(part)`` returns a piece, as ``add_vector`` does.

    ``alone``: on one core.
    """
    half, length = size // 2, LINE_BYTES // dtype.itemsize
    width = half // length
    ones, sums = ONES[dtype][length], np.empty((2, width), dtype)
    number = -(-width // max(1, width * length // PIECE))  # lines of a piece; kernels treat few elements differently
    pieces = -(-width // number)
    rest = np.empty((2, half - width * length + 1), dtype)  # what follows the lines of each half, and one number more

    def work(i):
        which, first = i // pieces, i % pieces * number
        last = first + number >= width
        start, stop = which * half + first * length, which * half + (first + number) * length
        values = compute(slice(start, (half, size)[which] if last else stop))
        lines = (width if last else first + number) - first
        np.vecdot(values[: lines * length].reshape(lines, length), ones, sums[which, first : first + lines])
        if last:
            left = values[lines * length :]
            rest[which, : left.size] = left

    run(work, 2 * pieces, alone)
    total = add(sums, None, F8)
    if rest.shape[1] > 1:
        total += add(rest[:, :-1], None, F8)
    return dtype.type(total + rest[1, -1] if size % 2 else total)


def add_rows(matrix):
    """Sum rows of float32 or float64 on one core; a row's sum does not depend on the number of rows."""
    rows, length = matrix.shape
    dtype = matrix.dtype
    if length <= SHORT and matrix.flags.c_contiguous:
        return times(matrix, ONES[dtype][length][:, None])[:, 0]
    if length > PAIRS:
        return np.array([add_vector(row) for row in matrix])
    parts = -(-length * dtype.itemsize // LONG)
    size = length // parts
    if dtype is F8 and size > STEP:  # BLAS adds the remainder one by one, float32 in double precision
        size -= size % STEP
    whole, ones = size * parts, ONES[dtype][size]
    if parts == 1:
        sums = np.vecdot(matrix[:, :whole], ones)
    else:
        sums = np.vecdot(matrix[:, :whole].reshape(rows, parts, size), ones)
        sums = reduce(np.add, sums.T) if parts <= FEW_LINES else add(sums, 1)
    return sums if whole == length else np.add(sums, add_rows(matrix[:, whole:]), sums)


def add_rows_on_cores(matrix):
    """Sum rows on several cores."""
    if len(matrix) == 1:
        return add_vector(matrix[0]).reshape(1)
    if matrix.size < SPREAD_SUMS:
        return add_rows(matrix)
    sums = np.empty(len(matrix), matrix.dtype)

    def work(part):
        sums[part] = add_rows(matrix[part])

    if matrix.shape[1] > SHORT:
        map_shares(work, len(matrix))
    else:  # rounding depends on where a product begins
        map_rows(work, *matrix.shape, -(-matrix.size // PARTS))
    return sums


# ── a middle dimension ───────────────────────────────────────────────────────
def add_middle(array):
    """Sum over the middle one of three dimensions, for float32 or float64 with a contiguous last dimension."""
    outer, number, width = array.shape
    if number <= FEW_LINES or width > WIDE:
        return add_strided(array, 1)
    if number * width <= AT_ONCE and number <= (STEP if width % FOUR else BATCH):
        return np.matmul(ONES[array.dtype][number], array)
    if width <= NARROW and array.strides[1] == width * array.itemsize:
        if width == 1:
            return add_rows(array.reshape(outer, number)).reshape(outer, 1)
        side = fold(number) if number * width <= FOLDED else max(FOLDED // LINE // width // FOUR, 1) * FOUR
        return add_folded(array, side)
    step = min(STEP_NUMPY, AT_ONCE // width) if width % FOUR or width * LINE > AT_ONCE else LINE
    steps = number // step
    whole = steps * step
    if steps < 2:
        whole = step = number
        steps = 1
    sums = np.matmul(ONES[array.dtype][step], array[:, :whole].reshape(outer, steps, step, width))
    total = sums[:, 0] if steps == 1 else add_middle(sums)
    return total if whole == number else np.add(total, add_middle(array[:, whole:]), total)


def add_folded(array, side):
    """Sum over the middle dimension for narrow rows, ``side`` of them in parallel."""
    outer, number, width = array.shape
    whole = number // side * side
    sums = add_middle(array[:, :whole].reshape(outer, number // side, side * width))
    total = add_middle(sums.reshape(outer, side, width))
    return total if whole == number else np.add(total, add_middle(array[:, whole:]), total)


@lru_cache
def fold(number):
    """Return the number of rows to add in parallel: about as many as then remain, or all if possible."""
    root = math.isqrt(number)
    near = [n for n in range(FOUR, max(root, STEP) + 1, FOUR) if number // n <= BATCH]
    return min(near, key=lambda n: (number % n > 0, abs(n - root)))


def add_middle_on_cores(array):
    """Sum over the middle dimension on several cores."""
    outer, number, width = array.shape
    if array.size < 2 * SUMS:
        return add_middle(array)
    if outer > 1:
        sums = np.empty((outer, width), array.dtype)

        def work(part):
            sums[part] = add_middle(array[part])

        map_rows(work, outer, number * width, least=SPREAD_SUMS)
        return sums
    rows = max(STEP, SUMS // width)
    blocks = -(-number // rows)
    if blocks < 2:
        return add_middle(array)
    sums = np.empty((1, blocks, width), array.dtype)

    def add_block(i):
        sums[0, i] = add_middle(array[:, i * rows : (i + 1) * rows])[0]

    run(add_block, blocks, array.size < SPREAD_SUMS)
    return add_middle(sums)


# ── what BLAS cannot read ────────────────────────────────────────────────────
def add_repeated(array, axis, keepdim=False):
    """Sum along a dimension whose elements are one element in memory: their number times that."""
    one = array[(slice(None),) * axis + (slice(0, 1) if keepdim else 0,)]
    return one * array.real.dtype.type(array.shape[axis])


def add_strided(array, axis):
    """Sum along one dimension of any array: NumPy adds adjacent numbers pairwise, and others one after the other."""
    number = array.shape[axis]
    if axis == array.ndim - 1 and 1 < number < FEW_LINES and array.size >= FOLDED:  # a third of the time, the same sums
        return reduce(np.add, (array[..., i] for i in range(number)))
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
    """Sum floating point or complex numbers along ``axes``: None (all), an int, or a tuple, from 0."""
    dtype, ndim = array.dtype, array.ndim
    if dtype.itemsize == 2 or dtype.char in HALF_COMPLEX:
        return add_along(widen(array), axes, keepdim).astype(dtype)
    if type(axes) is tuple and len(axes) in (1, ndim):
        axes = axes[0] if len(axes) == 1 else None
    if type(axes) is int and ndim:
        return add_axis(array, axes % ndim, keepdim)
    if type(axes) is tuple and not axes:
        return array
    if axes is not None:
        sums = add_groups(array, axes)
    elif 0 < array.size < FEW and array.flags.forc and dtype in ONES:
        sums = add_all(array)
    elif array.size <= PAIRS and array.flags.forc or not ndim:
        return add(array, None, None, None, keepdim)
    elif array.flags.forc and dtype in ONES:
        sums = add_vector(array.ravel("K"))
    else:
        sums = add_groups(array, range(ndim))
    return np.expand_dims(sums, tuple(range(ndim)) if axes is None else axes) if keepdim else sums


def add_axis(array, axis, keepdim):
    """Sum along one dimension."""
    shape, dtype = array.shape, array.dtype
    number, step = shape[axis], array.strides[axis]
    if number <= STEP_NUMPY and (array.size <= FOLDED or step != array.itemsize) or not array.size:
        return add(array, axis, None, None, keepdim)
    if array.flags.c_contiguous and (dtype in ONES or dtype.kind == "c" and axis < array.ndim - 1):
        if axis == array.ndim - 1:
            return add_last(array.reshape(-1, number)).reshape(shape[:axis] + (1,) * keepdim)
        parts = array if dtype in ONES else array.view(f"f{array.itemsize // 2}")
        sums = add_contiguous(parts.reshape(-1, number, math.prod(parts.shape[axis + 1 :]))).view(dtype)
        return sums.reshape(shape[:axis] + (1,) * keepdim + shape[axis + 1 :])
    if not step:
        return add_repeated(array, axis, keepdim)
    if step != array.itemsize and abs(step) == min(map(abs, array.strides)):  # NumPy adds these pairwise
        return add(array, axis, None, None, keepdim)
    sums = add_groups(array, (axis,))
    return restore_axis(sums, axis) if keepdim else sums


def add_in_order(array, axes, keepdim=False):
    """Sum as ``add_along`` does, but few numbers along one dimension in the order of PyTorch's sums.

    PyTorch's losses, norms and normalisations, which are no sums of its operators, add in other orders.
    """
    shape = array.shape
    if type(axes) is tuple and len(axes) == 1:
        axes = axes[0]
    if type(axes) is int and 0 < array.size <= MOST and array.dtype in ONES and array.flags.c_contiguous and array.ndim:
        axis = axes % array.ndim
        if (sums := add_few(array, shape[axis], math.prod(shape[axis + 1 :]))) is not None:
            return sums.reshape(shape[:axis] + (1,) * keepdim + shape[axis + 1 :])
    return add_along(array, axes, keepdim)


def add_few(array, number, width):
    """Sum ``number`` elements that are ``width`` apart in a dense array, or return None if they are many."""
    if width == 1:
        return add_few_in_rows(array.reshape(-1, number))
    if number > COLUMN:
        return None
    if number * width == array.size:
        return add_columns(array.reshape(number, width))
    return add_columns(array.reshape(-1, number, width).swapaxes(0, 1))


def add_few_in_rows(rows):
    """Sum few numbers in each row of a dense matrix or in its only row, or return None if they are many."""
    number = rows.shape[1]
    if number <= QUARTERS:
        return add(rows, 1)
    return add_all(rows).reshape(1) if number < FEW and len(rows) == 1 else None


def restore_axis(sums, axis):
    """Return sums with a dimension of size 1 at ``axis``, in a tenth of the time of ``np.expand_dims``."""
    return sums[(slice(None),) * axis + (None,)]


def add_contiguous(array):
    """Sum over the middle one of three dimensions of a dense array."""
    outer, number, width = array.shape
    return add_last(array.reshape(outer, number)) if width == 1 else add_middle_on_cores(array)


def add_last(rows):
    """Sum the rows of a dense matrix."""
    number, dtype = rows.shape[1], rows.dtype
    if rows.size <= AT_ONCE and number <= ROW[dtype]:
        return rows.dot(ONES[dtype][number])
    return add_rows_on_cores(rows)


def add_groups(array, axes):
    """Sum along several dimensions, one group of adjacent ones after the other, the innermost first."""
    if not array.size:
        return add(array, tuple(axes))
    order, sizes, places, left, back = plan(array.shape, array.strides, tuple(axes))
    array = array.transpose(order).reshape(sizes)
    for axis in places:
        array = add_group(array, axis)
    return array.reshape(left).transpose(back)


@lru_cache(1024)
def plan(shape, strides, axes):
    """Return the plan of ``add_groups``.

    It is (dimensions in memory order, group sizes, groups to add, the remaining shape, its order).
    """
    order = sorted(range(len(shape)), key=lambda i: -abs(strides[i]))
    sizes, flags = group([shape[i] for i in order], [strides[i] for i in order], [i in axes for i in order])
    places = [i for i, flag in enumerate(flags) if flag][::-1]
    left = [i for i in order if i not in axes]
    return order, sizes, places, [shape[i] for i in left], [left.index(i) for i in sorted(left)]


def group(shape, strides, reduced):
    """Return the sizes of groups of dimensions that can be merged, and whether each is reduced."""
    groups = []  # [size, step, is reduced]
    for size, step, flag in zip(shape, strides, reduced, strict=True):
        if size == 1:
            continue
        if groups and groups[-1][2] is flag and groups[-1][1] == size * step:
            groups[-1][:2] = groups[-1][0] * size, step
        else:
            groups.append([size, step, flag])
    return [size for size, _, _ in groups], [flag for _, _, flag in groups]


def add_group(array, axis):
    """Sum along one dimension of an array in memory order, with or without gaps."""
    kind, shape = array.dtype.kind, array.shape
    if not array.strides[axis]:
        return add_repeated(array, axis)
    if kind == "c" and array.strides[-1] == array.itemsize and axis < array.ndim - 1:
        parts = array.view(f"f{array.itemsize // 2}")
        return add_group(parts, axis).view(array.dtype)
    if array.dtype not in ONES or array.strides[-1] != array.itemsize:
        return add_strided(array, axis)
    before, after = shape[:axis], shape[axis + 1 :]
    if array.size == 0:  # -1 would mean any number of blocks
        return np.zeros(before + after, array.dtype)
    if array.flags.c_contiguous:
        return add_contiguous(array.reshape(-1, shape[axis], math.prod(after))).reshape(before + after)
    if len(after) == 0 and len(before) == 1:
        return add_rows(array)
    if len(after) == 1 and len(before) <= 1 and array.strides[axis] > 0:
        return add_middle(array.reshape(-1, shape[axis], *after)).reshape(before + after)
    return add_strided(array, axis)
