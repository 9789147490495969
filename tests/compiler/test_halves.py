"""Numbers of 16 bits in compiled functions are rounded as often as in uncompiled ones."""

import pytest

import tensh as torch
from tensh.nn import functional as F

POINT = torch.tensor(0.37)
CALLS = {
    "silu": lambda x, y: F.silu(x) * y,
    "logsigmoid": lambda x, y: F.logsigmoid(x) * y,
    "glu": lambda x, y: F.glu(x, 1) * y[:, :3],
    "mish": lambda x, y: F.mish(x) * y,
    "mse_loss": lambda x, y: F.mse_loss(x, y),
    "smooth_l1_loss": lambda x, y: F.smooth_l1_loss(x, y, beta=0.5),
    "huber_loss": lambda x, y: F.huber_loss(x, y, delta=0.7),
    "binary_cross_entropy_with_logits": lambda x, y: F.binary_cross_entropy_with_logits(x, y.sigmoid()),
    "cross_entropy": lambda x, y: F.cross_entropy(x, y.detach().argmax(1), label_smoothing=0.1) * y.sum(),
    "times a 0-d tensor": lambda x, y: x * POINT + POINT * y,
    "divided by a 0-d tensor": lambda x, y: x / POINT + POINT / (y.abs() + 1),
    "chain": lambda x, y: (x * POINT + y / POINT - POINT).tanh() * POINT,
    "layer_norm": lambda x, y: F.layer_norm(x, (6,), y[0], y[1]),
    "cumprod": lambda x, y: x.cumprod(1) * y,
}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("function", CALLS.values(), ids=CALLS)
def test_values_and_gradients(function, dtype):
    compiled = torch.compile(function)
    for seed in range(3):
        torch.manual_seed(seed)
        numbers, found = torch.randn(2, 4, 6).to(dtype), []
        for each in (function, compiled):
            x, y = (t.clone().requires_grad_() for t in numbers)
            result = each(x, y)
            found.append((result, *torch.autograd.grad(result.sum(), (x, y))))
        assert all(ours.equal(theirs) for ours, theirs in zip(*found, strict=True))
    assert compiled.compiled.graphs


def test_the_gradient_of_a_0d_tensor():
    point = torch.tensor(0.37, requires_grad=True)
    x = torch.linspace(-3, 3, 24, dtype=torch.bfloat16)

    def function(x):
        return (x * point).square().sum()

    compiled = torch.compile(function)
    for _ in range(3):
        assert torch.autograd.grad(compiled(x), point)[0].equal(torch.autograd.grad(function(x), point)[0])
