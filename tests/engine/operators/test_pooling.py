"""Pooling by windows of any form: values, places and gradients beside PyTorch, also where elements are equal."""

import numpy as np
import pytest

import tensh as torch


def outcome(m, kind, dims, seed):
    """Values, places and the gradient of a random case; every fourth has other numbers everywhere."""
    rng = np.random.default_rng(seed)
    shape = (2, 3, *rng.integers(4, 9, dims)) if seed % 2 else (3, *rng.integers(4, 9, dims))
    numbers = rng.standard_normal(shape) if seed % 4 == 0 else rng.integers(0, 4, shape)
    x = m.tensor(numbers.astype(np.float32), requires_grad=True)
    function = getattr(m.nn.functional, f"{kind}_max_pool{dims}d")
    if kind == "adaptive":
        values, places = function(x, rng.integers(1, 9, dims).tolist(), return_indices=True)
    else:
        m.manual_seed(seed)
        kernel = rng.integers(1, 4, dims).tolist()
        sizes = [int(rng.integers(1, n - k + 1)) for n, k in zip(shape[-dims:], kernel)]
        values, places = function(x, kernel, output_size=sizes, return_indices=True)
    values.square().sum().backward()
    return [t.detach().numpy() for t in (values, places, x.grad)]


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("kind", ["adaptive", "fractional"])
def test_the_largest_elements_are_those_of_pytorch(kind, dims, seed, oracle):
    for one, other in zip(outcome(torch, kind, dims, seed), outcome(oracle, kind, dims, seed), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("kind", ["adaptive", "fractional"])
def test_nan_is_the_largest_element(kind):
    x = torch.arange(16.0).reshape(1, 1, 4, 4)
    x[0, 0, 1, 1] = float("nan")
    function = getattr(torch.nn.functional, f"{kind}_max_pool2d")
    values, places = function(x, 2, **{"output_size": 2} if kind == "fractional" else {}, return_indices=True)
    assert places[values.isnan()].eq(5).all() and values.isnan().any()
