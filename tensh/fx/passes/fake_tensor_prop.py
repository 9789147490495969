"""Fake values of all nodes of a graph, found by running it without elements."""

from tensh._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from tensh.engine.core.tensor import Tensor
from tensh.fx.interpreter import Interpreter
from tensh.fx.node import map_aggregate

__all__ = ["FakeTensorProp"]


class FakeTensorProp(Interpreter):
    """Runs a graph on fake tensors and stores the results in ``meta["val"]`` of the nodes.

    ``mode`` makes the fake tensors; it must allow others if the module has parameters or buffers. Raise what a fake
    tensor raises where a node needs elements.

    >>> import tensh as torch
    >>> from tensh._subclasses.fake_tensor import FakeTensorMode
    >>> from tensh.fx.passes.fake_tensor_prop import FakeTensorProp
    >>> gm = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(4, 2)))
    >>> FakeTensorProp(gm, FakeTensorMode(allow_non_fake_inputs=True)).propagate(torch.ones(3, 4)).shape
    torch.Size([3, 2])
    >>> [node.meta["val"].shape for node in gm.graph.nodes if node.op == "call_module"]
    [torch.Size([3, 2])]
    """

    def __init__(self, module, mode=None):
        super().__init__(module)
        self._mode = FakeTensorMode() if mode is None else mode

    def run_node(self, n):
        """Run a node, and store its fake value."""
        result = super().run_node(n)
        found = []

        def extract(value):
            if isinstance(value, Tensor):
                value = value.detach() if isinstance(value, FakeTensor) else self._mode.from_tensor(value)
            elif not isinstance(value, (bool, int, float)):
                return None
            found.append(value)
            return value

        value = map_aggregate(result, extract)
        if found:
            n.meta["val"] = value
        return result

    def propagate(self, *args):
        """Run the graph on fake tensors in place of the tensors ``args`` and return its output."""
        return self.propagate_dont_convert_inputs(
            *[self._mode.from_tensor(each) if isinstance(each, Tensor) else each for each in args]
        )

    def propagate_dont_convert_inputs(self, *args):
        """Run the graph on ``args``, which are fake already, and return its output."""
        with self._mode:
            return self.run(*args)
