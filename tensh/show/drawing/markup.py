"""Text and tables as HTML for notebooks, in a fixed-width font with colours.

All foreign text is escaped. There are no scripts, classes or identifiers; the colours suit light and dark pages.
"""

from html import escape
from itertools import groupby

from tensh.support.escaping import visible, visible_line

STYLES = {  # kinds of text, as in the themes of terminals
    "error": "color:#d1242f;font-weight:bold",
    "message": "font-weight:bold",
    "warning": "color:#b35900",
    "trouble": "color:#d1242f;font-weight:bold",
    "place": "color:#1f8a9b",
    "number": "",
    "string": "color:#2e8540",
    "attribute": "color:#9250c8",
    "keyword": "font-weight:bold",
    "title": "font-weight:bold",
    "header": "opacity:.65",
    "name": "color:#1f8a9b",
    "bar": "color:#3b82c4",
    "margin": "opacity:.6",
    "mark": "color:#d1242f;font-weight:bold",
    "note": "opacity:.65;white-space:pre-wrap",
}
# colour of the page's own code
FONT = "var(--jp-code-font-family,var(--vscode-editor-font-family,ui-monospace,monospace))"
TEXT = f"margin:0;line-height:1.25;font-family:{FONT};white-space:pre"
CELL = "text-align:left;white-space:pre;padding:.15em .8em .15em 0"


def spans(tokens):
    """Convert (kind, text) pairs to HTML within a line or a `pre`."""
    styled = ((style_of(kind), text) for kind, text in tokens if text)
    found = []
    for style, group in groupby(styled, lambda pair: pair[0]):
        text = escape(visible("".join(text for _, text in group)))
        found.append(f'<span style="{style}">{text}</span>' if style else text)
    return "".join(found)


def style_of(kind):
    """Return the CSS for a kind of text: a name, or a Paint."""
    if isinstance(kind, str):
        return STYLES.get(kind, "")
    parts = [f"color:rgb{kind.ink}".replace(" ", "")] if kind.ink else []
    return ";".join(parts + [f"background-color:rgb{kind.ground}".replace(" ", "")] * bool(kind.ground))


def text_block(tokens, wraps=False):
    """Convert (kind, text) pairs to a block of text."""
    return f'<pre style="{TEXT}{"-wrap" * wraps}">{spans(tokens)}</pre>'


def table(title, columns, rows, notes):
    """Build a table: a title, column names, rows of cells as (kind, text) pairs, and notes below."""
    found = ['<table style="border-collapse:collapse">']
    if title:
        found.append(f'<caption style="text-align:left;font-weight:bold">{escape(visible_line(title))}</caption>')
    if rows:
        names = (f'<th style="{CELL};{STYLES["header"]}">{escape(visible_line(name))}</th>' for name in columns)
        found.append(f"<thead><tr>{''.join(names)}</tr></thead>")
    body = ("".join(f'<td style="{CELL}">{spans(cell)}</td>' for cell in row) for row in rows)
    found.append(f"<tbody>{''.join(f'<tr>{cells}</tr>' for cells in body)}</tbody></table>")
    return "".join(found) + "".join(text_block([("note", f"# {note}")], wraps=True) for note in notes)
