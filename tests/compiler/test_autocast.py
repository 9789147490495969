"""Autocast within compiled functions."""

import pytest

import tensh as torch
from tensh.amp.settings import set_autocast_enabled
from tests.compiler.autocast_programs import CALLS, PROGRAMS, REGIONS

COMPILERS = {
    "own": torch.compile,
    "back_end": lambda function: torch.compile(function, backend=lambda module, inputs: module.forward, fullgraph=True),
}


def run(function, requires_grad):
    """Return (result, dtypes, gradient) of a call."""
    x = torch.tensor([[1.0, 2.0, 0.5], [0.3, 1.3, 0.7], [2.1, 0.1, 1.9]], requires_grad=requires_grad)
    result = function(x)
    outs = result if isinstance(result, tuple) else (result,)
    wanted = [each.float().square().sum() for each in outs if each.requires_grad]
    gradient = torch.autograd.grad(sum(wanted), x, allow_unused=True)[0] if wanted and requires_grad else None
    return outs, [each.dtype for each in outs], gradient


def require_same(ours, expected):
    assert ours[1] == expected[1]
    assert all(a.equal(b) for a, b in zip(ours[0], expected[0], strict=True))
    assert (ours[2] is None) == (expected[2] is None)
    assert ours[2] is None or torch.allclose(ours[2], expected[2], rtol=0.02, atol=0.02)


def under_autocast(function):
    def call(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return function(x)

    return call


@pytest.fixture(autouse=True)
def exchanged():
    """Let autocast have run before: its functions then have their casts when they are captured."""
    set_autocast_enabled("cpu", True)
    set_autocast_enabled("cpu", False)


@pytest.mark.parametrize("requires_grad", [True, False])
@pytest.mark.parametrize("compile", COMPILERS.values(), ids=COMPILERS)
@pytest.mark.parametrize("name", [*CALLS, *range(len(PROGRAMS))])
def test_compiled_functions_cast_as_uncompiled_ones(name, compile, requires_grad):
    function = under_autocast(CALLS[name]) if name in CALLS else PROGRAMS[name]
    expected, compiled = run(function, requires_grad), compile(function)
    for _ in range(3):
        require_same(run(compiled, requires_grad), expected)


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_graphs_for_back_ends_have_the_regions_of_autocast(number):
    graphs = []
    torch.compile(PROGRAMS[number], backend=lambda module, inputs: graphs.append(module) or module, fullgraph=True)(
        torch.ones(3, 3)
    )
    begun = [node for node in graphs[0].graph.nodes if node.name.startswith("_enter_autocast")]
    ended = [node.args[0] for node in graphs[0].graph.nodes if node.name.startswith("_exit_autocast")]
    assert [node.args for node in begun] == REGIONS[number] and set(ended) == set(begun) and len(graphs) == 1


def test_a_graph_that_fails_leaves_no_mode_switched():
    def take(x, i):
        with torch.autocast("cpu"), torch.no_grad():
            y = (x @ x)[i]
        return y + x.sum()

    compiled, x = (
        torch.compile(take, backend=lambda module, inputs: module.forward),
        torch.ones(3, 3, requires_grad=True),
    )
    for place in (0, 9, 1):
        if place < 3:
            assert compiled(x, torch.tensor([place])).requires_grad
        else:
            with pytest.raises(IndexError):
                compiled(x, torch.tensor([place]))
        assert torch.is_grad_enabled() and not torch.is_autocast_enabled("cpu")
