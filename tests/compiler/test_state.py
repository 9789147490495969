"""State from outside that compiled functions read, change and return."""

import re
import warnings

import pytest

import tensh as torch
from tests.compiler.state_programs import ASSIGNED, CHANGED, READ, RETURNED, Shared

COMPILED = {
    "own": torch.compile,
    "back_end": lambda function: torch.compile(function, backend=lambda module, inputs: module.forward),
}
PROGRAMS = [*READ, *CHANGED, *(each[:3] for each in ASSIGNED)]


def run(make, function, change, compile, is_argument):
    """Return what three calls give, and the state after each, as text."""
    torch.manual_seed(0)
    Shared.n, state, found = 3, make(), []
    called = compile(function if is_argument else lambda x: function(x, state))
    for number in range(3):
        x = torch.full((1,), number + 1.0)
        result = called(x, state) if is_argument else called(x)
        found.append((repr(result), show(state), repr(Shared.n), torch.is_grad_enabled()))
        change(state)
    torch.set_grad_enabled(True)
    return found


def show(state):
    """Return the text of a container, or of the attributes and buffers of an object, without addresses."""
    members = getattr(state, "__dict__", None) or {}
    shown = {name: each for name, each in members.items() if name == "_buffers" or name[0] != "_"}
    return re.sub(" at 0x[0-9a-f]+", "", repr(shown or state))


@pytest.mark.parametrize("is_argument", [True, False], ids=["argument", "variable"])
@pytest.mark.parametrize("compile", COMPILED.values(), ids=COMPILED)
@pytest.mark.parametrize("case", range(len(PROGRAMS)))
def test_state_is_that_of_the_function_itself(case, compile, is_argument):
    program = PROGRAMS[case]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="torch.compile")
        assert run(*program, compile, is_argument) == run(*program, lambda function: function, is_argument)


@pytest.mark.parametrize("case", range(len(ASSIGNED)))
def test_assignments_are_part_of_graphs_for_back_ends(case):
    *program, graphs = ASSIGNED[case]
    counter = torch._dynamo.testing.CompileCounter()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(*program, lambda function: torch.compile(function, backend=counter, fullgraph=True), True)
    assert counter.frame_count == graphs


@pytest.mark.parametrize("compile", COMPILED.values(), ids=COMPILED)
@pytest.mark.parametrize("case", range(len(RETURNED)))
def test_containers_in_results_are_those_of_the_function(case, compile):
    make, function, is_right = RETURNED[case]
    compiled = compile(function)
    for _ in range(3):
        state = make()
        assert is_right(compiled(torch.ones(1), state), state)
