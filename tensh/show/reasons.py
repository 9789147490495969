"""Why a gradient is what it is, or why there is none: `why`."""

import sys

from tensh.engine.graph import AccumulateGrad, edge
from tensh.engine.tensor import Tensor
from tensh.graph import chain
from tensh.graph.names import named_tensors
from tensh.graph.walk import Graph
from tensh.graph.why import explain
from tensh.show.page import Lines


class Why(Lines):
    """The chain rule for one tensor, with names and numbers; its data is `explanation`."""

    def __init__(self, explanation, name):
        super().__init__(lambda page: chain.lines(explanation, name, "·" if page.unicode else "*"))
        self.explanation = explanation


def why(tensor, root=None, names=None):
    """Why the gradient of a tensor is what it is: every path of the chain rule from the root, and their sum.

    Args:
        tensor: a tensor that the root was computed from, usually a leaf.
        root: what is differentiated; the tensor that was computed last from `tensor`, if nothing is given.
        names: a dict of the names that tensors have; the global names of whoever calls, if nothing is given.

    ValueError says why there is nothing to explain. The derivatives are worked out anew, `.grad` is not looked at.

    >>> import tensh
    >>> x = tensh.tensor(3., requires_grad=True)
    >>> y = x * x
    >>> tensh.show.why(x, y, {"x": x, "y": y})
    x.grad = 6    because y, at x = 3, and x reaches y along 2 paths
    <BLANKLINE>
    path 1    y  <-  x
              d y / d x  = x = 3    product rule: the other factor
    path 2    y  <-  x
              d y / d x  = x = 3    product rule: the other factor
    sum       3 + 3 = 6
    """
    names = dict(sys._getframe(1).f_globals if names is None else names)
    name = next((each for each, value in named_tensors(names) if value is tensor), "it")
    if not isinstance(tensor, Tensor):
        raise TypeError(f"a gradient is that of a tensor, not of {type(tensor).__name__}")
    node = edge(tensor)
    if node is None:
        raise ValueError(f"{name} does not require grad: nothing is recorded about what is computed from it")
    graph = root_of(node, names, name) if root is None else Graph(root, names)
    if node not in graph.numbers:
        raise ValueError(f"no path leads from {graph[graph.root].short} to {name}")
    return Why(explain(graph, graph.numbers[node]), name)


def root_of(node, names, name):
    """The graph of the tensor that was computed last from a node."""
    made = [(edge(t).time, i, t) for i, (_, t) in enumerate(named_tensors(names)) if t.requires_grad]
    for _, _, tensor in sorted(made, key=lambda each: each[:2], reverse=True):
        if type(edge(tensor)) is AccumulateGrad:
            continue
        graph = Graph(tensor, names)
        if node in graph.numbers and graph.top is not node:
            return graph
    raise ValueError(f"nothing that has a name was computed from {name}")
