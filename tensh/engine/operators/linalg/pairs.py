"""Products of three tensors, and distances between the rows of one matrix."""

import functools
import itertools

import numpy as np

from tensh.engine.arrays.orders import move_axis
from tensh.engine.arrays.threads import map_rows
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, on_tensors
from tensh.engine.operators.linalg.distances import BLOCK, FEW, add_slopes, derive_norm, prepare_norms
from tensh.engine.operators.precision import is_half, narrow_result, widen
from tensh.engine.operators.reductions.norms import norm
from tensh.engine.operators.reductions.norms import vector_norm as vector_norm_op
from tensh.engine.operators.reductions.summation import add_along

# ── three factors ────────────────────────────────────────────────────────────


@op(
    public=False, out=False, node="TrilinearBackward0", let={"a": "indices[0]", "b": "indices[1]", "c": "indices[2]", "r": "indices[3]"},
    one="product_of_three(g, conj(two), conj(three), (r, b, c, a))",
    two="product_of_three(conj(one), g, conj(three), (a, r, c, b))",
    three="product_of_three(conj(one), conj(two), g, (a, b, r, c))",
)  # fmt: skip
def product_of_three(one, two, three, indices):
    """Sums of products of three elements; ``indices`` names the dimensions of the factors and of the result."""
    a, b, c, result = indices
    if is_half(one.dtype) and UNROLLED in a + b + c and UNROLLED not in result:
        return add_in_order(one, two, three, indices)
    between = "".join(i for i in dict.fromkeys(a + b) if i in c + result)
    pair = einsum_in_float32(f"{a},{b}->{between}", one, two)
    return einsum_in_float32(f"{between},{c}->{result}", pair, three)


SHORT = 256  # numbers that one product adds
UNROLLED = "o"  # the dimension along which PyTorch adds one product after the other


def add_in_order(one, two, three, indices):
    """Sums of products of three 16 bit numbers: every sum is rounded."""
    rest = [each.replace(UNROLLED, "") for each in indices]
    parts = zip(*[slices_along(factor, each.find(UNROLLED)) for factor, each in zip((one, two, three), indices)])
    return functools.reduce(np.add, [product_of_three.kernel(*some, rest) for some in parts])


def slices_along(array, axis):
    """The slices along a dimension, or the whole array again and again."""
    return move_axis(array, axis, 0) if axis >= 0 else itertools.repeat(array)


def einsum_in_float32(formula, one, two):
    if not (one.size and two.size):  # Note [Sums without terms] in linalg/few.py
        inputs, result = formula.split("->")
        sizes = dict(zip(inputs.replace(",", ""), one.shape + two.shape, strict=True))
        return np.zeros([sizes[index] for index in result], one.dtype)
    (first, second), result = formula.split("->")[0].split(","), formula.split("->")[1]
    last = first[-1]
    real = one.dtype.kind not in "cW"  # ``vecdot`` conjugates complex numbers
    if real and first[:-1] == result and second[-1] == last and set(second) <= set(first) and one.shape[-1] <= SHORT:
        order = [second.index(each) for each in first if each in second]  # sums along the last dimension of both
        two = two.transpose(order)[tuple([slice(None) if each in second else None for each in first])]
        return narrow_result(np.vecdot(widen(one), widen(two), order="C"), one.dtype)
    return narrow_result(np.einsum(formula, widen(one), widen(two), optimize=True), one.dtype)


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
    result, start = np.zeros(shape, grad.dtype), 0
    for row in range(len(result)):  # the pairs of a row with the later ones are next to each other
        stop = start + len(result) - row - 1
        part = grad[start:stop]
        result[row] += add_along(part, 0)
        result[row + 1 :] -= part
        start = stop
    return result


def add_pair_slopes(input, g, out, p):
    """The gradient of all rows, from those of the matrix of all distances."""
    first, second = pairs(len(input))
    slopes, distances = (np.zeros((len(input), len(input)), input.dtype) for _ in range(2))
    for matrix, values in ((slopes, g), (distances, out)):
        matrix[first, second] = values
        matrix += matrix.T
    return add_slopes(input, input, slopes, distances, p)


def record_pair_slopes(input, g, out, p):
    slope = derive_norm(on_tensors, on_tensors("pair_differences")(input), g[..., None], out[..., None], p)
    return on_tensors("pair_sums")(slope, input.shape)


ARRAYS["add_pair_slopes"], TENSORS["add_pair_slopes"] = add_pair_slopes, record_pair_slopes


@op(
    public=False, out=False, node="PdistBackward0", types="f", kernel_name="pdist", input="add_pair_slopes(input, g, out, p)",
)  # fmt: skip
def pdist(input, p=2.0):
    """The ``p``-norms of the differences of all pairs of rows."""
    number, width = input.shape
    if number * number * width <= FEW:
        return norm(pair_differences.kernel(input), p, (-1,), False)
    out, compute = np.empty(number * (number - 1) // 2, input.dtype), prepare_norms(input, p)

    def work(part):
        row = part.start
        start = row * (2 * number - row - 1) // 2
        for i, norms in enumerate(compute(input[part], row)):
            stop = start + number - 1 - row - i
            out[start:stop] = norms[i + 1 :]
            start = stop

    map_rows(work, number, input.size, BLOCK)
    return out


# ── the norm as PyTorch's own functions record it ────────────────────────────
vector_norm = vector_norm_op
norm_of_difference = op(vector_norm.kernel, name="norm_of_difference", doc=vector_norm.doc, node="NormBackward1", public=False, out=False,
   let=vector_norm.let, **vector_norm.inputs)  # fmt: skip
