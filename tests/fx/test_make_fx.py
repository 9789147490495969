"""make_fx: a function, including its gradients, as PyTorch's operators."""

import re

import pytest

import tensh as torch
from tensh.fx.experimental.proxy_tensor import make_fx
from tests.fx.writing_functions import make_functions


def write_in_place(torch, x):
    y = x.clone().add_(2).mul_(x)
    y[0] = 3.0
    return y


def step(torch, x):
    w = x.detach().requires_grad_()
    (g,) = torch.autograd.grad((x @ w.T).tanh().sum(), w)
    return w - 0.1 * g


def differentiate_twice(torch, x):
    w = x.detach().requires_grad_()
    (g,) = torch.autograd.grad((w**3).sum(), w, create_graph=True)
    return torch.autograd.grad((g * x).sum(), w)[0]


def differentiate(torch, x, function):
    x = x.detach().requires_grad_()
    return torch.autograd.grad(function(x).sum(), x)[0]


def choose(torch, x, p, q):
    return torch.cond(x.sum() > 0, lambda x: x * p + q, lambda x: (x - p).sin(), (x,))


def choose_of_two(torch, x):
    x, z = x.detach().requires_grad_(), (x + 1).detach().requires_grad_()
    y = torch.cond(x.sum() > 0, lambda x, z: x * z, lambda x, z: x + z * 2, (x, z))
    return torch.autograd.grad((y * y).sum(), (x, z))


def map_matrices(function):
    """Return a program that maps a function of the library and a positive definite matrix over a batch."""
    return lambda torch, x: torch.func.vmap(lambda row: function(torch, x.mT @ x + torch.diag(row.abs() + 1)))(x)


MATRICES = {
    "cholesky": lambda torch, A: torch.linalg.cholesky(A),
    "upper": lambda torch, A: torch.linalg.cholesky(A, upper=True),
    "inv": lambda torch, A: torch.linalg.inv(A),
    "solve": lambda torch, A: torch.linalg.solve(A, A[0]),
    "matrix_exp": lambda torch, A: torch.matrix_exp(A),
    "matrix_power": lambda torch, A: torch.linalg.matrix_power(A, 6) + torch.matrix_power(A, 3) + A.matrix_power(1),
    "multi_dot": lambda torch, A: (
        torch.linalg.multi_dot([A[0], A[0]]) if A.dim() > 2 else torch.linalg.multi_dot([A, A])
    ),
    "slogdet": lambda torch, A: torch.linalg.slogdet(A).logabsdet,
    "eigh": lambda torch, A: torch.linalg.eigh(A).eigenvalues,
}
SAME = {
    **{f"matrix_{name}": lambda torch, x, of=of: of(torch, x.mT @ x + torch.eye(3)) for name, of in MATRICES.items()},
    **{f"mapped_{name}": map_matrices(MATRICES[name]) for name in ("cholesky", "upper", "inv", "slogdet")},
    "lu_factor": lambda torch, x: torch.linalg.lu_factor(x.mT @ x + torch.eye(3)).LU,
    "logdet": lambda torch, x: torch.logdet(x.mT @ x + torch.eye(3)),
    "number_factor": lambda torch, x: differentiate(torch, x, lambda y: (y * 2).sin() * 2.5),
    "number_divisor": lambda torch, x: differentiate(torch, x, lambda y: y.exp() / 3 - 2 * y),
    "number_mixed": lambda torch, x: differentiate(torch, x, lambda y: y.clone().mul_(3).addcmul(y, y, value=2)),
    "branch": lambda torch, x: differentiate(
        torch, x, lambda y: torch.cond(y.sum() > 0, lambda y: y.sin(), lambda y: y.cos(), (y * 2,))
    ),
    "branch_of_two": choose_of_two,
    "pointwise": lambda torch, x: torch.sin(x) + 1 - x / 2,
    "matmul": lambda torch, x: (x @ x.T).relu().sum(),
    "softmax": lambda torch, x: torch.nn.functional.softmax(x, -1).log_softmax(0),
    "views": lambda torch, x: x.view(-1)[1:3] * x[0, 0] + x.t()[None, :2, 0],
    "layer_norm": lambda torch, x: torch.nn.functional.layer_norm(x, [3]),
    "structures": lambda torch, x: {"a": x * 2, "b": (x.max(1), 3)},
    "constants": lambda torch, x: x + torch.ones(3) + torch.tensor([1.0, 2.0, 3.0]),
    "cross_entropy": lambda torch, x: torch.nn.functional.cross_entropy(x, torch.tensor([0, 1])),
    "parts": lambda torch, x: x.split(1)[0] + x.chunk(3, 1)[1] + x.norm() + x.norm(3, 1, True),
    "convolution": lambda torch, x: torch.nn.functional.conv1d(x[None], torch.ones(2, 2, 2)),
    "masks": lambda torch, x: (x > 1).float().masked_fill(x > 2, 0.0) + x.var(1, keepdim=True),
    "joins": lambda torch, x: torch.cat([x, x]).to(torch.float64),
}
COMPUTED = {
    "branch_of_members": lambda torch, x: differentiate(torch, x, lambda y: choose(torch, y, torch.ones(3), x * 2)),
    "writes": write_in_place,
    "step": step,
    "twice": differentiate_twice,
    "grad": lambda torch, x: torch.func.grad(lambda y: (y * y.cos()).sum())(x),
    "vjp": lambda torch, x: torch.func.vjp(torch.exp, x)[1](x)[0],
    "vmap": lambda torch, x: torch.func.vmap(lambda row: row * 2 + row.sum())(x),
    "einsum": lambda torch, x: torch.einsum("ij,kj->ik", x, x) // 2,
}


