"""What `tensh watch` shows: curves, last values, histograms and texts, again and again while files grow."""

import csv
import io
import time
from fnmatch import fnmatchcase
from math import isfinite

import numpy as np

from tensh.cli import status
from tensh.cli.event_files.reading import Runs
from tensh.cli.render.console import Console
from tensh.escaping import dumps, visible
from tensh.language import _
from tensh.show.blocks import sparkline
from tensh.show.curves import Curves
from tensh.show.table import Table
from tensh.show.text import shorten, shorten_middle

LONGEST_NAME = 80  # columns of a tag or a run
PAUSE = 1.0  # seconds between looks at the files
CURVES = 3  # that are drawn where no tag is asked for
BARS = 40  # columns of a histogram
MOST_COUNTED = 2.0**60  # that are in one of them: what fits into whole numbers
CLEAR = "\033[H\033[2J"


def watch(env, folder, tag=None, once=False, as_csv=False, as_json=False):
    """Show the event files below a folder: once for a pipe, else until ^C."""
    runs, console = Runs(folder), Console(env)
    runs.refresh()
    if as_csv or as_json:
        console.result([("plain", write_csv(runs, tag) if as_csv else write_json(runs, tag))])
        return status.OK
    show(runs, console, tag)
    while not once and env.is_terminal(env.stdout):
        time.sleep(PAUSE)
        if runs.refresh():
            env.stdout.write(CLEAR)
            show(runs, console, tag)
    return status.OK


def choose(table, tag):
    """The tags of a table that fit a pattern, in their order."""
    return {name: table[name] for name in sorted(table) if tag is None or fnmatchcase(name, tag)}


def short(name):
    """The name of a tag or a run as a window holds it."""
    return shorten(name, LONGEST_NAME)


def show(runs, console, tag):
    """Write the page of all runs."""
    page = console.page()
    numbers = choose(runs.numbers, tag)
    views = [
        draw_curves(name, found) for name, found in (list(numbers.items()) if tag else [*numbers.items()][:CURVES])
    ]
    notes = []
    if len(views) < len(numbers):
        notes = [_("curves of {tags}: --tag PATTERN").format(tags=len(numbers))]
    if numbers:
        rows = [
            (
                short(name),
                short(run),
                points[-1].step,
                f"{points[-1].value:.6g}",
                f"{least(points):.6g}",
                f"{most(points):.6g}",
            )
            for name, found in numbers.items()
            for run, points in sorted(found.items())
        ]
        columns = _("tag"), _("run"), _("step"), _("last"), _("least"), _("largest")
        views.append(Table(columns, rows, notes=notes))
    for name, found in choose(runs.histograms, tag).items():
        rows = [
            (
                short(run),
                points[-1].step,
                sparkline(spread(points[-1].value), page.unicode),
                limits_of(points[-1].value),
            )
            for run, points in sorted(found.items())
        ]
        views.append(Table((_("run"), _("step"), _("histogram"), _("limits")), rows, title=short(name)))
    tokens = [pair for view in views for pair in (*view.draw(page), ("plain", "\n\n"))]
    for name, found in choose(runs.texts, tag).items():
        for run, points in sorted(found.items()):
            tokens += [
                ("name", f"{short(name)} ({short(run)}, {points[-1].step})"),
                ("plain", f"\n{visible(shorten_middle(points[-1].value))}\n\n"),
            ]
    console.result(
        tokens or [("plain", _("no numbers, histograms or texts in {path}").format(path=runs.folder) + "\n")]
    )


def finite(points):
    return [point.value for point in points if np.isfinite(point.value)] or [float("nan")]


def least(points):
    """The smallest value that is finite."""
    return min(finite(points))


def most(points):
    """The largest value that is finite."""
    return max(finite(points))


def draw_curves(tag, found):
    """The values of all runs over their steps."""
    series = [points for _, points in sorted(found.items())]
    xs = [np.array([point.step for point in points], float) for points in series]
    ys = [np.array([point.value for point in points], float) for points in series]
    return Curves(xs, ys, name=f"{short(tag)}: {short(', '.join(sorted(found)))}")


def spread(histogram):
    """The counts of a histogram over bars of equal width, between its first and last limit."""
    limits, counts = np.nan_to_num(histogram.limits), np.clip(np.nan_to_num(histogram.counts), 0, MOST_COUNTED)
    low, high = limits[0], limits[-1]
    if len(limits) > 1 and low < high:
        part = np.linspace(0, 1, BARS + 1)
        below = np.interp(low * (1 - part) + high * part, limits, np.cumsum(counts))
        counts = np.ceil(np.diff(below))
    return np.clip(counts, 0, MOST_COUNTED).astype(int).tolist()


def limits_of(histogram):
    """The first and the last limit as text."""
    return f"{histogram.limits[0]:.3g} ... {histogram.limits[-1]:.3g}"


def list_points(runs, tag):
    """(run, tag, step, time, value) of all numbers."""
    for name, found in choose(runs.numbers, tag).items():
        for run, points in sorted(found.items()):
            for point in points:
                yield run, name, point.step, point.time, point.value


def write_csv(runs, tag):
    """All numbers as lines with commas."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("run", "tag", "step", "time", "value"))
    writer.writerows(list_points(runs, tag))
    return file.getvalue()


def spell_out(number):
    """A number as JSON has it: nan and the infinities are texts."""
    return number if isfinite(number) else str(number)


def write_json(runs, tag):
    """All numbers, histograms and texts, as an object on each line."""
    numbers = [
        {"run": run, "tag": name, "step": step, "time": spell_out(at), "value": spell_out(value)}
        for run, name, step, at, value in list_points(runs, tag)
    ]
    texts = [
        {"run": run, "tag": name, "step": point.step, "time": spell_out(point.time), "text": point.value}
        for name, found in choose(runs.texts, tag).items()
        for run, points in sorted(found.items())
        for point in points
    ]
    lines = [dumps({"v": 1, "kind": "number"} | each) for each in numbers]
    lines += [dumps({"v": 1, "kind": "text"} | each) for each in texts]
    return "".join(f"{line}\n" for line in lines)
