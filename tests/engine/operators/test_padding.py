"""Padding with a tensor's own elements: every mode, size and number of dimensions, beside PyTorch."""

import random

import numpy as np
import pytest

import tensh as torch
from tensh.nn import functional as F

MODES = ("reflect", "replicate", "circular")


def outcome(m, seed):
    """The padded tensor, its first and second derivatives, for a random case; the given gradient must stay unchanged."""
    rng = random.Random(seed)
    mode, dims = MODES[seed % 3], 1 + seed // 3 % 3
    spatial = [rng.randint(3, 5) for _ in range(dims)]
    pad = [rng.randint(-1, n - 1) if rng.random() < 0.8 else 0 for n in reversed(spatial) for _ in range(2)]
    if seed % 5 == 0:
        pad[0], spatial[-1] = 0, spatial[-1] + 9  # on one side only, of longer rows
    numbers = np.random.default_rng(seed).standard_normal((2, 2, *spatial)).astype(np.float32)
    x = m.tensor(numbers, requires_grad=True)
    y = m.nn.functional.pad(x, pad, mode=mode)
    weights = np.random.default_rng(seed + 1).standard_normal(tuple(y.shape)).astype(np.float32)
    g = m.tensor(weights, requires_grad=True)
    (first,) = m.autograd.grad(y, x, g, create_graph=True)
    (second,) = m.autograd.grad(first.square().sum(), g)
    assert np.array_equal(g.detach().numpy(), weights)
    return [t.detach().numpy() for t in (y, first, second)]


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(90))
def test_padding_is_that_of_pytorch(seed, oracle):
    ours, theirs = outcome(torch, seed), outcome(oracle, seed)
    assert np.array_equal(ours[0], theirs[0])
    for one, other in zip(ours[1:], theirs[1:], strict=True):
        assert np.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("pad", [(0, 2), (2, 0), (1, 2)])
@pytest.mark.parametrize("mode", MODES)
def test_a_backward_pass_leaves_the_gradient_that_came(mode, pad):
    x = torch.arange(8.0).reshape(1, 1, 8).requires_grad_()
    y = F.pad(x, pad, mode=mode)
    y.retain_grad()
    first, second = (torch.autograd.grad(y, x, torch.ones_like(y), retain_graph=True)[0] for _ in range(2))
    y.sum().backward()
    assert first.equal(second) and first.equal(x.grad) and y.grad.eq(3).all()  # of three passes
    assert x.grad.sum() == y.numel()


def test_many_equal_elements_are_added_to_one():
    x = torch.ones(1, 1, 3, requires_grad=True)
    F.pad(x, (100, 200), mode="replicate").sum().backward()
    assert x.grad.tolist() == [[[101.0, 1.0, 201.0]]]
