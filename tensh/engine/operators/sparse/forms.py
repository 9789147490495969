"""Sparse tensors composed from, and split into, tensors of indices and values.

Note [Gradients of sparse tensors] Rules compute with the values by dense operators, which have derivatives of any
order.  Two nodes connect these to the sparse tensors: ``ToValues`` makes the gradient of the values a sparse gradient,
``FromValues`` takes the values of a sparse gradient.  Gradients have the indices of their tensor.
"""

from functools import cache
from math import prod

import numpy as np

from tensh.engine.core.clock import announce, listeners, mode, tick
from tensh.engine.core.nodes import Node, uses_gradient
from tensh.engine.core.tensor import Tensor, new, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.errors.unavailable import could_not_run
from tensh.engine.operators.sparse.array import (
    COO,
    Sparse,
    SparseGradient,
    flat_places,
    places,
)


def is_sparse(value):
    """Return True for a sparse tensor."""
    return isinstance(value, Tensor) and type(value.array) is Sparse


def require_coordinates(t, name):
    """Raise PyTorch's error for an operator restricted to the layout sparse_coo."""
    if t.array.layout is not COO:
        raise could_not_run(name, "SparseCsrCPU")


class Joint(Node):
    """A node between a sparse tensor, with the indices ``of``, and the tensor of its values."""

    __slots__ = ("of",)

    def __init__(self, node, of, shape):
        self.inputs, self.saved, self.hooks = (node,), (), None
        self.time, self.shape, self.dtype, self.of = tick(), shape, of.dtype, of


class ToValues(Joint):
    """The values of a sparse tensor."""

    __slots__ = ()

    def backward(self, g):
        return (SparseGradient(self.of.replace_values(np.asarray(g))),)

    def backward_graph(self, g):
        return (replace_values(self.of, g),)


class FromValues(Joint):
    """A sparse tensor of values."""

    __slots__ = ()

    def backward(self, g):
        if type(g) is SparseGradient and g.sparse.indices[0] is self.of.indices[0]:
            return (g.sparse.values,)
        dense = g.densify() if type(g) is SparseGradient else g
        return (self.of.take_apart(dense)[tuple(places(self.of))].reshape(self.of.values.shape),)

    def backward_graph(self, g):
        if is_sparse(g):
            if g.array.indices[0] is self.of.indices[0]:
                return (values_of(g),)
            g = dense_of(g)
        index = tuple(wrap(each) for each in places(self.of))
        return (self.of.take_apart(g)[index].reshape(self.of.values.shape),)


@cache
def name_node_class(label):
    """Return the class of ``FromValues`` nodes of this name."""
    return type(label, (FromValues,), {"__slots__": (), "__module__": "builtins"})


def values_of(t):
    """Return the values of a sparse tensor as a tensor through which gradients pass."""
    node = refresh_node(t)
    if node is None or not mode.grad:
        return wrap(t.array.values)
    return wrap(t.array.values, ToValues(node, t.array, t.array.values.shape))


def entries_of(t):
    """Return the values of a sparse tensor with batch dimensions merged [number of entries, *entry], and their indices."""
    a, values = t.array, values_of(t)
    return places(a), values.reshape(-1, *a.entry_shape) if a.batch_dim else values


def elements_of(t):
    """Return the values of a sparse tensor with blocks split [number of elements, *dense], and their indices."""
    (*batch, rows, columns), values = entries_of(t)
    height, width = t.array.block
    index = np.broadcast_arrays(
        *[each[:, None, None] for each in batch],
        rows[:, None, None] * height + np.arange(height)[:, None],
        columns[:, None, None] * width + np.arange(width),
    )
    return np.stack(index).reshape(len(index), -1), values.reshape(-1, *t.array.entry_shape[2:])


def sparse_tensor(values, indices, shape, layout, coalesced, label=None):
    """Return a sparse tensor of a tensor of values and arrays of indices; ``label`` is the name of its node."""
    t = new()
    ordered = coalesced or layout is COO and indices[0].shape[1] < 2
    t.array = Sparse(values.array, indices, shape, layout, ordered)
    t.node = t._base = t._kept = None
    node = refresh_node(values)
    if uses_gradient(node) and mode.grad:
        t.node = name_node_class(label or node.name())(node, t.array, t.array.shape)
        if listeners:
            announce(t.node, (t,))
    return t


def replace_values(array, values, label=None):
    """Return a sparse tensor with the indices of ``array``."""
    return sparse_tensor(values, array.indices, array.shape, array.layout, array.coalesced, label)


def dense_of(t):
    """Return a sparse tensor as a dense one, in which values with equal indices are added."""
    a = t.array
    zeros = wrap(np.zeros((prod(a.grid), *a.entry_shape), a.dtype))
    out = zeros.index_put((wrap(flat_places(a)),), entries_of(t)[1], True)
    dense = a.assemble(out)
    # not a view: nothing else refers to this memory
    return rename_node(wrap(dense.array, dense.node), "ToDenseBackward0")


def rename_node(t, label):
    """Return a tensor whose node has the name of PyTorch's node for the whole computation."""
    if t.node is not None and label is not None:
        t.node = make_renaming(label)(t.node)
    return t


class LabelNode(Node):
    """A node that passes its gradient on."""

    __slots__ = ()

    def __init__(self, node):
        self.inputs, self.saved, self.hooks = (node,), (), None
        self.time, self.shape, self.dtype = tick(), node.shape, node.dtype

    def backward(self, g):
        return (g,)

    backward_graph = backward


@cache
def make_renaming(label):
    return type(label, (LabelNode,), {"__slots__": (), "__module__": "builtins"})


# ── indices ──────────────────────────────────────────────────────────────────
def coalesce_as(t, label="CoalesceBackward0"):
    """Return a COO tensor with sorted, unique indices."""
    a = t.array
    if a.coalesced:
        return t
    flat = flat_places(a)
    ordered, first, inverse = np.unique(flat, return_index=True, return_inverse=True)
    values = values_of(t)
    if len(ordered) == len(flat):
        order = np.argsort(flat, kind="stable")
        values = values if (order[1:] > order[:-1]).all() else values.index_select(0, wrap(order))
    else:
        zeros = wrap(np.zeros((len(ordered), *a.values.shape[1:]), a.dtype))
        values = zeros.index_put((wrap(inverse.reshape(-1)),), values, True)
    return sparse_tensor(values, (a.indices[0][:, first],), a.shape, COO, True, label)


def bounds_of_lines(counts):
    """Return the bounds of the lines among a matrix's values [*batch, lines + 1], from the number of values in each line."""
    return np.concatenate([np.zeros((*counts.shape[:-1], 1), np.int64), counts.cumsum(-1)], -1).astype(np.int64)


def compress_lines(lines, count):
    """Return the bounds of each of ``count`` lines in sorted line indices."""
    return bounds_of_lines(np.bincount(lines, minlength=count))


def select_values(t, chosen, index, shape, is_coalesced, label):
    """Return a COO tensor of some values of ``t``, selected by indices or a mask, at other indices."""
    chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
    values = values_of(t).index_select(0, wrap(chosen))
    ordered = t.array.coalesced if is_coalesced is None else is_coalesced
    return sparse_tensor(values, (index,), shape, COO, ordered, label)
