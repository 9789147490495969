"""Comparisons of whole tensors."""

import pytest

import tensh as torch

LAYOUTS = {
    "rows": lambda: torch.zeros(90, 1000),
    "columns": lambda: torch.zeros(1000, 90).t(),
    "one row": lambda: torch.zeros(1, 90_000),
    "one column": lambda: torch.zeros(90_000, 1),
    "stacks of one": lambda: torch.zeros(1, 1, 300, 300),
    "with gaps": lambda: torch.zeros(90, 2000)[:, ::2],
    "few long rows": lambda: torch.zeros(2, 45_000),
    "integers": lambda: torch.zeros(90_000, dtype=torch.int64),
    "half": lambda: torch.zeros(300, 300, dtype=torch.half),
}


@pytest.mark.parametrize("place", [0, 1, 4095, 4096, 50_000, 69_999, 89_999])
@pytest.mark.parametrize("name", LAYOUTS)
def test_large_tensors_are_equal_but_for_one_element(name, place):
    one, two = LAYOUTS[name](), LAYOUTS[name]()
    assert torch.equal(one, two)
    index = torch.unravel_index(torch.tensor(place), two.shape)
    two[index] = 1
    assert not torch.equal(one, two)
    assert not torch.equal(two, one)
    one[index] = 1
    assert torch.equal(one, two.contiguous())


def test_nan_is_equal_to_nothing():
    x = torch.zeros(90_000)
    x[80_000] = torch.nan
    assert not torch.equal(x, x)
