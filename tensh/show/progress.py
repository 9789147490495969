"""Progress of a long loop on stderr: a bar in a terminal, elsewhere a line for each tenth."""

import sys
from operator import length_hint
from time import perf_counter

from tensh.support.escaping import visible_line
from tensh.support.language import _

DELAY = 0.5  # seconds before anything is shown
BETWEEN = 0.05  # seconds between updates of the bar
RARELY = 10.0  # seconds between lines if the length is unknown

style = "auto"  # a bar if stderr is a terminal that can draw one; `tensh run --quiet` sets it to "none"


def track(iterable, description="", total=None):
    """Yield the items of an iterable, while stderr shows the progress.

    Nothing is shown in the first half second. `total` is the number of items, for an iterable without a length.

    >>> from tensh.show import track
    >>> for epoch in track(range(3), "epochs"):
    ...     print(epoch)
    0
    1
    2
    """
    if total is None:
        total = length_hint(iterable, -1)
        total = None if total < 0 else total
    report = reporter()(description, total)
    begun = perf_counter()
    next_look = begun + DELAY
    taken = 0
    try:
        for item in iterable:
            yield item
            taken += 1
            now = perf_counter()
            if now >= next_look:
                report.show(taken, now - begun)
                next_look = now + BETWEEN
        if next_look > begun + DELAY:
            report.show(taken, perf_counter() - begun)
    finally:  # after `break` and ^C, too
        report.close()


def reporter():
    """Return the class of the reporter: by `style`, otherwise by the kind of stderr."""
    chosen = style
    if chosen == "auto":
        chosen = "bar" if sys.stderr is not None and sys.stderr.isatty() and not is_dumb() else "lines"
    if chosen == "bar":
        from tensh.show.bars import Bar

        return Bar
    return {"lines": Lines, "none": Silence}[chosen]


def is_dumb():
    """True if the terminal cannot move its cursor."""
    import os

    return os.environ.get("TERM") in ("dumb", "unknown")


class Silence:
    """Report nothing."""

    def __init__(self, description, total):
        pass

    def show(self, taken, seconds):
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

    def show(self, taken, seconds):
        if self.total:
            tenths = 10 * taken // self.total
            if tenths > self.tenths:
                self.tenths = tenths
                self.say(
                    f"{10 * tenths:3} %  " + _("{taken} of {total}").format(taken=taken, total=self.total), seconds
                )
        elif seconds >= self.next_line:
            self.next_line = seconds + RARELY
            self.say(str(taken), seconds)

    def say(self, text, seconds):
        if sys.stderr is not None:
            print(f"{self.begin}{text}  {seconds:.1f} s", file=sys.stderr, flush=True)

    def close(self):
        pass
