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


FURTHER = [
    *(f"torch.stft(x.flatten(), 4, return_complex=True, pad_mode='{mode}')" for mode in ("reflect", "replicate", "circular")),
    "torch.stft(x, 2, 1, window=torch.ones(2), return_complex=True)", "[y := x.clone().t_(), y.reshape(y.shape[0], -1, 1)][1]",
]  # fmt: skip


def record(torch, text):
    """Return the code of a call's graph, and what it computes."""
    x = torch.tensor([[0.5, 1.5, -2.0], [3.0, 0.25, 1.0]])
    given = x, x[0], x @ x.T + torch.eye(2) * 5, x[None].repeat(2, 1, 1)
    function = eval(f"lambda x, v, s, b: {text}", {"torch": torch})
    graph = torch.fx.experimental.proxy_tensor.make_fx(function)(*given)
    return graph, given, function


@pytest.mark.parametrize("text", CALLS)
def test_operators_of_composites_are_pytorchs(oracle, text):
    assert record(torch, text)[0].code == record(oracle, text)[0].code


@pytest.mark.parametrize(
    "text", [*CALLS, "torch.quantile(x, 0.5)", "torch.linalg.matrix_rank(x)", "torch.cov(x)", *FURTHER]
)
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
