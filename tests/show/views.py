"""Views as plain text."""

from tensh.show.drawing.page import Page


def drawn(view, **page):
    """The plain text of a view on a page."""
    return "".join(text for _, text in view.draw(Page(**page)))
