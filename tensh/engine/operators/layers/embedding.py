"""Embeddings: rows of a matrix by index, one by one or reduced in bags."""

import numpy as np

from tensh.engine.arrays.gathering import is_within, take_slices
from tensh.engine.arrays.scattering import add_at
from tensh.engine.arrays.threads import map_rows
from tensh.engine.codegen.table import op
from tensh.engine.operators.precision import narrow_result, widen

# Elements of the rows of bags in memory at a time: in the cache, finding the largest takes half of the time
AT_ONCE = 1 << 15
ROWS = "indices, padding_idx, by_frequency"
BACK = f"rows_back(g, {ROWS}, weight.shape) if sparse else lookup_back"


def factors(indices, padding_idx, by_frequency, dtype):
    """Return the factor of every row's gradient: 0 for padding, 1 / its number of uses ``by_frequency``."""
    result = np.ones(indices.shape, dtype)
    if by_frequency and indices.size:
        result /= np.bincount(indices.reshape(-1))[indices].astype(dtype)
    result[indices == padding_idx] = 0
    return result[..., None]


@op(
    public=False, out=False, node="EmbeddingBackward0",
    weight=f"{BACK}(g, {ROWS}, weight.shape)", indices=None,
)  # fmt: skip
def lookup(weight, indices, padding_idx=-1, by_frequency=False, sparse=False):
    """The rows of ``weight`` at the given indices; with ``sparse`` its gradient is sparse."""
    if indices.size and not is_within(indices, len(weight)):
        raise IndexError("index out of range in self")
    return take_slices(np.ascontiguousarray(weight), indices, 0)


@op(public=False, out=False, node="EmbeddingDenseBackwardBackward0", grad=f"lookup_scaled(g, {ROWS})", indices=None)
def lookup_back(grad, indices, padding_idx, by_frequency, shape):
    """The sum of the gradients of each row."""
    result = np.zeros(shape, grad.dtype)
    if padding_idx >= 0 or by_frequency:
        grad = grad * factors(indices, padding_idx, by_frequency, grad.dtype)
    add_at(result, indices.reshape(-1), grad.reshape(indices.size, *shape[1:]))
    return result


@op(public=False, out=False, node="EmbeddingBackward0", input=f"lookup_back(g, {ROWS}, input.shape)", indices=None)
def lookup_scaled(input, indices, padding_idx, by_frequency):
    """The adjoint of ``lookup_back``."""
    rows = np.take(input, indices, 0)
    return rows * factors(indices, padding_idx, by_frequency, rows.dtype)


@op(public=False, out=False, grad=f"lookup_scaled(g, {ROWS})", indices=None)
def rows_back(grad, indices, padding_idx, by_frequency, shape):
    """The sparse gradient of rows, with one value for each use of a row other than the padding."""
    if by_frequency:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    from tensh.engine.operators.sparse.array import Sparse, SparseGradient  # rarely needed

    index, values = indices.reshape(1, -1).astype(np.int64), grad.reshape(indices.size, *shape[1:])
    if padding_idx >= 0:
        used = index[0] != padding_idx
        index, values = index[:, used], values[used]
    return SparseGradient(Sparse(values, (index,), shape))


# ── bags ─────────────────────────────────────────────────────────────────────
OWN = "(own * scale if per_sample_weights is None else own * scale * per_sample_weights[..., None])"


@op(
    public=False, out=False, node="EmbeddingBagBackward0", types="f",
    let={"own": "index_select(g, 0, bags)"},
    weight=f"rows_back({OWN}, indices, padding, by_frequency, weight.shape) if sparse else "
    f"lookup_back({OWN}, indices, -1, by_frequency, weight.shape)",
    per_sample_weights="rounded_like(g, sum_dim(widened(own * scale) * widened(lookup(weight, indices)), -1))",
    indices=None, bags=None, scale=None,
)  # fmt: skip
def bag_sums(
    weight, per_sample_weights=None, indices=None, bags=None, scale=None, sizes=None, mean=False, padding=-1,
    by_frequency=False, sparse=False,
):  # fmt: skip
    """The sum of the rows in every bag, each times its own weight, or their ``mean``.

    ``sizes`` [bags] are the numbers of rows, ``scale`` [n, 1] the slopes of the rows; with a ``padding`` of 0 or more
    rows whose scale is zero do not count.
    """
    wide, factors = widen(weight), None if per_sample_weights is None else widen(per_sample_weights)
    result = np.zeros((len(sizes), weight.shape[1]), wide.dtype)
    size = len(indices) // max(len(sizes), 1)
    if size and padding < 0 and sizes.max() == sizes.min() == size:
        add_equal_bags(wide, indices.reshape(-1, size), factors, result)
    else:
        rows = np.take(wide, indices, 0)
        if factors is not None:
            rows *= factors[:, None]
        if padding >= 0:
            rows[scale[:, 0] == 0] = 0
        add_at(result, bags, rows)
    if result.dtype is not weight.dtype:
        result = (round_up if weight.dtype.kind == "V" and padding < 0 else narrow_result)(result, weight.dtype)
    return result / np.maximum(sizes, 1)[:, None].astype(result.dtype) if mean else result


def add_equal_bags(weight, indices, factors, out):
    """Write the sums of the rows in bags of one size, ``indices`` [bags, size], added one after the other."""
    places = np.ascontiguousarray(indices.T)
    factors = None if factors is None else np.ascontiguousarray(factors.reshape(indices.shape).T)[..., None]

    def work(part):
        rows = np.take(weight, places[:, part], 0)
        if factors is not None:
            np.multiply(rows, factors[:, part], rows)
        np.add.reduce(rows, 0, None, out[part], initial=0)

    map_rows(work, len(indices), indices.shape[1] * weight.shape[1], 8 * AT_ONCE)


def round_up(sums, dtype):
    """Round float32 to bfloat16, ties away from zero as in the library that PyTorch calls."""
    return (sums.view(np.uint32) + np.uint32(1 << 15) >> 16).astype(np.uint16).view(dtype)


@op(
    public=False, out=False, node="EmbeddingBagBackward0", types="f", outs=("output", "chosen", "filled"),
    weight="add_along(only(g, filled), weight.shape, chosen, 0)", indices=None, bags=None, constant_edges=(0, 1),
)  # fmt: skip
def bag_maxima(weight, indices, bags, number):
    """The largest elements of the rows in every bag, the indices of their rows, and which bags have any."""
    output = np.zeros((number, weight.shape[1]), weight.dtype)
    chosen = np.zeros(output.shape, np.int64)
    sizes = np.bincount(bags, minlength=number)
    filled = sizes > 0
    starts = np.cumsum(sizes) - sizes  # bags are in order
    for size in np.unique(sizes[filled]):
        same = np.flatnonzero(sizes == size)
        step = max(1, AT_ONCE // (int(size) * max(1, weight.shape[1])))
        for part in (same[start : start + step] for start in range(0, len(same), step)):
            own = indices[starts[part][:, None] + np.arange(size)]
            rows = np.take(weight, own, 0)
            best = rows.argmax(1)
            if np.isnan(rows).any():  # only a first nan is larger than all others
                numbers = np.where(np.isnan(rows), -np.inf, rows)
                best = np.where(np.isnan(rows[:, 0]), 0, numbers.argmax(1))
            output[part] = np.take_along_axis(rows, best[:, None], 1)[:, 0]
            chosen[part] = np.take_along_axis(own, best, 1)
    return output, chosen, filled[:, None]
