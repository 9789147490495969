"""Progress bars of `track` in a terminal."""

import sys

from rich import progress
from rich.console import Console

from tensh.support.escaping import visible_line
from tensh.support.language import _


class Bar:
    """A bar of Rich. Nested loops share one display, created when the first of them is shown."""

    display = None
    running = []  # the bars of all running loops, outermost first

    def __init__(self, description, total):
        self.description = description
        self.total = total
        self.task = None
        Bar.running.append(self)

    def show(self, taken, seconds, values):
        if Bar.display is None:
            Bar.display = new_display()
            Bar.display.start()
        for bar in Bar.running:
            if bar.task is None:
                bar.task = Bar.display.add_task(visible_line(bar.description), total=bar.total)
        Bar.display.update(self.task, completed=taken, description=visible_line(self.description + values).strip())

    def close(self):
        Bar.running.remove(self)
        if Bar.display is None:
            return
        if Bar.running:
            if self.task is not None:
                Bar.display.remove_task(self.task)  # the inner loop may run again
            return
        Bar.display.stop()
        Bar.display = None


def new_display():
    """Return a display of bars on stderr, above which output of the loop appears."""
    columns = (
        progress.TextColumn("{task.description}", markup=False), progress.BarColumn(), progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(), progress.TextColumn(_("left")), progress.TimeRemainingColumn(),
    )  # fmt: skip
    above = sys.stdout is not None and sys.stdout.isatty()
    return progress.Progress(*columns, console=Console(file=sys.stderr), redirect_stdout=above)
