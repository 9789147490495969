"""`tensh watch`: show event files and sweeps while they grow, or write their values as CSV or JSON."""

import csv
import io
import time
from math import isfinite

from tensh.cli.process import status
from tensh.cli.programs.options import UsageError
from tensh.cli.render.console import Console
from tensh.cli.watching.event_files import Unreadable
from tensh.cli.watching.page import FolderView, choose, filter_names
from tensh.support.escaping import dumps, visible_line
from tensh.support.language import _

PAUSE = 1.0  # seconds between looks at the files
CLEAR = "\033[H\033[2J"


def watch(env, path, tag=None, once=False, as_csv=False, as_json=False):
    """Show the event files and sweeps below a folder, or in one file: once for a pipe, else until ^C.

    Raise UsageError if there is nothing to show.
    """
    try:
        view, console = FolderView(path, tag), Console(env)
        if as_csv or as_json:
            console.result([("plain", write_csv(view) if as_csv else write_json(view))])
            for error in dict.fromkeys(view.runs.errors.values()):
                message = _("tensh watch: {error}").format(error=visible_line(error))
                console.remark([("message", f"{message}\n")])
        else:
            show(view, env, console, once)
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
            if view.refresh() or page != shown:
                env.stdout.write(CLEAR)
                console.result(view.draw(page))
                shown = page
    except KeyboardInterrupt:
        env.stdout.write("\n")  # after the ^C that the terminal shows
        raise


def list_points(view):
    """Yield (run, tag, step, time, value) for all numbers; those of a sweep have its file as the run and no time."""
    for name, found in choose(view.runs.numbers, view.tag).items():
        for run, points in sorted(found.items()):
            for point in points:
                yield run, name, point.step, point.time, point.value
    for sweep, name, number, value in view.sweeps.list_values(lambda names: filter_names(names, view.tag)):
        yield sweep, name, number, None, value


def write_csv(view):
    """Format all numbers as CSV."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("run", "tag", "step", "time", "value"))
    writer.writerows(list_points(view))
    return file.getvalue()


def spell_out(number):
    """Return a number for JSON: nan and the infinities as strings."""
    return number if number is None or isfinite(number) else str(number)


def write_json(view):
    """Format all numbers and texts as lines of JSON."""
    numbers = [
        {"run": run, "tag": name, "step": step, "time": spell_out(at), "value": spell_out(value)}
        for run, name, step, at, value in list_points(view)
    ]
    texts = [
        {"run": run, "tag": name, "step": point.step, "time": spell_out(point.time), "text": point.value}
        for name, found in choose(view.runs.texts, view.tag).items()
        for run, points in sorted(found.items())
        for point in points
    ]
    lines = [dumps({"v": 1, "kind": "number"} | each) for each in numbers]
    lines += [dumps({"v": 1, "kind": "text"} | each) for each in texts]
    return "".join(f"{line}\n" for line in lines)
