"""Functions that PyTorch composes of operators: ``make_fx`` records these operators."""

import pytest

import tensh as torch

CALLS = [
    "torch.cdist(x, x)", "torch.diff(x, n=2)", "torch.diff(x, prepend=x, dim=0)", "torch.hstack([x, x])", "torch.dstack([x, x])",
    "torch.column_stack([v, v])", "torch.fliplr(x)", "torch.kron(x, x)", "torch.diag(v)", "torch.float_power(x, 2)",
    "torch.broadcast_to(v, (2, 3))", "torch.movedim(b, 0, 2)", "torch.repeat_interleave(x, 2)", "torch.hsplit(x, 3)",
    "torch.atleast_2d(v)", "x.sum_to_size(1, 3)", "torch.special.softmax(x, 0)", "torch.fft.fft(x)", "torch.fft.rfft2(x)",
    "torch.fft.fftshift(x)", "torch.linalg.vecdot(x, x)", "torch.linalg.svdvals(s)", "torch.linalg.eigvalsh(s)",
    "torch.nn.functional.kl_div(x, x.softmax(-1))", "torch.nn.functional.pairwise_distance(x, x)", "torch.nn.functional.pdist(x)",
    "torch.nn.functional.margin_ranking_loss(v, v, v.sign())", "torch.nn.functional.grid_sample(b[None], torch.zeros(1, 2, 2, 2))",
    "torch.nn.functional.affine_grid(x[None], (1, 1, 2, 2))",
    "torch.nn.functional.conv_transpose1d(x, torch.ones(2, 3, 2))", "torch.nn.functional.rms_norm(x, [3])",
    "torch.nn.functional.gaussian_nll_loss(x, x, 1.0)", "x.nonzero(as_tuple=True)", "torch.where(x)",
    "torch.unravel_index(x.long().abs(), (4, 5))", "x.clone().t_() + 1",
]  # fmt: skip

CALLS += [
    "[y := x.clone(), y.resize_(3, 2), y + 1][2]", "[y := torch.empty(0), y.resize_((2, 2)), y.fill_(1) + x.sum()][2]",
    "torch.quantile(x, 0.3)", "torch.quantile(b, torch.tensor([0.1, 0.5]), 1, keepdim=True)", "torch.quantile(x, 0.3, 1, interpolation='midpoint')",
    "torch.nanquantile(b, torch.tensor([0.1]), 0, interpolation='nearest')", "torch.isclose(x, x.clone(), equal_nan=True)",
    "torch.isclose(x.long(), x.long() + 1)", "torch.isclose(x, x + 1, rtol=0, atol=0)", "torch.diag(x)", "torch.diagflat(x, 1)",
    "torch.combinations(v, 3, True)", "torch.combinations(v, 0)", "torch.cartesian_prod(v, v)", "torch.meshgrid(v, v, indexing='ij')",
    "F.adaptive_avg_pool1d(x, 1)", "F.logsigmoid(x)", "F.multilabel_margin_loss(x, (x > 0).long())", "F.cosine_similarity(x, x + 1)",
    "F.hinge_embedding_loss(x, x.sign(), margin=2.0, reduction='sum')", "F.cosine_embedding_loss(x, x + 1, v[:2].sign())",
    "F.ctc_loss(s.log_softmax(1)[:, None], (v[None, :1] > 0).long(), torch.tensor([2]), torch.tensor([1]))",
    "F.ctc_loss(s.log_softmax(1)[:, None], (v[None, :1] > 0).long(), (2,), (1,), reduction='sum', zero_infinity=True)",
]  # fmt: skip
DIFFERENTIATED = [
    "F.cross_entropy(x, (v[:2] > 1).long())", "F.nll_loss(x, (v[:2] > 1).long(), weight=v.abs())", "F.layer_norm(x, [3], v, v)",
    "F.batch_norm(x, v.clone(), v.abs(), v, v)", "F.batch_norm(x, None, None, training=True)", "F.logsigmoid(x)", "F.leaky_relu(x)",
    "F.scaled_dot_product_attention(x[None, None], x[None, None], x[None, None])", "x.kthvalue(1)[0]", "x.sort()[0]", "x.exp().softmax(0)",
    "F.max_pool1d(x.repeat(1, 2), 2)", "torch.masked_select(x, x > 0.5)", "x.clone().clamp_min_(0.3)", "x.clamp_max(1)", "torch.where(x > 0, x, -x)",
    "x.clone().index_put((torch.tensor([0]),), torch.zeros(3))", "F.multilabel_margin_loss(x, (x > 0).long())", "x.quantile(0.3)",
]  # fmt: skip


FURTHER = [
    *(f"torch.stft(x.flatten(), 4, return_complex=True, pad_mode='{mode}')" for mode in ("reflect", "replicate", "circular")),
    "torch.stft(x, 2, 1, window=torch.ones(2), return_complex=True)", "[y := x.clone().t_(), y.reshape(y.shape[0], -1, 1)][1]",
]  # fmt: skip


