"""Derivatives that are computed as chains of steps: the same as those of few elements, for every operator that has them."""

import inspect

import numpy as np
import pytest

import tensh as torch
from tensh.engine.codegen.chains import MANY, find_chains
from tensh.engine.codegen.vocabulary import OPS

NUMBERS = {"threshold": 0.5, "value": 0.3, "lambd": 0.2}
LEAST = {"sinc": 0.2}  # nearer to zero its slope is a difference of two numbers near one


def is_chained(op):
    return bool(op.pointwise and op.derivatives and op.node != "NotImplemented" and find_chains(op, op.derivatives))


CHAINED = sorted(name for name, op in OPS.items() if is_chained(op))


def differentiate(op, arrays, numbers):
    tensors = [torch.tensor(array, requires_grad=True) for array in arrays]
    out = op.fn(*tensors, **numbers)
    (out * out.detach()).sum().backward()
    return np.stack([t.grad.numpy() for t in tensors])


@pytest.mark.parametrize("name", CHAINED)
def test_many_elements_have_the_slopes_of_few(name):
    op = OPS[name]
    least = LEAST.get(name, 0.05)
    arrays = np.random.default_rng(0).uniform(least, 0.95, (len(op.inputs), 2 * MANY)).astype(np.float32)
    required = [p for n, p in op.parameters.items() if n not in op.inputs and p.default is inspect.Parameter.empty]
    numbers = {p.name: NUMBERS.get(p.name, 1) for p in required}
    whole = differentiate(op, arrays, numbers)
    parts = [differentiate(op, each, numbers) for each in np.split(arrays, 8, axis=1)]
    np.testing.assert_allclose(whole, np.concatenate(parts, axis=1), 3e-6, 1e-6)


def test_most_activations_are_chained():
    assert {"elu", "gelu", "silu", "softplus", "hardswish", "leaky_relu", "sigmoid", "hypot"} <= {*CHAINED}


@pytest.mark.parametrize("name", "mish logsigmoid softplus gelu silu selu elu hardswish tanhshrink softsign".split())
def test_few_elements_are_the_same_in_every_layout(name):
    function = getattr(torch.nn.functional, name)
    x = torch.linspace(-9, 9, 60).reshape(6, 10)
    for other in (x.t().contiguous().t(), torch.stack([x, x], -1)[..., 0], x.clone().unsqueeze(0).expand(3, 6, 10)[1]):
        assert function(other).equal(function(x))
