"""Transforms of torch.func in compiled functions: back ends get their steps, and run them."""

import pytest

import tensh as torch
from tensh.func.primitives import opened
from tests.compiler.transform_programs import make_programs, run

PROGRAMS = make_programs(torch)


def describe(tensors):
    """Return what is compared of results."""
    return [(list(each.shape), each.requires_grad) for each in tensors]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_computes_what_the_function_does(name):
    function, *arguments = PROGRAMS[name]
    graphs, first, second, plain = run(torch, function, arguments)
    assert len(graphs) == 1 and not opened.levels
    assert describe(first) == describe(second) == describe(plain)
    for made in (first, second):
        assert all(torch.allclose(*pair) for pair in zip(made, plain, strict=True))


@pytest.mark.parametrize("name", PROGRAMS)
def test_graphs_are_pytorchs(oracle, name):
    function, *arguments = PROGRAMS[name]
    theirs, *rest = make_programs(oracle)[name]
    oracle._dynamo.reset()
    graphs, result, *_ = run(torch, function, arguments)
    expected, values, *_ = run(oracle, theirs, rest)
    assert graphs == expected
    assert describe(result) == describe(values)


def test_the_steps_of_vmap_are_calls():
    graphs, *_ = run(torch, *(lambda function, *given: (function, given))(*PROGRAMS["vmap"]))
    lines = [line.partition(";")[0].strip() for line in graphs[0].splitlines()]
    assert "batched_outputs = sin + 1" in lines
    assert "_remove_batch_dim = torch._functorch.predispatch._remove_batch_dim(batched_outputs, 1, 2, 0)" in lines


def test_gradients_pass_through_a_graph():
    w = torch.ones(3, requires_grad=True)
    f = torch.compile(
        lambda x: torch.func.grad(lambda a: (a**3).sum())(x), backend=lambda module, inputs: module.forward
    )
    for _ in range(2):
        f(w).sum().backward()
    assert w.grad.tolist() == [12, 12, 12]


def test_a_graph_that_fails_leaves_no_level_open():
    failing = []

    def backend(module, inputs):
        return lambda x: module.forward(torch.ones(2, 4) if failing else x)

    f = torch.compile(lambda x: torch.vmap(lambda a: a @ torch.ones(3))(x), backend=backend)
    assert f(torch.ones(2, 3)).tolist() == [3, 3]
    failing.append(True)
    with pytest.raises(RuntimeError):
        f(torch.ones(2, 3))
    assert not opened.levels and torch.vmap(torch.sin)(torch.zeros(2)).tolist() == [0, 0]


def test_errors_within_a_transform_are_those_of_the_function():
    f = torch.compile(lambda x: torch.func.grad(lambda a: a * 2)(x), backend=lambda module, inputs: module.forward)
    with pytest.raises(RuntimeError, match="to return a scalar Tensor, got tensor with 1 dims"):
        f(torch.ones(2))
    assert not opened.levels


def test_sizes_vary_within_transforms():
    counts = torch._dynamo.testing.CompileCounter()
    f = torch.compile(lambda x: torch.vmap(lambda a: a.sum())(x) * 2, backend=counts)
    assert [f(torch.ones(size, 3)).tolist() for size in (2, 4, 5)] == [[6] * 2, [6] * 4, [6] * 5]
    assert counts.frame_count == 2
