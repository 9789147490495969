"""Derivatives of running products and logarithms of sums, whose recurrences are computed by doubling where rows are long."""

import numpy as np
import pytest

import tensh as torch
from tensh.engine.operators.reductions.scan import recur

SHAPES = [(40, 65), (5000,), (3, 7, 129), (2, 3000)]


def recur_by_definition(input, factors, step):
    found = np.zeros_like(input)
    places = range(input.shape[-1])[::step]
    for place, before in zip(places, [None, *places]):
        found[..., place] = input[..., place] + (0 if before is None else factors[..., place] * found[..., before])
    return found


@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_recurrence_is_that_of_the_definition(shape, step):
    rng = np.random.default_rng(0)
    input, factors = rng.standard_normal((2, *shape))
    exact = recur_by_definition(input, factors, step)
    np.testing.assert_allclose(recur.kernel(input, factors, len(shape) - 1, step), exact, rtol=1e-9, atol=1e-9)
    single = recur.kernel(input.astype("f4"), factors.astype("f4"), -1, step)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, exact, rtol=1e-3, atol=1e-4)


def test_products_of_factors_may_overflow():
    input, factors = np.zeros((1, 4096), np.float32), np.full((1, 4096), 1e30, np.float32)
    factors[:, ::2] = 1e-30
    input[:, 100:200] = 1
    factors[:, 3000:3010] = 1e30  # their product is infinite, the other factor zero
    factors[:, 2999] = 0
    exact = recur_by_definition(input.astype("f8"), factors.astype("f8"), 1)
    np.testing.assert_allclose(recur.kernel(input, factors, 1, 1), exact, rtol=1e-4)


def test_the_slope_of_a_running_product_counts_what_follows():
    torch.manual_seed(0)
    x = (torch.rand(4, 1000, dtype=torch.float64) / 100 + 0.995).requires_grad_()
    x.cumprod(1).sum().backward()
    products = x.detach().cumprod(1)
    rest = products.flip(1).cumsum(1).flip(1)
    assert torch.allclose(x.grad, rest / x.detach(), rtol=1e-10)