@pytest.mark.parametrize("name", SAME)
def test_the_operators_are_pytorchs(oracle, name):
    from torch.fx.experimental.proxy_tensor import make_fx as theirs

    oracle._dynamo.reset()  # it takes numbers that differ from those of earlier programs as operands
    ours, expected = (
        make(lambda x: SAME[name](library, x))(library.arange(6.0).view(2, 3))  # noqa: B023
        for make, library in ((make_fx, torch), (theirs, oracle))
    )
    plain = re.compile(r", (memory_format = torch.preserve_format|correction = 1)")  # defaults
    assert plain.sub("", ours.code) == plain.sub("", expected.code)


@pytest.mark.parametrize("name", SAME | COMPUTED)
def test_the_graph_computes_what_the_function_does_on_other_elements(name):
    function = (SAME | COMPUTED)[name]
    made = make_fx(lambda x: function(torch, x))(torch.ones(2, 3))
    torch.manual_seed(0)
    x = torch.randn(2, 3)
    torch.testing.assert_close(made(x), function(torch, x))


def test_parameters_nested_arguments_random_numbers_and_decisions():
    layer = torch.nn.Linear(3, 2)

    def loss(batch, scale):
        return torch.autograd.grad((layer(batch["x"]) * torch.rand(2)).sum() * scale[0], [layer.weight])[0]

    made = make_fx(loss)({"x": torch.ones(1, 3)}, [2.0])
    given = {"x": torch.arange(3.0)[None]}, [2.0]
    torch.manual_seed(0)
    ours = made(*given)
    torch.manual_seed(0)
    assert torch.equal(ours, loss(*given))
    assert "_param_constant0 = self._param_constant0" in made.code and "def forward(self, batch, scale):" in made.code
    with pytest.raises(RuntimeError, match="trying to get value out of a tracing tensor with aten._local_scalar_dense"):
        make_fx(lambda x: x if x.sum() > 0 else -x)(torch.ones(2))


def test_decompositions_write_operators_in_others():
    aten = torch.ops.aten
    table = {aten.silu.default: lambda x: x * torch.sigmoid(x)}
    made = make_fx(torch.nn.functional.silu, decomposition_table=table)(torch.ones(2))
    assert [node.name for node in made.graph.nodes] == ["input_1", "sigmoid", "mul", "output"]


def test_a_function_can_ask_whether_it_is_traced():
    from tensh.fx.experimental.proxy_tensor import get_proxy_mode

    seen = []
    make_fx(lambda x: seen.append(get_proxy_mode()) or x + 1)(torch.ones(2))
    assert seen[0] is not None
    assert get_proxy_mode() is None


# ── writes ───────────────────────────────────────────────────────────────────
REMOVED = "nothing", "mutations", "mutations_and_views"


