"""Powers of many real numbers, whose signs are applied last, compared with powers of single numbers."""

import itertools

import numpy as np
import pytest

import tensh as torch

BASES = [0.0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1e-40, -1e-40, 1e30, -1e30, np.inf, -np.inf, np.nan]
EXPONENTS = [*BASES, 4, 5, -4, -5, 2.5, -2.5, 2.0**24, 2.0**24 - 1]
PAIRS = list(itertools.product(BASES, EXPONENTS))


def compute_one_by_one(bases, exponents):
    """Return the powers, computed one by one."""
    pairs = zip(bases.expand(len(PAIRS)).split(1), exponents.expand(len(PAIRS)).split(1), strict=True)
    return torch.cat([base**exponent for base, exponent in pairs])


def compare(found, wanted):
    torch.testing.assert_close(found, wanted, rtol=2e-3 if found.itemsize == 2 else 1e-6, atol=0, equal_nan=True)
    assert torch.equal(found.signbit() | found.isnan(), wanted.signbit() | wanted.isnan())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_powers_of_tensors(dtype):
    bases, exponents = (torch.tensor(numbers, dtype=dtype) for numbers in zip(*PAIRS, strict=True))
    compare(bases**exponents, compute_one_by_one(bases, exponents))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("exponent", [-3, 4, 5.0, 7, 2.5, 0])
def test_powers_by_a_number(dtype, exponent):
    bases = torch.tensor(BASES * 20, dtype=dtype)
    wanted = torch.cat([base**exponent for base in bases.split(1)])
    compare(bases**exponent, wanted)


@pytest.mark.parametrize("base", [-2.0, -0.0, 3.0])
def test_powers_of_a_number(base):
    exponents = torch.tensor(EXPONENTS * 10)
    wanted = torch.cat([torch.tensor([base]) ** each for each in exponents.split(1)])
    compare(base**exponents, wanted)


def test_empty_bases_have_empty_powers():
    assert (torch.ones(0, 1) ** torch.ones(200)).shape == (0, 200)
