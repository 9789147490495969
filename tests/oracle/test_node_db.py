"""Graphs of every operator in PyTorch's own database are PyTorch's: names of nodes, their edges, and numbers of outputs."""

import pytest

import tensh
from tests.oracle.test_op_db import convert, each_entry, forms, oracle, scope, seed, some
from tests.support.databases import outcome, said

DEEPEST = 60
ROUNDED = "round(decimals=0) is round"
COMPOSED = "circular padding, and a convolution of complex numbers, are one node each"
CONVOLUTIONS = [f"nn.functional.conv{kind}{dims}d" for kind in ("", "_transpose") for dims in (1, 2, 3)]
OTHERWISE = {
    **{("nn.functional.pad.circular", dtype): COMPOSED for dtype in (oracle.float64, oracle.complex128)},
    ("round.decimals_0", oracle.float64): ROUNDED,
    **{(name, oracle.complex128): COMPOSED for name in CONVOLUTIONS},
}
"""Entries and dtypes with other graphs than PyTorch's, and why (ARCHITECTURE.md)."""


def describe(node, seen, depth=0):
    """Return a node and what it leads to as nested lists; a node that came before as its number."""
    if node is None or depth > DEEPEST:
        return node and "..."
    if id(node) in seen:
        return seen[id(node)][0]
    seen[id(node)] = len(seen), node  # kept, so that no other object gets its id
    return [node.name(), [(describe(inner, seen, depth + 1), number) for inner, number in node.next_functions]]


def graph_of(m, build, sample):
    """Return what module ``m`` records for a call, result by result."""
    first, args, kwargs = convert.Importer(m, grad=True)((sample.input, sample.args, sample.kwargs))
    seed()
    made = convert.tensors_in(m, build(m)(first, *args, **kwargs))
    return [(t.requires_grad, t.is_leaf, t.output_nr, describe(t.grad_fn, {}), is_view(t)) for t in made]


def is_view(t):
    """Return whether a tensor is a view; conjugated ones are in PyTorch, but not here (ARCHITECTURE.md)."""
    return t._is_view() and (t.grad_fn is None or t.grad_fn.name() != "ConjBackward0")


@each_entry
def test_graphs_of_functions_and_in_place_forms_are_pytorchs(op, dtype):
    """The nodes behind every result of a function, and of its in-place form."""
    if (scope.op_id(op), dtype) in OTHERWISE:
        pytest.skip(OTHERWISE[scope.op_id(op), dtype])
    for number, sample in enumerate(some(op, dtype)):
        for label, build in forms(op, sample).items():
            expected, error = outcome(graph_of, oracle, build, sample)
            if isinstance(error, convert.Unsupported):
                continue
            actual, failure = outcome(graph_of, tensh, build, sample)
            where = f"{label}, sample {number}: {sample.summary()[:300]}"
            assert said(failure) == said(error), where
            assert actual == expected, where
