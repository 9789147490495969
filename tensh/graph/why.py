"""The explanation of a gradient: the chain rule with the user's names and numbers.

A gradient is a sum over the paths from the root to the tensor; along each path the local derivatives are multiplied.
For tensors the local derivative is a linear map, and its result for the incoming gradient is shown.
"""

from typing import NamedTuple

import numpy as np

from tensh.engine.core.nodes import Parts
from tensh.graph.counting import MOST_COUNTED
from tensh.graph.formulas import gradient
from tensh.graph.reverse import Pass, fit_gradient, vjp

MOST_PATHS = 8
MOST_DESCRIBED = 100  # steps of a path, or uses of a tensor, that are put into words: the first and the last


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
    """The edges from the root to the tensor, the steps along them, and the gradient that arrives.

    Of a long path, `steps` has only the first and the last; `omitted` is the number of those between them.
    """

    steps: tuple[Step, ...]
    contribution: object
    edges: tuple[tuple[int, int], ...]

    @property
    def omitted(self):
        return len(self.edges) - len(self.steps)


class Explanation(NamedTuple):
    """Explains how ``gradient`` arrives at ``target``: by paths, or, if there are too many, by uses.

    Of many uses, `paths` has only the first and the last; `omitted` is the number of those between them.
    """

    graph: object
    target: int
    path_count: int
    paths: list[Path]
    gradient: object
    is_by_use: bool = False
    omitted: int = 0


def explain(graph, target, seed=None):
    """Return the Explanation of the gradient of the graph's root with respect to the node ``target``."""
    whole = Pass(graph, seed)
    counts = path_counts(graph, target)
    if target not in whole.arrived:
        return Explanation(graph, target, 0, [], None)
    is_by_use = counts[graph.root] > MOST_PATHS
    omitted = 0
    if not is_by_use:
        brought = whole.brought if counts[graph.root] == 1 else None
        found = edge_paths(graph, target, counts)
        paths = [follow_path(graph, edges, whole.arrived[graph.root], brought) for edges in found]
    else:
        uses = sorted(whole.senders[target], reverse=True)
        shown = [*first_and_last(uses)]
        omitted = len(uses) - len(shown)
        paths = [
            Path((step(graph, *use, whole.brought[use], whole.arrived[use[0]]),), whole.brought[use], (use,))
            for use in shown
        ]
    return Explanation(graph, target, counts[graph.root], paths, whole.arrived[target], is_by_use, omitted)


def first_and_last(items):
    """Return the items, of more than `MOST_DESCRIBED` as many of the first and of the last."""
    half = MOST_DESCRIBED // 2
    return items if len(items) <= MOST_DESCRIBED else (*items[:half], *items[-half:])


def path_counts(graph, target):
    """Return node number -> the number of paths from it to the target, counted up to `MOST_COUNTED`."""
    counts = {target: 1}
    for number in range(target + 1, graph.root + 1):
        found = sum(counts.get(graph.numbers.get(node), 0) for node, _output in graph.order[number - 1].next_functions)
        counts[number] = min(found, MOST_COUNTED)
    return counts


def edge_paths(graph, target, counts):
    """Yield every path from the root to the target, as (number of a node, index of its edge)."""
    waiting, path = [(graph.root, 0, None)], []
    while waiting:
        number, length, edge = waiting.pop()
        if edge:
            path[length - 1 :] = [edge]  # the path that led here before may have been longer
        if number == target:
            yield tuple(path[:length])
            continue
        for i, (node, _output) in reversed(list(enumerate(graph.order[number - 1].next_functions))):
            if counts.get(graph.numbers.get(node), 0):
                waiting.append((graph.numbers[node], length + 1, (number, i)))


def follow_path(graph, edges, g, brought=None):
    """Follow the gradient at the root along one path, step by step; `brought` has those of edges, if known."""
    described, steps = set(first_and_last(edges)), []
    for number, i in edges:
        node = graph.order[number - 1]
        if brought is None:
            after = fit_gradient(vjp(node, g)[i], graph.order[graph.numbers[node.next_functions[i][0]] - 1])
        else:
            after = brought[number, i]
        if (number, i) in described:
            steps.append(step(graph, number, i, after, g))
        g = after
    return Path(tuple(steps), g, edges)


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
