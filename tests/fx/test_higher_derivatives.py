"""Derivatives up to the third order of functions that ``make_fx`` traces equal the functions', for other inputs, too."""

import pytest

import tensh as torch
from tensh.fx.experimental.proxy_tensor import make_fx
from tests.support.sampling import few_of

nn, F = torch.nn, torch.nn.functional
pytestmark = pytest.mark.filterwarnings("ignore")
FUNCTIONS = {
    name: getattr(torch, name)
    for name in "exp sigmoid tanh sin sqrt rsqrt reciprocal log relu tan expm1 erf atan lgamma".split()
} | {
    "softmax": lambda x: x.softmax(0) * torch.arange(3.0), "log_softmax": lambda x: x.log_softmax(0) * torch.arange(3.0),
    "logsumexp": lambda x: x.logsumexp(0), "cumsum": lambda x: x.cumsum(0) ** 2, "cumprod": lambda x: x.cumprod(0), "norm": lambda x: x.norm() ** 3,
    "std": lambda x: x.std(), "var": lambda x: x.var(), "pow": lambda x: x**x, "where": lambda x: torch.where(x > 0.4, x**3, x.exp()),
    "elu": lambda x: F.elu(-x), "softplus": F.softplus, "gelu": F.gelu, "silu": F.silu, "mish": F.mish, "logsigmoid": F.logsigmoid,
    "hardswish": F.hardswish, "select": lambda x: x[1:] * x[0], "written": lambda x: (x * 1).mul_(x).add_(x), "clamp": lambda x: x.clamp(0.2, 0.5) ** 3,
    "mse": lambda x: F.mse_loss(x, x * x), "smooth_l1": lambda x: F.smooth_l1_loss(x, x * x), "huber": lambda x: F.huber_loss(x, x * x),
    "cross_entropy": lambda x: F.cross_entropy(x, torch.tensor(1)), "layer_norm": lambda x: F.layer_norm(x, (3,)) ** 2,
    "pairs": lambda x: torch.view_as_real(torch.view_as_complex(torch.stack((x, x * x), 1)) ** 2).sum(1),
}  # fmt: skip
LAYERS = {
    "Linear": (lambda: nn.Linear(4, 3), (5, 4)), "Conv2d": (lambda: nn.Conv2d(2, 3, 3, padding=1), (1, 2, 4, 4)),
    "ConvTranspose1d": (lambda: nn.ConvTranspose1d(2, 3, 3), (1, 2, 4)), "BatchNorm1d": (lambda: nn.BatchNorm1d(3), (4, 3)),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), (3, 4, 5)), "LayerNorm": (lambda: nn.LayerNorm(4), (3, 4)), "MaxPool2d": (lambda: nn.MaxPool2d(2), (1, 2, 4, 4)),
    "AvgPool2d": (lambda: nn.AvgPool2d(2), (1, 2, 4, 4)), "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d(2), (1, 1, 5, 5)),
    "Upsample": (lambda: nn.Upsample(scale_factor=2), (1, 1, 3, 3)), "bilinear": (lambda: nn.Upsample(scale_factor=2, mode="bilinear"), (1, 1, 3, 3)),
    "ReflectionPad2d": (lambda: nn.ReflectionPad2d(1), (1, 1, 3, 3)), "ReplicationPad1d": (lambda: nn.ReplicationPad1d(2), (1, 1, 3)),
    "PReLU": (lambda: nn.PReLU(), (3, 4)),
}  # fmt: skip
OPERANDS = torch.tensor([0.3, 0.5, 0.7]), torch.tensor([0.2, 0.9, -0.4])
WEIGHT = torch.tensor([1.5, 2.0, 3.0], requires_grad=True)
BRANCHES = {
    "two operands": lambda x, y: torch.cond(x.sum() > 0, lambda x, y: (x * y).sin(), lambda x, y: x * x * x, (x, y)),
    "two results": lambda x, y: torch.cond(
        x.sum() > 0, lambda x, y: (x * y * WEIGHT, y.exp() * x), lambda x, y: (x.cos() * WEIGHT * WEIGHT, y * 2 + x * 0), (x, y)
    ),
    "nested": lambda x, y: torch.cond(
        x.sum() > 0, lambda x, y: torch.cond(y.sum() > 0, lambda x: x.sin(), lambda x: x.exp(), (x,)) * y,
        lambda x, y: y.sigmoid() * x, (x, y)
    ),
    "operands of each other": lambda x, y: torch.cond(x.sum() > 0, lambda x, z: x * z, lambda x, z: x - z * z, (x, x.sin() * y)),
    "views": lambda x, y: torch.cond(x.sum() > 0, lambda v, z: v * z + y[0], lambda v, z: v.exp() * z * y[:2], (x[1:], x[1:] * 2)),
}  # fmt: skip


def differentiate(function, order, members=()):
    """Return a function of tensors: the gradients of the squares of its gradients, and so on."""

    def derivative(*inputs):
        inputs = [each.detach().requires_grad_() for each in inputs]
        results = function(*inputs)
        total = sum((each**2).sum() for each in (results if isinstance(results, tuple) else (results,)))
        for step in range(order):
            options = {"allow_unused": True, "materialize_grads": True, "create_graph": step < order - 1}
            found = torch.autograd.grad(total, [*inputs, *members], **options)
            total = sum((each * each).sum() for each in found)
        return found

    return derivative


def check(derivative, inputs, others):
    traced = make_fx(derivative)(*inputs)
    for given in others:
        for one, other in zip(traced(*given), derivative(*given), strict=True):
            assert float((one - other).abs().max()) <= 2e-3 * (1 + float(other.abs().max()))


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("name", few_of(FUNCTIONS))
def test_derivatives_of_functions(name, order):
    x = OPERANDS[0]
    check(differentiate(FUNCTIONS[name], order), (x,), [(x + 0.1,)])


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", few_of(LAYERS))
def test_derivatives_of_layers(name, order):
    torch.manual_seed(0)
    make, shape = LAYERS[name]
    layer, x = make(), torch.randn(shape)
    check(differentiate(layer, order, list(layer.parameters())), (x,), [(x + 0.01,)])


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("name", few_of(BRANCHES))
def test_derivatives_of_branches(name, order):
    x, y = OPERANDS
    check(
        differentiate(BRANCHES[name], order), OPERANDS, [(sign * x, other * y) for sign in (1, -1) for other in (1, -1)]
    )


def test_a_write_keeps_what_its_derivative_reads(oracle):
    """The copy that PyTorch makes before the write is what the derivative takes."""
    codes = []
    for library in (torch, oracle):
        trace = library.fx.experimental.proxy_tensor.make_fx

        def derivative(x):
            x = x.detach().requires_grad_()
            y = (x * 1).mul_(x)
            return library.autograd.grad((y**2).sum(), x)  # noqa: B023

        codes.append(trace(derivative)(library.ones(3)).code)
    assert codes[0] == codes[1] and "clone" in codes[0]
