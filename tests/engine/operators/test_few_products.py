"""Products of few numbers are sums of rounded products, one added after the other, as in PyTorch."""

import itertools

import numpy as np
import pytest

import tensh as torch

SHAPES = [(2, 2, 2), (3, 2, 40), (3, 16, 5), (4, 3, 3), (5, 4, 7), (8, 8, 8), (20, 3, 11), (40, 16, 2), (1, 9, 40)]
TRANSPOSED = [(3, 2, 40), (4, 3, 3), (8, 2, 8), (20, 3, 11)]
dtypes = pytest.mark.parametrize("dtype", ["float32", "float64"])


def draw(dtype, *shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def add_one_by_one(first, second):
    sums = first[..., :1] * second[..., :1, :]
    for k in range(1, first.shape[-1]):
        sums = sums + first[..., k : k + 1] * second[..., k : k + 1, :]
    return sums


@dtypes
@pytest.mark.parametrize("rows, depth, columns", SHAPES)
def test_products_of_small_matrices_add_one_by_one(rows, depth, columns, dtype):
    first, second = draw(dtype, rows, depth), draw(dtype, depth, columns)
    expected = add_one_by_one(first, second).tolist()
    a, b = torch.tensor(first), torch.tensor(second)
    assert (a @ b).tolist() == expected
    assert torch.mm(a.t().contiguous().t(), b).tolist() == expected
    assert (a @ b).stride() == (columns, 1)


@dtypes
@pytest.mark.parametrize("rows, depth, columns", TRANSPOSED)
def test_rows_by_columns_in_memory(rows, depth, columns, dtype):
    first, second = draw(dtype, rows, depth), draw(dtype, depth, columns)
    layer = torch.nn.functional.linear(torch.tensor(first), torch.tensor(second.T))
    assert layer.tolist() == add_one_by_one(first, second).tolist()


@dtypes
@pytest.mark.parametrize("rows, depth, columns", [(3, 4, 5), (7, 7, 7), (3, 9, 30)])
def test_products_of_stacks_add_one_by_one(rows, depth, columns, dtype):
    first, second = draw(dtype, 3, rows, depth), draw(dtype, 3, depth, columns)
    assert torch.bmm(torch.tensor(first), torch.tensor(second)).tolist() == add_one_by_one(first, second).tolist()


@dtypes
@pytest.mark.parametrize("length", [2, 3, 4])
def test_products_with_vectors_add_one_by_one(length, dtype):
    matrix, vector = draw(dtype, 9, length), draw(dtype, length, 1)
    assert (
        torch.mv(torch.tensor(matrix), torch.tensor(vector[:, 0])).tolist()
        == add_one_by_one(matrix, vector)[:, 0].tolist()
    )
    if length < 4:
        dot = torch.dot(torch.tensor(matrix[0]), torch.tensor(vector[:, 0]))
        assert dot.item() == add_one_by_one(matrix[:1], vector).item()


@dtypes
@pytest.mark.parametrize("rows, depth, columns", [(2, 0, 3), (0, 2, 3), (2, 3, 0)])
def test_no_numbers(rows, depth, columns, dtype):
    product = torch.zeros(rows, depth, dtype=getattr(torch, dtype)) @ torch.zeros(
        depth, columns, dtype=getattr(torch, dtype)
    )
    assert product.tolist() == np.zeros((rows, columns)).tolist()


EMPTY = {  # products whose sums have no terms, and the sizes of their factors
    "torch.mm(a, b)": [(3, 0), (0, 4)],
    "torch.mv(a, b)": [(3, 0), (0,)],
    "torch.dot(a, b)": [(0,), (0,)],
    "torch.bmm(a, b)": [(2, 3, 0), (2, 0, 4)],
    "a @ b": [(2, 2, 3, 0), (0, 4)],
    "torch.tensordot(a, b, 1)": [(2, 3, 0), (0, 4)],
    "torch.einsum('ij,kj->ik', a, b)": [(3, 0), (4, 0)],
    "torch.inner(a, b)": [(3, 0), (4, 0)],
    "torch.linalg.vecdot(a, b)": [(3, 0), (3, 0)],
    "torch.nn.functional.linear(a, b)": [(3, 0), (4, 0)],
    "torch.func.grad(lambda weight: torch.nn.functional.bilinear(a, b, weight).sum())(torch.ones(5, 3, 2))": [
        (0, 3),
        (0, 2),
    ],
    "torch.sparse.sampled_addmm(torch.eye(3).to_sparse_csr(), a, b, beta=0).to_dense()": [(3, 0), (0, 3)],
}


def views_of_nothing(shape):
    """Empty tensors of a shape whose strides differ, with nan in the memory behind them."""
    yield torch.empty(shape)
    yield torch.full([size + 4 for size in shape], torch.nan)[tuple(slice(size) for size in shape)]
    turned = torch.full([size + 4 for size in reversed(shape)], torch.nan).permute(*reversed(range(len(shape))))
    yield turned[tuple(slice(size) for size in shape)]
    yield torch.full((), torch.nan).expand(shape)


@pytest.mark.parametrize("product", EMPTY)
def test_sums_without_terms_are_zeros(product):
    one, two = EMPTY[product]
    for a, b in itertools.product(views_of_nothing(one), views_of_nothing(two)):
        result = eval(product, {"torch": torch, "a": a, "b": b})
        assert result.numel() and not result.count_nonzero(), (a.stride(), b.stride())


@dtypes
def test_the_gradient_of_a_weight(dtype):
    """The sum over few samples of the products of inputs and gradients."""
    inputs, grads = draw(dtype, 6, 3), draw(dtype, 6, 5)
    weight = torch.zeros(5, 3, dtype=getattr(torch, dtype), requires_grad=True)
    torch.nn.functional.linear(torch.tensor(inputs), weight).backward(torch.tensor(grads))
    assert weight.grad.tolist() == add_one_by_one(grads.T, inputs).tolist()
