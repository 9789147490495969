"""Functions of few float32 numbers, and their gradients, have PyTorch's bits, or nearly always."""

import numpy as np
import pytest

import tensh

oracle = pytest.importorskip("torch")

EXACT = {
    "tanh": lambda m, x, y: x.tanh(),
    "lerp": lambda m, x, y: m.lerp(x, y, 0.3),
    "lerp from the end": lambda m, x, y: m.lerp(x, y, 0.7),
    "addcmul": lambda m, x, y: m.addcmul(x, x, y, value=0.3),
    "addcdiv": lambda m, x, y: m.addcdiv(x, x, y, value=0.3),
    "hardswish": lambda m, x, y: m.nn.functional.hardswish(x),
    "hardsigmoid": lambda m, x, y: m.nn.functional.hardsigmoid(x),
    "leaky_relu": lambda m, x, y: m.nn.functional.leaky_relu(x, 0.3),
    "polynomial": lambda m, x, y: x**3 - 2 * x**2 + y * x,
}
NEARLY = {
    "sigmoid": lambda m, x, y: x.sigmoid(),
    "exp": lambda m, x, y: x.exp(),
    "tanh of a product": lambda m, x, y: (x * y).tanh() * x,
    "elu": lambda m, x, y: m.nn.functional.elu(x),
}


def compare(function):
    """Return how many results and gradients of 2,000 differ, in hundredths."""
    rng = np.random.default_rng(0)
    values = [rng.standard_normal((100, 10)).astype(np.float32) for _ in range(2)]
    found = []
    for m in (tensh, oracle):
        x, y = (m.tensor(v, requires_grad=True) for v in values)
        result = function(m, x, y)
        result.backward(m.tensor(values[1][::-1].copy()))
        found.append(np.concatenate([result.detach().numpy(), x.grad.numpy()]))
    return 100 * np.mean(found[0] != found[1])


@pytest.mark.parametrize("name", EXACT)
def test_few_elements_have_pytorchs_bits(name):
    assert compare(EXACT[name]) == 0


@pytest.mark.parametrize("name", NEARLY)
def test_nearly_always(name):
    assert compare(NEARLY[name]) < 5
