"""A small graph as a drawing: layers from the leaves down to the root, joined by lines.

The layers and their order follow Sugiyama, Tagawa and Toda (1981): a node stands below all that it was made of, edges
that span several layers pass through places kept free for them, and every layer is ordered by the mean place of its
neighbours.
"""

from tensh.graph import tokens

MOST = 30  # nodes
GAP = 4  # columns between two nodes
SWEEPS = 8
UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
UNICODE = {
    0: " ", UP: "│", DOWN: "│", UP | DOWN: "│", LEFT: "─", RIGHT: "─", LEFT | RIGHT: "─",
    UP | LEFT: "┘", UP | RIGHT: "└", DOWN | LEFT: "┐", DOWN | RIGHT: "┌", UP | DOWN | LEFT: "┤", UP | DOWN | RIGHT: "├",
    UP | LEFT | RIGHT: "┴", DOWN | LEFT | RIGHT: "┬", UP | DOWN | LEFT | RIGHT: "┼",
}  # fmt: skip
ASCII = {m: " " if not m else "|" if not m & (LEFT | RIGHT) else "-" if not m & (UP | DOWN) else "+" for m in range(16)}


def lines(graph, shown=None):
    """The drawing as lines of (kind, text) pairs; ValueError for more nodes than a drawing can show."""
    check(graph)
    layers, edges = assign_layers(graph)
    order(layers, edges)
    texts = {node: label(graph, node, shown) for layer in layers for node in layer}
    centers = positions(layers, texts, edges)
    glyphs = ASCII if shown and shown.ascii else UNICODE
    for depth, layer in enumerate(layers):
        yield _names(layer, texts, centers, glyphs)
        if depth + 1 < len(layers):
            yield from _wires([(a, b) for a, b in edges if a in layer], centers, glyphs)


def check(graph):
    """Raise unless a graph is small enough to be drawn."""
    if len(graph) > MOST:
        raise ValueError(f"a drawing shows up to {MOST} nodes, this graph has {len(graph):,}: use the tree or the tape")


def label(graph, node, shown):
    if isinstance(node, tuple):  # a place that an edge passes
        return ""
    found = graph[node]
    text = tokens.shorten(found.short, 30) + (f"  ({found.operation})" if node == graph.root and found.variable else "")
    if shown and shown.values and found.value is not None:
        text += f" = {tokens.values(found.value)}"
    return text


def assign_layers(graph):
    """(layers of nodes, edges between neighbouring layers); an edge that spans layers passes (source, target, layer)."""
    depth = {}
    for node in graph:
        depth[node.number] = max((depth[e.number] + 1 for e in node.edges if e.number), default=0)
    users = {n: [m.number for m in graph if any(e.number == n for e in m.edges)] for n in depth}
    for number in reversed(depth):  # a leaf stands just above what first uses it
        if depth[number] == 0 and users[number]:
            depth[number] = min(depth[u] for u in users[number]) - 1
    layers = [[] for _ in range(max(depth.values()) + 1)]
    for number, level in depth.items():
        layers[level].append(number)
    edges = []
    for number in depth:
        for user in users[number]:
            before = number
            for level in range(depth[number] + 1, depth[user]):
                layers[level].append(between := (number, user, level))
                edges.append((before, between))
                before = between
            edges.append((before, user))
    return layers, edges


def order(layers, edges):
    """Order every layer by the mean place of its neighbours, downwards and upwards in turn, so that few lines cross."""
    above, below = {}, {}
    for a, b in edges:
        above.setdefault(b, []).append(a)
        below.setdefault(a, []).append(b)
    for sweep in range(SWEEPS):
        towards = above if sweep % 2 == 0 else below
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            place = {node: i for other in layers for i, node in enumerate(other)}
            layer.sort(key=lambda node: _mean([place[n] for n in towards.get(node, ())], place[node]))


def _mean(numbers, otherwise):
    return sum(numbers) / len(numbers) if numbers else otherwise


