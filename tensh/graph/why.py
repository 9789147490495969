"""The explanation of a gradient: the chain rule with the user's names and numbers.

A gradient is a sum over the paths from the root to the tensor; along each path the local derivatives are multiplied.  For
tensors the local derivative is a linear map, and what is shown is what it makes of the gradient that arrives.
"""

from typing import NamedTuple

import numpy as np

from tensh.graph.formulas import gradient
from tensh.graph.reverse import Parts, Pass, fit_gradient, vjp

MOST_PATHS = 8


class Step(NamedTuple):
    """From a node to one of its operands: the local derivative in words, its number (of scalars), and what it brings."""

    node: int
    edge: int
    operand: int
    local: str | None
    because: str
    factor: float | None
    arrived: object
    brought: object


class Path(NamedTuple):
    """The steps from the root to the tensor, and what arrives there along them."""

    steps: tuple[Step, ...]
    contribution: object


class Explanation(NamedTuple):
    """Explain how ``gradient`` arrives at ``target``: the paths, or, where there are too many, the last step of each use."""

    graph: object
    target: int
    path_count: int
    paths: list[Path]
    gradient: object
    is_by_use: bool = False


def explain(graph, target, seed=None):
    """The Explanation of the gradient of the graph's root with respect to the node ``target``."""
    whole = Pass(graph, seed)
    counts = path_counts(graph, target)
    if target not in whole.arrived:
        return Explanation(graph, target, 0, [], None)
    is_by_use = counts[graph.root] > MOST_PATHS
    if not is_by_use:
        paths = [follow_path(graph, edges, whole.arrived[graph.root]) for edges in edge_paths(graph, target, counts)]
    else:
        paths = [
            Path((step(graph, number, i, g, whole.arrived[number]),), g)
            for (number, i), g in sorted(whole.brought.items(), reverse=True)
            if graph[number].edges[i].number == target
        ]
    return Explanation(graph, target, counts[graph.root], paths, whole.arrived[target], is_by_use)


def path_counts(graph, target):
    """number of a node -> how many paths lead from it to the target."""
    counts = {target: 1}
    for number in range(target + 1, graph.root + 1):
        counts[number] = sum(counts.get(edge.number, 0) for edge in graph[number].edges if edge.number is not None)
    return counts


def edge_paths(graph, target, counts):
    """Every path from the root to the target, as (number of a node, which of its edges)."""
    waiting = [(graph.root, ())]
    while waiting:
        number, path = waiting.pop()
        if number == target:
            yield path
            continue
        for i, edge in reversed(list(enumerate(graph[number].edges))):
            if counts.get(edge.number, 0):
                waiting.append((edge.number, (*path, (number, i))))


def follow_path(graph, edges, g):
    """Follow the gradient at the root along one path, step by step."""
    steps = []
    for number, i in edges:
        brought = vjp(graph.order[number - 1], g)[i]
        brought = fit_gradient(brought, graph.order[graph[number].edges[i].number - 1])
        steps.append(step(graph, number, i, brought, g))
        g = brought
    return Path(tuple(steps), g)


def step(graph, number, i, brought, g):
    node = graph[number]
    edge = node.edges[i]
    local = gradient(graph, node, edge, "1")
    text, reason = (local.line, local.reason) if local else (None, "")
    return Step(number, i, edge.number, text, reason, factor(graph, number, i, g), g, brought)


def factor(graph, number, i, g):
    """The local derivative as a number, where both ends are scalars; None elsewhere."""
    node = graph.order[number - 1]
    operand = graph.order[graph[number].edges[i].number - 1]
    if type(g) is Parts or node.shape != () or operand.shape != ():
        return None
    brought = vjp(node, np.ones((), node.dtype))[i]
    return None if type(brought) is Parts else fit_gradient(brought, operand)[()]
