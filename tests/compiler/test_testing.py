"""torch._dynamo.testing and torch._dynamo.utils: back ends that keep graphs, counters, copies and comparisons."""

import pytest

import tensh as torch

testing, utils = torch._dynamo.testing, torch._dynamo.utils


def test_back_ends_keep_their_graphs():
    backend, x = testing.AotEagerAndRecordGraphs(), torch.ones(2, requires_grad=True)
    utils.counters.clear()
    torch.compile(lambda x: x.sin() + 1, backend=backend)(x).sum().backward()
    assert [len(each) for each in (backend.graphs, backend.fw_graphs, backend.bw_graphs)] == [1, 1, 1]
    assert dict(utils.counters["stats"]) == {"calls_captured": 2, "unique_graphs": 1}
    text = testing.normalize_gm(backend.graphs[0].print_readable(print_output=False))
    assert "add: " in text and "#" not in text


@pytest.mark.parametrize(
    "one, two, alike",
    [
        (torch.ones(2), torch.ones(2) + 1e-6, True), (torch.ones(2), torch.ones(2).double(), False), ([1, "a"], [1, "a"], True),
        ({"a": torch.ones(1)}, {"a": torch.zeros(1)}, False), (torch.ones(2), torch.ones(3), False), (None, None, True), (1, 1.0, False),
    ],
)  # fmt: skip
def test_results_are_compared(one, two, alike):
    assert testing.same(one, two) is utils.same(one, two) is alike


def test_copies_keep_strides_marks_and_gradients():
    x = torch.ones(2, 3).mT.contiguous().mT.requires_grad_()
    x.sum().backward()
    torch._dynamo.mark_dynamic(x, 0)
    made = utils.clone_input(x)
    assert made.stride() == x.stride() and made.grad.equal(x.grad) and made._dynamo_dynamic_indices == {0}
    assert utils.clone_inputs({"x": x})["x"].equal(x) and utils.clone_inputs([x, 3])[1] == 3
    assert [utils.is_compile_supported(each) for each in ("cpu", torch.device("cpu"), "cuda")] == [True, True, False]
    assert testing.rand_strided((2, 3), (1, 2)).stride() == (1, 2)
    assert testing.reduce_to_scalar_loss({"a": torch.ones(2), "b": (torch.zeros(2),)}) == 0.5
