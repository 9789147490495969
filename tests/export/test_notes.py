"""Nodes of exported programs carry PyTorch's notes: the function that was called, and the metadata of the value."""

import pytest

import tensh as torch
from tests.export.test_invented import MODELS, OTHER_GRAPHS, export
from tests.support.invented import make_invented


def list_notes(library, name):
    """Return the notes of each node as text, and the modules of the program with their signatures."""
    program = export(library, make_invented(library), name)
    keys = "torch_fn", "tensor_meta", "val"
    nodes = [node for node in program.graph.nodes if node.op != "get_attr"]  # branches, which PyTorch keeps no value of
    notes = [(node.name, {key: str(node.meta[key]) for key in keys if key in node.meta}) for node in nodes]
    return notes, str(program.module_call_graph)


OTHERS = {
    "Branching": "branches",
    "Integers": "checks of dtypes",
    "MaskedPooling": "operands in two orders",
} | OTHER_GRAPHS
"""Model -> operators that have other notes, or why the graph differs."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in MODELS if name not in OTHERS])
def test_notes_are_pytorchs(oracle, name):
    (ours, modules), (theirs, expected) = list_notes(torch, name), list_notes(oracle, name)
    for here, there in zip(ours, theirs, strict=True):
        assert here == there
    assert modules == expected
