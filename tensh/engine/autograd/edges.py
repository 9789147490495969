"""Edges of the graph as values: where the gradient of a tensor is computed, without the tensor itself."""

from typing import NamedTuple

import numpy as np

from tensh.engine.core.clock import stamp_write
from tensh.engine.core.nodes import Node, NoGradView, Output, uses_gradient
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node


class GradientEdge(NamedTuple):
    """An edge of the graph: a node and the index of its output.

    ``torch.autograd.grad`` and ``backward`` take it for a tensor.  An edge keeps its part of the graph alive.
    """

    node: Node
    output_nr: int
    ownership_token: Node | None = None

    @property
    def place(self):
        """The node at which the gradient arrives; for a node with several outputs, the node of this output."""
        return self.node if self.ownership_token is None else self.ownership_token

    @property
    def array(self):
        """An array with the shape and dtype of the gradient, without contents."""
        return np.broadcast_to(np.zeros((), self.place.dtype), self.place.shape)

    @property
    def shape(self):
        """The shape of the tensor."""
        return self.place.shape


GradientEdge.__module__ = "torch.autograd.graph"


def get_gradient_edge(tensor):
    """Return the edge at which the gradient of a tensor is computed.  Raise RuntimeError if it requires no gradient.

    >>> import tensh as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> y = x * x
    >>> torch.autograd.grad(2 * y, torch.autograd.graph.get_gradient_edge(y))
    (tensor(2.),)
    """
    node = refresh_node(tensor)
    if not uses_gradient(node) or type(node) is NoGradView:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(node.inputs[0], node.index, node) if type(node) is Output else GradientEdge(node, 0)


def increment_version(tensor):
    """Count a write to the memory of one or several tensors that autograd did not see.

    Raise RuntimeError for anything but tensors.

    >>> import tensh as torch
    >>> x = torch.ones(2)
    >>> torch.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    if isinstance(tensor, Tensor):
        tensor = (tensor,)
    try:
        tensors = list(tensor)
    except TypeError:
        tensors = [None]
    if not all(isinstance(each, Tensor) for each in tensors):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for each in tensors:
        stamp_write(each.array)
