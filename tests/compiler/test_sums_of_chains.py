"""Sums and means of chains are added while the chain is computed, with the bits of the sums of whole tensors."""

import pytest

import tensh as torch
from tests.support.sampling import few_of

CHAINS = {
    "sum": lambda x: (x * 2 + 1).sum(),
    "mean": lambda x: ((x * 2 - 1) / 3).square().add(1).mean(),
    "one step": lambda x: (x * x).sum(),
    "kept": lambda x: ((y := x * 3 - 1).sum(), y * 2),
    "two": lambda x: ((y := (x + 1) * 2).sum(), y.mean()),
    "two chains": lambda x: ((x + 1).sum(), (x.abs() * 2).mean()),
    "through double": lambda x: (x.exp() * x.tanh()).mean(),
    "another dtype": lambda x: (x + 1).sum(dtype=torch.float64),
    "written before": lambda x: ((y := x * 2 + 1).mul_(3), y.sum())[1],
    "by rows": lambda x: (x + x.new_ones(x.shape[-1])).sum(),
}
"""Functions of one tensor."""


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", few_of(CHAINS))
def test_sums_of_chains_are_those_of_tensors(name, dtype):
    torch.manual_seed(0)
    for shape in ((32769,), (32770,), (98_305,), (256, 257), (64, 64, 33), (300_001,)):
        x = torch.randn(shape, dtype=dtype, requires_grad=True)
        compiled = torch.compile(CHAINS[name])
        compiled(x)
        results = [each if isinstance(each, tuple) else (each,) for each in (CHAINS[name](x), compiled(x))]
        slopes = [torch.autograd.grad([each.sum() for each in made], x)[0] for made in results]
        for expected, found in zip(*results, strict=True):
            assert expected.dtype is found.dtype and torch.equal(expected, found)
        assert torch.equal(*slopes)


def test_a_sum_joins_its_chain():
    compiled = torch.compile(CHAINS["mean"])
    x = torch.ones(1 << 16)
    compiled(x)
    text = compiled.compiled.graphs[0].program.text
    assert "6 steps" in text and "empty(" not in text
