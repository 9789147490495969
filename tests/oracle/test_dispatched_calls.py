"""A dispatch mode sees PyTorch's operators in a call and its backward pass, with equal shapes and values.

A line of ``dispatched_calls.txt`` is a call: ``r`` makes numbers that require grad, ``p`` such numbers between 0.1 and 0.9,
``i`` zeros and ones.
"""

from pathlib import Path

import pytest

import tensh
from tests.oracle.dispatch_log import make_log

oracle = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")

CALLS = Path(__file__).with_name("dispatched_calls.txt").read_text().splitlines()


def run(m, line):
    """The operators of a call of library ``m`` and of its backward pass, as text."""
    held = []

    def hold(t):
        held.append(t.requires_grad_())
        return held[-1]

    names = {
        "torch": m, "F": m.nn.functional, "i": lambda *shape: m.randint(0, 2, shape),
        "r": lambda *shape: hold(m.randn(*shape, dtype=m.float64)), "p": lambda *shape: hold(m.rand(*shape, dtype=m.float64) * 0.8 + 0.1),
    }  # fmt: skip
    m.manual_seed(0)
    log = make_log(m, lambda word, args, options: f"{word} {as_text(m, args)} {as_text(m, sorted(options.items()))}")
    with log as forward:
        out = eval(line, names)
    while not m.is_tensor(out):
        out = out[0]
    weights = m.ones_like(out)
    with log as backward:
        if out.requires_grad:
            out.backward(weights)
    return forward, backward


def as_text(m, value):
    """An argument as text: of a tensor its shape."""
    if m.is_tensor(value):
        return f"tensor{list(value.shape)}"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(as_text(m, each) for each in value)}]"
    return f"{value:.4g}" if type(value) in (int, float) else str(value).replace("tensh.", "torch.")


@pytest.mark.oracle
@pytest.mark.parametrize("line", CALLS)
def test_calls_and_backward_passes_are_operators_of_pytorch(line):
    assert run(tensh, line) == run(oracle, line)
