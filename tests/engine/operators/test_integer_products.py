"""Products of integer matrices are exact, and wrap around, whatever their sizes and magnitudes."""

import numpy as np
import pytest

import tensh as torch

SHAPES = [
    ((40, 50), (50, 60)),
    ((64, 1200), (1200, 32)),
    ((3, 40, 50), (3, 50, 60)),
    ((3, 40, 50), (50, 60)),
    ((1, 50), (50, 7)),
    ((40, 1), (1, 600)),
    ((0, 5), (5, 3)),
    ((500, 0), (0, 300)),
    ((2, 0, 4), (2, 4, 0)),
]
MAGNITUDES = [100, 40_000, 1 << 20, 1 << 29, 1 << 63]  # sums fit float32, float64, or neither


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
@pytest.mark.parametrize("first, second", SHAPES)
def test_products_are_numpys(first, second, dtype):
    rng, limits = np.random.default_rng(0), np.iinfo(dtype)
    for magnitude in MAGNITUDES:
        low, high = max(-magnitude, limits.min), min(magnitude - 1, limits.max)
        a, b = (rng.integers(low, high, shape, dtype, endpoint=True) for shape in (first, second))
        expected = np.matmul(a, b)
        by_columns = torch.tensor(np.ascontiguousarray(a.swapaxes(-1, -2))).mT
        for result in (torch.tensor(a) @ torch.tensor(b), by_columns @ torch.tensor(b)):
            assert result.dtype is getattr(torch, dtype)
            assert result.shape == expected.shape
            assert (result.numpy() == expected).all()


def test_the_least_integer_has_no_opposite():
    least = torch.full((200, 200), -128, dtype=torch.int8)
    assert (least @ least == 0).all()
    assert (least.int() @ least.int() == 200 * 128 * 128).all()
