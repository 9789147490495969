"""Shared steps of the transforms: new tensors for the function, and its results as seen by the caller.

Note [Transforms] ``grad(f)(x)`` calls ``f`` on a leaf over the memory of ``x``, so that gradients of what ``f``
computes end there, and not at whatever ``x`` was computed from.  All is recorded on one graph, also by transforms
within transforms: each asks for gradients at its own leaves alone, so none takes another's for its own.  After the
call, the leaf passes its gradient on to ``x``: results that depend on a tensor outside that requires grad (``x``
itself, or one captured by ``f``) remain differentiable.  All others have no history, since nothing could need it.
"""

import threading

from tensh.engine.arrays.uninterrupted import entered_whole
from tensh.engine.autograd.tangent_levels import placeholder
from tensh.engine.autograd.transforms import Call, VmapCall
from tensh.engine.core.clock import mode, tick
from tensh.engine.core.nodes import AccumulateGrad, Dual, NoGradView, uses_gradient
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.override.wrappers import Facts, copy_wrapper
from tensh.engine.dispatch.vmap.batched import BatchedTensor, expand_batches, make_batched, value_of
from tensh.engine.dispatch.vmap.levels import running
from tensh.engine.dtypes.dtype import DIFFERENTIABLE
from tensh.engine.inplace.outside import differentiating
from tensh.support.temporary import temporarily


class PassedLeaf(AccumulateGrad):
    """The node of a leaf whose transform has ended: it passes its gradient on to the tensor that the leaf represented."""

    __slots__ = ()

    def backward(self, g):
        return (g,)

    backward_graph = backward

    def name(self):
        return "AliasBackward0"


@entered_whole
class Tape(Call):
    """One call of a transform that differentiates in reverse: recording is on inside, whatever it is outside."""

    def __enter__(self):
        self.before, mode.grad = mode.grad, True
        self.inference, mode.inference = mode.inference, False
        self.start = tick()
        mode.transforms = (*mode.transforms, self)
        differentiating.append(self)
        return self

    def __exit__(self, *error):
        mode.grad, mode.inference = self.before, self.inference
        mode.transforms = mode.transforms[:-1]
        differentiating.remove(self)
        for node, outer in self.leaves.items():
            node.inputs = (outer,) if uses_gradient(outer) else ()
            node.__class__ = PassedLeaf

    def leaf(self, t):
        """Return a leaf over the memory of ``t``; inside ``vmap`` one that varies with the samples."""
        if not isinstance(t, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(t)}")
        if t.array.dtype.kind not in DIFFERENTIABLE:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        value, levels = find_inside(t)
        fresh = share(value)
        fresh.node, outer = AccumulateGrad(fresh), refresh_node(value)
        for level in mode.levels:
            level.share_tangent(fresh.node, outer)
        self.leaves[fresh.node] = outer
        return make_batched(fresh, levels)

    def is_wanted_outside(self, *tensors):
        """Return True if anything outside requires a gradient through any of the tensors."""
        return self.before is True and reaches([refresh_node(value_of(t)) for t in tensors], self.leaves)

    def export_result(self, t):
        """Return a result as it is seen outside."""
        if not isinstance(t, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(t)}")
        return show_outside(t, self.before is True, self.leaves)


class Directions(threading.local):
    """The running calls of ``vmap`` with which nothing but tangents varies."""

    levels = frozenset()


directions = Directions()


def only_directions_vary():
    """Return a context in the innermost running ``vmap``, whose samples are directions of differentiation.

    What is computed in it is the same for all samples, so it is computed once, and has its elements.
    """
    return temporarily(directions, levels=directions.levels | {running.levels[-1].number})


def find_inside(t):
    """Return (the tensor on which ``t`` is recorded, its batch levels), where a transform differentiates by ``t``."""
    levels = tuple([each.number for each in running.levels if each.number not in directions.levels])
    own = t.levels if type(t) is BatchedTensor else ()
    if levels and own != levels:
        for each in mode.transforms:
            if type(each) is VmapCall and each.number in levels and each.number not in own:
                each.expanded = True
        t = make_batched(expand_batches(t, levels, {each.number: each.size for each in running.levels}), levels)
    return (t.value, t.levels) if type(t) is BatchedTensor else (t, ())


def share(t, node=None):
    """Return a tensor over the memory of another, or for the same values."""
    return copy_wrapper(t, node) if type(t.array) is Facts else wrap(t.array, node)


def reaches(nodes, leaves=()):
    """Return True if a gradient sent to one of ``nodes`` reaches anything but ``leaves`` without a tensor outside."""
    seen, stack = set(nodes), list(nodes)
    while stack:
        node = stack.pop()
        if node is None or type(node) in (Dual, NoGradView):
            continue
        if type(node) is AccumulateGrad and node not in leaves:
            return True
        for n in node.inputs if node not in leaves else (leaves[node],):
            if n not in seen:
                seen.add(n)
                stack.append(n)
    return False


def show_outside(t, recording, leaves=()):
    """Return ``t`` with the history and the tangents that it has outside."""
    value = value_of(t)
    node = refresh_node(value)
    if not uses_gradient(node):
        return t
    if not recording or not reaches([node], leaves):
        shown = share(value)
        if mode.levels:
            shown.node = placeholder(shown, node)
    elif node in leaves:
        shown = share(value, leaves[node])
    else:
        return t
    return make_batched(shown, t.levels) if type(t) is BatchedTensor else shown
