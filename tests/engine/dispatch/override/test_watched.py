"""Gradients under a dispatch mode are those without one."""

import pytest

import tensh as torch
from tensh.engine.dispatch.capture.recorder import Recorder
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
F.margin_ranking_loss(x, x.flip(0), torch.ones(2, 4, 6, 6)) ; F.hinge_embedding_loss(x, torch.ones(2, 4, 6, 6)) ; F.kl_div(x, x.flip(0), reduction="sum", log_target=True)
F.triplet_margin_loss(x, x.flip(0), x.flip(1), swap=True) ; F.poisson_nll_loss(x, x.detach().exp(), full=True) ; F.multilabel_soft_margin_loss(x[0, 0], torch.ones(6, 6))
F.cross_entropy(x, torch.ones(2, 6, 6).long(), label_smoothing=0.2) ; F.cosine_embedding_loss(x[0, 0], x[1, 0], torch.ones(6)) ; F.elu(x * 1, 0.7, True)
F.instance_norm(x, torch.zeros(4), torch.ones(4), x[0, :, 0, 0]) ; F.batch_norm(x, torch.zeros(4), torch.ones(4), x[0, :, 0, 0]) ; F.threshold(x * 1, 0.1, 2.0, True)
F.leaky_relu(x * 1, 0.3, True) ; F.celu(x * 1, 0.7, True) ; F.silu(x * 1, True) ; F.bilinear(x[0, 0], x[1, 0], x[0]) ; F.max_pool1d(x[0], 2) ; x.minimum(x.flip(0))
x.repeat(2, 1, 1, 3) ; x.clamp(min=0.1) ; x.clamp(max=x.detach().flip(0)) ; x.norm() ; x.norm(dim=1)
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


@pytest.mark.parametrize("layer", [
    torch.nn.LSTM(6, 3), torch.nn.GRU(6, 3), torch.nn.MultiheadAttention(6, 2), torch.nn.LSTM(6, 3, 2, bidirectional=True, proj_size=2),
    torch.nn.LSTM(6, 3, 2, bidirectional=True, batch_first=True, bias=False), torch.nn.RNN(6, 3, 2, nonlinearity="relu", bidirectional=True),
])  # fmt: skip
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


def test_what_modes_replaced_is_recorded_by_captures_afterwards():
    with Watching() as mode:
        F.margin_ranking_loss(*torch.ones(3, 2))
    assert "clamp_min_" in mode.names
    with torch.overrides.BaseTorchFunctionMode():  # public functions are still replaced
        recorder = Recorder()
        with recorder:
            torch.ones(2).matmul(torch.ones(2, 2))
    assert "mm" in [line.name for line in recorder.lines]
    names = len(mode.names)
    torch.ones(2).matmul(torch.ones(2, 2))
    assert len(mode.names) == names


def test_backward_passes_of_functions_of_ones_own_are_seen():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.ones(2, requires_grad=True)
    with Watching() as mode:
        Twice.apply(x).sum().backward()
    assert mode.names.count("mul") == 2 and x.grad.tolist() == [2, 2]
