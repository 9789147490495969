"""The page of a folder: curves, last values, histograms, images and texts of event files, and the runs of sweeps."""

from fnmatch import fnmatchcase

import numpy as np

from tensh.cli.watching.event_files import Runs, Unreadable, decode_image
from tensh.cli.watching.sweeps import Sweeps
from tensh.show.drawing.blocks import sparkline
from tensh.show.drawing.page import View
from tensh.show.drawing.table import Table
from tensh.show.drawing.text import shorten, shorten_middle, wrap_lines
from tensh.show.loops.tracked import curves
from tensh.show.pictures.curves import Curves
from tensh.show.pictures.picture import image
from tensh.support.escaping import visible, visible_line
from tensh.support.language import _

LONGEST_NAME = 80  # columns of a tag or a run
CURVES, IMAGES = 3, 2  # drawn if no tag is requested
BARS = 40  # bars of a histogram
MOST_COUNTED = 2.0**60  # largest count of one bar: counts stay within int64


def choose(table, tag):
    """Return the tags of a table that match a pattern, in order."""
    return {name: table[name] for name in sorted(filter_names(table, tag))}


def filter_names(names, tag):
    """Return the names that match a pattern."""
    return [name for name in names if tag is None or fnmatchcase(name, tag)]


def short(name):
    """Shorten the name of a tag or a run for display."""
    return shorten(name, LONGEST_NAME)


class FolderView(View):
    """The page of what is below a folder, or in one file, restricted to tags that match a pattern.

    Raise Unreadable where no file can be read.
    """

    def __init__(self, path, tag=None):
        self.path, self.tag = path, tag
        self.runs, self.sweeps = Runs(path), Sweeps(path)
        self.refresh()
        if not (any(self.runs.places.values()) or self.sweeps.seen):
            for error in self.runs.errors.values():
                raise Unreadable(error)

    def refresh(self):
        """Read what is new; return True if there is anything."""
        changed = self.runs.refresh()
        return self.sweeps.refresh() or changed

    def draw(self, page):
        views = [
            *draw_numbers(self.runs.numbers, self.tag),
            *self.draw_histograms(page),
            *self.draw_images(),
            *self.draw_sweeps(),
            *[Table((), (), notes=[visible_line(error)]) for error in dict.fromkeys(self.runs.errors.values())],
        ]
        tokens = [pair for view in views for pair in (*view.draw(page), ("plain", "\n\n"))]
        tokens += [*self.write_hint(), *self.write_texts()]
        nothing = _("no numbers, histograms, images, texts or sweeps in {path}").format(path=self.path)
        return tokens or [("plain", f"{nothing}\n")]

    def draw_sweeps(self):
        """Draw the best runs of each sweep, and their values over a parameter."""
        return self.sweeps.draw(lambda names: filter_names(names, self.tag))

    def draw_histograms(self, page):
        """Draw the last histogram of each run as bars."""
        for name, found in choose(self.runs.histograms, self.tag).items():
            last = [(run, points[-1]) for run, points in sorted(found.items())]
            rows = [
                (short(run), step, sparkline(rebin(value), page.unicode), limits_of(value))
                for run, (step, _time, value) in last
            ]
            yield Table((_("run"), _("step"), _("histogram"), _("limits")), rows, title=short(name))

    def draw_images(self):
        """Draw the last image of each run, for the first tags or all requested ones."""
        for name, found in [*choose(self.runs.images, self.tag).items()][: None if self.tag else IMAGES]:
            for run, points in sorted(found.items()):
                title, array = f"{short(name)} ({short(run)}, {points[-1].step})", decode_image(points[-1].value)
                unread = Table((title,), [(_("an image that cannot be read"),)])
                yield unread if array is None else image(array, visible_line(title))

    def write_hint(self):
        """Note that there are more images than shown."""
        if not self.tag and len(self.runs.images) > IMAGES:
            yield (
                "note",
                "# "
                + _("{tags} tags have images: choose with --tag PATTERN").format(tags=len(self.runs.images))
                + "\n\n",
            )

    def write_texts(self):
        """Write the last text of each run."""
        for name, found in choose(self.runs.texts, self.tag).items():
            for run, points in sorted(found.items()):
                yield "name", f"{short(name)} ({short(run)}, {points[-1].step})"
                yield "plain", f"\n{visible(shorten_middle(points[-1].value))}\n\n"


def draw_numbers(table, tag):
    """Draw curves of the first tags, or of all requested ones, and a table of all."""
    numbers = choose(table, tag)
    drawn = [draw_curves(*each) for each in [*numbers.items()][: None if tag else CURVES]]
    notes = (
        [_("{tags} tags have curves: choose with --tag PATTERN").format(tags=len(numbers))]
        if len(drawn) < len(numbers)
        else []
    )
    rows = [
        (short(name), short(run), points[-1].step)
        + tuple(f"{value:.6g}" for value in (points[-1].value, least(points), most(points)))
        for name, found in numbers.items()
        for run, points in sorted(found.items())
    ]
    columns = _("tag"), _("run"), _("step"), _("last"), _("least"), _("largest")
    return [*drawn, Table(columns, rows, notes=notes)] if rows else []


def finite(points):
    return [point.value for point in points if np.isfinite(point.value)] or [float("nan")]


def least(points):
    """Return the smallest finite value."""
    return min(finite(points))


def most(points):
    """Return the largest finite value."""
    return max(finite(points))


def draw_curves(tag, found):
    """Draw the values of all runs over their steps."""
    series = [points for _, points in sorted(found.items())]
    xs = [np.array([point.step for point in points], float) for points in series]
    ys = [np.array([point.value for point in points], float) for points in series]
    return Curves(xs, ys, name=f"{short(tag)}: {short(', '.join(sorted(found)))}")


def rebin(histogram):
    """Redistribute the counts of a histogram to bars of equal width between its first and last limit."""
    limits, counts = np.nan_to_num(histogram.limits), np.clip(np.nan_to_num(histogram.counts), 0, MOST_COUNTED)
    low, high = limits[0], limits[-1]
    if len(limits) > 1 and low < high:
        part = np.linspace(0, 1, BARS + 1)
        below = np.interp(low * (1 - part) + high * part, limits, np.cumsum(counts))
        counts = np.ceil(np.diff(below))
    return np.clip(counts, 0, MOST_COUNTED).astype(int).tolist()


def limits_of(histogram):
    """Format the first and the last limit."""
    return f"{histogram.limits[0]:.3g} ... {histogram.limits[-1]:.3g}"


TRACKING = "for step in tensh.show.track(range(100), loss=lambda: loss):"


class TrackedView(View):
    """The page of the values that `track` has read in this process."""

    def __init__(self, tag=None):
        self.tag = tag

    def draw(self, page):
        found = {name: {loop: points for loop, points in loops.items() if points} for name, loops in curves.items()}
        views = draw_numbers({name: loops for name, loops in found.items() if loops}, self.tag)
        if views:
            return [pair for view in views for pair in (*view.draw(page), ("plain", "\n\n"))]
        nothing = wrap_lines(_("no loop has tracked a value; this one tracks the loss:"), page.width)
        return [("plain", "\n".join(nothing) + "\n"), ("code", TRACKING)]
