"""Nodes that are called as functions: the gradients of their inputs for given gradients of their outputs."""

from tensh.engine.core.backward import accumulate
from tensh.engine.core.nodes import AccumulateGrad, Parts
from tensh.engine.errors.messages import second_time


def call_node(node, *grads):
    """Return the gradients of a node's inputs for those of its outputs, one of which may be None; they are recorded.

    The node of a leaf accumulates the gradient. Raise TypeError for another number of gradients or other objects,
    RuntimeError if a backward pass has released what the node saved.
    """
    expected = len(node.shape) if node.op is not None and node.op.many else 1
    if len(grads) != expected:
        raise TypeError(f"expected {expected} arguments, got {len(grads)} instead")
    for place, g in enumerate(grads):
        if g is not None and not hasattr(g, "grad_fn"):
            raise TypeError(f"argument {place} is not a Variable")
    given = {place: g for place, g in enumerate(grads) if g is not None}
    if isinstance(node, AccumulateGrad):
        if given:
            accumulate(node, given[0].array.copy(), False)
        return ()
    if not given:
        return (None,) * len(node.inputs) if len(node.inputs) > 1 else None
    if node.saved is None:
        raise RuntimeError(second_time)
    found = tuple(node.backward_graph(Parts(given) if expected > 1 or node.op and node.op.many else given[0]))
    return found if len(found) > 1 else found[0]
