"""Backward passes that are seen below autograd: one of these steps through each pass, in PyTorch's order."""

import numpy as np

from tensh._aten.backward_words import derivative_of, word
from tensh._aten.calls import aten
from tensh.engine.arrays.memory import dense_owner, is_dense
from tensh.engine.core.backward import finish
from tensh.engine.core.clock import mode
from tensh.engine.core.nodes import AccumulateGrad


class WatchedPass:
    """A pass whose nodes call operators of ``aten``; leaves get their gradient as soon as all of it has arrived."""

    def __init__(self, grads, graph, wanted):
        self.graph, self.wanted, self.waiting = graph, wanted, {}
        stack, seen = list(grads), set(grads)
        while stack:
            for n in stack.pop().inputs:
                if n is not None:
                    self.waiting[n] = self.waiting.get(n, 0) + 1
                    if n not in seen:
                        seen.add(n)
                        stack.append(n)

    def derive(self, node, g):
        """The gradients that a node sends on."""
        self.finish_leaves()
        for n in node.inputs:
            if n is not None:
                self.waiting[n] -= 1
        return node.backward_graph(g) if type(node).op is None else derivative_of(type(node))(node, g)

    word = staticmethod(word)

    def finish_leaves(self):
        """Hand out the gradients that are complete."""
        grads = mode.running[1]
        for leaf in [n for n in grads if type(n) is AccumulateGrad and not self.waiting.get(n)]:
            finish({leaf: grads.pop(leaf)}, self.graph, self.wanted)

    @staticmethod
    def accumulate(leaf, g):
        """Add a gradient to ``.grad`` of a leaf."""
        variable = leaf.reference()
        if leaf.grad is not None:
            leaf.grad = aten("add", leaf.grad, g) if mode.grad else aten("add_", leaf.grad, g)
        elif variable is None or not mode.grad and (type(g.array) is not np.ndarray or can_keep(leaf, variable, g)):
            leaf.grad = aten("detach", g)
        elif type(variable.array) is np.ndarray and not is_dense(variable.array):
            leaf.grad = aten("clone", g)
        else:
            leaf.grad = aten("copy_", aten("new_empty_strided", g, list(variable.shape), list(variable.stride())), g)


def can_keep(leaf, variable, g):
    """True if ``.grad`` may use the memory of a gradient: it has the right layout, and no other owner."""
    if leaf.hooks is not None or g.array.strides != variable.array.strides or not is_dense(g.array):
        return False
    owner = dense_owner(g.array)
    others = [t.array for n, t in mode.running[1].items() if n is not leaf and hasattr(t, "array")]
    return not any(type(each) is np.ndarray and dense_owner(each) is owner for each in others)


def run_watched(function, *args):
    """Call ``backward`` or ``grad`` where the nodes keep tensors of classes that are asked below autograd."""
    before, mode.watch = mode.watch, WatchedPass
    try:
        return function(*args)
    finally:
        mode.watch = before
