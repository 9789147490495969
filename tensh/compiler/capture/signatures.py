"""Calls of a function that runs unchanged which PyTorch would compile anew: those with other kinds of arguments."""

from tensh.engine.core.tensor import Tensor
from tensh.func.trees import map_leaves

PLAIN = (bool, int, float, complex, str, bytes, type(None))
"""Classes whose values a graph depends on; objects of others are told apart."""


class Signatures:
    """The kinds of calls that were made so far.  Two sizes of one kind stand for all sizes, unless ``dynamic`` is False."""

    def __init__(self, dynamic):
        self.dynamic, self.known = dynamic, {}  # kind -> the sizes of its calls

    def add(self, kind, sizes):
        """Add a call."""
        self.known.setdefault(kind, set()).add(sizes)

    def fit(self, kind, sizes):
        """Return True if no call like this one needs another graph."""
        found = self.known.get(kind, ())
        return sizes in found or len(found) > 1 and self.dynamic is not False


def read_signature(args, kwargs):
    """Return (the kind of a call, the sizes of its tensors)."""
    kind, sizes = [], []

    def look(leaf):
        if isinstance(leaf, Tensor):
            kind.append((type(leaf), leaf.dtype, leaf.dim(), leaf.requires_grad))
            sizes.append(tuple(leaf.shape))
        else:
            kind.append((type(leaf), leaf if isinstance(leaf, PLAIN) else id(leaf)))
        return leaf

    map_leaves(look, (args, kwargs))
    return (*kind, *kwargs), tuple(sizes)
