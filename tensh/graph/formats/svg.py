"""A graph as an SVG picture: layers of boxes from the leaves down to the root, connected by arrows.

The picture has its own colours, and follows the reader's choice of dark or light; the lines between the boxes are
visible on either. It needs no script, font or link, and defines no ids, so that several fit on one page. All text in it
may come from users: it is escaped.
"""

from html import escape

from tensh.graph import tokens
from tensh.graph.formats.layers import Waypoint, assign_layers, order, positions
from tensh.graph.formulas import list_received
from tensh.support.escaping import visible_line
from tensh.support.language import _

MOST = 1500  # maximum number of nodes
CHARACTER, LINE = 7.3, 16  # width of a character and height of a line in points
MARGIN = 12  # margins around the text in a box, and around the picture
GAP = 22  # between boxes
FALL, STEEPEST = 34, 60  # between layers: minimum, and maximum for edges that extend far to the side
HEAD = 7  # length of an arrow's head
PORT = 14  # between arrows that reach one box

STYLE = """
.tensh-graph text { font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace; fill: #1f2328; }
.tensh-graph .title { font-weight: bold; }
.tensh-graph .fact { fill: #57606a; }
.tensh-graph rect { fill: #f6f8fa; stroke: #8c959f; }
.tensh-graph .leaf rect { fill: #ddf0ff; stroke: #54a0dd; }
.tensh-graph .root rect { stroke: #1f2328; stroke-width: 2; }
.tensh-graph .edge { fill: none; stroke: #808890; stroke-width: 1.3; }
.tensh-graph .head { fill: #808890; }
"""
DARK = """
text { fill: #e6edf3; }
.fact { fill: #9ea7b3; }
rect { fill: #21262d; stroke: #6e7681; }
.leaf rect { fill: #10304d; stroke: #388bfd; }
.root rect { stroke: #e6edf3; }
"""
DARK_BROWSER = "@media (prefers-color-scheme: dark) {\n*}\n"
DARK_PAGES = '[data-jp-theme-light="false"]', '[data-theme="dark"]', ".vscode-dark"
"""The marks of dark pages around an inline picture: Jupyter, documentation, an editor."""


def style():
    """Return the colours of a picture, for light and dark; a page that declares its own overrides the browser."""
    dark = DARK.strip().split("\n")
    whole = "".join(f"  .tensh-graph {line}\n" for line in dark)
    pages = "".join(f"{page} .tensh-graph {line}\n" for page in DARK_PAGES for line in dark)
    return STYLE + DARK_BROWSER.replace("*", whole) + pages


class Box:
    """A node in the picture: its lines of text, and its position once that is known."""

    def __init__(self, node, shown=None, formulas=()):
        self.node = node
        self.rows = [visible_line(row) for row in tokens.card(node, shown, formulas)]
        self.width = max(map(tokens.width, self.rows)) * CHARACTER + 2 * MARGIN
        self.height = len(self.rows) * LINE + MARGIN
        self.x = self.y = 0.0  # the centre, and the upper edge

    @property
    def left(self):
        return self.x - self.width / 2

    @property
    def bottom(self):
        return self.y + self.height


class Arrow:
    """A segment of an edge between two layers: a path, with an arrow head if it ends in a box."""

    def __init__(self, path, end=None, times=1):
        self.path, self.end, self.times = path, end, times


