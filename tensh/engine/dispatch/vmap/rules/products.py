"""Products: batches are rows of one factor, or stacks of matrices."""

from math import prod
from string import ascii_uppercase

from tensh.engine.dispatch.vmap.batched import BatchedTensor, expand_batches, make_batched
from tensh.engine.dispatch.vmap.rules.leading import leading
from tensh.engine.dispatch.vmap.rules.shared import fit_value, levels_of, ndim_of, reshape_value, sizes_of
from tensh.engine.operators.basic import conjugate
from tensh.engine.operators.linalg.composites.products import matmul
from tensh.engine.operators.linalg.products import bmm, mm
from tensh.engine.operators.shapes.views import permute, squeeze_dim, unsqueeze
from tensh.engine.operators.shapes.views import t as t_op


def times(input, other):
    """Compute ``input @ other``."""
    if type(input) is not BatchedTensor is not type(other):
        return matmul(input, other)
    a, b = ndim_of(input), ndim_of(other)
    if type(input) is BatchedTensor is type(other) and 0 < a < 3 > b > 0 and not {*input.levels} & {*other.levels}:
        return multiply_across(input, other, a, b)
    if a and b and (a > 1 or b > 1):
        levels = levels_of((input, other))
        if a == 1 and type(input) is BatchedTensor and b == 2 and type(other) is not BatchedTensor:
            return make_batched(matmul(input.value, other), levels)  # batches are rows
        if b == 1 and type(other) is BatchedTensor and a == 2 and type(input) is not BatchedTensor:
            return make_batched(matmul(other.value, t_op.fn(input)), levels)
        if type(other) is not BatchedTensor and b <= 2 < a + 1:
            return make_batched(matmul(input.value, other), levels)
        return multiply_stacks(input, other, a, b, levels)
    if a == b == 1:
        if type(input) is BatchedTensor is type(other):
            return (input * other).sum(-1)
        one, two = (input, other) if type(input) is BatchedTensor else (other, input)
        return make_batched(matmul(one.value, two), one.levels)
    raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")


def multiply_across(input, other, a, b):
    """Multiply factors that vary with different levels: one product of all rows and all columns."""
    one, two = input.value, other.value
    first, second = one.array.shape[: one.array.ndim - 1], two.array.shape
    k, levels = len(other.levels), (*input.levels, *other.levels)
    if b == 2:
        two = permute.fn(two, (k, *range(k), k + 1))
        columns = second[:k] + second[k + 1 :]
    else:
        two = permute.fn(two, (k, *range(k)))
        columns = second[:k]
    rows = reshape_value(one, (prod(first), one.array.shape[-1]))
    result = mm.fn(rows, reshape_value(two, (two.array.shape[0], prod(columns))))
    result = reshape_value(result, first + columns)
    own = len(input.levels)
    places = [*range(own), *range(len(first), len(first) + k)]
    order = [places[levels.index(each)] for each in sorted(levels)]
    rest = [d for d in range(result.array.ndim) if d not in places]
    return make_batched(permute.fn(result, (*order, *rest)), tuple(sorted(levels)))


def multiply_stacks(input, other, a, b, levels):
    """Multiply stacks of matrices; vectors become matrices of one row or column."""
    ndim = max(a, b, 2)
    first = fit_value(input, levels, ndim) if type(input) is BatchedTensor else input
    second = fit_value(other, levels, ndim - (b == 1)) if type(other) is BatchedTensor else other
    if b == 1:
        second = unsqueeze.fn(second, second.array.ndim)
    one, two = first.array.shape, second.array.shape
    if len(one) == 3 == len(two) and one[0] == two[0] and len(levels) == 1:
        result = bmm.fn(first, second)
    else:
        result = matmul(unsqueeze.fn(first, 0) if len(one) == 1 else first, second)
    if a == 1:
        result = squeeze_dim.fn(result, -2)
    if b == 1:
        result = squeeze_dim.fn(result, -1)
    return make_batched(result, levels)


DIMS = {"mm": (2, 2), "mv": (2, 1), "bmm": (3, 3), "dot": (1, 1), "vdot": (1, 1)}
"""Operator -> numbers of dimensions of a sample of each factor."""


