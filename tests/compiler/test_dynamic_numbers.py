"""Numbers that vary between calls of a function: back ends get them as inputs, floats as tensors of one element."""

import pytest

import tensh as torch
from tests.compiler.number_functions import make_functions, run

FUNCTIONS = make_functions(torch)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_graphs_are_made_once_for_all_numbers(name):
    function, numbers, count = FUNCTIONS[name]
    graphs, made = run(torch, function, numbers)
    plain = run(torch, function, numbers, disable=True)[1]
    assert made == plain and len(graphs) == count


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_graphs_are_pytorchs(oracle, name, dynamic):
    if (name, dynamic) in (("default", True), ("returned", None)):
        return  # defaults that no call replaces stay constants; a number that is only returned is guarded once
    oracle._dynamo.reset()
    graphs, made = run(torch, *FUNCTIONS[name][:2], dynamic=dynamic)
    assert (graphs, made) == run(oracle, *make_functions(oracle)[name][:2], dynamic=dynamic)


def test_elements_that_python_reads_are_numbers_of_the_next_graph():
    counts = torch._dynamo.testing.CompileCounter()
    f = torch.compile(lambda x: x * x.sum().item(), backend=counts)
    with pytest.warns(UserWarning, match="splits"):
        f(torch.ones(2))
    assert [f(torch.full((2,), float(value))).tolist() for value in (2, 3, 4)] == [[8, 8], [18, 18], [32, 32]]
    assert counts.frame_count == 3
