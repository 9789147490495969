"""A matrix as a field of colours, or of signs and digits: `heat`."""

import math
from itertools import islice

import numpy as np

from tensh.show.drawing.colors import MISSING, signed_colour
from tensh.show.drawing.page import Paint, View
from tensh.show.drawing.shrinking import shrink
from tensh.show.drawing.text import cells, comment
from tensh.show.reading import describe
from tensh.show.reading.values import array_of, is_complex
from tensh.support.language import _

MOST_ROWS = 40  # lines on a page of any height


class Heat(View):
    """The last two dimensions of a tensor as a field; the others produce one field after another."""

    def __init__(self, value, name=""):
        self.name = name
        array = array_of(value)
        self.brief = describe.brief(value) if describe.is_array(value) else ""
        self.array = np.abs(array.astype(np.complex64)) if is_complex(array) else array

    def panels(self):
        """Yield (index, matrix) for each field."""
        if self.array.ndim < 3:
            matrix = self.array.reshape(1, -1) if self.array.ndim < 2 else self.array
            yield (), matrix.astype(np.float64)
            return
        for index in np.ndindex(self.array.shape[:-2]):
            yield index, self.array[index].astype(np.float64)

    def draw(self, page):
        if not self.array.size:
            yield from comment([f"{self.name}  {self.brief}".strip(), _("no elements")], page)
            return
        shape = self.array.shape[-2:] if self.array.ndim > 1 else (1, self.array.size)
        room = max(page.height - 7, 4) if page.height else MOST_ROWS
        in_color = page.colors > 16 and page.unicode
        is_wide = 2 * shape[1] <= page.width and shape[0] <= room
        columns = page.width // 3 if not in_color else page.width // 2 if is_wide else page.width
        rows_a_line = 2 if in_color and not is_wide else 1
        lines = min(-(-shape[0] // rows_a_line), room)
        panels = [*islice(self.panels(), max(room // (lines + 2), 1))]
        small = [shrink(matrix, lines * rows_a_line, columns) for _index, matrix in panels]
        scale = largest(small)
        for number, ((index, _whole), matrix) in enumerate(zip(panels, small, strict=True)):
            yield "plain", "\n" * bool(number)
            if index:
                yield "header", f"[{', '.join(map(str, index))}]\n"
            yield from (
                self.draw_in_color(matrix, scale, page, is_wide) if in_color else self.draw_in_signs(matrix, scale)
            )
        yield from self.legend(page, scale, in_color)
        is_reduced = any(a is not b for a, (_index, b) in zip(small, panels, strict=True))
        remarks = [*self.remarks(in_color, len(panels), is_reduced)]
        if remarks:
            yield "plain", "\n"
            yield from comment(remarks, page)

    def draw_in_color(self, matrix, scale, page, is_wide):
        """Draw two columns per value if there is room, else two values above each other in each column."""
        colors = [[self.color(value, scale, page) for value in row] for row in matrix]
        if is_wide:
            for row in colors:
                for color in row:
                    yield Paint(ground=color), "  "
                yield "plain", "\n"
        else:
            for above, below in zip(colors[::2], [*colors[1::2], [None] * len(colors[0])], strict=False):
                for one, other in zip(above, below, strict=True):
                    yield Paint(one, other), "▀"
                yield "plain", "\n"

    def draw_in_signs(self, matrix, scale):
        """Draw a sign and a digit from 0 to 9 per value."""
        for row in matrix:
            yield "plain", " ".join(self.sign(value, scale) for value in row) + "\n"

    def color(self, value, scale, page):
        if math.isnan(value):
            return MISSING
        part = math.copysign(1.0, value) if math.isinf(value) else value / scale if scale else 0.0
        return signed_colour(part, page.is_dark)

    def sign(self, value, scale):
        """Return `+9` for the largest value, `-9` for its opposite, ` .` for zero."""
        if math.isnan(value):
            return "??"
        if value == 0:
            return " ."
        size = 9 if math.isinf(value) else round(9 * abs(value) / scale)
        return ("+" if value > 0 else "-") + str(size)

    def legend(self, page, scale, in_color):
        """Describe the picture, and its colours or digits."""
        about = f"{self.name}  {self.brief}".strip()
        most = describe.number(scale)
        words = _("+9 is {most}, -9 is -{most}, . is 0").format(most=most) if scale else _(". is 0")
        yield from comment([about], page)
        needed = (27 + 2 * len(most) if scale else 3) if in_color else cells(words)
        yield "note", "\n#   " if page.is_window and 4 + cells(about) + needed > page.width else "  " * bool(about)
        if not in_color:
            yield "note", words
            return
        if not scale:
            yield Paint(ground=signed_colour(0, page.is_dark)), " 0 "
            return
        yield "note", f"-{most} "
        for step in range(-5, 6):
            yield Paint(ground=signed_colour(step / 5, page.is_dark)), "  " if step else " 0 "
        yield "note", f" {most}"

    def remarks(self, in_color, panels, is_reduced):
        """Describe the values that are not shown exactly."""
        if is_reduced:
            yield _("each field is the mean of several values")
        if np.isnan(self.array).any():
            yield _("NaN is magenta") if in_color else _("NaN is ??")
        if np.isinf(self.array).any():
            yield _("infinity looks like the largest value")
        whole = math.prod(self.array.shape[:-2])
        if panels < whole:
            yield _("{shown} of {whole:,} matrices").format(shown=panels, whole=whole)


def largest(matrices):
    """Return the largest finite absolute value."""
    finite = [matrix[np.isfinite(matrix)] for matrix in matrices]
    return max((float(np.abs(part).max()) for part in finite if part.size), default=0.0)


def heat(input, name=""):
    """Show a matrix as a field of colours: blue below zero, orange above; without colours as signs and digits 0 to 9.

    Args:
        input: a matrix; a vector is shown as one row, more dimensions as the first few of their matrices.
        name: the name in the summary line.

    >>> import tensh
    >>> tensh.show.heat(tensh.tensor([[1., -1., 0.5], [0., 0.1, -0.4]]))
    +9 -9 +4
     . +1 -4
    # [2, 3] float32  +9 is 1, -9 is -1, . is 0
    """
    return Heat(input, name)
