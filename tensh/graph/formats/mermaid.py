"""A graph in Mermaid's language, for Markdown pages."""

from tensh.graph import tokens
from tensh.graph.formulas import list_received
from tensh.support.escaping import visible_line

# Characters that would end a quoted label or start markup in it, with the entities that Mermaid reads.
ENTITIES = str.maketrans(
    {
        "#": "#35;",
        '"': "#quot;",
        "<": "#lt;",
        ">": "#gt;",
        "&": "#amp;",
        "`": "#96;",
        "\\": "#92;",
        "*": "#42;",
        "_": "#95;",
    }
)


def lines(graph, shown=None):
    """Yield the lines of a flowchart: operations as boxes, leaves as rounded ones."""
    yield "flowchart BT"
    formulas = list_received(graph, shown)
    for node in graph:
        left, right = ("([", "])") if node.kind == "leaf" else ("[", "]")
        yield f"  n{node.number}{left}{quote(tokens.card(node, shown, formulas.get(node.number, ())))}{right}"
        for edge in node.edges:
            if edge.number is not None:
                yield f"  n{edge.number} --> n{node.number}"


def quote(rows):
    """Quote lines of text as a Mermaid string."""
    return '"' + "<br/>".join(visible_line(row).translate(ENTITIES) for row in rows) + '"'
