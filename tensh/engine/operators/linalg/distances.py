"""Distances between all pairs of rows."""

import math

import numpy as np

from tensh.engine.arrays.threads import map_rows
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, on_tensors
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.operators.linalg.products import multiply
from tensh.engine.operators.precision import is_half
from tensh.engine.operators.reductions.norms import norm
from tensh.engine.operators.reductions.product_sums import add_squares
from tensh.engine.operators.reductions.summation import STEP, add_along

FEW = 1 << 14  # differences up to which all are made at once
BLOCK = 1 << 17  # differences in memory at a time otherwise: they stay in the cache


# ── norms in blocks ──────────────────────────────────────────────────────────
def subtract_rows(rows, columns):
    """The differences of rows, [n, k], and all of ``columns``, [k, m], as [k, n, m]: its long lines suit NumPy's loops."""
    return rows.T[:, :, None] - columns[:, None, :]


def prepare_norms(matrix, p):
    """Return the function that computes the norms of the differences of some rows and those of a matrix from one on."""
    if matrix.shape[1] >= STEP and p != math.inf:  # BLAS adds numbers that are adjacent
        return lambda rows, first=0: norm(rows[:, None, :] - matrix[None, first:], p, (-1,), False)
    columns = np.ascontiguousarray(matrix.T)
    return lambda rows, first=0: norm(subtract_rows(rows, columns[:, first:]), p, (0,), False)


def norms_of_differences(x1, x2, p):
    """The norms of the differences of all pairs of rows, for stacks of matrices."""
    shape = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2]) + (x1.shape[-2], x2.shape[-2])
    if math.prod(shape) * x1.shape[-1] <= FEW:
        return norm(x1[..., :, None, :] - x2[..., None, :, :], p, (-1,), False)
    out = np.empty(shape, x1.dtype)
    for one, other, into in each_matrix(shape[:-2], x1, x2, out):
        if len(one) > len(other):
            one, other, into = other, one, into.T
        compute = prepare_norms(other, p)

        def work(part, one=one, compute=compute, into=into):
            into[part] = compute(one[part])

        map_rows(work, len(one), other.size, BLOCK)
    return out


def each_matrix(batch, *stacks):
    """The matrices of stacks that broadcast to ``batch``, side by side."""
    stacks = [np.broadcast_to(each, batch + each.shape[-2:]) if each.shape[:-2] != batch else each for each in stacks]
    return ([each[index] for each in stacks] for index in np.ndindex(batch))


# ── derivatives ──────────────────────────────────────────────────────────────
def derive_norm(words, d, s, r, p):
    """The derivative of the ``p``-norm ``r`` of differences ``d`` for the gradient ``s``, on arrays or tensors."""
    sgn, only = words("sgn"), words("only")
    if p == 0:
        return s * (d != d)
    if p == 1:
        return s * sgn(d)
    if p == 2:
        return d * only(s / r, r != 0)
    if p == math.inf:
        return s * sgn(d) * (abs(d) == r)
    return sgn(d) * only(abs(d) ** (p - 1) * s * r ** (1 - p), (d != 0) & (r != 0))


def add_slopes(x1, x2, g, out, p):
    """The gradient of the rows of ``x1``: the sum over those of ``x2``; ``g`` and ``out`` are [..., n, m]."""
    if g.size * x1.shape[-1] <= FEW:
        d = x1[..., :, None, :] - x2[..., None, :, :]
        if p == 2:
            return np.matmul(ARRAYS["only"](g / out, out != 0)[..., None, :], d)[..., 0, :]
        return ARRAYS["sum_dim"](derive_norm(ARRAYS.__getitem__, d, g[..., None], out[..., None], p), -2)
    result = np.empty((*g.shape[:-1], x1.shape[-1]), x1.dtype)
    for matrices in each_matrix(g.shape[:-2], x1, x2, g, out, result):
        add_slopes_of_rows(*matrices, p, x1 is x2)
    return result


def add_slopes_of_rows(x1, x2, g, out, result, p, same):
    """Write what ``add_slopes`` returns for one matrix; ``same``: a row has no distance from itself."""
    columns = np.ascontiguousarray(x2.T)

    def work(part):
        d, s, r = subtract_rows(x1[part], columns), g[part], out[part]
        if same:
            rows = np.arange(len(s))
            d[:, rows, rows + part.start] = 0
        if p == 2:
            s = ARRAYS["only"](s / r, r != 0)
        elif p == 1:
            d = ARRAYS["sgn"](d)
        elif p == math.inf:
            d = ARRAYS["sgn"](d) * (np.abs(d) == r)
        else:
            result[part] = add_along(derive_norm(ARRAYS.__getitem__, d, s, r, p), (2,)).T
            return
        result[part] = multiply(d.swapaxes(0, 1), s[:, :, None])[:, :, 0]

    map_rows(work, len(x1), columns.size, BLOCK)


def record_slopes(x1, x2, g, out, p):
    d = x1[..., :, None, :] - x2[..., None, :, :]
    if p == 2:
        slope = d * on_tensors("only")(g / out, out != 0)[..., None]
    else:
        slope = derive_norm(on_tensors, d, g[..., None], out[..., None], p)
    return on_tensors("sum_dim")(slope, -2)


ARRAYS["add_slopes"], TENSORS["add_slopes"] = add_slopes, record_slopes


# ── distances ────────────────────────────────────────────────────────────────
@op(
    public=False,
    node="CdistBackward0",
    x1="add_slopes(x1, x2, g, out, p)",
    x2="add_slopes(x2, x1, mT(g), mT(out), p)",
)
def pair_distances(x1, x2, p, compute_mode=None):
    """The ``p``-norms of the differences of every row of one matrix and every row of another.

    ``compute_mode`` is for those who watch the call: a number, as PyTorch's operator takes it.
    """
    for number, x in enumerate((x1, x2), 1):
        if x.dtype.kind not in "fV":
            raise RuntimeError(f"cdist only supports floating-point dtypes, X{number} got: {BY_NUMPY[x.dtype].title}")
    if is_half(x1.dtype) and x1.size and x2.size:
        raise NotImplementedError(f"\"cdist\" not implemented for '{BY_NUMPY[x1.dtype].title}'")
    n, m = x1.shape[-1], x2.shape[-1]
    if n != m:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {n} X2: {m}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    return np.ascontiguousarray(norms_of_differences(x1, x2, p))


@op(
    public=False,
    out=False,
    node="EuclideanDistBackward0",
    let={"ratio": "only(g / out, out != 0)"},
    x1="x1 * sum_dim(ratio, -1)[..., None] - ratio @ x2",
    x2="x2 * sum_dim(ratio, -2)[..., None] - mT(ratio) @ x1",
)
def euclidean_dist(x1, x2):
    """The Euclidean distances of all pairs of rows: ``|a|² - 2 a·b + |b|²``, cheaper than all differences and less exact."""
    squares = add_squares(x1, -1)[..., :, None] + add_squares(x2, -1)[..., None, :]
    product = multiply(x1, x2.swapaxes(-2, -1))
    product *= 2
    squares -= product
    return np.sqrt(np.maximum(squares, 0, out=squares), squares)
