"""A value as (kind, text) pairs: its repr, or its layout in a notebook; on a terminal in colour, with a caption."""

import sys
from itertools import islice

from tensh.show.drawing.page import View
from tensh.show.drawing.text import cells, one_line
from tensh.show.printed.layout import LONGEST, layout
from tensh.show.printed.whole import print_parts, printing
from tensh.show.reading import describe
from tensh.show.tables import containers
from tensh.support.language import _, count

LEAST_LINES = 6  # lines of a value in the smallest window
MOST_LINES = 15  # lines of a value of a built-in type
COLLECTIONS = (list, tuple, dict, set, frozenset)
PLAIN = (*COLLECTIONS, str, bytes, int)
CLOSING = "]]]],  "  # what may follow the last item of a line
USUAL_LINEWIDTH = 80  # PyTorch's default


def render_and_tell(value, page, expression="", as_notebook=False, settings=None):
    """Return (the pairs of `render_value`, the value if it is a view that the window cuts, else None)."""
    if not issubclass(type(value), View):  # isinstance would query the value, too
        return render_value(value, page, expression, as_notebook, settings), None
    tokens = [*value.draw(page)]
    shown = tokens if value.is_whole else cap_lines(tokens, page, value.more or _("%full shows all"))
    return [*shown, ("plain", "\n")], None if shown is tokens else value


def render_value(value, page, expression="", as_notebook=False, settings=None):
    """Return the pairs for the value of an expression, with a line end."""
    if issubclass(type(value), View):
        return render_and_tell(value, page)[0]
    if not page.is_window:
        return [*(print_parts(value) if not as_notebook else [("plain", layout(value))]), ("plain", "\n")]
    tokens, whole = on_a_window(value, page, as_notebook, settings)
    name = expression if expression.isidentifier() else "_"
    most = MOST_LINES if type(value) in PLAIN else None
    tokens = [*cap_lines(tokens, page, _("%full {name} shows all").format(name=name), most, whole), ("plain", "\n")]
    if settings is None or settings.caption:
        from tensh.show.printed.caption import caption

        tokens += caption(value, one_line(expression), page)
    return tokens


def on_a_window(value, page, as_notebook, settings):
    """Return the pairs for a value in a window, and how many items it has if the pairs show only the first.

    It is fitted to the width, with a long container of tensors summarised.
    """
    with printing(**linewidth(page, settings)):
        if (
            type(value) in (list, tuple, dict)
            and len(value) > LONGEST
            and not containers.is_long(first := beginning(value))
        ):
            text = layout(first, page.width - len(CLOSING), is_filled=True)
            return [("plain", text)], count_beyond(len(value), LONGEST)
        if containers.is_long(value):
            contents = containers.Contents(value)
            return [*contents.draw(page)], count_beyond(len(contents.rows), containers.MOST_LINES)
        if as_notebook and not describe.is_tensor(value):
            return [("plain", layout(value))], None
        parts = [*print_parts(value)]
        text = "".join(text for _, text in parts) if type(value) in PLAIN else ""
        if cells(text) <= page.width or "\n" in text:
            return parts, None
        items = len(value) if isinstance(value, COLLECTIONS) else 0
        text = layout(value, page.width - len(CLOSING), is_filled=True)
        return [("plain", text)], count_beyond(items, LONGEST)


def beginning(value):
    """Return the items of a long list, tuple or dict that are laid out, and one more, which stands for the rest."""
    items = islice(value.items() if type(value) is dict else value, LONGEST + 1)
    return type(value)(items)


def count_beyond(items, most):
    """Return `201 items` if there are more than are shown, else None."""
    return count(items, "item") if items > most else None


def linewidth(page, settings):
    """Return the printing option for the width of the window, unless the settings or the code chose another."""
    options = sys.modules.get("tensh.engine.methods.printing.options")
    chosen = options.options.linewidth if options else USUAL_LINEWIDTH
    is_chosen = chosen != USUAL_LINEWIDTH or (settings is not None and settings.linewidth != "auto")
    return {"linewidth": chosen if is_chosen else page.width}


def cap_lines(tokens, page, more, most=None, whole=None):
    """Cut tokens to the lines of the window, or to `most`, and tell how much was left out.

    `whole` tells how much there is if the tokens are only the beginning.
    """
    if page.height is None:
        return tokens
    room = max(page.height - 4, LEAST_LINES)  # keeps the typed line, the caption and the next prompt visible
    most = min(room, most or room)
    text = "".join(text for _kind, text in tokens)
    if rows(text, page) <= most:
        return tokens
    room, end = most - 1, 0  # rows left, and characters of the text that fit
    for line in text.split("\n"):
        needed = rows(line, page)
        if needed > room:
            end += room * page.width  # part of a line that wraps over many rows
            break
        room, end = room - needed, end + len(line) + 1
    lines = text.count("\n", end) + 1
    kept = [*take(tokens, end - (text[end - 1 : end] == "\n"))]
    rest = whole or (
        _("{number:,} more characters").format(number=len(text) - end)
        if room and needed > most
        else count(lines, "more line")
    )
    return [*kept, ("note", f"\n# {rest}" + f": {more}" * bool(more))]


def rows(text, page):
    """Return the number of rows that a text takes with long lines wrapped."""
    return sum(max(-(-cells(line) // page.width), 1) for line in text.split("\n"))


def take(tokens, length):
    """Yield the tokens of the first characters of a text."""
    for kind, text in tokens:
        if length <= 0:
            return
        yield kind, text[:length]
        length -= len(text)
