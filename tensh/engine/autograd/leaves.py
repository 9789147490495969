"""Leaves whose array is replaced, or that only their node has kept."""

import weakref

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import Absent
from tensh.engine.core.clock import continue_version
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import SPARSE, Tensor, wrap
from tensh.engine.dispatch.override.state import is_wrapper
from tensh.engine.dtypes.device import CONSTANTS
from tensh.engine.dtypes.dtype import DIFFERENTIABLE
from tensh.engine.errors.messages import broadcast_clash, does_not_fit

REMADE = frozenset({np.ndarray, Absent})
"""Arrays over which another tensor can be made."""


def make_leaf(node):
    """Return a tensor for the leaf of a node, whose own is gone; None if only that object knew the elements."""
    if type(node.array) not in REMADE:
        return None
    t = wrap(node.array, node)
    t.__class__ = node.kind
    node.reference = weakref.ref(t)
    return t


def replace_array(t, array):
    """Give a tensor another array, which the node of a leaf holds, too."""
    t.array = array
    if type(t.node) is AccumulateGrad:
        t.node.array = array


class ReplacedLeaf(AccumulateGrad):
    """The node, recorded before, of a leaf whose data was replaced by data of another shape or dtype."""

    __slots__ = ()

    def name(self):
        return "torch::autograd::AccumulateGrad"

    def backward(self, g):
        """Pass the gradient on to the leaf, in the old shape if it is the first and its memory is not shared."""
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
    """Give a leaf whose data becomes ``array`` a node of this shape and dtype; its gradient and hooks are kept."""
    old, before = t.node, t.array
    t.array = array
    t.node = AccumulateGrad(t)
    t.array, t.node.grad, t.node.hooks = before, old.grad, old.hooks
    old.__class__, old.array, old.grad, old.hooks = ReplacedLeaf, None, None, None


def has_same_form(t, other):
    """True if two tensors are on one device, and both are dense, or in the layout COO, or compressed, or nested."""
    return t.device == other.device and form_of(t) == form_of(other)


def form_of(t):
    if t.is_nested:
        return "nested"
    return "dense" if type(t.array) not in SPARSE else "COO" if t.layout is CONSTANTS["sparse_coo"] else "compressed"


def set_data(t, value):
    """Let a tensor go on with the memory of another one, without a record; each counts its own writes."""
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if not has_same_form(t, value):
        raise RuntimeError(
            "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."
        )
    if type(t.node) is AccumulateGrad:
        if value.array.dtype.kind not in DIFFERENTIABLE:
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        if t.node.shape != value.array.shape or t.node.dtype is not value.array.dtype:
            renew_leaf(t, value.array)
    if is_wrapper(value):  # only the object knows its elements
        replace_array(t, value.array)
        return
    before, array = t.array, memory.share_apart(value.array)
    replace_array(t, array)
    continue_version(before, array)
