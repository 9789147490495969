"""The files of sweeps that `tensh watch` finds, read again whenever they have grown."""

import contextlib
import os
from collections import Counter

from tensh.cli.programs.options import UsageError
from tensh.cli.sweeping import reading
from tensh.cli.sweeping.showing import choose_value, make_table, plot, rank, setting_names, usual_sort, value_names
from tensh.cli.watching.event_files import find_files
from tensh.show.drawing.table import Table
from tensh.support.language import _

ENDINGS = (".sqlite", ".sqlite3", ".db")  # files that are opened to see whether they belong to a sweep
MOST = 10  # rows of a table


class Sweeps:
    """The sweeps below a folder, or the one in a file: path -> its runs, or the error that says why it cannot be read."""

    def __init__(self, path):
        self.path, self.seen = path, {}
        self.facts, self.runs, self.errors = {}, {}, {}

    def refresh(self):
        """Read the files that have changed; return True if there are any."""
        found = dict(self.list_files())
        before, self.seen = self.seen, found
        for path in before.keys() - found.keys():
            self.runs.pop(path, None)
            self.errors.pop(path, None)
        for path in found:
            if found[path] != before.get(path):
                self.read(path)
        return found != before

    def list_files(self):
        """Yield (path, time and size) of the sweep files found."""
        for path in find_files(self.path):
            if (path == self.path or path.endswith(ENDINGS)) and reading.is_table(path):
                with contextlib.suppress(OSError):  # deleted meanwhile
                    status = os.stat(path)
                    yield path, (status.st_mtime_ns, status.st_size)

    def read(self, path):
        """Read a file; keep what was read before if a sweep is in the middle of writing."""
        try:
            self.facts[path], self.runs[path] = reading.read(path)
            self.errors.pop(path, None)
        except UsageError as error:
            self.errors[path] = str(error)

    def list_values(self, choose):
        """Yield (path, name, number of the run, value) for the values whose names ``choose`` keeps."""
        for path, runs in sorted(self.runs.items()):
            for run in runs:
                for name in choose(run.values):
                    yield self.name(path), name, run.id, run.values[name]

    def name(self, path):
        """Return a path from the folder that is watched."""
        return os.path.relpath(path, self.path) if os.path.isdir(self.path) else os.path.basename(path)

    def draw(self, choose):
        """Yield a plot and a table for each sweep; ``choose`` keeps the names of values that are asked for."""
        for path, runs in sorted(self.runs.items()):
            names = choose(value_names(runs))
            if not names and value_names(runs):
                continue
            usual = usual_sort(self.facts[path], runs) or ""
            sort = usual if usual.removeprefix("-") in names else next(iter(names), None)
            value, descending = choose_value(runs, sort)
            if names:
                yield from plot_first(runs, value)
            best = sorted(runs, key=lambda run, value=value, descending=descending: rank(run, value, descending))
            yield make_table(best, MOST, f"{self.name(path)}: {summarize(runs)}", is_running=True)
        for path, error in sorted(self.errors.items()):
            if path not in self.runs:
                yield Table((self.name(path),), [(error,)])


def plot_first(runs, value):
    """Yield the plot of a value over the first parameter that takes several numbers."""
    for name in setting_names(runs):
        with contextlib.suppress(ValueError):
            curves = plot(runs, name, value)
            if curves is not None and len({*curves.xs[0].tolist()}) > 1:
                yield curves
                return


def summarize(runs):
    """Count the runs by what has become of them."""
    states = Counter(run.state for run in runs)
    words = {
        "done": _("done"),
        "failed": _("failed"),
        "stopped": _("stopped early"),
        "running": _("running"),
        "waiting": _("waiting"),
    }
    parts = [f"{states[state]:,} {word}" for state, word in words.items() if states[state]]
    return ", ".join(parts) or _("no runs")
