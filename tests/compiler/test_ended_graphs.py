"""Graphs for back ends that end within a statement: both sides of it are graphs of the first call."""

import pytest

import tensh as torch
from tests.compiler.ended_functions import make_functions, run

pytestmark = pytest.mark.filterwarnings("ignore:torch.compile")
FUNCTIONS = make_functions(torch)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_first_call_makes_all_graphs(name):
    function, number = FUNCTIONS[name]
    graphs, count, made = run(torch, function)
    assert len(graphs) == count == number
    torch.manual_seed(0)
    x = torch.arange(1.0, 7.0).view(2, 3)
    assert (
        made == [torch.allclose(function(x), torch.tensor(made[0])) and made[0], x.tolist(), torch.rand(1).item()] * 2
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_graphs_are_pytorchs(oracle, name):
    oracle._dynamo.reset()
    graphs, _, made = run(torch, FUNCTIONS[name][0])
    expected, _, values = run(oracle, make_functions(oracle)[name][0])
    assert graphs == expected
    assert (
        torch.allclose(torch.tensor(made[0]), torch.tensor(values[0])) and made[1] == values[1] and made[2] == values[2]
    )


def test_what_a_function_has_done_before_its_graph_ends_is_not_done_again():
    done, seen = [], []

    @torch.compile(backend=lambda module, inputs: seen.append(1) or module.forward)
    def f(x):
        done.append(x.shape[0])
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    assert f(torch.ones(2)).tolist() == [4, 4] and done == [2]
    assert f(torch.ones(2)).tolist() == [4, 4] and done == [2, 2]


def test_a_function_that_catches_everything_goes_on():
    caught = []

    @torch.compile(backend=lambda module, inputs: module.forward)
    def f(x):
        try:
            y = x + 1
            torch._dynamo.graph_break()
        except BaseException as error:
            caught.append(error)
            raise
        return y * 2

    assert f(torch.ones(2)).tolist() == [4, 4] and not caught


def test_forbidden_functions_are_errors():
    @torch._dynamo.forbid_in_graph
    def forbidden(x):
        return x + 1

    f = torch.compile(lambda x: forbidden(x) * 2, backend=lambda module, inputs: module.forward)
    assert forbidden(1) == 2
    with pytest.raises(AssertionError, match="Attempt to trace forbidden callable"):
        f(torch.ones(2))
    with pytest.raises(AssertionError, match="applies only to callables"):
        torch._dynamo.forbid_in_graph(3)


def test_functions_that_are_not_allowed_in_graphs_run_between_them():
    counts = torch._dynamo.testing.CompileCounter()
    assert torch._dynamo.disallow_in_graph(torch.cumsum) is torch.cumsum
    try:
        f = torch.compile(lambda x: torch.cumsum(x + 1, 0) + 1, backend=counts)
        assert f(torch.ones(2)).tolist() == [3, 5] and counts.frame_count == 2
    finally:
        torch._dynamo.allow_in_graph(torch.cumsum)
    with pytest.raises(RuntimeError, match="already allowed callable"):
        torch._dynamo.disallow_in_graph(lambda x: x)


def test_operators_that_fail_raise_pytorchs_error():
    for backend in ("eager", lambda module, inputs: module.forward):
        f = torch.compile(lambda x: x @ x, backend=backend)
        for _ in range(2):
            with pytest.raises(torch._dynamo.exc.TorchRuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
                f(torch.ones(2, 3))


def test_settings_that_may_change_within():
    config = torch._dynamo.config
    with torch._dynamo.patch_dynamo_config(capture_scalar_outputs=True):
        assert config.capture_scalar_outputs
    assert not config.capture_scalar_outputs
    with pytest.raises(ValueError, match="does not support patching config suppress_errors"):
        torch._dynamo.patch_dynamo_config(suppress_errors=True)


def test_names_of_back_ends():
    assert {"cudagraphs", "inductor", "openxla", "tvm"} <= set(torch._dynamo.list_backends())
    assert not {"eager", "aot_eager", "ts"} & set(torch._dynamo.list_backends())
    assert {"eager", "aot_eager", "ts"} < set(torch._dynamo.list_backends(None))


def test_decorators_for_whole_graphs():
    counts = torch._dynamo.testing.CompileCounter()
    assert (
        torch._dynamo.optimize_assert(counts)(lambda x: x + 1)(torch.ones(2)).tolist() == [2, 2]
        and counts.frame_count == 1
    )
    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch._dynamo.optimize_assert(counts)(lambda x: x * x.sum().item() if x.sum() > 0 else x)(torch.ones(2))


def test_both_parts_of_a_function_have_a_backward_graph():
    made, aot = [], torch._dynamo.backends.common.aot_autograd

    def f(x):
        y = x.sin()
        torch._dynamo.graph_break()
        return y.cos()

    def note(name):
        return lambda module, inputs: made.append(name) or module.forward

    x = torch.ones(2, requires_grad=True)
    torch.compile(f, backend=aot(fw_compiler=note("forward"), bw_compiler=note("backward")))(x).sum().backward()
    assert made == ["forward", "forward", "backward", "backward"]
