"""Curves, drawn by uniplot: `plot`."""

import math
import re
from collections.abc import Callable
from itertools import cycle, islice
from typing import NamedTuple

import numpy as np

from tensh.show.drawing.page import View
from tensh.show.drawing.text import comment
from tensh.show.drawing.ticks import below, log_ticks, place_labels, ticks
from tensh.show.reading.values import array_of, is_complex
from tensh.support.language import _, count

# uniplot's curve colours in order -> escape sequence, kind of text
COLORS = {
    "blue": ("34", "bar"), "magenta": ("35", "attribute"), "cyan": ("36", "name"), "yellow": ("33", "warning"),
    "red": ("31", "trouble"),
}  # fmt: skip
KINDS = dict(COLORS.values())
ESCAPE = re.compile(r"\033\[([0-9;]*)m")


class MissingLibrary(ImportError):
    """Raised if uniplot is not installed."""


class Curves(View):
    """Series of points, with the scales of their axes."""

    def __init__(self, xs, ys, lines=True, logx=False, logy=False, name=""):
        self.name = name
        self.xs, self.ys = xs, ys
        self.lines, self.logx, self.logy = lines, logx, logy

    def draw(self, page):
        uniplot = library()
        seen = [(x, y) for x, y in zip(self.xs, self.ys, strict=True) if np.isfinite(x + y).any()]
        height = min(max((page.height or 24) - 9, 5), 17)
        across, up = bounds([x for x, _ in seen]), bounds([y for _, y in seen])
        text = uniplot.plot_to_string(
            ys=[y for _, y in seen], xs=[x for x, _ in seen], lines=self.lines, x_as_log=self.logx, y_as_log=self.logy, height=height,
            x_min=across[0], x_max=across[1], y_min=up[0], y_max=up[1],
            width=max(page.width - 14, 10), line_length_hard_cap=page.width,
            x_gridlines=[0.0] if any(np.nanmin(x) < 0 < np.nanmax(x) for x, _ in seen) else [],
            character_set="block" if page.unicode else "ascii",
            color=[*islice(cycle(COLORS), len(seen))] if page.colors else False,
        )  # fmt: skip
        text = label(text, height, scale(across, self.logx), scale(up, self.logy))
        if not page.unicode:
            text = text.translate(FRAME)
        kind = "plain"
        for place, piece in enumerate(ESCAPE.split("\n".join(line.rstrip() for line in text.rstrip("\n").split("\n")))):
            if place % 2:  # colour codes alternate with pieces of text
                kind = KINDS.get(piece, "plain")
            else:
                yield kind, piece
        yield "plain", "\n"
        yield from comment([*([self.name] if self.name else []), *self.remarks()], page)

    def remarks(self):
        yield _("{curves} of {points}").format(
            curves=count(len(self.ys), "curve"), points=count(max(map(len, self.ys)), "point")
        )
        missing = sum(int(np.isnan(x + y).sum()) for x, y in zip(self.xs, self.ys, strict=True))
        if missing:
            yield _("{count} left out").format(count=count(missing, "point"))


class Scale(NamedTuple):
    """An axis: its ends (their logarithms if it is logarithmic), and what computes its ticks."""

    low: float
    high: float
    ticks: Callable


def bounds(series):
    """Return the least and the greatest finite value, a little apart from each other; 1 and 10 if there is none."""
    if not series:
        return 1.0, 10.0
    low = min(float(np.nanmin(each)) for each in series)
    high = max(float(np.nanmax(each)) for each in series)
    return (low, high) if high > low else (low - (abs(low) / 2 or 1), high + (abs(high) / 2 or 1))


def scale(ends, is_log):
    """Return the Scale of an axis."""
    return Scale(*map(math.log10, ends), log_ticks) if is_log else Scale(*ends, ticks)


def label(text, height, across, up):
    """Return uniplot's drawing with the axes labelled anew: its own labels are rounded until they differ (0.5 becomes 0)."""
    head, *rows = text.rstrip("\n").split("\n")[: height + 2]
    texts = place_labels(up.ticks(up.low, up.high, max(height // 3, 2)), up.low, up.high, height)
    width = len(ESCAPE.sub("", head)) - 2
    rows = [f"{row.rpartition('│')[0]}│ {each}" for row, each in zip(rows, texts, strict=False)] + rows[height:]
    marks = across.ticks(across.low, across.high, max(width // 12, 2))
    return "\n".join([head, *rows, " " + below(marks, across.low, across.high, width)])


FRAME = str.maketrans("┌┐└┘─│┤├┬┴┼", "++++-|||+++")


def library():
    """Import uniplot; raise an error that tells how to install it."""
    try:
        import uniplot
    except ImportError:
        raise MissingLibrary(_("plot(): the library uniplot is not installed: pip install uniplot")) from None
    return uniplot


def plot(*series, lines=True, logx=False, logy=False, name=""):
    """Plot values against their indices, or against the values of another tensor.

    Args:
        series: ``y``, or ``x, y``. A two-dimensional ``y`` is plotted as one curve per column.
        lines: join the points.
        logx, logy: use a logarithmic axis.
        name: the name in the summary line.
    """
    if len(series) not in (1, 2):
        raise TypeError(_("plot(): expected y, or x and y, not {series} tensors").format(series=len(series)))
    *x, y = (as_floats(each) for each in series)
    ys = [y.reshape(-1)] if y.ndim < 2 else [*y.reshape(y.shape[0], -1).T]
    xs = [x[0].reshape(-1) if x else np.arange(len(each), dtype=np.float64) for each in ys]
    if len(xs[0]) != len(ys[0]):
        raise ValueError(_("plot(): x has {xs} values and y has {ys}").format(xs=len(xs[0]), ys=len(ys[0])))
    xs, ys = [keep_drawable(x, logx) for x in xs], [keep_drawable(y, logy) for y in ys]
    if not any(np.isfinite(x + y).any() for x, y in zip(xs, ys, strict=True)):
        raise ValueError(_("plot(): there are no values to draw"))
    library()
    return Curves(xs, ys, lines, logx, logy, name)


def keep_drawable(values, log):
    """Return the values, with NaN (a gap in the curve) for those outside of a logarithmic axis."""
    return np.where(np.isfinite(values) & ((values > 0) | (not log)), values, np.nan)


def as_floats(value):
    array = array_of(value)
    return np.abs(array.astype(np.complex128)) if is_complex(array) else array.astype(np.float64)
