"""A dispatch mode sees PyTorch's operators in a module's forward and backward pass, and the nodes between them are PyTorch's.

A line of ``dispatched_modules.txt`` is a module and its arguments; ``r`` makes numbers that require grad. For lines that
begin with ``~`` only the backward pass is compared: PyTorch composes the forward pass of more operators.
"""

from pathlib import Path

import pytest

import tensh
from tests.oracle.dispatch_log import make_log

oracle = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")

MODULES = Path(__file__).with_name("dispatched_modules.txt").read_text().splitlines()


class Seen:
    """The operators of the passes of a module of library ``m``, and the names of the nodes."""

    def __init__(self, m, line):
        make, given = line.split(" | ")
        log = make_log(m, lambda operator, *_: str(operator))
        m.manual_seed(0)
        names = {"torch": m, "nn": m.nn, "F": m.nn.functional, "r": lambda *shape: m.randn(*shape, requires_grad=True)}
        module = eval(make, names)
        args, options = eval(f"(lambda *args, **options: (args, options))({given})", names)
        with log as self.forward:
            out = module(*args, **options)
        while not m.is_tensor(out):
            out = out[0]
        self.nodes = list(nodes_of(out.grad_fn))
        with log as self.backward:
            out.sum().backward()


def nodes_of(root):
    """The names of all nodes, level by level."""
    level, met = [root], []
    while level:
        node = level.pop(0)
        if node is not None and all(node is not each for each in met):
            met.append(node)
            yield node.name().replace("torch::autograd::", "")
            level += [each for each, _ in node.next_functions]


@pytest.mark.parametrize("line", MODULES)
def test_operators_and_nodes_are_those_of_pytorch(line):
    found, expected = (Seen(m, line.removeprefix("~ ")) for m in (tensh, oracle))
    if not line.startswith("~ "):
        assert found.forward == expected.forward
    assert found.nodes == expected.nodes
    assert found.backward == expected.backward