def check_and_multiply(name):
    """Return a rule that checks the dimensions of samples, and then multiplies."""
    first, second = DIMS[name]

    def rule(input, other):
        a, b = ndim_of(input), ndim_of(other)
        if (a, b) == (first, second):
            return times(input, other)
        if first == second == 1:
            raise RuntimeError("Got wrong shapes for dot")
        raise RuntimeError(
            f"Shape mismatch: Got incorrect dims for {name}(a, b). a has dim {a}and b has dim {b}"
            f"but expected them to have dim {first} and dim {second}"
        )

    return rule


def product(op):
    """Make the rule of mm, mv, bmm and dot."""
    return check_and_multiply(op.name)


def conjugate_product(op):
    """Make the rule of vdot."""
    rule = check_and_multiply(op.name)
    return lambda input, other: rule(conjugate.fn(input), other)


def make_addition(operands):
    """Return a maker for addmm and similar operators: ``operands`` computes the product of the two factors."""

    def make(op):
        def rule(input, first, second, *, beta=1, alpha=1):
            result = operands(first, second)
            if alpha != 1:
                result = result * alpha
            return result if beta == 0 else result + (input if beta == 1 else input * beta)

        return rule

    return make


def multiply_three(op):
    """Make the rule of ``product_of_three``: batch dimensions are more subscripts."""

    def rule(one, two, three, indices):
        factors = (one, two, three)
        levels, sizes = levels_of(factors), sizes_of(factors)
        letters = ascii_uppercase[: len(levels)]
        values = [expand_batches(t, levels, sizes) if type(t) is BatchedTensor else t for t in factors]
        names = [
            letters + each if type(t) is BatchedTensor else each for t, each in zip(factors, indices[:3], strict=True)
        ]
        return make_batched(op.fn(*values, (*names, letters + indices[3])), levels)

    return rule


def make_solution(op):
    """Make the rule of ``linalg_solve_ex``; right sides for one matrix are more columns."""
    of_vectors, of_matrices = leading(cores={"B": 1})(op), leading(cores={})(op)

    def rule(A, B, left=True, vector=False):
        if type(A) is BatchedTensor or ndim_of(A) != 2 or not left or ndim_of(B) != 2 - vector:
            return (of_vectors if vector else of_matrices)(A, B, left, vector)
        value, k = B.value, len(B.levels)
        columns = permute.fn(value, (k, *range(k), *range(k + 1, value.array.ndim)))
        shape = columns.array.shape
        result, info = op.fn(A, reshape_value(columns, (shape[0], prod(shape[1:]))), True, False)
        result = permute.fn(reshape_value(result, shape), (*range(1, k + 1), 0, *range(k + 1, len(shape))))
        return op.environment[f"{op.name}_outs"]((make_batched(result, B.levels), info))

    return rule


def multiply_vectors(first, second):
    """Compute the outer product of two vectors."""
    for number, vector in enumerate((first, second), 1):
        if ndim_of(vector) != 1:
            raise RuntimeError(f"addr: Expected 1-D argument vec{number}, but got {ndim_of(vector)}-D")
    return first.unsqueeze(-1) * second


ADDED = {
    "addmm": make_addition(check_and_multiply("mm")),
    "addmv": make_addition(check_and_multiply("mv")),
    "baddbmm": make_addition(check_and_multiply("bmm")),
    "addr": make_addition(multiply_vectors),
    "addbmm": make_addition(lambda first, second: times(first, second).sum(0)),
}


# ── matrices ─────────────────────────────────────────────────────────────────
CALLED = {
    "eigenvalues_of": "linalg.eig", "eigenvalues_of_symmetric": "linalg.eigh", "linalg_cholesky_ex": "linalg.cholesky",
    "singular_values": "linalg.svd", "matrix_exp": "torch.matrix_exp",
}  # fmt: skip
"""Operator of matrices -> its name in errors, if different."""


def multiply_matrices(op):
    """Make the rule of an operator of matrices, which checks that samples are matrices, or stacks of them."""
    rule = leading()(op)
    called = CALLED.get(op.name, op.name.replace("_", ".", 1))

    def checked_rule(input, *args, **options):
        if ndim_of(input) < 2:
            raise RuntimeError(f"{called}: The input tensor A must have at least 2 dimensions.")
        return rule(input, *args, **options)

    return checked_rule
