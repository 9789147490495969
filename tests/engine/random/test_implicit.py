"""Gamma and Dirichlet numbers: how they move with their parameters."""

import numpy as np
import pytest

import tensh as torch

# Logarithms of the least and the largest parameter: series, saddle point expansions and fitted functions.
RANGES = {"all": (-2, 2), "small": (-4, 0), "middling": (-0.5, 1), "large": (0.9, 3)}
SIZE = 400
SPREAD = (None, 2.0, 0.05)  # numbers that are drawn, and such as lie near their mean and far from it


def parameters(name, seed):
    low, high = RANGES[name]
    return 10 ** np.random.default_rng(seed).uniform(low, high, SIZE)


def gamma_numbers(name, spread):
    """Shapes, and numbers of their distributions or at some distance from their mean."""
    generator, shapes = np.random.default_rng(1), parameters(name, 2)
    if spread is None:
        return shapes, np.maximum(generator.gamma(shapes), 1e-300)
    return shapes, shapes * (1 + spread * generator.uniform(-0.45, 0.45, SIZE))


def beta_numbers(name, spread):
    """Numbers between 0 and 1, first parameters, and sums of both parameters."""
    generator, first, second = np.random.default_rng(3), parameters(name, 4), parameters(name, 5)
    total = first + second
    if spread is None:
        return np.clip(generator.beta(first, second), 1e-300, 1 - 1e-16), first, total
    mean = first / total
    return mean + spread * np.minimum(mean, 1 - mean) * generator.uniform(-0.45, 0.45, SIZE), first, total


CASES = {"_standard_gamma_grad": gamma_numbers, "_dirichlet_grad": beta_numbers}


@pytest.mark.parametrize("spread", SPREAD)
@pytest.mark.parametrize("name", RANGES)
@pytest.mark.parametrize("function", CASES)
def test_slopes_are_those_of_pytorch(oracle, function, name, spread):
    arrays = CASES[function](name, spread)
    expected = getattr(oracle, function)(*map(oracle.tensor, arrays)).numpy()
    actual = getattr(torch, function)(*map(torch.tensor, arrays)).numpy()
    np.testing.assert_allclose(actual, expected, rtol=1e-7)


@pytest.mark.parametrize("function", CASES)
def test_slopes_in_single_precision_are_those_in_double_precision(oracle, function):
    arrays = [each.astype(np.float32) for each in CASES[function]("middling", None)]
    actual = getattr(torch, function)(*map(torch.tensor, arrays))
    wide = getattr(oracle, function)(*(oracle.tensor(each).double() for each in arrays)).numpy()
    assert actual.dtype is torch.float32
    np.testing.assert_allclose(actual.numpy(), wide, rtol=1e-6)
    narrow = getattr(oracle, function)(*map(oracle.tensor, arrays)).numpy()
    np.testing.assert_allclose(actual.numpy(), narrow, rtol=1e-4)


@pytest.mark.parametrize("shape", [0.05, 0.7, 3.0, 30.0])
def test_the_mean_of_gamma_numbers_moves_with_their_shape(shape):
    torch.manual_seed(0)
    shapes = torch.full((20000,), shape, dtype=torch.float64, requires_grad=True)
    drawn = torch._standard_gamma(shapes)
    (slope,) = torch.autograd.grad(drawn.mean() * len(shapes), shapes)
    assert abs(drawn.mean().item() - shape) < 4 * (shape / 20000) ** 0.5
    assert abs(slope.mean().item() - 1) < 0.05  # the mean is the shape


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
@pytest.mark.parametrize("shapes", [((), ()), ((0,), (0,)), ((3, 1), (4,)), ((2, 3, 4), (3, 1))])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_shapes(oracle, shapes, dtype):
    def run(module):
        first, second = (module.full(shape, 1.5, dtype=getattr(module, dtype)) for shape in shapes)
        slopes = module._standard_gamma_grad(first, second), module._dirichlet_grad(second / 2, first, 2 * first)
        return [(str(t.dtype), t.shape, t.tolist()) for t in slopes]

    for actual, expected in zip(run(torch), run(oracle), strict=True):
        assert actual[:2] == expected[:2]
        np.testing.assert_allclose(actual[2], expected[2], rtol=1e-6)


def test_nodes_and_their_edges_are_those_of_pytorch(oracle):
    def run(module):
        x = module.tensor([0.5, 2.0, 3.0], requires_grad=True)
        drawn = module._standard_gamma(x)
        (first,) = module.autograd.grad(drawn.sum(), x, create_graph=True)
        of_output = module._standard_gamma_grad(module.ones(3), x)
        nodes = [drawn, first, module._sample_dirichlet(x), module._dirichlet_grad(x, x, x)]
        return (
            [t.grad_fn.name() for t in nodes],
            [n and n.name() for n, _ in first.grad_fn.next_functions],
            of_output.grad_fn,
        )

    assert run(torch) == run(oracle)


REFUSED = """
module.autograd.grad(module._standard_gamma_grad(x, x.detach()).sum(), x)
module.autograd.grad(module._sample_dirichlet(x).sum(), x)
module.autograd.grad(module._dirichlet_grad(x, x, x).sum(), x)
module._standard_gamma_grad(x, x[:2])
module._standard_gamma_grad(x, x.double())
module._standard_gamma_grad(x.half(), x.half())
module._standard_gamma_grad(x.long(), x.long())
module._standard_gamma_grad(x)
module._dirichlet_grad(x, x, x.double())
module._dirichlet_grad(x.half(), x.half(), x.half())
module._dirichlet_grad(x, x[:2], x)
module._dirichlet_grad(x, x)
module._dirichlet_grad(x, x, 2.0)
""".strip().split("\n")


@pytest.mark.parametrize("code", REFUSED)
def test_wrong_arguments_of_gamma_and_dirichlet(oracle, code):
    def run(module):
        x = module.tensor([0.5, 2.0, 3.0], requires_grad=True)
        with pytest.raises(Exception) as caught:
            eval(code, {"module": module, "x": x})
        return type(caught.value).__name__, str(caught.value)

    assert run(torch) == run(oracle)
