"""Gradients of 16 bit numbers have PyTorch's bits, recorded or not."""

import pytest

import tensh

oracle = pytest.importorskip("torch")
pytestmark = pytest.mark.oracle

PROGRAMS = """
x / 65.792
x / 65792.0
x * 1.0007
x.abs() ** 1.7
x ** 3.3333
1.1111 / x
x.mean()
x.mean(0)
x.var()
x.std()
x.norm()
x.norm(3)
x.rsqrt().nan_to_num()
x.abs().log2()
x.exp2()
x.erf()
x.sigmoid().logit()
x.deg2rad()
torch.add(x, x, alpha=1.0007)
torch.lerp(x, x * 2, 0.3333)
torch.addcdiv(x, x, x.abs() + 1, value=0.3333)
torch.addcmul(x, x, x, value=0.3333)
x.softmax(-1)
x.log_softmax(-1)
F.layer_norm(x, x.shape[-1:])
F.elu(x, 1.0007)
F.celu(x, 1.3333)
F.selu(x)
F.softplus(x, 1.3333)
F.leaky_relu(x, 0.3333)
F.hardswish(x)
F.hardsigmoid(x)
F.gelu(x)
F.gelu(x, approximate="tanh")
F.silu(x)
F.mish(x)
F.logsigmoid(x)
F.mse_loss(x, x.detach() * 2)
F.l1_loss(x, x.detach() * 2)
F.huber_loss(x, x.detach() * 2, delta=0.7777)
F.smooth_l1_loss(x, x.detach() * 2, beta=0.7777)
F.kl_div(x, x.detach().abs())
F.binary_cross_entropy_with_logits(x, x.detach().sigmoid())
"""


OTHERWISE = {
    ("F.mish(x)", "float16", True): "log1p(exp(x)) is infinite from 12 on in float16, and its second derivative is nan",
    ("F.logsigmoid(x)", "bfloat16", True): "the kept exponential is not rounded",
}
"""(program, dtype, recorded) -> why the last digit may differ."""


def gradient(torch, program, dtype, recorded):
    """Return the gradient of a program, as numbers."""
    x = torch.randn(6, generator=torch.Generator().manual_seed(0)).to(getattr(torch, dtype)).requires_grad_()
    y = eval(program, {"x": x, "torch": torch, "F": torch.nn.functional})
    weights = torch.linspace(0.5, 1.5, y.numel()).reshape(y.shape).to(y.dtype)
    return torch.autograd.grad(y, x, weights, create_graph=recorded)[0].detach().float()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("recorded", [False, True], ids=["plain", "recorded"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("program", PROGRAMS.strip().split("\n"))
def test_gradients_are_pytorchs(program, dtype, recorded):
    ours, theirs = (gradient(torch, program, dtype, recorded).tolist() for torch in (tensh, oracle))
    if (program, dtype, recorded) in OTHERWISE:
        assert ours == pytest.approx(theirs, rel=float(tensh.finfo(getattr(tensh, dtype)).eps))
    else:
        assert str(ours) == str(theirs)


def test_the_mean_of_more_numbers_than_float16_counts():
    for torch in (tensh, oracle):
        x = torch.ones(300, 333, dtype=torch.float16, requires_grad=True)
        x.mean().backward()
        assert x.grad.unique().tolist() == [1.0013580322265625e-05]
