"""``fullgraph=True`` refuses what PyTorch refuses, with any backend; what only graphs of tensh lack runs uncompiled."""

import sys

import pytest

import tensh as torch
from tests.compiler.whole_functions import make

pytestmark = pytest.mark.filterwarnings("ignore")
REFUSED, WHOLE = make(torch)
BACKENDS = {"eager": "eager", "inductor": "inductor", "own": lambda graph, examples: graph.forward}


@pytest.fixture(autouse=True)
def no_debugger(monkeypatch):
    monkeypatch.setattr(sys, "breakpointhook", lambda: None)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", REFUSED)
def test_what_ends_a_graph_is_refused_in_every_call(name, backend):
    compiled = torch.compile(REFUSED[name], backend=BACKENDS[backend], fullgraph=True)
    for _ in range(2):
        with pytest.raises(torch._dynamo.exc.Unsupported, match="cannot be captured as one graph"):
            compiled(torch.ones(2))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", WHOLE)
def test_what_only_our_graphs_lack_is_not_refused(name, backend):
    compiled = torch.compile(WHOLE[name], backend=BACKENDS[backend], fullgraph=True)
    for _ in range(2):
        compiled(torch.ones(2))


def test_pytorch_refuses_the_same(oracle):
    refused, whole = make(oracle)
    for functions, wanted in (refused, True), (whole, False):
        for name, function in functions.items():
            oracle._dynamo.reset()
            try:
                oracle.compile(function, backend="eager", fullgraph=True)(oracle.ones(2))
                found = False
            except oracle._dynamo.exc.TorchDynamoException:
                found = True
            assert (name, found) == (name, wanted)


def test_functions_of_the_standard_library_are_no_parts(capsys):
    import pprint

    compiled = torch.compile(lambda x: (pprint.pprint("seen"), x * 2)[1])
    for _ in range(4):
        compiled(torch.ones(2))
    assert capsys.readouterr().out == "'seen'\n" * 4
