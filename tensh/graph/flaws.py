"""The first flaw in a backward pass: the operation after which gradients are nan, infinite, or all zero."""

import numpy as np

from tensh.graph import tokens
from tensh.graph.elements import elements
from tensh.graph.reverse import Parts
from tensh.support.language import _, deferred

TESTS = {
    "NaN": lambda a: bool(np.isnan(a).any()),
    "inf": lambda a: bool(np.isinf(a).any()),
    deferred("all zero"): lambda a: a.size > 0 and not a.any(),
}


def flaw(gradient):
    """Return the name of a gradient's flaw; None if there is none."""
    arrays = gradient.values() if type(gradient) is Parts else [gradient]
    numbers = [a.astype(np.float32) if a.dtype.kind == "V" else a for a in map(elements, arrays) if a is not None]
    return next((name for name, test in TESTS.items() if numbers and all(map(test, numbers))), None)


def source(done, number, name):
    """Return the node in which a flaw originates: the newest that sends it without having received it."""
    graph = done.graph
    waiting, seen, found = [number], {number}, []
    while waiting:
        below = waiting.pop()
        for user, i in incoming_edges(graph, below):
            if (user, i) not in done.brought or flaw(done.brought[user, i]) != name:
                continue
            if flaw(done.arrived[user]) != name:
                found.append(user)
            elif user not in seen:
                seen.add(user)
                waiting.append(user)
    return max(found, default=None)


def incoming_edges(graph, number):
    """Return (node, index of its edge) for all edges to a node."""
    if not hasattr(graph, "_incoming"):
        graph._incoming = {}
        for node in graph:
            for i, edge in enumerate(node.edges):
                if edge.number is not None:
                    graph._incoming.setdefault(edge.number, []).append((node.number, i))
    return graph._incoming.get(number, ())


REASONS = {"all zero": deferred("nothing passes {}"), "NaN": deferred("first in {}"), "inf": deferred("first in {}")}


def describe_flaw(done, number):
    """Describe the flaw of the gradient at a node, and its origin; return None if there is none."""
    name = flaw(done.arrived[number])
    if name is None:
        return None
    began = source(done, number, name)
    if began is None:
        return _(name)
    node = done.graph[began]
    line = "" if node.place is None or node.place.startswith("<") else f"  {node.place.rpartition('/')[2]}"
    return (
        f"{_(name)}: {_(REASONS[name]).format(tokens.shorten(node.label or node.part_of or node.operation, 40))}{line}"
    )
