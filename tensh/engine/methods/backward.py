"""``Tensor.backward``, apart from the other methods: a program that only computes never imports the backward pass."""

from tensh.engine.autograd import gradients
from tensh.engine.codegen.registry import METHODS


def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Add the gradients of this tensor to the ``.grad`` of the leaves from which it was computed.

    ``gradient``, in this tensor's shape, is optional for a tensor of one element.  ``retain_graph`` keeps the graph for
    another pass (default: ``create_graph``); ``create_graph`` records the pass itself; ``inputs`` limits accumulation
    to these tensors.  Raise RuntimeError for a tensor that requires no grad, a gradient of another shape, a missing
    gradient for several elements, and saved values that were freed or modified.
    """
    gradients.backward(self, gradient, retain_graph, create_graph, None, inputs)


METHODS.setdefault("backward", backward)
