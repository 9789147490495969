"""The explanation of a gradient: the chain rule with the user's names and numbers.

A gradient is a sum over the paths from the root to the tensor; along each path the local derivatives are multiplied.
For tensors the local derivative is a linear map, and its result for the incoming gradient is shown.
"""

from typing import NamedTuple

import numpy as np

from tensh.engine.core.nodes import Parts
from tensh.graph.formulas import gradient
from tensh.graph.reverse import Pass, fit_gradient, vjp

MOST_PATHS = 8


class Step(NamedTuple):
    """A step from a node to an operand: the local derivative in words and, for scalars, as a number; its gradient."""

    node: int
    edge: int
    operand: int
    local: str | None
    because: str
    factor: float | None
    arrived: object
    brought: object


class Path(NamedTuple):
    """The steps from the root to the tensor, and the gradient that arrives along them."""

    steps: tuple[Step, ...]
    contribution: object


class Explanation(NamedTuple):
    """Explains how ``gradient`` arrives at ``target``: by paths, or, if there are too many, by uses."""

    graph: object
    target: int
    path_count: int
    paths: list[Path]
    gradient: object
    is_by_use: bool = False


def explain(graph, target, seed=None):
    """Return the Explanation of the gradient of the graph's root with respect to the node ``target``."""
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
    """Return node number -> the number of paths from it to the target."""
    counts = {target: 1}
    for number in range(target + 1, graph.root + 1):
        counts[number] = sum(counts.get(edge.number, 0) for edge in graph[number].edges if edge.number is not None)
    return counts


def edge_paths(graph, target, counts):
    """Yield every path from the root to the target, as (number of a node, index of its edge)."""
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
    """Return the local derivative as a number, if both ends are scalars; None otherwise."""
    node = graph.order[number - 1]
    operand = graph.order[graph[number].edges[i].number - 1]
    if type(g) is Parts or node.shape != () or operand.shape != ():
        return None
    brought = vjp(node, np.ones((), node.dtype))[i]
    return None if type(brought) is Parts else fit_gradient(brought, operand)[()]
