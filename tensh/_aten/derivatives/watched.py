"""Backward passes that are seen below autograd: one of these steps through each pass, in PyTorch's order."""

import weakref

import numpy as np

from tensh._aten.calls import aten
from tensh._aten.derivatives.words import derivative_of, word
from tensh._aten.overloads import schemas
from tensh.engine.arrays.memory import is_dense
from tensh.engine.codegen.operator import Op
from tensh.engine.core.backward import finish
from tensh.engine.core.clock import mode, owner
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import wrap
from tensh.engine.dispatch.override.dispatch import any_has
from tensh.engine.dispatch.override.state import computing_formulas, state
from tensh.support.temporary import temporarily


def hides_batches(g):
    """Return True if a gradient of a node varies with calls of ``vmap``: rules on tensors take such a node apart."""
    return any_has("hides_batches", g.values() if isinstance(g, dict) else (g,))


class WatchedPass:
    """A pass whose nodes call operators of ``aten``; leaves get their gradient as soon as all of it has arrived."""

    def __init__(self, grads, graph, wanted):
        self.graph, self.wanted, self.waiting = graph, wanted, {}
        arrays = [t.array for t in grads.values() if type(getattr(t, "array", None)) is np.ndarray]
        state.given = [weakref.ref(each) for each in arrays]
        stack, seen = list(grads), set(grads)
        while stack:
            for n in stack.pop().inputs:
                if n is not None:
                    self.waiting[n] = self.waiting.get(n, 0) + 1
                    if n not in seen:
                        seen.add(n)
                        stack.append(n)

    def derive(self, node, g):
        """Return the gradients that a node sends on."""
        self.finish_leaves()
        for n in node.inputs:
            if n is not None:
                self.waiting[n] -= 1
        if not isinstance(type(node).op, Op) or hides_batches(g):
            return node.backward_graph(g)
        with computing_formulas(True):
            return derivative_of(type(node))(node, g)

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
            leaf.grad = aten("detach", wrap(g.array.copy()) if shares_memory(leaf, g) else g)
        elif type(variable.array) is np.ndarray and not is_dense(variable.array):
            leaf.grad = aten("clone", g)
        else:
            options = {"dtype": variable.dtype, "layout": variable.layout, "device": variable.device}
            empty = schemas()["new_empty_strided"]["default"](
                g, list(variable.shape), list(variable.stride()), **options
            )
            leaf.grad = aten("copy_", empty, g)


def can_keep(leaf, variable, g):
    """Return True if ``.grad`` may be a gradient as it is: it has the right layout, and nothing else has this very tensor."""
    if leaf.hooks is not None or not is_dense(g.array):
        return False
    layouts = zip(g.array.shape, g.array.strides, variable.array.strides)
    fits = all(n == 1 or step == wanted for n, step, wanted in layouts)
    return fits and not any(each is g.array for each in arrays_elsewhere(leaf))


def shares_memory(leaf, g):
    """Return True for a view of a gradient that the program gave or another leaf gets.

    ``.grad`` is then a copy, which PyTorch's is not.
    """
    block = type(g.array) is np.ndarray and owner(g.array)
    return any(owner(each) is block for each in arrays_elsewhere(leaf))


def arrays_elsewhere(leaf):
    """Return the gradients that the program gave, and those on their way to other nodes."""
    arrays = [
        *(given() for given in state.given),
        *(getattr(t, "array", None) for n, t in mode.running[1].items() if n is not leaf),
    ]
    return [each for each in arrays if type(each) is np.ndarray]


def run_watched(function, *args):
    """Call ``backward`` or ``grad`` where the nodes keep tensors of classes that are asked below autograd."""
    with temporarily(mode, watch=WatchedPass):
        return function(*args)
