"""What a backward pass gives back, kept for those who look at the graph afterwards.

Programs cannot tell: a second backward pass fails as ever.  The values die with their nodes, and beyond LIMIT bytes none are
kept.
"""

import weakref

from tensh.engine.core.nodes import Node

LIMIT = 64 * 2**20

values = weakref.WeakKeyDictionary()  # node -> what it had saved
total = [0]


def keeping(node):
    """``Node.release``, but what the node had saved stays known here."""
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
    """What a node has saved, or had before a backward pass gave it back."""
    return values.get(node, ()) if node.saved is None else node.saved


class Keeping:
    """A context in which backward passes give their values here."""

    def __enter__(self):
        self.before, Node.release = Node.release, keeping

    def __exit__(self, *error):
        Node.release = self.before
