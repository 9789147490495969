"""Recorded graphs, node by node, and their first and second derivatives are PyTorch's."""

import numpy as np
import pytest

import tensh
from tests.support.graph_programs import PROGRAMS
from tests.support.graph_runs import SINGLE, Run

oracle = pytest.importorskip("torch")


def assert_same(ours, theirs, tolerance):
    assert (str(ours.dtype), ours.shape) == (str(theirs.dtype), theirs.shape)
    values = [t.detach().resolve_conj().numpy(force=True) for t in (ours, theirs)]
    np.testing.assert_allclose(*values, tolerance, tolerance)


def assert_same_gradients(ours, theirs, tolerance):
    """An absent gradient is zero: the two do not always agree on which results are constant."""
    if isinstance(theirs, str):
        assert ours == theirs or "is not implemented" in theirs
        return
    for name, expected in theirs.items():
        if ours[name] is not None and expected is not None:
            assert_same(ours[name], expected, tolerance)
        else:
            assert not any(g is not None and float(g.detach().abs().sum()) > 1e-12 for g in (ours[name], expected))


@pytest.mark.parametrize("program", PROGRAMS)
def test_graph_and_gradients(program):
    mark, program = (program[0], program[1:].strip()) if program[0] in "~=" else ("", program)
    tolerance = 2e-6 if SINGLE.search(program) else 1e-9
    ours, theirs = Run(program, tensh), Run(program, oracle)
    assert ours.out.requires_grad == theirs.out.requires_grad
    assert_same(ours.out, theirs.out, tolerance)
    if mark != "=":
        assert ours.tree(ours.out) == theirs.tree(theirs.out)
    first, expected = ours.gradients([ours.out], 1), theirs.gradients([theirs.out], 1)
    assert_same_gradients(first, expected, tolerance)
    if isinstance(expected, str):
        return
    if not mark:
        for name, g in expected.items():
            assert g is None or ours.tree(first[name]) == theirs.tree(g)
    second, expected = (run.gradients(g.values(), 2) for run, g in ((ours, first), (theirs, expected)))
    assert_same_gradients(second, expected, tolerance)
