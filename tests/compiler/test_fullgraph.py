"""``fullgraph=True`` refuses what PyTorch refuses, with any backend; what only graphs of tensh lack runs uncompiled."""

import gc
import sys
import time

import pytest

import tensh as torch
from tests.compiler import refused_functions, whole_functions

pytestmark = pytest.mark.filterwarnings("ignore")
BACKENDS = {"eager": "eager", "inductor": "inductor", "own": lambda graph, examples: graph.forward}


def make(library):
    """Return (the functions that are refused, those that are not), by name."""
    refused, whole = whole_functions.make(library)
    return refused | refused_functions.make(library), whole | refused_functions.make_whole(library)


REFUSED, WHOLE = make(torch)


@pytest.fixture(autouse=True)
def no_debugger(monkeypatch):
    monkeypatch.setattr(sys, "breakpointhook", lambda: None)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", REFUSED)
def test_what_ends_a_graph_is_refused_in_every_call(name, backend):
    compiled = torch.compile(REFUSED[name], backend=BACKENDS[backend], fullgraph=True)
    for _ in range(2):
        with pytest.raises(torch._dynamo.exc.TorchDynamoException, match="cannot be captured as one graph"):
            compiled(torch.ones(2))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", WHOLE)
def test_what_only_our_graphs_lack_is_not_refused(name, backend):
    compiled = torch.compile(WHOLE[name], backend=BACKENDS[backend], fullgraph=True)
    for _ in range(2):
        compiled(torch.ones(2))


def refuse(library, function):
    """Return the class and the first line of the error of a function that must be one graph; None for one that is."""
    library._dynamo.reset()
    try:
        library.compile(function, backend="eager", fullgraph=True)(library.ones(2))
    except library._dynamo.exc.TorchDynamoException as error:
        return type(error).__name__, str(error).splitlines()[0]
    return None


@pytest.mark.parametrize("name", REFUSED)
def test_errors_begin_as_pytorchs(oracle, name):
    theirs = refuse(oracle, make(oracle)[0][name])
    assert theirs is not None and refuse(torch, REFUSED[name]) == theirs


def test_pytorch_does_not_refuse_the_others(oracle):
    assert {name: refuse(oracle, each) for name, each in make(oracle)[1].items()} == dict.fromkeys(WHOLE)


def test_functions_of_the_standard_library_are_no_parts(capsys):
    import pprint

    compiled = torch.compile(lambda x: (pprint.pprint("seen"), x * 2)[1])
    for _ in range(4):
        compiled(torch.ones(2))
    assert capsys.readouterr().out == "'seen'\n" * 4


def test_a_garbage_collection_ends_no_graph():
    """A callback of the collector, and a ``__del__``, may run at any operation of the function."""
    seen, thresholds = [], gc.get_threshold()

    class Cycle:
        def __init__(self):
            self.own = self

        def __del__(self):
            seen.append(time.perf_counter())

    def look_at_the_clock(phase, info):
        seen.append(time.perf_counter())

    compiled = torch.compile(lambda x: x.exp() * 2 + x.sum(), fullgraph=True)
    Cycle(), gc.callbacks.append(look_at_the_clock), gc.set_threshold(1)
    try:
        results = [compiled(torch.zeros(2)).tolist() for _ in range(3)]
    finally:
        gc.callbacks.remove(look_at_the_clock), gc.set_threshold(*thresholds)
    assert seen and results == [[2, 2]] * 3


COLLECTIONS = {"seen": 0}


def count_collections(phase, info):
    COLLECTIONS["seen"] += 1


def test_what_a_garbage_collection_reads_is_not_guarded():
    counts, thresholds = torch._dynamo.testing.CompileCounter(), gc.get_threshold()
    compiled = torch.compile(lambda x: x.exp() * 2 + x.sum(), backend=counts)
    gc.callbacks.append(count_collections), gc.set_threshold(1)
    try:
        for _ in range(3):
            compiled(torch.zeros(2))
    finally:
        gc.callbacks.remove(count_collections), gc.set_threshold(*thresholds)
    assert COLLECTIONS["seen"] and counts.frame_count == 1
