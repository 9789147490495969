"""Numbers that vary between calls of a function: back ends get them as inputs, floats as tensors of one element."""

import types

import pytest

import tensh as torch
from tests.compiler.held_numbers import make_counters, make_holders
from tests.compiler.number_functions import make_functions, run, run_counting, run_held

FUNCTIONS = make_functions(torch)
HOLDERS, COUNTERS = make_holders(torch), make_counters(torch)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_graphs_are_made_once_for_all_numbers(name):
    function, numbers, count = FUNCTIONS[name]
    graphs, made = run(torch, function, numbers)
    plain = run(torch, function, numbers, disable=True)[1]
    assert made == plain and len(graphs) == count


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_graphs_are_pytorchs(oracle, name, dynamic):
    if (name, dynamic) in (("default", True), ("returned", None), ("checkpoint", True)):
        # defaults that no call replaces stay constants; a number that is only returned is guarded once; graphs of
        # checkpoints do not get the dynamic sizes of their tensors
        return
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


@pytest.mark.parametrize("name", HOLDERS)
def test_numbers_that_are_held_anywhere_are_inputs(name):
    function, change, more, numbers, count = make_holders(torch)[name]
    graphs, made = run_held(torch, function, change, more, numbers)
    assert (made, len(graphs)) == (run_held(torch, function, change, more, numbers, disable=True)[1], count)


@pytest.mark.parametrize("name", COUNTERS)
def test_numbers_that_a_call_assigns_are_results(name):
    def count_calls(**options):
        function, read, count = make_counters(torch)[name]()
        graphs, made = run_counting(torch, function, read, **options)
        return len(graphs), made, count

    found, made, count = count_calls()
    assert (found, made) == (count, count_calls(disable=True)[1])


@pytest.mark.parametrize("name", HOLDERS)
def test_held_numbers_are_inputs_of_pytorchs_graphs(oracle, name):
    oracle._dynamo.reset()
    assert run_held(torch, *make_holders(torch)[name][:4]) == run_held(oracle, *make_holders(oracle)[name][:4])


@pytest.mark.parametrize("name", COUNTERS)
def test_assigned_numbers_are_results_of_pytorchs_graphs(oracle, name):
    oracle._dynamo.reset()
    assert run_counting(torch, *make_counters(torch)[name]()[:2]) == run_counting(
        oracle, *make_counters(oracle)[name]()[:2]
    )


def test_a_back_end_runs_for_any_count_of_numbers():
    ran, state = [], types.SimpleNamespace(n=3)
    compiled = torch.compile(
        lambda x: x * state.n, backend=lambda module, inputs: lambda *args: ran.append(1) or module(*args)
    )
    for state.n in range(3, 80):
        compiled(torch.ones(1))
    assert len(ran) == 77


@pytest.mark.parametrize(
    ("setting", "name", "count"),
    [("specialize_int", "attribute", 4), ("specialize_float", "float attribute", 4), ("allow_unspec_int_on_nn_module", "module", 2)],
)  # fmt: skip
def test_settings_tell_which_numbers_are_inputs(setting, name, count):
    with torch._dynamo.config.patch(setting, True):
        assert len(run_held(torch, *make_holders(torch)[name][:4])[0]) == count