def positions(layers, texts, edges):
    """The middle column of every node: under its neighbours as far as the nodes beside it leave room."""
    centers = {}
    for layer in layers:
        column = 0
        for node in layer:
            width = max(tokens.width(texts[node]), 1)
            centers[node] = column + width // 2
            column += width + GAP
    neighbours = {}
    for a, b in edges:
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            wished = [round(_mean([centers[n] for n in neighbours.get(node, ())], centers[node])) for node in layer]
            _spread_layer(layer, wished, texts, centers)
    shift = min(centers[node] - max(tokens.width(texts[node]), 1) // 2 for layer in layers for node in layer)
    return {node: column - shift for node, column in centers.items()}


def _spread_layer(layer, wished, texts, centers):
    """Put the nodes of a layer near where they wish to be, in their order and apart."""
    widths = [max(tokens.width(texts[node]), 1) for node in layer]
    least = [0] * len(layer)
    for i, node in enumerate(layer):
        room = least[i - 1] + (widths[i - 1] + 1) // 2 + GAP + widths[i] // 2 if i else -(10**6)
        least[i] = centers[node] = max(wished[i], room)
    for i in range(len(layer) - 2, -1, -1):  # what was pushed to the right shares the push with what pushed it
        push = centers[layer[i]] - wished[i]
        room = centers[layer[i + 1]] - (widths[i + 1] // 2 + GAP + (widths[i] + 1) // 2)
        centers[layer[i]] = min(room, centers[layer[i]] - min(push, 0))


def _names(layer, texts, centers, glyphs):
    made, column = [], 0
    for node in layer:
        text = texts[node] or glyphs[UP | DOWN]
        start = centers[node] - tokens.width(text) // 2
        made += [("plain", " " * (start - column)), ("name" if texts[node] else "margin", text)]
        column = start + tokens.width(text)
    return made


def _wires(edges, centers, glyphs):
    """The lines between two layers: down from each node, along a row of its own, and down to what uses it."""
    wires = {}
    for (a, _), port in zip(edges, ports(edges, centers), strict=True):
        wires.setdefault(centers[a], set()).add(port)
    tracks = _tracks(wires)
    height = max(tracks.values(), default=0) + 1
    width = max([*wires, *(t for targets in wires.values() for t in targets)], default=0) + 1
    grid = [[{} for _ in range(width)] for _ in range(height)]  # of each place: source -> directions
    for source, targets in wires.items():
        for row, column, directions in _run(source, targets, tracks[source], height):
            place = grid[row][column]
            place[source] = place.get(source, 0) | directions
    for row in grid:
        yield [("margin", "".join(_glyph(place, glyphs) for place in row).rstrip())]


def _run(source, targets, track, height):
    """(row, column, directions) of every place that the line from one node passes."""
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
    """The character of a place; of two lines that cross there the one that runs down is on top."""
    mask = 0
    for directions in place.values():
        mask |= directions
    return glyphs[mask if len(place) < 2 else UP | DOWN]


def ports(edges, centers):
    """The column in which each edge reaches its target: side by side, in the order of where they come from."""
    arriving = {}
    for a, b in edges:
        arriving.setdefault(b, []).append(a)
    found = {}
    for b, sources in arriving.items():
        for i, a in enumerate(sorted(sources, key=lambda node: centers[node])):
            found[a, b] = max(centers[b] + 2 * i - (len(sources) - 1), 0)
    return [found[edge] for edge in edges]


def _tracks(wires):
    """source -> the row of its line: two lines share a row only where they do not touch."""
    rows, tracks = [], {}
    for source, targets in sorted(wires.items(), key=lambda item: min(item[0], *item[1])):
        left, right = min(source, *targets), max(source, *targets)
        row = next((r for r, taken in enumerate(rows) if all(right < a or b < left for a, b in taken)), len(rows))
        if row == len(rows):
            rows.append([])
        rows[row].append((left, right))
        tracks[source] = row
    return tracks
