"""Gradients under a dispatch mode are those without one."""

import pytest

import tensh as torch
from tensh.utils._python_dispatch import TorchDispatchMode

F = torch.nn.functional
CASES = """
x.tanh() ; x.sigmoid() ; x.pow(3) ; x.abs().sqrt() ; x.logcumsumexp(1) ; x.std((2, 3)) ; x.amax((2, 3)) ; x.logsumexp((1, 2))
F.gelu(x) ; F.gelu(x, approximate="tanh") ; F.silu(x) ; F.mish(x) ; F.selu(x) ; F.celu(x, 1.3) ; F.hardswish(x) ; F.softplus(x, 2.0)
F.leaky_relu(x, 0.3) ; F.hardtanh(x, -0.3, 0.7) ; F.logsigmoid(x) ; F.glu(x, 1) ; F.rrelu(x) ; F.prelu(x, x[0, :, 0, 0])
F.mse_loss(x, x.flip(0)) ; F.huber_loss(x, x.detach().flip(0)) ; F.smooth_l1_loss(x, x.detach().flip(0), reduction="sum")
F.binary_cross_entropy_with_logits(x, x.sigmoid(), pos_weight=torch.tensor(2.0)) ; F.binary_cross_entropy(x.sigmoid(), x.detach().sigmoid())
F.cross_entropy(x, torch.ones(2, 6, 6).long(), weight=torch.arange(4.0)) ; F.nll_loss(x[0, 0].log_softmax(1), torch.arange(6))
F.conv2d(x, x[:, :2, :3, :3].repeat(2, 1, 1, 1), stride=2, padding=1, groups=2)
F.conv_transpose2d(x, x[:, :3, :3, :3].repeat(2, 1, 1, 1), stride=2, padding=1, output_padding=1)
F.max_pool2d(x, 3, 2, 1, ceil_mode=True) ; F.avg_pool2d(x, 2) ; F.adaptive_avg_pool2d(x, 3) ; F.adaptive_avg_pool2d(x, 1) ; F.adaptive_max_pool2d(x, 3)
F.layer_norm(x, (6, 6), x[0, 0], x[0, 1]) ; F.group_norm(x, 2, x[0, :, 0, 0]) ; F.batch_norm(x, None, None, x[0, :, 0, 0], training=True)
F.rms_norm(x, (6,)) ; F.normalize(x, dim=1) ; F.interpolate(x, scale_factor=2, mode="bilinear") ; F.pad(x, (1, 2, 0, 1))
F.embedding(torch.tensor([0, 1, 1]), x[0, 0]) ; F.scaled_dot_product_attention(x, x, x, is_causal=True)
F.scaled_dot_product_attention(x, x, x, attn_mask=torch.zeros(6, 6), scale=0.3)
x[:, [0, 2]] ; x[x > 0] ; x[:, 1:3, ::2] ; x.sort(1)[0] ; x.topk(2, 1)[0] ; x.split([1, 3], 1)[1] ; x.unbind(1)[2] ; torch.stack([x, x * 2], 1)
x.gather(1, torch.zeros(2, 2, 6, 6).long()) ; x.index_select(1, torch.tensor([0, 0, 3])) ; x.clone().mul_(2).add_(1).relu_()
x @ x.transpose(2, 3) ; torch.einsum("bchw,bdhw->bcd", x, x) ; torch.linalg.inv(x + 5 * torch.eye(6)) ; torch.view_as_real(torch.complex(x, x) ** 2)
"""


class Watching(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(func._opname)
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("text", [each.strip() for line in CASES.strip().splitlines() for each in line.split(" ; ")])
def test_gradients_are_the_same_under_a_mode(text):
    start = torch.randn(2, 4, 6, 6, generator=torch.Generator().manual_seed(1))

    def slope():
        x = start.clone().requires_grad_()
        out = eval(text, {"x": x, "F": F, "torch": torch})
        out.backward(torch.linspace(-1, 1, out.numel()).view(out.shape))
        return out.detach(), x.grad

    plain = slope()
    with Watching() as mode:
        watched = slope()
    torch.testing.assert_close(watched, plain, rtol=1e-4, atol=1e-5)
    assert "linspace" in mode.names and mode.names[-1] in ("detach", "copy_", "add_")


@pytest.mark.parametrize("layer", [torch.nn.LSTM(6, 3), torch.nn.GRU(6, 3), torch.nn.MultiheadAttention(6, 2)])
def test_layers_have_the_same_gradients_under_a_mode(layer):
    x = torch.linspace(-1, 1, 36).view(3, 2, 6)
    inputs = (x,) * (3 if isinstance(layer, torch.nn.MultiheadAttention) else 1)

    def slopes():
        layer.zero_grad()
        layer(*inputs)[0].pow(2).sum().backward()
        return [p.grad.clone() for p in layer.parameters()]

    plain = slopes()
    with Watching():
        watched = slopes()
    torch.testing.assert_close(watched, plain, rtol=1e-4, atol=1e-5)
