"""A value as (kind, text) pairs: its repr or its layout in a notebook; on a terminal in colour, with a caption."""

import sys

from tensh.cli.render.caption import caption
from tensh.cli.render.layout import layout
from tensh.show import containers, describe
from tensh.show.page import View
from tensh.show.text import one_line
from tensh.show.whole import printed, printing

LEAST_LINES = 6  # of a value that are shown in the smallest window
USUAL_LINEWIDTH = 80  # PyTorch's, and what nobody has asked for


def shown(value, page, expression="", as_notebook=False, settings=None):
    """The pairs of a result that an expression gave, with a line end."""
    if isinstance(value, View):
        tokens = [*value.draw(page)]
        return [*(tokens if value.is_whole else capped(tokens, page, value.more)), ("plain", "\n")]
    if not page.is_window:
        return [*(printed(value) if not as_notebook else [("plain", layout(value))]), ("plain", "\n")]
    tokens = on_a_window(value, page, as_notebook, settings)
    name = expression if expression.isidentifier() else "_"
    tokens = [*capped(tokens, page, f"%full {name} shows all"), ("plain", "\n")]
    if settings is None or settings.caption:
        tokens += caption(value, one_line(expression), page)
    return tokens


def on_a_window(value, page, as_notebook=False, settings=None):
    """The pairs of a value in a window: in its width, and a long container of tensors as what is in it."""
    with printing(**linewidth(page, settings)):
        if containers.is_long(value):
            return [*containers.Contents(value).draw(page)]
        return [("plain", layout(value))] if as_notebook and not describe.is_tensor(value) else printed(value)


def linewidth(page, settings):
    """The printing option that fits the window, unless another was chosen: in the settings, or by the code."""
    options = sys.modules.get("tensh.engine.printing.options")
    chosen = options.options.linewidth if options else USUAL_LINEWIDTH
    is_chosen = chosen != USUAL_LINEWIDTH or (settings is not None and settings.linewidth != "auto")
    return {"linewidth": chosen if is_chosen else page.width}


def capped(tokens, page, more):
    """No more lines than a window has room for, and how many were left out."""
    if page.height is None:
        return tokens
    most = max(page.height - 4, LEAST_LINES)  # the line typed, the caption and the next prompt stay in sight
    lines = sum(text.count("\n") for _, text in tokens) + 1
    if lines <= most:
        return tokens
    kept, room = [], most - 2
    for kind, text in tokens:
        pieces = text.split("\n", room + 1)
        if len(pieces) > room + 1:
            kept.append((kind, "\n".join(pieces[: room + 1])))
            break
        kept.append((kind, text))
        room -= len(pieces) - 1
    return [*kept, ("note", f"\n... {lines - most + 1:,} more lines" + f": {more}" * bool(more))]
