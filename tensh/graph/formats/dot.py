"""A graph in Graphviz's language."""

from tensh.graph import tokens
from tensh.graph.formulas import list_received
from tensh.support.escaping import visible_line


def lines(graph, shown=None):
    """Yield the lines of a DOT file: boxes for operations, rounded ones for leaves, arrows along gradients."""
    yield "digraph {"
    yield '  rankdir="BT"'
    yield '  node [shape="box", fontname="monospace", fontsize="10"]'
    formulas = list_received(graph, shown)
    for node in graph:
        style = ', style="rounded,filled", fillcolor="#dbe9f6"' if node.kind == "leaf" else ""
        root = ', penwidth="2"' if node.number == graph.root else ""
        yield f"  n{node.number} [label={quote(tokens.card(node, shown, formulas.get(node.number, ())))}{style}{root}]"
        for edge in node.edges:
            if edge.number is not None:
                yield f"  n{edge.number} -> n{node.number}"
    yield "}"


def quote(rows):
    """Quote lines of text as a DOT string."""
    return '"' + "\\n".join(visible_line(row).replace("\\", "\\\\").replace('"', '\\"') for row in rows) + '"'
