"""A backward pass for inspection: the gradient that arrives at every node, and along each edge.

The graph is not modified: nothing is accumulated or released, and values released by a backward pass are borrowed (see
kept).
"""

import contextlib
from collections import defaultdict
from functools import cached_property

import numpy as np

from tensh.engine.core.backward import fit
from tensh.engine.core.nodes import AccumulateGrad, Output, Parts
from tensh.graph import kept
from tensh.support.language import _


class GoneError(ValueError):
    """A value that a derivative reads no longer exists."""


def vjp(node, g, targets=None):
    """Return the gradients that a node sends for ``g``, one for each of its edges, None where there is none."""
    with lend_values(node):
        gs = node.backward(g)
    return compute_edge_gradients(node, gs, node.next_functions if targets is None else targets)


@contextlib.contextmanager
def lend_values(node):
    """Lend a node its saved values within the context, released or not; raise GoneError if they are gone."""
    before = node.saved
    if before is None:
        node.saved = kept.values.get(node)
        if node.saved is None:
            raise GoneError(
                _("a backward pass freed the values that the derivative needs; keep them: backward(retain_graph=True)")
            )
    try:
        yield
    finally:
        node.saved = before


def compute_edge_gradients(node, gs, targets):
    """Return the gradients that ``backward`` returns for the node's inputs, in the order of its edges."""
    waiting = list(zip(node.inputs, gs, strict=False))
    found = []
    for target, output in targets:
        brought = None
        for position, (n, g) in enumerate(waiting):
            if n is target or type(n) is Output and (n.inputs[0], n.index) == (target, output):
                brought = Parts({output: g}) if type(n) is Output and g is not None else g
                del waiting[position]
                break
        found.append(None if target is None else brought)
    return found


def fit_gradient(g, node):
    """Return a gradient in the shape and dtype of a node's output."""
    return g if type(g) is Parts or node.shape == getattr(g, "shape", None) else fit(g, node, False)


def together(one, other):
    """Add two gradients of the same node."""
    if one is None:
        return Parts(other) if type(other) is Parts else other
    if type(one) is Parts:
        return Parts(one | {i: one[i] + g if i in one else g for i, g in other.items()})
    return one + other


class Pass:
    """The gradients of one root with respect to all nodes behind it.

    ``arrived[number]`` is the gradient at a node, ``brought[number, i]`` the one along edge ``i`` of node ``number``.
    """

    def __init__(self, graph, seed=None):
        root = graph.top
        if seed is None:
            seed = np.ones(root.shape, root.dtype)
        self.graph = graph
        self.arrived, self.brought = {graph.root: seed}, {}
        for number in range(graph.root, 0, -1):
            g = self.arrived.get(number)
            node = graph.order[number - 1]
            if g is None or type(node) is AccumulateGrad:
                continue
            targets = node.next_functions
            for i, ((target, _output), gi) in enumerate(zip(targets, vjp(node, g, targets), strict=True)):
                other = graph.numbers.get(target)
                if other is not None and gi is not None:
                    gi = fit_gradient(gi, target)
                    self.brought[number, i] = gi
                    self.arrived[other] = together(self.arrived.get(other), gi)

    @cached_property
    def senders(self):
        """Number of a node -> (number of another, index of its edge) of each gradient that it received."""
        found = defaultdict(list)
        for number, i in sorted(self.brought):
            target, _output = self.graph.order[number - 1].next_functions[i]
            found[self.graph.numbers[target]].append((number, i))
        return found
