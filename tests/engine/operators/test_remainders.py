"""Remainders and whole quotients of many numbers: held against Python's ``math.fmod``, which is exact, and few numbers."""

import math

import numpy as np
import pytest

import tensh as torch

RNG = np.random.default_rng(0)
WIDE = RNG.standard_normal(6000) * 10.0 ** RNG.integers(-3, 7, 6000)
# Their quotients by 0.1 round to the next whole number
BELOW = np.nextafter(np.rint(WIDE) * np.float64(np.float32(0.1)), -np.inf)
DIVISORS = {
    "3": 3.0,
    "-0.1": float(np.float32(-0.1)),
    "many": RNG.standard_normal(6000).astype(np.float32).astype(float),
}


@pytest.mark.parametrize("dividends", [WIDE, np.rint(WIDE), BELOW], ids=["any", "whole", "below"])
@pytest.mark.parametrize("name", DIVISORS)
def test_remainders_of_float64_are_exact(dividends, name):
    divisors = np.broadcast_to(DIVISORS[name], dividends.shape)
    rests = np.array([math.fmod(a, b) for a, b in zip(dividends.tolist(), divisors.tolist(), strict=True)])
    a, b = torch.tensor(dividends), torch.tensor(DIVISORS[name])
    found = a.fmod(b)
    assert torch.equal(found, torch.tensor(rests)) and torch.equal(found.signbit(), torch.tensor(np.signbit(rests)))
    turned = np.where((rests != 0) & ((rests < 0) != (divisors < 0)), rests + divisors, rests)
    assert torch.equal(a.remainder(b), torch.tensor(turned))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("name", ["fmod", "remainder", "floor_divide"])
@pytest.mark.parametrize("divisor", [3, -0.7, 0, math.inf, -math.inf])
def test_many_numbers_have_the_results_of_few(dtype, name, divisor):
    numbers = torch.tensor(np.append(RNG.standard_normal(5998) * 20, [np.inf, -0.0])).to(dtype)
    many = getattr(numbers, name)(divisor)
    few = torch.cat([getattr(part, name)(divisor) for part in numbers.split(50)])
    assert torch.equal(many.nan_to_num(0.25), few.nan_to_num(0.25))
    assert torch.equal(many.signbit() | many.isnan(), few.signbit() | few.isnan())


@pytest.mark.parametrize("name", ["fmod", "remainder", "floor_divide"])
@pytest.mark.parametrize("divisor", [3, 0, math.inf])
def test_many_whole_numbers_have_the_results_of_few(name, divisor):
    """Rests of zero have the dividend's sign, in both orders of memory; an infinite divisor is left to NumPy."""
    numbers = torch.tensor(np.rint(RNG.standard_normal((100, 60)) * 20).astype(np.float32))
    divisors = torch.tensor(np.rint(RNG.standard_normal((100, 60)) * 3 + 0.5).astype(np.float32))
    divisors[divisors == 0] = 1
    divisors[50, 30] = divisor
    few = torch.stack([getattr(a, name)(b) for a, b in zip(numbers, divisors, strict=True)])
    for many in (getattr(numbers, name)(divisors), getattr(numbers.T.contiguous().T, name)(divisors)):
        assert torch.equal(many.nan_to_num(0.25), few.nan_to_num(0.25))
        assert torch.equal(many.signbit() | many.isnan(), few.signbit() | few.isnan())
