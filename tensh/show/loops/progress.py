"""Progress of a long loop on stderr: a bar in a terminal, elsewhere a line for each tenth."""

import sys
from operator import length_hint
from time import perf_counter

from tensh.show.loops.tracked import Values
from tensh.support.escaping import visible_line
from tensh.support.language import _

DELAY = 0.5  # seconds before anything is shown
BETWEEN = 0.05  # seconds between updates of the bar
RARELY = 10.0  # seconds between lines if the length is unknown

style = "auto"  # a bar if stderr is a terminal that can draw one; `tensh run --quiet` sets it to "none"


def track(iterable, description="", total=None, *, folder=None, **values):
    """Yield the items of an iterable, while stderr shows the progress.

    Nothing is shown in the first half second. `total` is the number of items, for an iterable without a length. Other
    keywords are values to follow, each given as a function: `track(range(100), loss=lambda: loss)` reads the loss after
    each step, shows it beside the bar, and `%watch` draws its curve. With a `folder` the values are written there as
    event files, which `tensh watch FOLDER` follows. Raise TypeError for a value that is not a
    function, or whose function does not return a number.

    >>> from tensh.show import track
    >>> for epoch in track(range(3), "epochs", square=lambda: epoch ** 2):
    ...     print(epoch)
    0
    1
    2
    """
    return _track(iterable, description, total, Values(description or "loop", values, folder))


def _track(iterable, description, total, values):
    if total is None:
        total = length_hint(iterable, -1)
        total = None if total < 0 else total
    report = choose_reporter()(description, total)
    begun = perf_counter()
    next_look = begun + DELAY
    taken = 0
    try:
        for item in iterable:
            yield item
            taken += 1
            values.read(taken)
            now = perf_counter()
            if now >= next_look:
                report.show(taken, now - begun, values.describe())
                next_look = now + BETWEEN
        if next_look > begun + DELAY:
            report.show(taken, perf_counter() - begun, values.describe())
    finally:  # after `break` and ^C, too
        report.close()
        values.close()


def choose_reporter():
    """Return the class of the reporter: by `style`, otherwise by the kind of stderr."""
    chosen = style
    if chosen == "auto":
        chosen = "bar" if sys.stderr is not None and sys.stderr.isatty() and not is_dumb() else "lines"
    if chosen == "bar":
        from tensh.show.loops.bars import Bar

        return Bar
    return {"lines": Lines, "none": Silence}[chosen]


def is_dumb():
    """Return True if the terminal cannot move its cursor."""
    import os

    return os.environ.get("TERM") in ("dumb", "unknown")


class Silence:
    """Report nothing."""

    def __init__(self, description, total):
        pass

    def show(self, taken, seconds, values):
        pass

    def close(self):
        pass


class Lines:
    """Writes a line whenever another tenth is done."""

    def __init__(self, description, total):
        self.begin = f"{visible_line(description)}: " if description else ""
        self.total = total
        self.tenths = 0
        self.next_line = 0.0

    def show(self, taken, seconds, values):
        if self.total:
            tenths = 10 * taken // self.total
            if tenths > self.tenths:
                self.tenths = tenths
                self.say(
                    f"{10 * tenths:3} %  " + _("{taken} of {total}").format(taken=taken, total=self.total),
                    seconds,
                    values,
                )
        elif seconds >= self.next_line:
            self.next_line = seconds + RARELY
            self.say(str(taken), seconds, values)

    def say(self, text, seconds, values):
        if sys.stderr is not None:
            print(f"{self.begin}{text}  {seconds:.1f} s{values}", file=sys.stderr, flush=True)

    def close(self):
        pass
