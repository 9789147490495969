"""The curves of values that `track` reads after each step of a loop, for `%watch` and event files."""

from numbers import Number
from time import time
from typing import NamedTuple

from tensh.support.language import _

MOST = 1 << 14  # points of a curve: of more, every second one is dropped

curves: dict = {}
"""Name of a value -> name of a loop -> its points."""


class Point(NamedTuple):
    """A value after a step."""

    step: int
    time: float
    value: float


def read_number(name, value):
    """Return a value that a function gave as a float.  Raise TypeError unless it is one real number."""
    try:
        number = value.item() if hasattr(value, "item") else value
        if isinstance(number, Number):
            return float(number)
    except (TypeError, ValueError, RuntimeError):  # complex, or of many elements, or none
        pass
    from tensh.show.reading.describe import brief

    kind = type(value).__name__
    given = brief(value)
    raise TypeError(
        _("track(): {name} must return a number, or a tensor of one, not {given}").format(
            name=name, given=kind if given is None else f"{kind} {given}"
        )
    )


class Values:
    """The values of one loop. `functions` return them; a `folder` gets event files, too.

    A loop of the same name replaces the curves of the one before.
    """

    def __init__(self, loop, functions, folder):
        for name, function in functions.items():
            if not callable(function):
                raise TypeError(
                    _(
                        "track(): {name} must be a function that returns a number, such as {name}=lambda: {name}, not {kind}"
                    ).format(name=name, kind=type(function).__name__)
                )
        self.functions, self.stride, self.writer = functions, 1, None
        self.points = {name: curves.setdefault(name, {}).setdefault(loop, []) for name in functions}
        for points in self.points.values():
            points.clear()
        if folder is not None:
            from tensh.utils.tensorboard import SummaryWriter

            self.writer = SummaryWriter(f"{folder}/{loop}", flush_secs=1)

    def read(self, step):
        """Read all values after a step."""
        if step % self.stride:
            return
        for name, function in self.functions.items():
            value = read_number(name, function())
            points = self.points[name]
            points.append(Point(step, time(), value))
            if self.writer is not None:
                self.writer.add_scalar(name, value, step)
        if self.points and len(points) >= MOST:
            for points in self.points.values():
                del points[::2]
            self.stride *= 2

    def describe(self):
        """Return the last values as text."""
        return "".join(f"  {name} {points[-1].value:.4g}" for name, points in self.points.items() if points)

    def close(self):
        """Finish the event file."""
        if self.writer is not None:
            self.writer.close()