class Picture:
    """Boxes and arrows with their positions."""

    def __init__(self, graph, shown=None):
        check(graph)
        self.graph = graph
        self.layers, self.edges = assign_layers(graph)
        order(self.layers, self.edges)
        level = {node: number for number, layer in enumerate(self.layers) for node in layer}
        self.falling = [[] for _ in self.layers]  # the edges that start in each layer
        for edge in self.edges:
            self.falling[level[edge[0]]].append(edge)
        formulas = list_received(graph, shown)
        self.boxes = {node.number: Box(node, shown, formulas.get(node.number, ())) for node in graph}
        self.centers = self.place()
        self.arrows = [*self.draw()]

    def room(self, node):
        """Return the width of a node in its layer."""
        return 0 if isinstance(node, Waypoint) else self.boxes[node].width

    def place(self):
        """Position every box and every passing edge."""
        centers = positions(self.layers, self.edges, lambda a, b: (self.room(a) + self.room(b)) / 2 + GAP)
        left = min(center - self.room(node) / 2 for node, center in centers.items())
        centers = {node: center - left + MARGIN for node, center in centers.items()}
        self.width = max(center + self.room(node) / 2 for node, center in centers.items()) + MARGIN
        self.tops, self.bottoms, y = [], [], MARGIN
        for level, layer in enumerate(self.layers):
            height = max(self.boxes[node].height for node in layer if not isinstance(node, Waypoint))
            for node in layer:
                if not isinstance(node, Waypoint):
                    box = self.boxes[node]
                    box.x, box.y = centers[node], y + (height - box.height) / 2
            self.tops.append(y)
            self.bottoms.append(y + height)
            y += height + self.fall(level, centers)
        self.height = self.bottoms[-1] + MARGIN
        return centers

    def fall(self, level, centers):
        """Return the space below a layer, which is larger if edges extend far to the side."""
        aside = max((abs(centers[a] - centers[b]) for a, b in self.falling[level]), default=0)
        return FALL + min(aside / 12, STEEPEST - FALL)

    def draw(self):
        """Yield the arrows of all edges."""
        ends = self.ports()
        for level, edges in enumerate(self.falling):
            for a, b in edges:
                yield self.arrow(a, b, level, ends.get((a, b)))

    def ports(self):
        """Return edge -> the point where it reaches its box: side by side, in the order of their sources."""
        arriving = {}
        for a, b in self.edges:
            if not isinstance(b, Waypoint):
                arriving.setdefault(b, []).append(a)
        found = {}
        for b, sources in arriving.items():
            step = min(PORT, (self.boxes[b].width - 2 * MARGIN) / len(sources))
            for i, a in enumerate(sorted(sources, key=self.centers.get)):
                found[a, b] = self.boxes[b].x + step * (i - (len(sources) - 1) / 2)
        return found

    def arrow(self, a, b, level, end):
        """Return the arrow from a node, or a passing edge, to one in the layer below."""
        x, start = self.centers[a], self.tops[level] if isinstance(a, Waypoint) else self.boxes[a].bottom
        above, below = self.bottoms[level], self.tops[level + 1]
        middle, target = (above + below) / 2, self.centers[b] if end is None else end
        path = f"M{x:.1f} {start:.1f}V{above:.1f}C{x:.1f} {middle:.1f} {target:.1f} {middle:.1f} {target:.1f} "
        if end is None:
            return Arrow(f"{path}{below:.1f}")
        y = self.boxes[b].y
        curve = min(below, y - HEAD)
        source = a.source if isinstance(a, Waypoint) else a
        times = sum(edge.number == source for edge in self.boxes[b].node.edges)
        return Arrow(f"{path}{curve:.1f}V{y - HEAD:.1f}", (end, y), times)


def check(graph):
    """Raise unless a graph is small enough to be drawn."""
    if len(graph) > MOST:
        raise ValueError(
            _(
                "a picture shows up to {most:,} nodes, this graph has {graph:,}: look at a part of it (focus), or at the tape"
            ).format(most=MOST, graph=len(graph))
        )


def lines(graph, shown=None):
    """Yield the lines of an SVG document; raise ValueError for a graph that is too large."""
    picture = Picture(graph, shown)
    size = f"{picture.width:.0f}", f"{picture.height:.0f}"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tensh-graph" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {size[0]} {size[1]}" role="img">'
    )
    title = _("the graph of {name}: {number} nodes").format(name=graph[graph.root].short, number=len(graph))
    yield f"<title>{quote(title)}</title>"
    yield f"<style>{style()}</style>"
    for arrow in picture.arrows:
        yield f'<path class="edge" d="{arrow.path}"/>'
    for arrow in picture.arrows:
        if arrow.end:
            yield from head(arrow)
    for box in picture.boxes.values():
        yield from group(box, graph.root)
    yield "</svg>"


def head(arrow):
    """Yield the head of an arrow, with the number of uses of its tensor there."""
    x, y = arrow.end
    yield f'<path class="head" d="M{x - HEAD / 2:.1f} {y - HEAD:.1f}h{HEAD}l{-HEAD / 2} {HEAD}z"/>'
    if arrow.times > 1:
        yield f'<text class="fact" x="{x + HEAD:.1f}" y="{y - HEAD / 2:.1f}">{arrow.times}×</text>'


def group(box, root):
    """Yield a box with its text, and a tooltip with the full text and its place."""
    node = box.node
    kinds = ["leaf"] * (node.kind == "leaf") + ["root"] * (node.number == root)
    yield f'<g class="{" ".join(["node", *kinds])}">'
    yield f"<title>{quote(node.title)}{f', {quote(node.place)}' if node.place else ''}</title>"
    radius = box.height / 3 if node.kind == "leaf" else 4
    yield (
        f'<rect x="{box.left:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="{radius:.1f}"/>'
    )
    for number, row in enumerate(box.rows):
        y = box.y + MARGIN / 2 + LINE * (number + 0.75)
        kind = "fact" if number else "title"
        yield f'<text class="{kind}" x="{box.x:.1f}" y="{y:.1f}" text-anchor="middle" xml:space="preserve">{quote(row)}</text>'
    yield "</g>"


def quote(text):
    """Return a text as one line of XML."""
    return escape(visible_line(text))
