"""A program gives the same results and gradients on a nested tensor as on its tensors one by one."""

import pytest

import tensh as torch
import tensh.nn.functional as F

pytestmark = pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
LAYOUTS = {"strided": torch.strided, "jagged": torch.jagged}
WEIGHT = torch.arange(12.0, dtype=torch.float64).reshape(3, 4) / 7 - 0.5
BIAS = torch.arange(3.0, dtype=torch.float64)
SCALE = torch.arange(4.0, dtype=torch.float64) + 0.5

BOTH = {
    "functions": lambda x: torch.tanh(x) * x.sin() + F.gelu(x) - x.abs() / 2,
    "activations": lambda x: F.silu(x) + F.relu(x) + x.sgn(),
    "linear": lambda x: F.linear(x, WEIGHT, BIAS),
    "layer_norm": lambda x: F.layer_norm(x, (4,), SCALE, SCALE),
    "softmax of rows": lambda x: torch.softmax(x, -1) * x,
    "transposed": lambda x: (x.transpose(-1, -2) * 2 + 1).transpose(-1, -2) * x,
    "unsqueezed": lambda x: x.unsqueeze(-1).squeeze(-1) * x,
    "joined rows": lambda x: torch.cat([x, x * x], -1),
    "sums of rows": lambda x: x.sum(-1, keepdim=True),
    "chunks": lambda x: x.chunk(2, -1)[1] * 3,
    "selected": lambda x: x.select(-1, 2) * 2,
    "copied": lambda x: x.clone() * x.contiguous(),
    "cast": lambda x: x.float().double() * x,
    "masked": lambda x: x.masked_fill(x > 0, 0.0),
}
STRIDED = {
    "product": lambda x: torch.matmul(x, x.transpose(-1, -2)),
    "softmax of columns": lambda x: torch.softmax(x, -2) * x,
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x),
}
JAGGED = {
    "broadcast": lambda x: x * SCALE + SCALE.reshape(1, 4)[0] - 1 / (x.square() + 1),
    "rms_norm": lambda x: F.rms_norm(x, (4,)),
    "matmul": lambda x: x @ WEIGHT.T,
    "powers": lambda x: x**3 + 2 ** (x / 4) + x.pow(2).exp().log1p(),
    "clamped": lambda x: x.clamp(-0.5, 0.5) + torch.maximum(x, x * x) + torch.where(x > 0, x, -x),
    "split": lambda x: x.split([1, 3], -1)[1].flatten(2) if x.is_nested else x.split([1, 3], -1)[1],
    "sliced": lambda x: x[..., 1:] * x[..., :3],
    "log_softmax": lambda x: F.log_softmax(x, -1),
    "means of rows": lambda x: x.mean(-1),
    "greatest of rows": lambda x: x.amax(-1) + x.max(-1).values,
    "stacked": lambda x: torch.stack([x, x * x], -1),
    "heads": lambda x: x.unflatten(-1, (2, 2)).transpose(-3, -2).exp(),
}
RAGGED = {  # programs along the ragged dimension, whose results are of one size
    "sum": lambda x, dim: x.sum(dim),
    "mean": lambda x, dim: x.mean(dim),
    "prod": lambda x, dim: x.prod(dim),
    "amax": lambda x, dim: x.amax(dim),
    "min": lambda x, dim: x.min(dim).values,
    "softmax": lambda x, dim: (x.softmax(dim) * x).sum(dim),
    "centred": lambda x, dim: (x - x.mean(dim, keepdim=True)).square().sum(dim),
}


def tensors():
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(n, 4, dtype=torch.float64, generator=generator).requires_grad_() for n in (2, 1, 3)]


def sent_back(results, inputs):
    """What the inputs get for weights that tell all elements of the results apart."""
    total = sum((each * torch.arange(1.0, each.numel() + 1).reshape(each.shape)).sum() for each in results)
    return torch.autograd.grad(total, inputs)


def compare(program, layout, *, single=None):
    alone, joined = tensors(), tensors()
    expected = [(single or program)(each) for each in alone]
    found = program(torch.nested.as_nested_tensor(joined, layout=layout)).unbind()
    torch.testing.assert_close([each.detach() for each in found], [each.detach() for each in expected])
    torch.testing.assert_close(sent_back(found, joined), sent_back(expected, alone))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", BOTH)
def test_both_layouts(name, layout):
    compare(BOTH[name], LAYOUTS[layout])


@pytest.mark.parametrize("name", STRIDED)
def test_strided_functions_compute_each_tensor(name):
    compare(STRIDED[name], torch.strided)


@pytest.mark.parametrize("name", JAGGED)
def test_jagged_functions_compute_each_tensor(name):
    compare(JAGGED[name], torch.jagged)


@pytest.mark.parametrize("name", RAGGED)
def test_along_the_ragged_dimension(name):
    alone, joined = tensors(), tensors()
    expected = torch.stack([RAGGED[name](each, 0) for each in alone])
    found = RAGGED[name](torch.nested.as_nested_tensor(joined, layout=torch.jagged), 1)
    torch.testing.assert_close(found.detach(), expected.detach())
    torch.testing.assert_close(sent_back([found], joined), sent_back([expected], alone))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_padding_is_that_of_pad_sequence_and_sends_gradients_back(layout):
    joined = tensors()
    padded = torch.nested.as_nested_tensor(joined, layout=LAYOUTS[layout]).to_padded_tensor(7.0)
    expected = torch.nn.utils.rnn.pad_sequence([each.detach() for each in joined], batch_first=True, padding_value=7.0)
    torch.testing.assert_close(padded.detach(), expected)
    found = sent_back([padded], joined)
    weights = torch.arange(1.0, padded.numel() + 1, dtype=torch.float64).reshape(padded.shape)
    torch.testing.assert_close(found, tuple(weights[i, : len(each)] for i, each in enumerate(joined)))


def test_attention_of_heads_in_the_layout_jagged():
    def attend(x):
        heads = x.unflatten(-1, (2, 2)).transpose(-3, -2)
        return F.scaled_dot_product_attention(heads, heads, heads).transpose(-3, -2).flatten(-2)

    compare(attend, torch.jagged)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_second_derivatives(layout):
    joined, alone = tensors(), tensors()
    first = sent_back((torch.nested.as_nested_tensor(joined, layout=LAYOUTS[layout]).sin() * 2).unbind(), joined)
    nested = torch.nested.as_nested_tensor(joined, layout=LAYOUTS[layout])
    grads = torch.autograd.grad((nested * nested * nested).values().sum(), joined, create_graph=True)
    found = torch.autograd.grad(sum(each.sum() for each in grads), joined)
    torch.testing.assert_close(found, tuple(6 * each.detach() for each in alone))
    assert all(each.shape == t.shape for each, t in zip(first, joined))
