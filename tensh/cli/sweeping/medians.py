"""Early stopping: a run that is worse than the median of those before it, at the same step, is stopped."""

from math import isnan
from statistics import median

from tensh.support.language import _

FEWEST = 3  # finished runs at a step before others are stopped there
MOST_STEPS = 100_000  # steps kept of a run
BELOW, ABOVE = "below", "above"  # the side of the median that is worse


class Worse(KeyboardInterrupt):
    """Raised in a run that is stopped early."""


class Curve:
    """The numbers that a run reports under a name, by step; ``bounds`` maps steps to the medians of other runs."""

    def __init__(self, name, side, bounds):
        self.name, self.side, self.bounds = name, side, bounds
        self.points = {}
        self.reason = ""  # why the run was stopped

    def watch(self, name, number, step):
        """Keep a number; raise Worse if it is on the wrong side of the median. The default step is the number of the call."""
        if name != self.name:
            return
        step, number = len(self.points) if step is None else int(step), float(number)
        if len(self.points) < MOST_STEPS:
            self.points[step] = number
        bound = self.bounds.get(step)
        if bound is None or (number >= bound if self.side == BELOW else number <= bound):
            return
        if isnan(number):
            text = _("{name} is nan at step {step}, where the median is {bound:.6g}")
        elif self.side == BELOW:
            text = _("{name} is {number:.6g} at step {step}, below the median {bound:.6g}")
        else:
            text = _("{name} is {number:.6g} at step {step}, above the median {bound:.6g}")
        self.reason = text.format(name=self.name, number=number, step=step, bound=bound)
        raise Worse


class Medians:
    """The numbers of finished runs by step, and their medians.

    A nan does not count, and a median of nan, as that of the two infinities, stops no run.
    """

    def __init__(self):
        self.found, self.bounds = {}, {}

    def add(self, runs):
        """Take what finished runs reported."""
        for run in runs:
            for step, number in run.curve.items() if run.state == "done" else ():
                if isnan(number):
                    continue
                numbers = self.found.setdefault(step, [])
                numbers.append(number)
                if len(numbers) >= FEWEST:
                    self.bounds[step] = median(numbers)
                    if isnan(self.bounds[step]):
                        del self.bounds[step]
