"""Sums, means and losses of few numbers have PyTorch's bits, which ``item()`` shows."""

import itertools

import numpy as np
import pytest

import tensh

oracle = pytest.importorskip("torch")

SIZES = {"float32": range(1, 32), "float64": range(1, 32)}
DIGITS = 6  # powers of ten between the numbers, so that the order of additions shows


def draw(dtype, shape, seed):
    """The same numbers of many sizes in both libraries."""
    rng = np.random.default_rng(seed)
    values = (rng.standard_normal(shape) * 10.0 ** rng.integers(-DIGITS // 2, DIGITS // 2, shape)).tolist()
    return [m.tensor(values, dtype=getattr(m, dtype)) for m in (tensh, oracle)]


@pytest.mark.parametrize("dtype", SIZES)
@pytest.mark.parametrize("name", ["sum", "mean"])
def test_sums_of_few_numbers_have_pytorchs_bits(name, dtype):
    for size in SIZES[dtype]:
        for seed in range(20):
            ours, theirs = draw(dtype, (size,), seed)
            assert getattr(ours, name)().item() == getattr(theirs, name)().item(), (size, seed)


@pytest.mark.parametrize("dtype", SIZES)
def test_sums_of_negative_zeros(dtype):
    for size in SIZES[dtype]:
        ours, theirs = (m.full((size,), -0.0, dtype=getattr(m, dtype)).sum().item() for m in (tensh, oracle))
        assert str(ours) == str(theirs), size


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
def test_losses_of_differences(name):
    for size in SIZES["float32"]:
        inputs, targets = (draw("float32", (size,), seed) for seed in (0, 1))
        ours, theirs = (
            getattr(m.nn.functional, name)(x, y) for m, x, y in zip((tensh, oracle), inputs, targets, strict=True)
        )
        assert ours.item() == theirs.item(), size


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_likelihoods_of_few_samples_have_pytorchs_bits(reduction, weighted):
    for samples in (1, 2, 16, 17, 33, 300, 1000):
        inputs, weights = draw("float32", (samples, 5), samples), draw("float32", (5,), 0)
        classes = np.random.default_rng(samples).integers(0, 5, samples).tolist()
        ours, theirs = (
            m.nn.functional.nll_loss(x, m.tensor(classes), w.abs() if weighted else None, reduction=reduction)
            for m, x, w in zip((tensh, oracle), inputs, weights, strict=True)
        )
        assert ours.item() == theirs.item(), samples


WIDTHS = [2, 3, 4, 5, 7, 8, 9, 12, 16, 31, 32, 33, 40, 64, 100]
NUMBERS = [1, 2, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64]


@pytest.mark.parametrize("dtype", SIZES)
@pytest.mark.parametrize("rows", NUMBERS)
def test_gradients_of_a_row_that_is_added_to_all_rows(rows, dtype):
    for columns in WIDTHS:
        found = []
        for m, grad in zip((tensh, oracle), draw(dtype, (rows, columns), columns), strict=True):
            bias = m.zeros(columns, dtype=getattr(m, dtype), requires_grad=True)
            (m.zeros(rows, columns, dtype=getattr(m, dtype)) + bias).backward(grad)
            found.append(bias.grad.tolist())
        assert found[0] == found[1], columns


@pytest.mark.parametrize("dtype", SIZES)
@pytest.mark.parametrize("name", ["sum", "mean"])
def test_sums_of_short_columns_have_pytorchs_bits(name, dtype):
    for number, width in itertools.product(NUMBERS, WIDTHS):
        ours, theirs = draw(dtype, (number, width), width)
        for dim in (0, 1):  # of the matrix, and of its transpose
            found = [getattr(x.t() if dim else x, name)(dim, keepdim=True).tolist() for x in (ours, theirs)]
            assert found[0] == found[1], (number, width, dim)


@pytest.mark.parametrize("dtype", SIZES)
def test_means_of_a_middle_dimension(dtype):
    for outer, number, width in itertools.product((2, 3), NUMBERS, WIDTHS):
        if outer * number * width <= 1 << 13:
            ours, theirs = draw(dtype, (outer, number, width), width)
            assert ours.mean(1).tolist() == theirs.mean(1).tolist(), (outer, number, width)
            ours, theirs = (x * -0.0 for x in (ours, theirs))
            assert str(ours.mean(1).tolist()) == str(theirs.mean(1).tolist()), (outer, number, width)


@pytest.mark.parametrize("dtype", SIZES)
def test_sums_of_short_rows_have_pytorchs_bits(dtype):
    for rows, number in itertools.product((1, 2, 3, 8, 100), range(1, 5)):
        ours, theirs = draw(dtype, (rows, number), rows)
        assert ours.sum(1).tolist() == theirs.sum(1).tolist(), (rows, number)
    for number in SIZES[dtype]:
        ours, theirs = draw(dtype, (number, 1), number)
        assert ours.sum(0).tolist() == theirs.sum(0).tolist(), number
