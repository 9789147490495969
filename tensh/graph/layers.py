"""The layout of a drawn graph: layers, the order in each, and the middle of every node.

The layers and their order follow Sugiyama, Tagawa and Toda (1981): a node stands below all that it was made of, edges
that span several layers pass through places kept free for them, and every layer is ordered by the mean place of its
neighbours. Nothing here knows what is drawn: columns of a terminal, or points of a picture.
"""

from bisect import bisect_right, insort
from typing import NamedTuple

SWEEPS = 16
STRAIGHT = 8  # how much more than a node a passing edge insists on its place, so that it runs straight down


class Waypoint(NamedTuple):
    """The place in a layer that the edges of a node pass, on their way to the layers below."""

    source: int
    level: int


def assign_layers(graph):
    """(layers of nodes, edges between neighbouring layers): what spans layers passes a ``Waypoint`` in each between.

    The edges of one node that pass a layer do so together.
    """
    depth = {}
    for node in graph:
        depth[node.number] = max((depth[e.number] + 1 for e in node.edges if e.number), default=0)
    users = {number: [] for number in depth}
    for node in graph:
        for number in dict.fromkeys(e.number for e in node.edges if e.number):
            users[number].append(node.number)
    light = set()  # nodes that only leaves, or such nodes, lead to: they stand just above their first use
    for node in graph:
        if all(e.number not in depth or _goes_along(e.number, graph, users, light) for e in node.edges):
            light.add(node.number)
    for number in reversed(depth):
        if users[number] and number in light:
            depth[number] = min(depth[u] for u in users[number]) - 1
    layers = [[] for _ in range(max(depth.values()) + 1)]
    for number, level in depth.items():
        layers[level].append(number)
    edges = []
    for number in depth:
        before, level = number, depth[number] + 1
        for user in sorted(users[number], key=depth.get):
            while level < depth[user]:
                layers[level].append(between := Waypoint(number, level))
                edges.append((before, between))
                before, level = between, level + 1
            edges.append((before, user))
    return layers, edges


def _goes_along(number, graph, users, light):
    """True if an operand gives no reason for a node to stay high up."""
    return graph[number].kind == "leaf" or (number in light and len(users[number]) == 1)


def neighbours(edges):
    """(node -> those above it, node -> those below it)."""
    above, below = {}, {}
    for a, b in edges:
        above.setdefault(b, []).append(a)
        below.setdefault(a, []).append(b)
    return above, below


def order(layers, edges):
    """Order every layer by the mean place of its neighbours, downwards and upwards in turn; keep what crosses least."""
    above, below = neighbours(edges)
    place = {node: i for layer in layers for i, node in enumerate(layer)}
    best = None
    for sweep in range(SWEEPS):
        towards = above if sweep % 2 == 0 else below
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            layer.sort(key=lambda node: mean([place[n] for n in towards.get(node, ())], place[node]))
            place.update((node, i) for i, node in enumerate(layer))
        found = crossings(layers, below, place)
        if best is None or found < best[0]:
            best = found, [layer[:] for layer in layers]
        if not found:
            break
    for layer, kept in zip(layers, best[1], strict=True):
        layer[:] = kept


def crossings(layers, below, place):
    """The number of pairs of edges that cross."""
    total = 0
    for layer in layers:
        ends = []  # of the edges so far, sorted
        for node in layer:
            targets = [place[n] for n in below.get(node, ())]
            total += sum(len(ends) - bisect_right(ends, target) for target in targets)
            for target in targets:
                insort(ends, target)
    return total


def mean(numbers, otherwise):
    return sum(numbers) / len(numbers) if numbers else otherwise


def positions(layers, edges, distance):
    """The middle of every node: under its neighbours as far as the nodes beside it leave room.

    ``distance(a, b)`` is how far the middles of two neighbours in a layer are from each other at least.
    """
    centers = {}
    for layer in layers:
        centers.update(zip(layer, offsets(layer, distance), strict=True))
    above, below = neighbours(edges)
    columns = {}  # the places that the edges of a node pass: they want to be one line straight down
    for node in centers:
        if isinstance(node, Waypoint):
            columns.setdefault(node.source, []).append(node)
    for sweep in range(SWEEPS):
        towards = [above, below] if sweep >= SWEEPS - 2 else [above] if sweep % 2 == 0 else [below]
        straight = {source: mean([centers[n] for n in column], 0) for source, column in columns.items()}
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            wished = [
                straight[node.source]
                if isinstance(node, Waypoint)
                else mean([centers[n] for side in towards for n in side.get(node, ())], centers[node])
                for node in layer
            ]
            weights = [STRAIGHT if isinstance(node, Waypoint) else 1 for node in layer]
            centers.update(zip(layer, separate_places(wished, weights, offsets(layer, distance)), strict=True))
    return centers


def offsets(layer, distance):
    """Return the places of a layer's nodes if each is as near to the one before as it may be."""
    found = [0]
    for a, b in zip(layer, layer[1:], strict=False):
        found.append(found[-1] + distance(a, b))
    return found


def separate_places(wished, weights, offsets):
    """The places nearest to the requested ones, by the weighted squares, that keep the order and the distances.

    Without the offsets the distances are the order alone: neighbours that would swap places share their
    mean (the pooling of adjacent violators, Ayer et al. 1955).
    """
    blocks = []  # (mean, weight, number of nodes)
    for wish, weight, offset in zip(wished, weights, offsets, strict=True):
        blocks.append((wish - offset, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, one, m), (b, other, n) = blocks[-2:]
            blocks[-2:] = [((a * one + b * other) / (one + other), one + other, m + n)]
    middles = [middle for middle, _, count in blocks for _ in range(count)]
    return [middle + offset for middle, offset in zip(middles, offsets, strict=True)]
