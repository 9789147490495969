"""make_fx(pre_dispatch=True): graphs of the operators that a function calls, as PyTorch records them."""

import pytest

import tensh as torch
from tensh.fx.experimental.proxy_tensor import make_fx


def make_programs(torch):
    """Return name -> (function, arguments), written for either library."""
    nn, F = torch.nn, torch.nn.functional
    outside = torch.ones(3)
    torch.manual_seed(0)
    layers = nn.Sequential(
        nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(2, 2)
    )
    attention = nn.MultiheadAttention(4, 2, batch_first=True).eval()
    twice = nn.Linear(3, 3)

    def without_gradients(x):
        with torch.no_grad():
            y = x.sin()
        return y * x

    def under_autocast(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = x @ x.t()
        return y.float()

    def write(x):
        x = x.clone()
        x.add_(1)
        x[0] = 2
        return x.reshape(-1), x.T.contiguous(), F.dropout(x, 0.5, False)

    def nested(tree, scale):
        x = tree["x"]
        y = twice(twice(x)) + outside + torch.tensor([1.0, 2.0, 3.0]) * scale
        return {"y": y, "made": (torch.zeros(2), x.to(torch.float64), torch.arange(3), x.new_zeros(2))}

    x = torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.0, -1.5]])
    return {
        "layers": (lambda x, w: F.layer_norm(F.linear(x, w), (3,)).matmul(x.t()).softmax(-1).flatten(), (x, x[[0, 1, 0]])),
        "module": (layers.eval(), (torch.ones(1, 1, 4, 4),)),
        "attention": (lambda x: attention(x, x, x)[0], (torch.ones(1, 3, 4),)),
        "loss": (lambda x, t: F.cross_entropy(x, t), (x, torch.tensor([0, 2]))),
        "einsum": (lambda x: torch.einsum("ij,kj->ik", x, x), (x,)),
        "parts": (lambda x: (x.split(1), x.chunk(2), x.std(), x.var(0), torch.stack([x, x]), x.norm()), (x,)),
        "without_gradients": (without_gradients, (x,)),
        "under_autocast": (under_autocast, (x,)),
        "write": (write, (x,)),
        "nested": (nested, ({"x": x}, 3)),
        "branch": (lambda x: torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,)), (x,)),
    }  # fmt: skip


NAMES = list(make_programs(torch))


def leaves(value):
    value = list(value.values()) if isinstance(value, dict) else value
    return [each for part in value for each in leaves(part)] if isinstance(value, (tuple, list)) else [value]


@pytest.mark.parametrize("name", NAMES)
def test_the_operators_are_pytorchs(name, oracle):
    from torch.fx.experimental.proxy_tensor import make_fx as theirs

    oracle._dynamo.reset()  # it takes numbers that differ from those of earlier programs as operands

    def tell(library, trace):
        function, args = make_programs(library)[name]
        return trace(function, pre_dispatch=True)(*args).code

    assert tell(torch, make_fx) == tell(oracle, theirs)


@pytest.mark.parametrize("name", NAMES)
def test_the_graph_computes_what_the_function_does(name):
    function, args = make_programs(torch)[name]
    made = make_fx(function, pre_dispatch=True)(*args)
    for a, b in zip(leaves(made(*args)), leaves(function(*args)), strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("function", [lambda x: x if x.sum() > 0 else -x, lambda x: x * x.sum().item()])
def test_reading_an_element_is_refused(function):
    with pytest.raises(RuntimeError, match=r"value out of a tracing tensor with aten\.item\.default"):
        make_fx(function, pre_dispatch=True)(torch.ones(2))


def test_transforms_are_traced_below_autograd():
    made = make_fx(torch.func.grad(lambda x: x.sin().sum()), pre_dispatch=True)(torch.ones(2))
    assert made(torch.zeros(2)).tolist() == [1, 1]


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(6))
def test_graphs_of_transforms_do_not_depend_on_which_memory_is_free(number):
    func, x, freed = torch.func, torch.tensor([0.3, 0.7]), []
    function = [
        func.jacrev(torch.sin),
        func.vmap(lambda x: x * 2 + 1),
        func.vmap(func.grad(lambda x: x**2)),
        lambda x: func.jvp(torch.sin, (x,), (x,))[1],
        lambda x: func.vjp(torch.sin, x)[1](x)[0],
        lambda x: x + func.vmap(torch.cos)(x),
    ][number]
    for count in range(20):
        freed = [torch.ones(count % 7 + 1), *freed] if count % 3 else []
        torch.testing.assert_close(make_fx(function, pre_dispatch=True)(torch.ones(2))(x), function(x))
