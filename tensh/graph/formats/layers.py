"""The layout of a drawn graph: layers, the order in each, and the position of every node.

The layers and their order follow Sugiyama, Tagawa and Toda (1981): a node is below all its operands, edges across
several layers pass through reserved places, and every layer is ordered by the mean position of neighbours. The unit may
be columns of a terminal, or points of a picture.
"""

from bisect import bisect_right, insort
from typing import NamedTuple

SWEEPS = 16
STRAIGHT = 8  # weight of a passing edge's position relative to a node's, so that the edge runs straight down


class Waypoint(NamedTuple):
    """The place in a layer through which the edges of a node pass to lower layers."""

    source: int
    level: int


def assign_layers(graph):
    """Return (layers of nodes, edges between adjacent layers); a long edge has a ``Waypoint`` in each layer between.

    The long edges of one node share the waypoints.
    """
    depth = {}
    for node in graph:
        depth[node.number] = max((depth[e.number] + 1 for e in node.edges if e.number), default=0)
    users = {number: [] for number in depth}
    for node in graph:
        for number in dict.fromkeys(e.number for e in node.edges if e.number):
            users[number].append(node.number)
    light = set()  # nodes computed only from leaves or such nodes: they are placed just above their first use
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
    """Return True if an operand does not require a node to be placed high."""
    return graph[number].kind == "leaf" or (number in light and len(users[number]) == 1)


def neighbours(edges):
    """Return (node -> nodes above, node -> nodes below)."""
    above, below = {}, {}
    for a, b in edges:
        above.setdefault(b, []).append(a)
        below.setdefault(a, []).append(b)
    return above, below


def order(layers, edges):
    """Order layers by the mean position of neighbours, downwards and upwards; keep the fewest crossings."""
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
    """Return the number of pairs of edges that cross."""
    total = 0
    for layer in layers:
        ends = []  # targets of the edges so far, sorted
        for node in layer:
            targets = [place[n] for n in below.get(node, ())]
            total += sum(len(ends) - bisect_right(ends, target) for target in targets)
            for target in targets:
                insort(ends, target)
    return total


def mean(numbers, otherwise):
    return sum(numbers) / len(numbers) if numbers else otherwise


def positions(layers, edges, distance):
    """Return the position of every node: under its neighbours, if the other nodes in its layer leave room.

    ``distance(a, b)`` is the minimum distance of two neighbours in a layer.
    """
    centers = {}
    for layer in layers:
        centers.update(zip(layer, offsets(layer, distance), strict=True))
    above, below = neighbours(edges)
    columns = {}  # the waypoints of a node's edges should form a vertical line
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
    """Return the positions of a layer's nodes if each is as close as possible to the previous one."""
    found = [0]
    for a, b in zip(layer, layer[1:], strict=False):
        found.append(found[-1] + distance(a, b))
    return found


def separate_places(wished, weights, offsets):
    """Return the positions nearest to the requested ones, by weighted squares, that keep the order and the distances.

    Relative to the offsets only the order matters: neighbours that would swap share their mean (the pooling of adjacent
    violators, Ayer et al. 1955).
    """
    blocks = []  # (mean, weight, number of nodes)
    for wish, weight, offset in zip(wished, weights, offsets, strict=True):
        blocks.append((wish - offset, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, one, m), (b, other, n) = blocks[-2:]
            blocks[-2:] = [((a * one + b * other) / (one + other), one + other, m + n)]
    middles = [middle for middle, _, count in blocks for _ in range(count)]
    return [middle + offset for middle, offset in zip(middles, offsets, strict=True)]
