"""Leaves whose array is replaced, or that only their node has kept."""

import weakref
from functools import partial

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import Absent
from tensh.engine.arrays.owners import are_names_of_one
from tensh.engine.core.clock import continue_version
from tensh.engine.core.hooks import require_nothing
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import SPARSE, Tensor, wrap
from tensh.engine.dispatch.override.state import is_wrapper
from tensh.engine.dtypes.device import CONSTANTS
from tensh.engine.dtypes.dtype import DIFFERENTIABLE
from tensh.engine.errors.messages import broadcast_clash, does_not_fit
from tensh.support.naming import name_type

REMADE = frozenset({np.ndarray, Absent})
"""Arrays over which another tensor can be made."""


def make_leaf(node):
    """Return a new tensor for the leaf of a node, whose tensor is gone; None if only that object knew the elements."""
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
    """The earlier node of a leaf whose data was replaced by data of another shape or dtype."""

    __slots__ = ()

    def name(self):
        return "torch::autograd::AccumulateGrad"

    def backward(self, g):
        """Pass the gradient on to the leaf; the first one keeps the old shape, unless its memory is shared."""
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


class RestingLeaf(AccumulateGrad):
    """The node of a leaf that does not require grad at present: gradients of graphs recorded before are dropped."""

    __slots__ = ()

    def name(self):
        return "torch::autograd::AccumulateGrad"

    def backward(self, g):
        leaf = self.reference()
        if leaf is not None and leaf.node is not None:
            raise RuntimeError("leaf variable has been moved into the graph interior")
        for hook in () if self.hooks is None else list(self.hooks.accumulated.values()):
            require_nothing(hook(self.variable), self.variable)
        return ()

    backward_graph = backward


_resting: dict[int, tuple] = {}  # id(leaf) -> (weakly: its node, the hooks, weakly: the leaf, to remove the entry)


def rest_leaf(t):
    """Stop recording operations on a leaf."""
    node, number = t.node, id(t)
    t._kept, t.node, node.grad = node.grad, None, None
    node.__class__ = RestingLeaf
    _resting[number] = weakref.ref(node), node.hooks, weakref.ref(t, partial(_resting.pop, number))


def wake_leaf(t):
    """Start recording operations on a tensor; a leaf that rested gets the node of earlier graphs back."""
    find, hooks, _ = _resting.pop(id(t), (None, None, None))
    old = None if find is None else find()
    if old is not None and old.shape == t.array.shape and old.array.dtype == t.array.dtype:
        old.__class__, old.array, t.node = AccumulateGrad, t.array, old
    else:
        t.node = AccumulateGrad(t)
        t.node.hooks = hooks
        if old is not None:
            old.__class__, old.array, old.hooks = ReplacedLeaf, None, None
    t.node.grad, t._kept = t._kept, None


def renew_leaf(t, array):
    """Give a leaf whose data becomes ``array`` a node of this shape and dtype; its gradient and hooks are kept."""
    old, before = t.node, t.array
    t.array = array
    t.node = AccumulateGrad(t)
    t.array, t.node.grad, t.node.hooks = before, old.grad, old.hooks
    old.__class__, old.array, old.grad, old.hooks = ReplacedLeaf, None, None, None


def has_same_form(t, other):
    """Return True if two tensors are on one device, and both are dense, or in the layout COO, or compressed, or nested."""
    return t.device == other.device and form_of(t) == form_of(other)


def form_of(t):
    if t.is_nested:
        return "nested"
    return "dense" if type(t.array) not in SPARSE else "COO" if t.layout is CONSTANTS["sparse_coo"] else "compressed"


def set_data(t, value):
    """Give a tensor the memory of another one, without recording that; each counts its own writes."""
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {name_type(value)}")
    if not has_same_form(t, value):
        raise RuntimeError(
            "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."
        )
    if t.node is not None and value.array.dtype.kind not in DIFFERENTIABLE:
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    if type(t.node) is AccumulateGrad and (t.node.shape != value.array.shape or t.node.dtype is not value.array.dtype):
        renew_leaf(t, value.array)
    if is_wrapper(value):  # only the object knows its elements
        replace_array(t, value.array)
        return
    if t._base is None and are_names_of_one(t.array, value.array):  # ``p.data -= step`` has written it
        return
    before, array = t.array, memory.share_apart(value.array)
    replace_array(t, array)
    continue_version(before, array)
