"""Why a gradient is what it is, or why there is none: `why`."""

import sys

import numpy as np

from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.graph import chain, tokens
from tensh.graph.absence import reason
from tensh.graph.assignments import assignments
from tensh.graph.elements import elements
from tensh.graph.names import named_tensors
from tensh.graph.walk import Graph
from tensh.graph.why import explain
from tensh.show.page import Lines


class Why(Lines):
    """The chain rule for one tensor, with names and numbers; its data is `explanation`, and `checked` what differences say."""

    def __init__(self, explanation, name, checked, notes):
        super().__init__(self._lines)
        self.explanation, self.name, self.checked, self.notes = explanation, name, checked, notes

    def _lines(self, page):
        yield from chain.lines(self.explanation, self.name, "·" if page.unicode else "*")
        if self.checked:
            yield from chain.check_lines(self.explanation, self.name, self.checked)
        for note in self.notes:
            yield [("note", f"# {note}")]


def why(tensor, root=None, names=None, sources=None):
    """Why the gradient of a tensor is what it is: every path of the chain rule from the root, and their sum.

    Args:
        tensor: a tensor that the root was computed from, usually a leaf.
        root: what is differentiated; the tensor that was computed last from `tensor`, if nothing is given.
        names: a dict of the names that tensors have; the global names of whoever calls, if nothing is given.
        sources: a dict of file names and the texts in them, in the order in which they ran. The root is computed again
            from them, to hold the gradient against differences, and they tell why a tensor has no gradient.

    The derivatives are worked out anew. Where there is no gradient, the one reason for that is shown instead.

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
    # y.backward() has not run, or x.grad was set to None since
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"a gradient is that of a tensor, not of {type(tensor).__name__}")
    names = dict(sys._getframe(1).f_globals if names is None else names)
    found = assignments(sources or {})
    name = next((each for each, value in named_tensors(names) if value is tensor), "it")
    node = refresh_node(tensor)
    absent = reason(tensor, name, found)
    if node is None:
        return describe_unexplained(tensor, name, absent)
    graph = root_of(node, names) if root is None else Graph(root, names)
    if graph is None:
        return describe_unexplained(tensor, name, f"nothing that has a name was computed from {name}")
    root_name = graph[graph.root].short
    if node not in graph.numbers:
        return describe_unexplained(tensor, name, f"no path leads from {root_name} to {name}")
    explanation = explain(graph, graph.numbers[node])
    if absent:
        value = tokens.values(explanation.gradient)
        return describe_reasons(
            f"{name}.grad is None: {absent}",
            f"to keep it: {name}.retain_grad() before {root_name}.backward(); it would be {value}",
        )
    checked, notes = against_differences(explanation, tensor, found, names) if sources else (None, [])
    return Why(explanation, name, checked, notes + grad_notes(tensor, name, root_name, explanation))


def describe_unexplained(tensor, name, why):
    """What to say where no path can be shown: what the gradient is, and why that cannot be explained."""
    held = (
        tensor.grad
        if refresh_node(tensor) is None or type(refresh_node(tensor)) is AccumulateGrad or tensor.retains_grad
        else None
    )
    if held is None:
        return describe_reasons(f"{name}.grad is None: {why}")
    return describe_reasons(
        f"{name}.grad = {tokens.values(elements(held.array))}, and where it came from is not known: {why}"
    )


def describe_reasons(*sentences):
    return Lines(lambda page: [[("plain", sentence)] for sentence in sentences])


def against_differences(explanation, tensor, found, names):
    """(what differences say, notes): one of the two."""
    from tensh.graph.check import UncheckedError, check_gradient

    graph = explanation.graph
    root = graph[graph.root]
    if type(refresh_node(tensor)) is not AccumulateGrad:
        return None, []
    try:
        name = root.variable or ""
        return check_gradient(tensor, explanation.gradient, graph.tensor, name, found, names), []
    except UncheckedError as error:
        return None, [f"not checked: {error}"]


def grad_notes(tensor, name, root_name, explanation):
    """What ``.grad`` holds, where that is not the gradient that was explained."""
    if tensor.grad is None:
        return [f"{root_name}.backward() has not run, or {name}.grad was set to None since"]
    held = elements(tensor.grad.array)
    if (
        held is None
        or held.shape == explanation.gradient.shape
        and np.allclose(held, explanation.gradient, rtol=1e-4, equal_nan=True)
    ):
        return []
    return [
        f"{name}.grad holds {tokens.values(held)}: it adds up what all backward passes brought since it was None or zero"
    ]


def root_of(node, names):
    """The graph of the tensor that was computed last from a node; None where there is none."""
    made = [(refresh_node(t).time, i, t) for i, (_, t) in enumerate(named_tensors(names)) if t.requires_grad]
    for _, _, tensor in sorted(made, key=lambda each: each[:2], reverse=True):
        if type(refresh_node(tensor)) is AccumulateGrad:
            continue
        graph = Graph(tensor, names)
        if node in graph.numbers and graph.top is not node:
            return graph
    return None
