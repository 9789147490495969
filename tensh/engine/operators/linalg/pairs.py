"""Products of three tensors, and distances between the rows of one matrix."""

import functools

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.operators.linalg.distances import PAIR
from tensh.engine.operators.precision import compute_in_float32
from tensh.engine.operators.reductions.norms import norm
from tensh.engine.operators.reductions.norms import vector_norm as vector_norm_op

# ── three factors ────────────────────────────────────────────────────────────


@op(
    public=False, out=False, node="TrilinearBackward0", let={"a": "indices[0]", "b": "indices[1]", "c": "indices[2]", "r": "indices[3]"},
    one="product_of_three(g, conj(two), conj(three), (r, b, c, a))",
    two="product_of_three(conj(one), g, conj(three), (a, r, c, b))",
    three="product_of_three(conj(one), conj(two), g, (a, b, r, c))",
)  # fmt: skip
@compute_in_float32
def product_of_three(one, two, three, indices):
    """Sums of products of three elements; ``indices`` names the dimensions of the factors and of the result."""
    a, b, c, result = indices
    between = "".join(i for i in dict.fromkeys(a + b) if i in c + result)
    return np.einsum(
        f"{between},{c}->{result}", np.einsum(f"{a},{b}->{between}", one, two, optimize=True), three, optimize=True
    )


# ── pairs of rows ────────────────────────────────────────────────────────────
@functools.lru_cache(64)
def pairs(number):
    """Return the indices of the first and the second rows of all pairs."""
    return np.triu_indices(number, 1)


@op(public=False, out=False, node="SubBackward0", input="pair_sums(g, input.shape)")
def pair_differences(input):
    """The differences of all pairs of rows."""
    first, second = pairs(len(input))
    return input[first] - input[second]


@op(public=False, out=False, node="SubBackward0", grad="pair_differences(g)")
def pair_sums(grad, shape):
    """The adjoint: the sum over the pairs of every row."""
    first, second = pairs(shape[0])
    result = np.zeros(shape, grad.dtype)
    np.add.at(result, first, grad)
    np.subtract.at(result, second, grad)
    return result


@op(
    public=False, out=False, node="PdistBackward0", types="f", kernel_name="pdist", let=PAIR | {"d": "pair_differences(input)"},
    input="pair_sums(slope, input.shape)",
)  # fmt: skip
def pdist(input, p=2.0):
    """The ``p``-norms of the differences of all pairs of rows."""
    return norm(pair_differences.kernel(input), p, (-1,), False)


# ── the norm as PyTorch's own functions record it ────────────────────────────
vector_norm = vector_norm_op
norm_of_difference = op(vector_norm.kernel, name="norm_of_difference", doc=vector_norm.doc, node="NormBackward1", public=False, out=False,
   let=vector_norm.let, **vector_norm.inputs)  # fmt: skip
