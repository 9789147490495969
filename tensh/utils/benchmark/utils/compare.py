"""Measurements as a table: a row for each sub-label, a column for each description."""

import enum
import math

from tensh.utils.benchmark.utils.common import Measurement, ordered_unique, select_unit, trim_sigfig, unit_to_english

__all__ = ["Colorize", "Compare"]

BOLD, END = "\033[1m", "\033[0m"
BEST, GOOD, BAD, VERY_BAD = "\033[92m" + BOLD, "\033[34m" + BOLD, "\033[2m\033[91m", "\033[31m" + BOLD
NOISY = "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n"


class Colorize(enum.Enum):
    """The times that a time is compared with, to choose its colour."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class Column:
    """The format of the times in a column: as many digits as its measurements are known to."""

    def __init__(self, results, size, trim, warnings):
        self.size, self.trim, self.warnings = size, trim, warnings and any(each.has_warnings for each in results)
        digits = [math.ceil(math.log10(each.median / size)) for each in results]
        known = (max(each.significant_figures - n, 0) for each, n in zip(results, digits, strict=True))
        self.decimals = min(known) if trim else 1
        self.width = max(digits) + self.decimals + (1 if self.decimals else 0)

    def text(self, result):
        """Return the time of a measurement in this column; blanks without one."""
        if result is None:
            return " " * len(self.format(1, ""))
        value = result.median / self.size
        spread = f" (! {result.iqr / result.median * 100:.0f}%)" if self.warnings and result.has_warnings else ""
        return self.format(trim_sigfig(value, result.significant_figures) if self.trim else value, spread)

    def format(self, value, spread):
        return f"{value:>{self.width}.{self.decimals}f}{spread:>{7 if self.warnings else 0}}"


def paint_time(text, value, best):
    """Return a time in the colour of its ratio to the best."""
    if value <= best * 1.01 or value <= best + 100e-9:
        return BEST + text + END * 2
    if value <= best * 1.1:
        return GOOD + text + END * 2
    if value >= best * 5:
        return VERY_BAD + text + END * 2
    return BAD + text + END * 2 if value >= best * 2 else text


class Table:
    """The table of the measurements of one label."""

    def __init__(self, results, colorize, trim_significant_figures, highlight_warnings):
        if len({each.label for each in results}) != 1:
            raise AssertionError("All results must share the same label")
        self.results, self.colorize, self.label = results, colorize, results[0].label
        self.warnings = highlight_warnings
        self.time_unit, self.time_scale = select_unit(min(each.median for each in results))
        self.row_keys = sorted(ordered_unique(map(self.row_fn, results)), key=lambda key: key[:2])
        self.column_keys = ordered_unique(map(self.col_fn, results))
        self.cells = {(self.row_fn(each), self.col_fn(each)): each for each in results}
        self.columns = [
            Column(
                [cell for row in self.row_keys if (cell := self.cells.get((row, name)))],
                self.time_scale,
                trim_significant_figures,
                highlight_warnings,
            )
            for name in self.column_keys
        ]

    @staticmethod
    def row_fn(m):
        """Return the key of a measurement's row."""
        return m.num_threads, m.env, m.as_row_name

    @staticmethod
    def col_fn(m):
        """Return the key of a measurement's column."""
        return m.description

    def best(self, row, column):
        """Return the time with which that of a cell is compared."""
        if self.colorize is Colorize.ROWWISE:
            rivals = [self.cells.get((row, name)) for name in self.column_keys]
        else:
            rivals = [self.cells.get((other, column)) for other in self.row_keys if other[0] == row[0]]
        return min(each.median for each in rivals if each is not None)

    def row_names(self):
        """Return the first column: the name of each row, with its environment where it changes."""
        environments = {each.env for each in self.results}
        width = max(map(len, environments)) + 4 if len(environments) > 1 else 4
        names, before = [], None
        for threads, env, name in self.row_keys:
            shown = f"({env})" if len(environments) > 1 and (threads, env) != before else ""
            names.append(f"  {shown.ljust(width)}{name}")
            before = threads, env
        return names

    def render(self):
        """Return the table as text."""
        names = self.row_names()
        texts = [
            [
                column.text(self.cells.get((row, key)))
                for key, column in zip(self.column_keys, self.columns, strict=True)
            ]
            for row in self.row_keys
        ]
        titles = [key or "" for key in self.column_keys]
        widths = [max(map(len, each)) for each in zip(titles, *texts, strict=True)]
        first = max(map(len, names))
        lines = ["  |  ".join([" " * first, *[t.center(w) for t, w in zip(titles, widths, strict=True)]])]
        width, threads = len(lines[0]), None
        for row, name, cells in zip(self.row_keys, names, texts, strict=True):
            if row[0] != threads:
                threads = row[0]
                lines.append(f"{threads} threads: ".ljust(width, "-"))
            shown = [
                self.shade(cell.center(w), row, key)
                for cell, w, key in zip(cells, widths, self.column_keys, strict=True)
            ]
            lines.append("  |  ".join([name.ljust(first), *shown]))
        title = f" {self.label or ''} ".center(width - 2, "-")
        noisy = NOISY if self.warnings and any(each.has_warnings for each in self.results) else ""
        unit = f"{unit_to_english(self.time_unit)}s ({self.time_unit})"
        return "\n".join([f"[{title}]", *lines, "", f"Times are in {unit}.", noisy])

    def shade(self, text, row, column):
        """Return a cell in its colour, if the table has colours."""
        result = self.cells.get((row, column))
        if self.colorize is Colorize.NONE or result is None:
            return text
        return paint_time(text, result.median, self.best(row, column))


class Compare:
    """A table of measurements: a row for each sub-label, a column for each description."""

    def __init__(self, results):
        self._results = []
        self.extend_results(results)
        self._trim_significant_figures = self._highlight_warnings = False
        self._colorize = Colorize.NONE

    def extend_results(self, results):
        """Add measurements; raise ValueError for anything else."""
        for each in results:
            if not isinstance(each, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(each)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self):
        """Show only the digits that are known."""
        self._trim_significant_figures = True

    def colorize(self, rowwise=False):
        """Show the best times in green and slow ones in red: of each column, or of each row."""
        self._colorize = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self):
        """Mark times that vary much."""
        self._highlight_warnings = True

    def __str__(self):
        groups = {}
        for each in Measurement.merge(self._results):
            groups.setdefault(each.label, []).append(each)
        options = self._colorize, self._trim_significant_figures, self._highlight_warnings
        return "\n".join(Table(group, *options).render() for group in groups.values())

    def print(self):
        """Print the table."""
        print(self)
