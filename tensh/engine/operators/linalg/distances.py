"""Distances between all pairs of rows."""

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, on_tensors
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.operators.linalg.products import multiply
from tensh.engine.operators.precision import is_half
from tensh.engine.operators.reductions.norms import INFINITE, norm
from tensh.engine.operators.reductions.product_sums import add_squares

FEW = 1 << 12  # number of differences up to which NumPy's product is faster
PAIR = {
    "d": "x1[..., :, None, :] - x2[..., None, :, :]",
    "r": "out[..., None]",
    "s": "g[..., None]",
    "slope": "s * (d != d) if p == 0 else s * sgn(d) if p == 1 else d * only(s / r, r != 0) if p == 2 else"
    f" s * sgn(d) * (abs(d) == r) if {INFINITE.replace('ord', 'p')} else"
    " sgn(d) * only(abs(d) ** (p - 1) * s * r ** (1 - p), (d != 0) & (r != 0))",
}


def add_pairs(slope, d, p, dim):
    """Sum slopes along ``dim``; for Euclidean distances, the products of each pair's ``slope`` and the differences ``d``."""
    if p != 2:
        return ARRAYS["sum_dim"](slope, dim)
    if dim == -3:
        slope, d = slope.swapaxes(-1, -2), d.swapaxes(-2, -3)
    product = np.matmul if d.size < FEW else multiply
    return product(slope[..., None, :], d)[..., 0, :]


def record_add_pairs(slope, d, p, dim):
    return on_tensors("sum_dim")(d * slope[..., None] if p == 2 else slope, dim)


ARRAYS["add_pairs"], TENSORS["add_pairs"] = add_pairs, record_add_pairs


@op(
    public=False,
    node="CdistBackward0",
    let=PAIR | {"slope": f"only(g / out, out != 0) if p == 2 else {PAIR['slope']}"},
    x1="add_pairs(slope, d, p, -2)",
    x2="-add_pairs(slope, d, p, -3)",
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
    return norm(x1[..., :, None, :] - x2[..., None, :, :], p, (-1,), False)


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
    return np.sqrt(np.maximum(squares, 0, squares), squares)
