"""`%why` on random programs: the sums over paths are the gradients of backward, in tensh and in PyTorch."""

import pytest

pytest.importorskip("hypothesis")
oracle = pytest.importorskip("torch")

import numpy as np  # noqa: E402 - hypothesis and PyTorch must be there
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

import tensh  # noqa: E402
from tests.support.chain_programs import LEAVES, chain_program, check_paths  # noqa: E402


@st.composite
def programs(draw):
    return chain_program(lambda options: draw(st.sampled_from(list(options))))


@settings(max_examples=200, derandomize=True, deadline=None, database=None)
@given(programs())
def test_the_paths_add_up_to_pytorchs_gradient(lines):
    ours = check_paths(lines, {name: tensh.tensor(value, requires_grad=True) for name, value in LEAVES.items()})
    theirs = {name: oracle.tensor(value, requires_grad=True) for name, value in LEAVES.items()}
    scope = {"torch": oracle, **theirs}
    exec("\n".join(lines), scope)
    scope["y"].backward()
    for name, leaf in theirs.items():
        if leaf.grad is None:
            assert ours[name] is None
        else:
            np.testing.assert_allclose(ours[name], leaf.grad.numpy(), rtol=1e-9, atol=1e-12)
