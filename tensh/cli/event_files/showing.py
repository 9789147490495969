"""`tensh watch`: show event files while they grow, or write their values as CSV or JSON."""

import csv
import io
import time
from math import isfinite

from tensh.cli.event_files.page import RunsView, choose
from tensh.cli.event_files.reading import Runs, Unreadable
from tensh.cli.process import status
from tensh.cli.programs.options import UsageError
from tensh.cli.render.console import Console
from tensh.support.escaping import dumps
from tensh.support.language import _

PAUSE = 1.0  # seconds between looks at the files
CLEAR = "\033[H\033[2J"


def watch(env, folder, tag=None, once=False, as_csv=False, as_json=False):
    """Show the event files below a folder: once for a pipe, else until ^C.

    Raise UsageError if there is nothing to show.
    """
    try:
        runs, console = Runs(folder), Console(env)
        runs.refresh()
        if as_csv or as_json:
            console.result([("plain", write_csv(runs, tag) if as_csv else write_json(runs, tag))])
        else:
            show(RunsView(runs, tag), env, console, once)
    except Unreadable as error:
        raise UsageError(_("tensh watch: {error}").format(error=error)) from None
    return status.OK


def show(view, env, console, once):
    """Show a page, and redraw it when there is new data, or when the window has another size."""
    shown = console.page()
    console.result(view.draw(shown))
    try:
        while not once and env.is_terminal(env.stdout):
            time.sleep(PAUSE)
            page = console.page()
            if view.runs.refresh() or page != shown:
                env.stdout.write(CLEAR)
                console.result(view.draw(page))
                shown = page
    except KeyboardInterrupt:
        env.stdout.write("\n")  # behind the ^C that the terminal shows
        raise


def list_points(runs, tag):
    """Yield (run, tag, step, time, value) for all numbers."""
    for name, found in choose(runs.numbers, tag).items():
        for run, points in sorted(found.items()):
            for point in points:
                yield run, name, point.step, point.time, point.value


def write_csv(runs, tag):
    """Format all numbers as CSV."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("run", "tag", "step", "time", "value"))
    writer.writerows(list_points(runs, tag))
    return file.getvalue()


def spell_out(number):
    """Return a number for JSON: nan and the infinities as strings."""
    return number if isfinite(number) else str(number)


def write_json(runs, tag):
    """Format all numbers and texts as lines of JSON."""
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
