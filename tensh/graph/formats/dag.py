"""A small graph as a drawing: layers from the leaves down to the root, connected by lines."""

from tensh.graph import tokens
from tensh.graph.formats.layers import Waypoint, assign_layers, order, positions
from tensh.support.language import _

MOST = 30  # maximum number of nodes
GAP = 4  # columns between two nodes
UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
UNICODE = {
    0: " ", UP: "│", DOWN: "│", UP | DOWN: "│", LEFT: "─", RIGHT: "─", LEFT | RIGHT: "─",
    UP | LEFT: "┘", UP | RIGHT: "└", DOWN | LEFT: "┐", DOWN | RIGHT: "┌", UP | DOWN | LEFT: "┤", UP | DOWN | RIGHT: "├",
    UP | LEFT | RIGHT: "┴", DOWN | LEFT | RIGHT: "┬", UP | DOWN | LEFT | RIGHT: "┼",
}  # fmt: skip
ASCII = {m: " " if not m else "|" if not m & (LEFT | RIGHT) else "-" if not m & (UP | DOWN) else "+" for m in range(16)}


def lines(graph, shown=None):
    """Yield the drawing as lines of (kind, text) pairs; raise ValueError for a graph that is too large."""
    check(graph)
    layers, edges = assign_layers(graph)
    order(layers, edges)
    texts = {node: label(graph, node, shown) for layer in layers for node in layer}
    centers = columns(layers, edges, texts)
    glyphs = ASCII if shown and shown.ascii else UNICODE
    for depth, layer in enumerate(layers):
        yield _names(layer, texts, centers, glyphs)
        if depth + 1 < len(layers):
            yield from _wires([(a, b) for a, b in edges if a in layer], centers, glyphs)


def check(graph):
    """Raise unless a graph is small enough to be drawn."""
    if len(graph) > MOST:
        raise ValueError(
            _("a drawing shows up to {most} nodes, this graph has {graph:,}: use the tree or the tape").format(
                most=MOST, graph=len(graph)
            )
        )


def label(graph, node, shown):
    if isinstance(node, Waypoint):
        return ""
    found = graph[node]
    text = tokens.shorten(found.short, 30) + (f"  ({found.operation})" if node == graph.root and found.variable else "")
    if shown and shown.values and found.value is not None:
        text += f" = {tokens.values(found.value)}"
    return text


def columns(layers, edges, texts):
    """Return the middle column of every node."""

    def distance(a, b):
        return (room(a) + 1) // 2 + GAP + room(b) // 2

    def room(node):
        return max(tokens.width(texts[node]), 1)

    centers = {node: round(center) for node, center in positions(layers, edges, distance).items()}
    shift = min(centers[node] - room(node) // 2 for layer in layers for node in layer)
    return {node: column - shift for node, column in centers.items()}


def _names(layer, texts, centers, glyphs):
    made, column = [], 0
    for node in layer:
        text = texts[node] or glyphs[UP | DOWN]
        start = centers[node] - tokens.width(text) // 2
        made += [("plain", " " * (start - column)), ("name" if texts[node] else "margin", text)]
        column = start + tokens.width(text)
    return made


def _wires(edges, centers, glyphs):
    """Draw the lines between two layers: down from each node, along a row, and down to its uses."""
    wires = {}
    for (a, _user), port in zip(edges, ports(edges, centers), strict=True):
        wires.setdefault(centers[a], set()).add(port)
    tracks = _tracks(wires)
    height = max(tracks.values(), default=0) + 1
    width = max([*wires, *(t for targets in wires.values() for t in targets)], default=0) + 1
    grid = [[{} for _ in range(width)] for _ in range(height)]  # for each cell: source -> directions
    for source, targets in wires.items():
        for row, column, directions in _run(source, targets, tracks[source], height):
            place = grid[row][column]
            place[source] = place.get(source, 0) | directions
    for row in grid:
        yield [("margin", "".join(_glyph(place, glyphs) for place in row).rstrip())]


def _run(source, targets, track, height):
    """Yield (row, column, directions) of every cell in the line from one node."""
    for row in range(track):
        yield row, source, UP | DOWN
    left, right = min(source, *targets), max(source, *targets)
    for column in range(left, right + 1):
        yield track, column, (LEFT if column > left else 0) | (RIGHT if column < right else 0)
    yield track, source, UP
    for target in targets:
        yield track, target, DOWN
        for row in range(track + 1, height):
            yield row, target, UP | DOWN


def _glyph(place, glyphs):
    """Return the character of a cell; where two lines cross, the vertical one is on top."""
    mask = 0
    for directions in place.values():
        mask |= directions
    return glyphs[mask if len(place) < 2 else UP | DOWN]


def ports(edges, centers):
    """Return the column in which each edge reaches its target: side by side, in the order of their sources."""
    arriving = {}
    for a, b in edges:
        arriving.setdefault(b, []).append(a)
    found = {}
    for b, sources in arriving.items():
        for i, a in enumerate(sorted(sources, key=lambda node: centers[node])):
            found[a, b] = max(centers[b] + 2 * i - (len(sources) - 1), 0)
    return [found[edge] for edge in edges]


def _tracks(wires):
    """Return source -> the row of its line; two lines share a row only if they do not touch."""
    rows, tracks = [], {}
    for source, targets in sorted(wires.items(), key=lambda item: min(item[0], *item[1])):
        left, right = min(source, *targets), max(source, *targets)
        row = next((r for r, taken in enumerate(rows) if all(right < a or b < left for a, b in taken)), len(rows))
        if row == len(rows):
            rows.append([])
        rows[row].append((left, right))
        tracks[source] = row
    return tracks
