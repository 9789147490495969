"""Custom functions and checkpoints in compiled functions: back ends get graphs within the graph, and run them."""

import pytest

import tensh as torch
from tests.compiler.nested_programs import make_functions, make_programs, run

OTHERS = "written", "a checkpoint of a dictionary"
"""Programs with values that have the names of variables in PyTorch's own code, or numbers of values that it has removed."""
PROGRAMS = make_programs(torch)
FUNCTIONS = make_functions(torch)


def compile_function(function, graphs, **options):
    def backend(module, inputs):
        graphs.append(module)
        return module.forward

    return torch.compile(function, backend=backend, **options)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_computes_what_the_function_does(name):
    graphs, first, second, plain = run(torch, *PROGRAMS[name])
    assert len(graphs) == 1
    assert first == second == plain


@pytest.mark.parametrize("name", [each for each in PROGRAMS if each not in OTHERS])
def test_graphs_are_pytorchs(oracle, name):
    theirs = make_programs(oracle)[name]
    oracle._dynamo.reset()
    graphs, *_ = run(torch, *PROGRAMS[name])
    expected, *_ = run(oracle, *theirs)
    assert graphs == expected


def test_second_derivatives_are_those_of_the_function():
    x = torch.arange(3.0, requires_grad=True)
    (first,) = torch.autograd.grad(
        compile_function(lambda x: FUNCTIONS["Cube"].apply(x, 2), [])(x).sum(), x, create_graph=True
    )
    (second,) = torch.autograd.grad(first.sum(), x)
    assert second.tolist() == [0, 12, 24]


def test_saved_tensors_must_not_be_written():
    x = torch.ones(3, requires_grad=True)
    compiled = compile_function(lambda x: FUNCTIONS["Cube"].apply(x, 2), [])
    given = x * 1
    y = compiled(given)
    given.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_switch_of_gradients_within_a_backward_ends_with_it():
    x = torch.ones(3, requires_grad=True)
    y = compile_function(lambda x: FUNCTIONS["Cube"].apply(x, 2) * x, [])(x)
    y.sum().backward()
    assert not x.grad.requires_grad and torch.is_grad_enabled()


def test_a_size_may_vary():
    graphs = []
    compiled = compile_function(lambda x: FUNCTIONS["Between"].apply(x), graphs)
    for size in (3, 4, 5):
        x = torch.ones(size, requires_grad=True)
        compiled(x).sum().backward()
        assert x.grad.tolist() == pytest.approx([2.7182817 * size + 1] * size)
    graphs = []
    compiled = compile_function(lambda x: FUNCTIONS["Straight"].apply(x), graphs)
    assert [compiled(torch.ones(size, requires_grad=True)).shape[0] for size in (3, 4, 5)] == [3, 4, 5]
    assert len(graphs) == 2


calls = []


class Effective(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        calls.append("backward")
        return g * 2


def note(x):
    calls.append("checkpoint")
    return x.sin()


@pytest.mark.filterwarnings("ignore:torch.compile")
@pytest.mark.parametrize(
    "function, noted",
    {
        "a backward": (lambda x: Effective.apply(x + 1) + 1, ["backward"]),
        "a checkpoint": (
            lambda x: torch.utils.checkpoint.checkpoint(note, x + 1, use_reentrant=False) + 1,
            ["checkpoint", "checkpoint"],
        ),
        "a checkpoint with reentry": (
            lambda x: torch.utils.checkpoint.checkpoint(note, x + 1, use_reentrant=True) + 1,
            ["checkpoint", "checkpoint"],
        ),
    }.values(),
)
def test_effects_are_those_of_the_function(function, noted):
    compiled = compile_function(function, [])
    for _ in range(3):
        calls.clear()
        x = torch.ones(3, requires_grad=True)
        compiled(x).sum().backward()
        assert calls == noted


@pytest.mark.filterwarnings("ignore:torch.compile")
def test_a_checkpoint_warns_in_every_call():
    compiled = compile_function(
        lambda x: torch.utils.checkpoint.checkpoint(torch.sin, x + 1, use_reentrant=True) + 1, []
    )
    for _ in range(2):
        with pytest.warns(UserWarning, match="None of the inputs have requires_grad") as warned:
            compiled(torch.ones(3))
        assert len([each for each in warned if "None of the inputs" in str(each.message)]) == 1
