"""Attention of few rows, and of many computed some at a time, is its formula; results lie in memory as PyTorch's do."""

import math

import numpy as np
import pytest

import tensh as torch

attention = torch.nn.functional.scaled_dot_product_attention


@pytest.mark.parametrize("rows, keys", [(1, 20), (5, 5), (70, 70), (300, 300), (300, 350), (350, 300)])
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_values_and_gradients_are_those_of_the_formula(rows, keys, swapped, causal):
    rng = np.random.default_rng(0)

    def given(length):
        numbers = torch.tensor(rng.standard_normal((2, 3, length, 4)))
        return (numbers.transpose(1, 2).contiguous().transpose(1, 2) if swapped else numbers).requires_grad_()

    query, key, value = operands = given(rows), given(keys), given(keys)
    g = torch.tensor(rng.standard_normal((2, 3, rows, 4)))
    found = attention(query, key, value, is_causal=causal)
    mask = torch.full((rows, keys), -math.inf, dtype=torch.float64).triu(1) if causal else 0
    expected = ((query @ key.mT / 2 + mask).softmax(-1)) @ value
    assert torch.allclose(found, expected, atol=1e-12)
    assert found.stride() == query.stride()
    for one, other in zip(torch.autograd.grad(found, operands, g), torch.autograd.grad(expected, operands, g)):
        assert torch.allclose(one, other, atol=1e-12)


def test_rows_that_see_nothing_are_zero_and_send_nothing_back():
    query, key, value = (torch.ones(1, 2, 3, 4, requires_grad=True) for _ in range(3))
    mask = torch.tensor([[False] * 3, [True] * 3, [True, False, False]])
    found = attention(query, key, value, attn_mask=mask)
    found.sum().backward()
    assert not found[:, :, 0].any() and found[:, :, 1:].eq(1).all()
    assert value.grad[0, 0, :, 0].tolist() == pytest.approx([4 / 3, 1 / 3, 1 / 3])
