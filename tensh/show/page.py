"""Pages that views are drawn on, and the protocol of a view."""

from typing import NamedTuple

from tensh.escaping import visible


class Page(NamedTuple):
    """The space and the means that a drawing has.

    `colors` is how many the page has: 0, 16, 256 or 2**24. `plain` asks for sentences instead of columns, `is_window`
    says that what is wider than the page would be broken by it: a pipe takes lines of any length.
    """

    width: int = 80
    height: int | None = None
    unicode: bool = True
    colors: int = 0
    plain: bool = False
    is_window: bool = False
    is_dark: bool = True
    graphics: str | None = None  # the protocol by which it shows images: "kitty" or "iterm"


WIDE = Page(width=100, colors=2**24)  # of a notebook, which scrolls


class Paint(NamedTuple):
    """A kind of text for pictures: colours of the ink and of the ground, as (red, green, blue) from 0 to 255."""

    ink: tuple[int, int, int] | None = None
    ground: tuple[int, int, int] | None = None


class Bitmap(NamedTuple):
    """A kind of text that is an image: a PNG file, the columns and rows that it takes, and the protocol that shows it."""

    png: bytes
    columns: int
    rows: int
    protocol: str


class View:
    """Data that can be looked at. Its `draw` gives (kind, text) pairs for a page; its repr is the plain text of them.

    `is_whole` says that no window is too small for it; of any other that is, `more` says how to see the rest.
    """

    is_whole = False
    more = ""

    def draw(self, page):
        raise NotImplementedError

    def __repr__(self):
        return visible("".join(text for _, text in self.draw(Page())))

    def _repr_html_(self):
        """The view in a notebook."""
        from tensh.show.markup import text_block

        return text_block(self.draw(WIDE), wraps=self.is_whole)


class Lines(View):
    """A view of lines; `lines(page)` gives them, each as (kind, text) pairs."""

    def __init__(self, lines):
        self.lines = lines

    def draw(self, page):
        for number, line in enumerate(self.lines(page)):
            yield "plain", "\n" * bool(number)
            yield from trim(line if page.unicode else spell_line(line))


def spell_line(line):
    """The pairs of a line without the signs of formulas."""
    from tensh.graph.textbook.printing import spell_signs

    return [(kind, spell_signs(text)) for kind, text in line]


def trim(line):
    """The pairs of a line without spaces at its end."""
    line = list(line)
    while line and not line[-1][1].rstrip():
        line.pop()
    return [*line[:-1], (line[-1][0], line[-1][1].rstrip())] if line else line
