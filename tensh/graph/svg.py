"""A graph as a picture in SVG: layers of boxes from the leaves down to the root, joined by arrows.

The picture has its own inks and grounds, and follows the reader's choice of dark or light; the lines between the boxes
can be seen on either. It needs no script, no font of its own and no link, and names no identifiers, so that several can
stand on one page. All text in it was written by somebody: it is escaped.
"""

from html import escape

from tensh.escaping import visible_line
from tensh.graph import tokens
from tensh.graph.formulas import list_received
from tensh.graph.layers import Waypoint, assign_layers, order, positions
from tensh.language import _

MOST = 1500  # nodes
CHARACTER, LINE = 7.3, 16  # points that a character and a line of text take
MARGIN = 12  # around the text in a box, and around the picture
GAP = 22  # between boxes
FALL, STEEPEST = 34, 60  # between layers: at least, and at most for edges that go far to the side
HEAD = 7  # of an arrow
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
"""Marks of dark pages around an inline picture: Jupyter, documentation, an editor."""


def style():
    """The colours of a picture, for light and dark: a page that tells its own is believed before the browser."""
    dark = DARK.strip().split("\n")
    whole = "".join(f"  .tensh-graph {line}\n" for line in dark)
    pages = "".join(f"{page} .tensh-graph {line}\n" for page in DARK_PAGES for line in dark)
    return STYLE + DARK_BROWSER.replace("*", whole) + pages


class Box:
    """A node in the picture: its lines of text, and its place once that is known."""

    def __init__(self, node, shown=None, formulas=()):
        self.node = node
        self.rows = [visible_line(row) for row in tokens.card(node, shown, formulas)]
        self.width = max(map(tokens.width, self.rows)) * CHARACTER + 2 * MARGIN
        self.height = len(self.rows) * LINE + MARGIN
        self.x = self.y = 0.0  # the middle, and the upper edge

    @property
    def left(self):
        return self.x - self.width / 2

    @property
    def bottom(self):
        return self.y + self.height


class Arrow:
    """A piece of an edge, from one layer to the next: a path, and where it ends in a box the head of an arrow there."""

    def __init__(self, path, end=None, times=1):
        self.path, self.end, self.times = path, end, times


class Picture:
    """Boxes and arrows with their places, as numbers."""

    def __init__(self, graph, shown=None):
        check(graph)
        self.graph = graph
        self.layers, self.edges = assign_layers(graph)
        order(self.layers, self.edges)
        level = {node: number for number, layer in enumerate(self.layers) for node in layer}
        self.falling = [[] for _ in self.layers]  # the edges that begin in each layer
        for edge in self.edges:
            self.falling[level[edge[0]]].append(edge)
        formulas = list_received(graph, shown)
        self.boxes = {node.number: Box(node, shown, formulas.get(node.number, ())) for node in graph}
        self.centers = self.place()
        self.arrows = [*self.draw()]

    def room(self, node):
        """The width that a node takes in its layer."""
        return 0 if isinstance(node, Waypoint) else self.boxes[node].width

    def place(self):
        """Put every box and every passing edge into its place."""
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
        """The room below a layer: more where edges go far to the side."""
        aside = max((abs(centers[a] - centers[b]) for a, b in self.falling[level]), default=0)
        return FALL + min(aside / 12, STEEPEST - FALL)

    def draw(self):
        """The arrows of all edges."""
        ends = self.ports()
        for level, edges in enumerate(self.falling):
            for a, b in edges:
                yield self.arrow(a, b, level, ends.get((a, b)))

    def ports(self):
        """edge -> where it reaches its box: side by side, in the order of where they come from."""
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
        """The arrow from a node, or a passing edge, to one of the layer below."""
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
    """The lines of an SVG document; ValueError for more nodes than a picture can show."""
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
    """The head of an arrow, and how many times its tensor is used there."""
    x, y = arrow.end
    yield f'<path class="head" d="M{x - HEAD / 2:.1f} {y - HEAD:.1f}h{HEAD}l{-HEAD / 2} {HEAD}z"/>'
    if arrow.times > 1:
        yield f'<text class="fact" x="{x + HEAD:.1f}" y="{y - HEAD / 2:.1f}">{arrow.times}×</text>'


def group(box, root):
    """A box with its text; what a pointer on it shows is the whole of it, and where it was made."""
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
    """A text as one line in XML."""
    return escape(visible_line(text))