def record(torch, text, transform=None):
    """Return the code of a call's graph, and what it computes."""
    x = torch.tensor([[0.5, 1.5, -2.0], [3.0, 0.25, 1.0]])
    given = x, x[0], x @ x.T + torch.eye(2) * 5, x[None].repeat(2, 1, 1)
    function = eval(f"lambda x, v, s, b: {text}", {"torch": torch, "F": torch.nn.functional})
    function = function if transform is None else transform(torch, function)
    graph = torch.fx.experimental.proxy_tensor.make_fx(function)(*given)
    return graph, given, function


@pytest.mark.parametrize("text", CALLS)
def test_operators_of_composites_are_pytorchs(oracle, text):
    assert record(torch, text)[0].code == record(oracle, text)[0].code


def with_grad(torch, function):
    return torch.func.grad(lambda x, *more: function(x, *more).sum())


def with_autograd(torch, function):
    def gradient(x, *more):
        x = x.detach().requires_grad_()
        return torch.autograd.grad(function(x, *more).sum(), x)[0]

    return gradient


@pytest.mark.parametrize("transform", [with_grad, with_autograd])
@pytest.mark.parametrize("text", DIFFERENTIATED)
def test_operators_of_gradients_are_pytorchs(oracle, text, transform):
    assert record(torch, text, transform)[0].code == record(oracle, text, transform)[0].code


@pytest.mark.parametrize("transform", [with_grad, with_autograd])
@pytest.mark.parametrize("text", DIFFERENTIATED)
def test_graphs_of_gradients_compute_the_same(text, transform):
    graph, given, function = record(torch, text, transform)
    assert torch.allclose(graph(*given), function(*given))


@pytest.mark.parametrize(
    "text", ["x.clone().clamp_min_(0.3)", "F.leaky_relu(x * x)", "F.layer_norm(x * x, [3], v, v)", "F.logsigmoid(x)"]
)
def test_graphs_of_second_gradients_compute_the_same(text):
    graph, given, function = record(torch, text, lambda torch, function: with_grad(torch, with_grad(torch, function)))
    assert torch.allclose(graph(*given), function(*given), atol=1e-6)
    assert not graph(*given).requires_grad


@pytest.mark.parametrize("text", [*CALLS, "torch.linalg.matrix_rank(x)", "torch.cov(x)", *FURTHER])
def test_graphs_of_composites_compute_the_same(text):
    graph, given, function = record(torch, text)
    for ours, expected in zip(
        torch.utils._pytree.tree_leaves(graph(*given)), torch.utils._pytree.tree_leaves(function(*given))
    ):
        assert torch.allclose(ours, expected)


def test_a_difference_is_recorded_as_slices():
    targets = [str(node.target) for node in record(torch, "torch.diff(x)")[0].graph.nodes if node.op == "call_function"]
    assert targets == ["aten.slice.Tensor", "aten.slice.Tensor", "aten.sub.Tensor"]


COUNTS = {
    "x.nonzero().shape[0] + x": "nonzero, 0",
    "torch.unique(x).shape[0] * 2 + x.shape[0] + x": "getitem, 0",
    "x.nonzero().reshape(-1)": "nonzero, 0",
    "torch.zeros(x[x > 0].shape[0]) + 1": "index, 0",
}
"""Expression -> the size that its graph reads."""


@pytest.mark.parametrize("text", COUNTS)
def test_symbolic_graphs_follow_sizes_that_depend_on_elements(text):
    function = eval(f"lambda x: {text}", {"torch": torch})
    make_fx = torch.fx.experimental.proxy_tensor.make_fx
    graph = make_fx(function, tracing_mode="symbolic")(torch.tensor([1.0, 2.0, 3.0]))
    assert f"sym_size.int({COUNTS[text]})" in graph.code
    for elements in [1.0, 0.0, -3.0, 4.0], [0.0, 0.0], [2.0, 2.0, 2.0, 1.0, 5.0]:
        assert graph(torch.tensor(elements)).equal(function(torch.tensor(elements)))


def test_a_gradient_after_its_transform_reads_the_result(oracle):
    def record(torch):
        make_fx = torch.fx.experimental.proxy_tensor.make_fx
        return make_fx(lambda x: torch.func.vjp(torch.exp, x)[1](torch.ones(3))[0])(torch.ones(3)).code

    assert record(torch) == record(oracle)


def test_gradients_of_parameters_in_a_functional_call_are_recorded():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    parameters, x = dict(model.named_parameters()), torch.ones(2, 3)
    slope = torch.func.grad(lambda p, x: torch.func.functional_call(model, p, (x,)).sum())
    found = torch.fx.experimental.proxy_tensor.make_fx(slope)(parameters, x)(parameters, x)
    assert all(torch.allclose(found[name], each) for name, each in slope(parameters, x).items())
