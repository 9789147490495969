"""Rows and columns of text."""

from itertools import repeat

from tensh.show.drawing.page import View
from tensh.show.drawing.text import cells, comment, pad, shorten, wrap_lines
from tensh.support.escaping import visible_line
from tensh.support.language import _

GAP = "  "
LEAST = 12  # columns that text is wrapped to


class Table(View):
    """Rows of texts under the names of their columns.

    `title` stands above and `notes` below. In a window too narrow for the columns the last of them is broken into lines
    if it `wraps`; else, and on a page that asks for plain text, every row becomes a sentence: `x: shape [2, 3], dtype
    float32`; where the first column holds no name (`is_named`), its text is one of the facts. Of the columns that it
    `shrinks`, by their numbers, the widest are cut first until a window has room for all.
    """

    def __init__(self, columns, rows, title="", notes=(), wraps=False, shrinks=(), is_named=True):
        self.columns = tuple(visible_line(str(name)) for name in columns)
        self.rows = [tuple(visible_line(str(text)) for text in row) for row in rows]
        self.title = title
        self.notes = tuple(notes)
        self.wraps = wraps
        self.shrinks = tuple(shrinks)
        self.is_named = is_named

    def draw(self, page):
        is_first = not self.title and not self.rows
        if self.title:
            yield "title", "\n    ".join(wrap_lines(self.title, page.width - 4)) if page.is_window else self.title
        if self.rows:
            rows = self.rows if page.unicode else [tuple(map(spell_duration, row)) for row in self.rows]
            widths = [max(map(cells, column)) for column in zip(self.columns, *rows, strict=True)]
            if page.is_window and self.shrinks:
                widths = self._shrink(widths, page.width)
                rows = [tuple(map(shorten, row, widths, repeat(page.unicode))) for row in rows]
            room = page.width - sum(width + len(GAP) for width in widths[:-1]) if page.is_window else widths[-1]
            fits = room >= (LEAST if self.wraps else widths[-1])
            yield "plain", "\n" * bool(self.title)
            yield from self._columns(rows, widths, room) if fits and not page.plain else self._sentences(rows, page)
        for note in self.notes:
            yield "plain", "\n" * (not is_first)
            is_first = False
            yield from comment(note.split(" · "), page)

    def _repr_html_(self):
        from tensh.show.drawing.markup import table

        kinds = ("name", *[None] * (len(self.columns) - 1))
        rows = [[[(kind or kind_of(text), text)] for kind, text in zip(kinds, row, strict=True)] for row in self.rows]
        return table(self.title, self.columns, rows, self.notes)

    def _shrink(self, widths, width):
        """Return the widths of the columns; those that can be cut share the rest of the width."""
        widths = list(widths)
        while sum(widths) + len(GAP) * (len(widths) - 1) > width:
            widest = max(self.shrinks, key=widths.__getitem__)
            if widths[widest] <= LEAST:
                break
            widths[widest] -= 1
        return widths

    def _columns(self, rows, widths, room):
        """The rows under their header, each column as wide as its widest text."""
        indent = " " * sum(width + len(GAP) for width in widths[:-1])
        for number, row in enumerate([self.columns, *rows]):
            yield "plain", "\n" * bool(number)
            line = [pad(text, width) for text, width in zip(row, widths, strict=True)]
            if cells(row[-1]) > room:
                line[-1] = ("\n" + indent).join(wrap_lines(row[-1], room))
            while len(line) > 1 and not line[-1].strip():
                line.pop()
            line[-1] = line[-1].rstrip()
            if number == 0:
                yield "header", GAP.join(line)
                continue
            yield "name", line[0]
            for text in line[1:]:
                yield kind_of(text), GAP + text

    def _sentences(self, rows, page):
        """Yield a sentence `first: column text, column text` for each row, wrapped between the facts."""
        for number, (first, *rest) in enumerate(rows):
            yield "plain", "\n" * bool(number)
            first = first if self.is_named else f"{self.columns[0]} {first}"
            yield ("name", first) if self.is_named else ("plain", first)
            used = cells(first) + 1
            yield "plain", ":" if self.is_named else "," * bool(rest)
            facts = [f"{column} {text}".strip() for column, text in zip(self.columns[1:], rest, strict=True) if text]
            for place, fact in enumerate(facts):
                fact += "," if place + 1 < len(facts) else ""
                if page.is_window and used + 1 + cells(fact) > page.width:
                    yield "plain", "\n   "
                    used = 3
                parts = (
                    wrap_lines(fact, page.width - 6)
                    if page.is_window and used + 1 + cells(fact) > page.width
                    else [fact]
                )
                yield "plain", " " + "\n      ".join(parts)
                used = used + 1 + cells(fact) if len(parts) == 1 else 6 + cells(parts[-1])


class Tables(View):
    """A view of tables below each other: `tables()` yields them."""

    nothing = ""  # shown if there is no table

    def tables(self):
        raise NotImplementedError

    def draw(self, page):
        tables = self.tables()
        if not tables:
            yield "note", _(self.nothing)
        for number, table in enumerate(tables):
            yield "plain", "\n\n" * bool(number)
            yield from table.draw(page)

    def _repr_html_(self):
        return "".join(table._repr_html_() for table in self.tables()) or super()._repr_html_()


def kind_of(text):
    """Return the style of a cell: flaws stand out."""
    return "trouble" if any(word in text for word in ("NaN", "nan", "inf")) else "plain"


def spell_duration(text):
    """Write microseconds in ASCII."""
    number, _space, unit = text.rpartition(" ")
    return f"{number} us" if unit == "µs" and number.replace(".", "").isdecimal() else text
