"""A matrix as a field of colours, or of signs and digits: `heat`."""

import math

import numpy as np

from tensh.show import describe
from tensh.show.colors import MISSING, signed
from tensh.show.page import Paint, View
from tensh.show.shrinking import shrunk
from tensh.show.values import array_of, is_complex

MOST_ROWS = 40  # of a page of any height
MOST_PANELS = 8


class Heat(View):
    """The last two dimensions of a tensor as a field, the others as one field after another."""

    name = ""

    def __init__(self, value):
        array = array_of(value)
        self.brief = describe.brief(value) if describe.is_array(value) else ""
        self.array = np.abs(array.astype(np.complex64)) if is_complex(array) else array
        finite = [panel[np.isfinite(panel)] for _, panel in self.panels()]
        self.scale = max((float(np.abs(part).max()) for part in finite if part.size), default=0.0)

    def panels(self):
        """(index, matrix) of each field that is shown."""
        array = self.array
        if array.ndim < 3:
            yield (), array.reshape(1, -1).astype(np.float64) if array.ndim < 2 else array.astype(np.float64)
            return
        for number, index in enumerate(np.ndindex(array.shape[:-2])):
            if number == MOST_PANELS:
                return
            yield index, array[index].astype(np.float64)

    def draw(self, page):
        reduced = None
        panels = [*self.panels()]
        for number, (index, matrix) in enumerate(panels):
            yield "plain", "\n" * bool(number)
            if index:
                yield "header", f"[{', '.join(map(str, index))}]\n"
            if not matrix.size:
                continue
            rows = min(page.height - 6, MOST_ROWS) if page.height else MOST_ROWS
            draw = self.in_color if page.colors > 16 else self.in_signs
            reduced = yield from draw(matrix, page, max(rows, 4))
        yield from self.legend(page, len(panels), reduced)

    def in_color(self, matrix, page, rows):
        """Two columns for a value where there is room, else two values one above the other in each column."""
        wide = matrix.shape[1] * 2 <= page.width and matrix.shape[0] <= rows
        small = matrix if wide else shrunk(matrix, 2 * rows, page.width)
        colors = [[self.color(value, page) for value in row] for row in small]
        if wide:
            for row in colors:
                for color in row:
                    yield Paint(ground=color), "  "
                yield "plain", "\n"
        else:
            for above, below in zip(colors[::2], [*colors[1::2], [None] * len(colors[0])], strict=False):
                for one, other in zip(above, below, strict=True):
                    yield Paint(one, other), "▀"
                yield "plain", "\n"
        return None if small is matrix else matrix.shape

    def in_signs(self, matrix, page, rows):
        """A sign and a digit from 0 to 9 for each value."""
        small = shrunk(matrix, rows, page.width // 3)
        for row in small:
            yield "plain", " ".join(self.sign(value) for value in row) + "\n"
        return None if small is matrix else matrix.shape

    def color(self, value, page):
        if math.isnan(value):
            return MISSING
        return signed(value / self.scale if self.scale else 0.0, page.is_dark)

    def sign(self, value):
        """`+9` for the largest, `-9` for its opposite, ` .` for zero."""
        if math.isnan(value):
            return "??"
        if value == 0 or not self.scale:
            return " ."
        size = 9 if math.isinf(value) else round(9 * abs(value) / self.scale)
        return ("+" if value > 0 else "-") + str(size)

    def legend(self, page, panels, reduced):
        """What the colours or digits mean, and what is not shown."""
        yield "note", "# " + f"{self.name}  {self.brief}".strip() + ("" if not self.brief else "  ")
        most = describe.number(self.scale)
        if page.colors > 16:
            yield "note", f"-{most} "
            for step in range(-5, 6):
                yield Paint(ground=signed(step / 5, page.is_dark)), "  " if step else " 0 "
            yield "note", f" {most}"
        else:
            yield "note", f"+9 is {most}, -9 is -{most}, . is 0"
        if reduced:
            yield "note", "; each field is the mean of its neighbourhood"
        if np.isnan(self.array).any():
            yield "trouble", "; NaN is magenta" if page.colors > 16 else "; NaN is ??"
        whole = math.prod(self.array.shape[:-2])
        if panels < whole:
            yield "note", f"; {panels} of {whole} matrices"


def heat(input):
    """A matrix as a field of colours: blue below zero, orange above; without colours as signs and digits from 0 to 9.

    A vector is one row; of more dimensions the last two are shown, for the first few of the others.

    >>> import tensh
    >>> tensh.show.heat(tensh.tensor([[1., -1., 0.5], [0., 0.1, -0.4]]))
    +9 -9 +4
     . +1 -4
    # [2, 3] float32  +9 is 1, -9 is -1, . is 0
    """
    return Heat(input)
