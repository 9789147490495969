"""Rows of one matrix are sorted and searched as each row alone is."""

import numpy as np
import pytest

import tensh as torch

SHAPES = [(3, 40), (520, 16), (40, 250), (300, 9), (130, 1), (200, 0), (5, 2100)]
DTYPES = ["float32", "float64", "bfloat16", "int16", "int32", "int64"]


def draw(dtype, *shape):
    """Return a matrix with equal elements and, where there are any, nan, infinity and both zeros."""
    values = np.random.default_rng(sum(shape)).integers(-20, 20, shape) / (1 if "int" in dtype else 4)
    if "float" in dtype and values.size > 100:
        values.flat[::37], values.flat[::41], values.flat[::43] = np.nan, np.inf, -0.0
    return torch.tensor(values).to(getattr(torch, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_are_sorted_as_vectors_are(shape, dtype):
    matrix = draw(dtype, *shape)
    for descending in (False, True):
        values, indices = matrix.sort(stable=True, descending=descending)
        for row, own, order in zip(matrix, values, indices):
            expected = row.sort(stable=True, descending=descending)
            assert order.tolist() == expected.indices.tolist()
            assert own.equal(expected.values) or own.isnan().any()
        assert matrix.mT.contiguous().sort(0, descending, stable=True)[1].mT.equal(indices)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 4, 20])
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_are_searched_as_vectors_are(shape, count, dtype):
    rows = draw(dtype, *shape).sort().values
    wanted = draw(dtype, shape[0], count)
    for options in ({}, {"right": True}, {"side": "right", "out_int32": True}):
        found = torch.searchsorted(rows, wanted, **options)
        each = [torch.searchsorted(*pair, **options).tolist() for pair in zip(rows, wanted)]
        assert found.tolist() == each
        assert found.dtype is (torch.int32 if "out_int32" in options else torch.int64)
