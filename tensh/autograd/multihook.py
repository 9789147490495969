"""A hook for several tensors: called once in a backward pass, with all their gradients or with the first."""

from tensh.engine.autograd.edges import get_gradient_edge
from tensh.engine.core.backward import find_running_queue, nodes_to_come


class MultiHandle:
    """The handle returned by ``register_multi_grad_hook``: ``remove()`` removes the hook."""

    __module__, __qualname__ = "torch.autograd.graph", "_MultiHandle"

    def __init__(self, handles):
        self.handles = handles

    def remove(self):
        """Remove the hook; a second call does nothing."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Call ``fn`` in every backward pass that computes gradients of some of the tensors.

    Args: mode: "all" calls ``fn(gradients)`` when the last gradient is complete, with None for tensors that the pass
    does not reach; "any" calls ``fn(gradient)`` with the first.

    Raise ValueError for another ``mode``.

    >>> import tensh as torch
    >>> a, b, c = (torch.ones(1, requires_grad=True) for _ in range(3))
    >>> handle = torch.autograd.graph.register_multi_grad_hook([a, b, c], print)
    >>> (a * b * 2).backward()
    [tensor([2.]), tensor([2.]), None]
    >>> handle.remove()
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        once = First(fn)
        return MultiHandle([t.register_hook(once) for t in tensors if t.requires_grad])
    if not all(t.requires_grad for t in tensors):
        raise AssertionError("Expected gradient function to be set")
    nodes = [get_gradient_edge(t).node for t in tensors]
    gathered = GradientCollector(fn, nodes)
    return MultiHandle([t.register_hook(gathered.hook_at(place)) for place, t in enumerate(tensors)])


class First:
    """A hook that calls a function with the first gradient of each pass."""

    def __init__(self, fn):
        self.fn, self.seen = fn, None

    def __call__(self, grad):
        queue = find_running_queue()
        if self.seen is not queue:
            self.seen = queue
            self.fn(grad)


class GradientCollector:
    """The gradients of a pass, until the last of them is complete."""

    def __init__(self, fn, nodes):
        self.fn, self.nodes = fn, nodes
        self.passes = {}  # id of a pass's queue -> (the queue, the number of missing gradients, the gradients)

    def hook_at(self, place):
        """Return the hook of one tensor."""

        def hook(grad):
            queue = find_running_queue()
            if id(queue) not in self.passes or self.passes[id(queue)][0] is not queue:
                coming = nodes_to_come(self.nodes[place])
                self.passes[id(queue)] = [queue, sum(node in coming for node in self.nodes), [None] * len(self.nodes)]
            entry = self.passes[id(queue)]
            entry[1] -= 1
            entry[2][place] = grad
            if not entry[1]:
                del self.passes[id(queue)]
                self.fn(entry[2])

        return hook
