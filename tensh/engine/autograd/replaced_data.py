"""Leaves whose data was replaced by data of another shape or dtype."""

import numpy as np

from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import wrap
from tensh.engine.errors.messages import broadcast_clash, does_not_fit


class ReplacedLeaf(AccumulateGrad):
    """The node of a leaf whose data was replaced by data of another shape or dtype after the node had been recorded."""

    __slots__ = ()

    def name(self):
        return "torch::autograd::AccumulateGrad"

    def backward(self, g):
        """Hand the leaf its gradient, of the old shape where it is the first and nobody else has its memory."""
        node = None if self.variable is None else self.variable.node
        if node is not None and node.grad is None and g.base is None:
            node.grad = wrap(g)
        elif node is not None:
            own = node.shape if node.grad is None else node.grad.array.shape
            if (clash := broadcast_clash([own, g.shape])) is not None:
                raise RuntimeError(clash)
            if (common := np.broadcast_shapes(own, g.shape)) != own:
                raise RuntimeError(does_not_fit(own, common))
            before = 0 if node.grad is None else node.grad.array
            node.grad = wrap(np.add(before, np.broadcast_to(g, own)))
        return ()

    def backward_graph(self, g):
        return self.backward(g.array)


def renew_leaf(t, array):
    """Give a leaf that gets ``array`` for its data a node of its shape and dtype; it keeps its gradient and its hooks."""
    old, before = t.node, t.array
    t.array = array
    t.node = AccumulateGrad(t)
    t.array, t.node.grad, t.node.hooks = before, old.grad, old.hooks
    old.__class__, old.grad, old.hooks = ReplacedLeaf, None, None
