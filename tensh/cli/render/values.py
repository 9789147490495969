"""A value as tokens."""

from tensh.cli.render.layout import layout


def tokens(value, as_notebook=False):
    """(kind, text) pairs of a result: its repr, or as a notebook lays it out, and a line end."""
    return [("plain", (layout(value) if as_notebook else repr(value)) + "\n")]
