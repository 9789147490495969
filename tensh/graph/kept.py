"""Saved tensors and unnamed losses, kept after the backward pass for later inspection of the graph.

Programs see no difference: a second backward pass fails as usual.  The values are released with their nodes, and beyond
LIMIT bytes none are kept; of the tensors from which passes started, the last few are kept.
"""

import functools
import weakref
from collections import deque

from tensh.engine.core.nodes import Node
from tensh.engine.core.tensor import Tensor

LIMIT = 64 * 2**20

MOST_ROOTS = 4

roots = deque(maxlen=MOST_ROOTS)  # tensors from which the last passes started
values = weakref.WeakKeyDictionary()  # node -> its saved values
total = [0]


def release_and_keep(node):
    """Release a node as ``Node.release`` does, but keep its saved values here."""
    saved = node.saved
    if saved is not None:
        size = sum(getattr(value, "nbytes", 0) for value in saved)
        if total[0] + size <= LIMIT:
            total[0] += size
            values[node] = saved
            weakref.finalize(node, forget, size).atexit = False
    node.saved = None


def forget(size):
    total[0] -= size


def saved_by(node):
    """Return the tensors that a node has saved, or had saved before a backward pass released them."""
    return values.get(node, ()) if node.saved is None else node.saved


class KeepSaved:
    """A context in which backward passes keep released values here."""

    def __enter__(self):
        from tensh.engine.autograd import gradients

        self.before, Node.release = Node.release, release_and_keep
        self.own = own = gradients.backward

        @functools.wraps(own)
        def backward(tensors, *rest, **options):
            own(tensors, *rest, **options)
            if isinstance(tensors, Tensor):
                roots.append(tensors)

        gradients.backward = backward

    def __exit__(self, *error):
        from tensh.engine.autograd import gradients

        Node.release, gradients.backward = self.before, self.own
        roots.clear()
