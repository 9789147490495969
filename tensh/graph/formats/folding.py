"""Repeated blocks in a graph, such as the steps of a loop or the layers of a model, shown once with a count."""

from dataclasses import dataclass

from tensh.graph.formats.repeats import blocks
from tensh.graph.provenance import layer, place


@dataclass(frozen=True, eq=False)
class Fold:
    """A block of nodes that was recorded ``times`` times; the first ``times - 1`` repetitions are ``hidden``.

    ``hidden`` contains node numbers; the last repetition represents all.
    """

    hidden: tuple
    length: int
    times: int


def folds(graph):
    """Return number of a hidden node -> its Fold, for all blocks that occur three or more times in succession."""
    nodes = [node for node in graph.order if node.op is not None or place(node) is not None]
    numbers = [graph.numbers[node] for node in nodes]
    found = {}
    for start, length, times in blocks([signature(node) for node in nodes]):
        hidden = tuple(numbers[start : start + length * (times - 1)])
        fold = Fold(hidden, length, times)
        found.update(dict.fromkeys(hidden, fold))
    return found


def signature(node):
    """Return a key shared by nodes that the same code recorded."""
    return type(node), place(node), type(layer(node)), node.shape if node.dtype is not None else None