def trace_writes(library, make_fx, name, removed):
    function = make_functions(library)[name]
    function = function if removed == "nothing" else library.func.functionalize(function, remove=removed)
    return make_fx(function)(library.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("removed", REMOVED)
@pytest.mark.parametrize("name", make_functions(torch))
def test_traces_of_functions_that_write(name, removed):
    traced, function = trace_writes(torch, make_fx, name, removed), make_functions(torch)[name]
    names = [
        node.target._opname
        for node in traced.graph.nodes
        if node.op == "call_function" and hasattr(node.target, "_opname")
    ]
    if removed != "nothing":
        assert all(not each.endswith("_") or each == "copy_" and name == "of_the_argument" for each in names)
    if removed == "mutations_and_views":
        assert not {"view", "select", "slice", "t", "transpose", "unbind", "split", "permute", "expand"} & set(names)
    x = torch.arange(1.0, 7.0).reshape(2, 3)
    given = x.clone(), x.clone()
    found, wanted = traced(given[0]), function(given[1])
    torch.testing.assert_close((found, given[0]), (wanted, given[1]))


@pytest.mark.parametrize("removed", REMOVED)
@pytest.mark.parametrize("name", make_functions(torch))
def test_traces_of_functions_that_write_are_pytorchs(name, removed, oracle):
    from torch.fx.experimental.proxy_tensor import make_fx as theirs

    assert trace_writes(torch, make_fx, name, removed).code == trace_writes(oracle, theirs, name, removed).code


def test_a_result_written_into_a_tensor_is_part_of_a_trace():
    def function(x):
        y, v, i = torch.empty(2, 3), torch.empty(2), torch.empty(2, dtype=torch.long)
        torch.add(x, 1, out=y)
        torch.max(x, 1, out=(v, i))
        return y, v, i

    x = torch.randn(2, 3)
    for each in (function, torch.func.functionalize(function)):
        torch.testing.assert_close(make_fx(each)(torch.ones(2, 3))(x), function(x))
    with pytest.raises(RuntimeError, match="cannot write into an expanded tensor"):
        make_fx(torch.func.functionalize(lambda x: x[0].expand(2, 3).add_(1)))(x)


SYMBOLIC = {
    "sizes that are read": (lambda x: x.view(x.shape[0], -1) * x.shape[1], [(2, 3)], [(4, 5)]),
    "all elements": (lambda x: x.reshape(-1).sum(), [(2, 3)], [(4, 5)]),
    "sizes of two inputs": (lambda x, y: x.expand(y.shape[0], x.shape[0]) + y, [(3,), (4, 3)], [(5,), (2, 5)]),
    "sizes that are computed": (lambda x: x.new_zeros(x.shape[0] * 2 + 1) + 1, [(3,)], [(7,)]),
    "a gradient": (lambda x: torch.func.grad(lambda t: (t**2).mean())(x), [(4, 3)], [(5, 2)]),
    "a part": (lambda x: x[1:].repeat(2, 1), [(4, 3)], [(5, 2)]),
    "a product": (lambda x, y: (x @ y).flatten(), [(4, 3), (3, 2)], [(5, 6), (6, 7)]),
    "one size for two": (lambda x: x.view(x.shape[0] * x.shape[1]) * 2, [(3, 3)], [(5, 5)]),
    "two halves": (lambda x: x.chunk(2)[1] + 1, [(8, 3)], [(5, 2)]),
    "a half": (lambda x: x[: x.shape[0] // 2].sum(0), [(8, 5)], [(5, 2)]),
    "half a size": (lambda x: x + x.shape[0] / 2, [(8, 5)], [(5, 2)]),
    "a size as a number": (lambda x: torch.arange(3) * float(x.shape[0] + 1), [(8, 5)], [(6, 2)]),
    "a difference": (lambda x, y: x * (x.shape[0] - y.shape[0]), [(8,), (5,)], [(3,), (7,)]),
    "another new tensor": (lambda x: x + x.new_ones(x.shape[0], 1), [(4, 3)], [(2, 9)]),
}


@pytest.mark.parametrize("name", SYMBOLIC)
def test_symbolic_graphs_follow_sizes(name):
    function, shapes, others = SYMBOLIC[name]
    made = make_fx(function, tracing_mode="symbolic")(*map(torch.randn, shapes))
    for sizes in shapes, others:
        given = [*map(torch.randn, sizes)]
        assert torch.equal(made(*given), function(*given))


def test_symbolic_graphs_keep_sizes_that_are_fixed():
    weight = torch.randn(3, 2)
    made = make_fx(lambda x: (x @ weight).flatten(), tracing_mode="symbolic")(torch.randn(4, 3))
    x = torch.randn(7, 3)
    assert torch.equal(made(x), (x @ weight).flatten())
    torch.manual_seed(0)
    seen = []
    drawn = make_fx(lambda x: (seen.append(x), x + torch.rand(2))[1], tracing_mode="symbolic")(torch.randn(2))
    after = torch.rand(1)
    torch.manual_seed(0)
    torch.randn(2)
    torch.rand(2)
    assert torch.equal(after, torch.rand(1)) and drawn(torch.zeros(2)).shape == (2,)


def test_symbolic_graphs_have_the_lines_of_pytorch():
    made = make_fx(lambda x: x.view(x.shape[0], -1) * x.shape[1], tracing_mode="symbolic")(torch.ones(2, 3))
    assert [node.name for node in made.graph.nodes] == [
        "x_1",
        "sym_size_int",
        "view",
        "sym_size_int_1",
        "mul",
        "output",
    ]
    assert made(torch.ones(4, 5)).shape == (4, 5)


@pytest.mark.parametrize(
    "function",
    [lambda x: x.where(x > 0, 2.0), lambda x: x.where(x > 0, x * 2), lambda x: x.where(condition=x > 0, other=x[0]), lambda x: x.abs().polygamma(1)],
)  # fmt: skip
def test_operators_that_take_the_arguments_of_a_method_in_another_order(function):
    class Program(torch.nn.Module):
        def forward(self, x):
            return function(x)

    x, y = torch.randn(2, 3), torch.randn(2, 3)
    for made in (make_fx(function)(x), torch.jit.trace(function, (x,)), torch.export.export(Program(), (x,)).module()):
        assert torch.equal(made(y), function(y))
