"""A matrix as a field of colours, or of signs and digits: `heat`."""

import math

import numpy as np

from tensh.show import describe
from tensh.show.colors import MISSING, signed
from tensh.show.page import Paint, View
from tensh.show.shrinking import shrunk
from tensh.show.text import comment
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
        panels = [(index, matrix) for index, matrix in self.panels() if matrix.size]
        rows = max(min(page.height - 7, MOST_ROWS), 4) if page.height else MOST_ROWS
        in_color = page.colors > 16
        is_wide = all(2 * matrix.shape[1] <= page.width and len(matrix) <= rows for _, matrix in panels)
        room = (
            (rows, page.width // 3) if not in_color else (rows, page.width // 2) if is_wide else (2 * rows, page.width)
        )
        small = [shrunk(matrix, *room) for _, matrix in panels]
        scale = largest(small)
        for number, ((index, _), matrix) in enumerate(zip(panels, small, strict=True)):
            yield "plain", "\n" * bool(number)
            if index:
                yield "header", f"[{', '.join(map(str, index))}]\n"
            yield from self.in_color(matrix, scale, page, is_wide) if in_color else self.in_signs(matrix, scale)
        yield from self.legend(page, scale)
        is_reduced = any(a is not b for a, (_, b) in zip(small, panels, strict=True))
        remarks = [*self.remarks(page, len(panels), is_reduced)]
        if remarks:
            yield "plain", "\n"
            yield from comment(remarks, page)

    def in_color(self, matrix, scale, page, is_wide):
        """Two columns for a value where there is room, else two values one above the other in each column."""
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

    def in_signs(self, matrix, scale):
        """A sign and a digit from 0 to 9 for each value."""
        for row in matrix:
            yield "plain", " ".join(self.sign(value, scale) for value in row) + "\n"

    def color(self, value, scale, page):
        if math.isnan(value):
            return MISSING
        return signed(value / scale if scale else 0.0, page.is_dark)

    def sign(self, value, scale):
        """`+9` for the largest, `-9` for its opposite, ` .` for zero."""
        if math.isnan(value):
            return "??"
        if value == 0 or not scale:
            return " ."
        size = 9 if math.isinf(value) else round(9 * abs(value) / scale)
        return ("+" if value > 0 else "-") + str(size)

    def legend(self, page, scale):
        """What was drawn, and what the colours or digits mean."""
        yield "note", "# " + f"{self.name}  {self.brief}".strip() + "  " * bool(self.brief)
        most = describe.number(scale)
        if page.colors > 16:
            yield "note", f"-{most} "
            for step in range(-5, 6):
                yield Paint(ground=signed(step / 5, page.is_dark)), "  " if step else " 0 "
            yield "note", f" {most}"
        else:
            yield "note", f"+9 is {most}, -9 is -{most}, . is 0"

    def remarks(self, page, panels, is_reduced):
        """What is not shown as it is."""
        if is_reduced:
            yield "each field is the mean of several values"
        if np.isnan(self.array).any():
            yield "NaN is magenta" if page.colors > 16 else "NaN is ??"
        whole = math.prod(self.array.shape[:-2])
        if panels < whole:
            yield f"{panels} of {whole} matrices"


def largest(matrices):
    """The largest absolute value that is finite."""
    finite = [matrix[np.isfinite(matrix)] for matrix in matrices]
    return max((float(np.abs(part).max()) for part in finite if part.size), default=0.0)


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
