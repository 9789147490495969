"""The node of a write through a view."""

from tensh.engine.arrays import memory
from tensh.engine.codegen.vocabulary import on_tensors
from tensh.engine.core.clock import advance, mode
from tensh.engine.core.nodes import Node
from tensh.engine.core.tensor import wrap
from tensh.engine.core.views import replay, steps_to
from tensh.engine.errors.messages import second_time


class CopySlices(Node):
    """A write through a view: gradients outside the view pass, those inside go through the write's nodes.

    ``saved``: the steps from the base to the view, the strides of the base, the view's old node, the write's node and
    all nodes that were recorded for it.
    """

    __slots__ = ()
    keeps_arrays = True

    def __init__(self, t, old, node, inside):
        base = t._base
        if is_direct(node, old, inside):
            others = node.inputs[1:]
        else:
            within = set(inside)
            edges = {
                n: None for each in inside for n in each.inputs if n is not None and n not in within and n is not old
            }
            others = tuple(edges)
        self.inputs, self.saved = (base.node, *others), (steps_to(t), memory.strides(base.array), old, node, inside)
        self.time, self.shape, self.dtype, self.hooks = advance(node.time), base.array.shape, base.array.dtype, None

    def backward(self, g):
        steps, strides, *_ = self.saved
        whole = wrap(memory.empty_strided(self.shape, strides, self.dtype))
        whole.array[...] = g
        region = replay(whole, steps).array
        inside, *others = self._send_through(region.copy(), False)
        region[...] = 0 if inside is None else inside
        return (whole.array, *others)

    def backward_graph(self, g):
        steps, strides, *_ = self.saved
        whole = on_tensors("laid_out")(g, strides)
        region = replay(whole, steps)
        inside, *others = self._send_through(region.clone(), True)
        if inside is None:
            region.zero_()
        else:
            region.copy_(inside)
        return (whole, *others)

    def _send_through(self, g, graph):
        """Return the gradients of the region before the write and of the write's other inputs."""
        *_, old, node, inside = self.saved
        if node.saved is None:
            raise RuntimeError(second_time)
        if is_direct(node, old, inside):
            node.check()
            return (node.backward_graph if graph else node.backward)(g)
        wanted = {n: None for n in (old, *self.inputs[1:]) if n is not None}
        if wanted:
            run_inside({node: g}, graph, wanted)
        return [wanted.get(n) for n in (old, *self.inputs[1:])]

    # Release drops the nodes of the write and with them their arrays, except those that a derivative of higher order
    # still reaches.  As in PyTorch, the node is never used twice, whatever those nodes have saved.


def is_direct(node, old, inside):
    """Return True for a write by one node whose first input was the region: the node itself gives the gradients."""
    return len(inside) == 1 and bool(node.inputs) and node.inputs[0] is old


def run_inside(grads, graph, wanted):
    """A backward pass through the nodes of one write."""
    from tensh.engine.core.backward import run

    run(grads, graph, True, wanted, record=mode.grad)
