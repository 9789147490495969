"""Pages that views are drawn on, and the protocol of a view."""

from typing import NamedTuple

from tensh.show.drawing.text import cells
from tensh.support.escaping import visible

MOST_INDENT = 10  # columns before a line that is broken
CONTINUED = 4  # columns before what goes on below, more than the line has


class Page(NamedTuple):
    """The size and capabilities of the output that a view is drawn on.

    `colors` is the number of colours: 0, 16, 256 or 2**24. `plain` asks for sentences in place of columns. `is_window`
    tells that lines wider than the page would be broken: a pipe takes lines of any length.
    """

    width: int = 80
    height: int | None = None
    unicode: bool = True
    colors: int = 0
    plain: bool = False
    is_window: bool = False
    is_dark: bool = True
    graphics: str | None = None  # the image protocol: "kitty" or "iterm"


WIDE = Page(width=100, colors=2**24)  # the height of a notebook, which scrolls


class Paint(NamedTuple):
    """A kind of text for pictures: foreground and background colour, as (red, green, blue) from 0 to 255."""

    ink: tuple[int, int, int] | None = None
    ground: tuple[int, int, int] | None = None


class Bitmap(NamedTuple):
    """A kind of text that is an image: a PNG file, its columns and rows, and the protocol that shows it."""

    png: bytes
    columns: int
    rows: int
    protocol: str


class View:
    """Data that can be displayed.

    `draw` yields (kind, text) pairs for a page; the repr is their plain text. `is_whole` tells that the view is never
    cut to the window; for others `more` tells how to see the rest. `wraps` tells that long lines may be broken in a notebook.
    """

    is_whole = False
    wraps = False
    more = ""

    def draw(self, page):
        raise NotImplementedError

    def __repr__(self):
        return visible("".join(text for _, text in self.draw(Page())))

    def _repr_html_(self):
        """Return the view as HTML for a notebook."""
        from tensh.show.drawing.markup import text_block

        return text_block(self.draw(WIDE), wraps=self.is_whole or self.wraps)


class Uncut(View):
    """A view that no window cuts."""

    is_whole = True

    def __init__(self, view):
        self.view = view

    def draw(self, page):
        return self.view.draw(page)


class Lines(View):
    """A view of lines: `lines(page)` yields each as (kind, text) pairs.

    `breaks` tells that a line too wide for a window may be broken between words.
    """

    breaks = True

    def __init__(self, lines):
        self.lines = lines

    def draw(self, page):
        lines = self.lines(page)
        if self.breaks and page.is_window:
            lines = (each for line in lines for each in fit_line(line, page.width))
        for number, line in enumerate(lines):
            yield "plain", "\n" * bool(number)
            yield from trim(line if page.unicode else spell_line(line))


def fit_line(line, width):
    """Yield a line; where a window is too narrow, broken between words, without the spaces of its columns."""
    line = list(line)
    whole = "".join(text for _kind, text in line)
    if cells(whole.rstrip()) < width:
        yield line
        return
    indent = min(len(whole) - len(whole.lstrip()), MOST_INDENT)
    now, used = [("plain", " " * indent)], indent
    for kind, word in [(kind, word) for kind, text in line for word in text.split()]:
        if used + 1 + cells(word) >= width and len(now) > 1:
            yield now
            now, used = [("plain", " " * (indent + CONTINUED))], indent + CONTINUED
        space = " " * (len(now) > 1)
        now.append((kind, space + word))
        used += cells(space + word)
    yield now


def spell_line(line):
    """Replace the formula signs in the pairs of a line."""
    from tensh.graph.textbook.printing import spell_signs

    return [(kind, spell_signs(text)) for kind, text in line]


def trim(line):
    """Strip trailing spaces from the pairs of a line."""
    line = list(line)
    while line and not line[-1][1].rstrip():
        line.pop()
    return [*line[:-1], (line[-1][0], line[-1][1].rstrip())] if line else line
