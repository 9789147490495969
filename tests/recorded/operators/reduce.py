"""Reductions, running reductions, norms, statistics, sorting and counting."""

from tests.recorded.operators import b, c, call, i, rough, x

COVERS = (
    "operators/reductions/reductions.py", "operators/reductions/extremes.py", "operators/reductions/scan.py", "operators/reductions/norms.py", "operators/reductions/softmax.py", "operators/reductions/statistics.py", "operators/reductions/sorting.py", "operators/reductions/unique.py",
    "operators/reductions/histograms.py",
)  # fmt: skip

M, V = x(3, 4), x(4)
DIMS = [call(M), call(M, 0), call(M, -1, True), call(x(2, 3, 2), (0, 2)), call(x()), call(c(2, 3), 1)]
REAL_DIMS = [call(M), call(M, 0), call(M, -1, True), call(x())]
ONE_DIM = [call(M, 0), call(M, -1), call(x(), 0)]
INDEXED = [call(M, 0), call(M, dim=-1), call(V)]

SAMPLES = {
    # sums and products
    "sum": [*DIMS, call(M, (0, 1)), call(M, dim=[1]), call(x(0, 3), 0)],
    "mean": DIMS, "nansum": DIMS[:4], "nanmean": DIMS[:4],
    "prod": [call(M), call(M, 0), call(M, -1, True), call(x()), call(c(2, 3), 1)],
    "any": [call(M), call(b(3, 4), 0), call(b(3, 4), 1, True)], "all": [call(M), call(b(3, 4), 0), call(b(3, 4), 1, True)],
    "count_nonzero": [call(i(3, 4)), call(i(3, 4), 0)], "hash_tensor": [call(i(5)), call(x(3))],
    "Tensor.sum_to_size": [call(M, 1, 4), call(M, (3, 1)), call(M, (4,))],
    # extremes
    "max": [call(M), call(M, 0), call(M, 1, True), call(x(2, 3), x(2, 3)), call(x())],
    "min": [call(M), call(M, 0), call(M, 1, True), call(x(2, 3), x(2, 3)), call(x())],
    "amax": REAL_DIMS, "amin": REAL_DIMS, "aminmax": [call(M), call(M, dim=0), call(M, dim=1, keepdim=True)],
    "argmax": REAL_DIMS, "argmin": REAL_DIMS,
    # running
    "cumsum": [*ONE_DIM, call(c(2, 3), 1)], "cumprod": [*ONE_DIM, call(c(2, 3), 1)],
    "cummax": ONE_DIM, "cummin": ONE_DIM, "logcumsumexp": [*ONE_DIM, call(c(2, 3), 1)],
    # norms and exponentials
    "logsumexp": [call(M, 0), call(M, (0, 1)), call(M, -1, True), call(x(), 0)],
    "softmax": ONE_DIM, "log_softmax": ONE_DIM,
    "norm": [call(M), call(M, 1), call(M, 3.5, 0), call(M, "fro", (0, 1), True), call(M, "nuc"), call(c(2, 3), 2, 1)],
    "linalg.vector_norm": [call(M), call(M, 1, 0), call(M, float("inf")), call(M, 0.5, 1), rough(M, 0, 1), call(c(2, 3), 3)],
    "linalg.matrix_norm": [call(M), call(M, 1), call(M, float("-inf")), call(M, 2), call(x(2, 3, 3), "nuc")],
    "linalg.norm": [call(M), call(V, 1), call(M, 2), call(M, None, 0)],
    "dist": [call(M, x(3, 4)), call(M, x(4), 1), call(M, x(3, 4), 3)],
    "renorm": [call(x(3, 4, low=0.5), 2, 0, 1.5), call(x(3, 4, low=0.5), 1, 1, 1.5)],
    # statistics
    "var": [*DIMS[:4], call(M, 0, False), call(M, dim=1, correction=2), call(c(2, 3), 1)],
    "std": [*DIMS[:4], call(M, 0, False), call(M, dim=1, correction=2), call(c(2, 3), 1)],
    "var_mean": [call(M, 0), call(M, correction=0)], "std_mean": [call(M, 0), call(M, correction=0)],
    "median": [call(M), call(M, 0), call(M, 1, True)], "nanmedian": [call(M), call(M, 0), call(M, 1, True)],
    "mode": INDEXED, "quantile": [call(M, 0.3), call(M, 0.7, 0), call(M, 0.5, 1, True, interpolation="nearest")],
    "nanquantile": [call(M, 0.3), call(M, 0.7, 0), call(M, 0.5, 1, True, interpolation="midpoint")],
    "cov": [call(M), call(V), call(M, correction=0)], "corrcoef": [call(M), call(V)],
    # order
    "sort": [*INDEXED, call(M, 1, True), call(i(6), stable=True)], "argsort": [call(V), call(M, 0, True)],
    "msort": [call(M)], "topk": [call(V, 2), call(M, 2, 0, False)], "kthvalue": [call(x(5), 1), call(M, 2, 0, True)],
    "unique": [call(i(6)), call(i(6), return_inverse=True, return_counts=True), call(b(4, 2), dim=0)],
    "unique_consecutive": [call(i(6)), call(i(6, low=0, high=1), return_inverse=True, return_counts=True)],
    "searchsorted": [call(i(1), i(3)), call(i(1), i(3), right=True, out_int32=True)],
    "bucketize": [call(i(3), i(1))], "bincount": [call(i(5, low=0)), rough(i(5, low=0), x(5))],
    "histc": [call(x(9), 4), call(x(9), 3, -1, 1)], "histogram": [rough(x(9), 4), rough(x(9), 3, range=(-1.0, 1.0))],
    # neighbours
    "diff": [call(M), call(M, 2, 0), call(M, prepend=x(3, 1))],
    "trapezoid": [call(M), call(M, dx=0.5, dim=0), call(V, x(4))],
    "cumulative_trapezoid": [call(M), call(M, dx=0.5, dim=0), call(V, x(4))],
    "gradient": [call(V), call(V, spacing=2.0, edge_order=2)],
}  # fmt: skip
