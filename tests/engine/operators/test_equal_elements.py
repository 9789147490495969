"""The order in which ``sort`` leaves equal elements: it does not depend on how many rows are sorted at once."""

import numpy as np
import pytest

import tensh as torch

ROWS, LENGTH = 4, 1500  # together enough to be divided level by level; a row alone is sorted step by step


def make_worst(length):
    """A row in which every median of three is an extreme, so that a heap takes over (Musser 1997), with equal elements."""
    half, row = length // 2, np.zeros(length, int)
    for i in range(1, half + 1):
        if i % 2:
            row[i - 1], row[i] = i, half + i
        row[half + i - 1] = 2 * i
    return row // 3


def make_rows(kind, distinct):
    rng = np.random.default_rng(distinct)
    rows = rng.integers(0, distinct, (ROWS, LENGTH))
    match kind:
        case "ascending":
            return np.sort(rows, 1)
        case "descending":
            return np.sort(rows, 1)[:, ::-1].copy()
        case "peak":
            return np.concatenate([np.sort(rows[:, :700], 1), np.sort(rows[:, 700:], 1)[:, ::-1]], 1)
        case "worst":
            return np.stack([make_worst(LENGTH)] * ROWS)
    return rows


@pytest.mark.parametrize("distinct", [2, 100])
@pytest.mark.parametrize("kind", ["random", "ascending", "descending", "peak", "worst"])
def test_rows_are_sorted_as_each_row_alone(kind, distinct):
    """Values, indices and both directions, along either dimension, for integers and for floats with nan."""
    integers = torch.tensor(make_rows(kind, distinct))
    floats = integers.double()
    floats[:, ::11], floats[:, 5::13] = torch.nan, torch.inf
    for matrix in (integers, floats):
        for descending in (False, True):
            together = matrix.sort(1, descending)
            alone = [row.sort(0, descending) for row in matrix]
            assert torch.equal(together.indices, torch.stack([each.indices for each in alone]))
            assert torch.equal(
                together.values.nan_to_num(-1), torch.stack([each.values for each in alone]).nan_to_num(-1)
            )
            assert torch.equal(matrix.t().contiguous().argsort(0, descending), together.indices.t())
