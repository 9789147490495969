"""Changes of one piece of code in a line of the source."""

import ast

from tensh.explain.model import Fit


def replace_node(place, node, new):
    """Return the Fit of a node's line with the node replaced; None if it spans lines."""
    if node.lineno != node.end_lineno:
        return None
    line = place.source.split("\n")[node.lineno - 1].encode()
    text = line[: node.col_offset] + new.encode() + line[node.end_col_offset :]
    return Fit(text.decode().strip(), "", node.lineno)


def replace_within(place, node, new):
    """Return the Fit of the failing line with the only piece of code like a node replaced; None if there are several."""
    line, old = place.text, ast.unparse(node)
    return Fit(line.replace(old, new).strip(), "", place.line) if line.count(old) == 1 else None
