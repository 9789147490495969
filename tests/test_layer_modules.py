"""Every layer of torch.nn does what PyTorch's does: printed form, starting weights, outputs, gradients, state."""

import warnings

import numpy as np
import pytest
from layer_cases import CASES, outcome

import tensh


@pytest.mark.parametrize(("layer", "inputs"), CASES)
def test_layer_is_pytorchs(oracle, layer, inputs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, got = list(outcome(oracle, layer, inputs)), list(outcome(tensh, layer, inputs))
    assert [what for what, _ in got] == [what for what, _ in expected]
    for (what, one), (_, other) in zip(got, expected, strict=True):
        assert same(one, other), f"{what}: {one} is not {other}"


def same(one, other):
    if not isinstance(one, tuple):
        return one == other
    largest = np.abs(other[2]).max(initial=0, where=np.isfinite(other[2]))
    return one[:2] == other[:2] and np.allclose(one[2], other[2], rtol=1e-4, atol=1e-6 + 1e-4 * largest, equal_nan=True)
