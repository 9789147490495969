"""Measurements of statements: their times, how much these vary, and numbers as people read them."""

import contextlib
import dataclasses
import math
import textwrap

import numpy as np

__all__ = [
    "Measurement", "TaskSpec", "ordered_unique", "select_unit", "set_torch_threads", "trim_sigfig", "unit_to_english",
]  # fmt: skip

MOST_DIGITS = 4
LEAST_INTERVAL = 25e-9  # shortest interval of confidence, in seconds
UNITS = {"s": ("second", 1), "ms": ("millisecond", 1e-3), "us": ("microsecond", 1e-6), "ns": ("nanosecond", 1e-9)}
WARNINGS = (  # the distance of the quartiles as a share of the median, and what that means
    (0.25, "This suggests significant environmental influence."),
    (0.1, "This could indicate system fluctuation."),
)


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """The description of a measurement: statement, setup and labels."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self):
        """The label, or the statement."""
        if self.label is None and "\n" in self.stmt:
            return f"stmt:{f' ({self.sub_label})' if self.sub_label else ''}\n{textwrap.indent(self.stmt, '  ')}"
        name = self.stmt if self.label is None else self.label
        return f"{name}: {self.sub_label}" if self.sub_label else name

    def setup_str(self):
        """Return the setup in printed form; "" if there is none."""
        if not self.setup or self.setup == "pass":
            return ""
        return f"setup:\n{textwrap.indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self):
        """Return the description as lines of the printed form of a measurement."""
        parts = (self.title, self.description or "", self.setup_str())
        return "\n".join(f"{part}\n" if "\n" in part else part for part in parts if part)


FIELDS = tuple(field.name for field in dataclasses.fields(TaskSpec))


@dataclasses.dataclass(init=True, repr=False)
class Measurement:
    """The times of a statement, in seconds."""

    number_per_run: int
    raw_times: list
    task_spec: TaskSpec
    metadata: dict | None = None

    def __getattr__(self, name):
        if name in FIELDS:
            return getattr(self.task_spec, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def times(self):
        """The seconds that one run took, in each measurement."""
        return [each / self.number_per_run for each in self.raw_times]

    def _quantile(self, share):
        return float(np.quantile(self.times, share)) if self.raw_times else -1.0

    median = property(lambda self: self._quantile(0.5), doc="The median of the times.")
    mean = property(lambda self: float(np.mean(self.times)) if self.raw_times else -1.0, doc="The mean of the times.")
    iqr = property(lambda self: self._quantile(0.75) - self._quantile(0.25), doc="The distance between the quartiles.")
    title = property(lambda self: self.task_spec.title, doc="The label, or the statement.")
    as_row_name = property(
        lambda self: self.sub_label or self.stmt or "[Unknown]", doc="The name of its row in a table."
    )

    @property
    def significant_figures(self):
        """An estimate of the number of digits that are known, from the times between the quartiles."""
        ordered, count = sorted(self.times), len(self.raw_times)
        middle = ordered[count // 4 : math.ceil(3 * count / 4)]
        interval = max(1.645 * float(np.std(middle)) / math.sqrt(len(middle)), LEAST_INTERVAL)
        return min(max(math.floor(math.log10(self.median / interval)), 1), MOST_DIGITS)

    def meets_confidence(self, threshold=0.1):
        """Return True if the distance between the quartiles is below this share of the median."""
        return self.iqr / self.median < threshold

    @property
    def warning(self):
        """A warning about times that vary much; None if they do not."""
        found = [words for threshold, words in WARNINGS if not self.meets_confidence(threshold)]
        if not self.raw_times or not found:
            return None
        share = self.iqr / self.median * 100
        return f"  WARNING: Interquartile range is {share:.1f}% of the median measurement.\n           {found[0]}"

    has_warnings = property(lambda self: self.warning is not None, doc="True if the times vary much.")

    def __repr__(self):
        count, unit = len(self.raw_times), select_unit(self.median)
        name, size = unit
        lines = [object.__repr__(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if count > 1 else ''}{self.median / size:.2f} {name}")
        if count > 3:
            low, high = (self._quantile(share) / size for share in (0.25, 0.75))
            lines.append(f"  IQR:    {self.iqr / size:.2f} {name} ({low:.2f} to {high:.2f})")
        runs = f"{self.number_per_run} runs {'per measurement,' if count > 1 else ','}"
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        lines.append(f"  {count} measurement{'s' if count > 1 else ''}, {runs} {threads}")
        return "\n".join(lines + [self.warning] * self.has_warnings)

    @staticmethod
    def merge(measurements):
        """Return one measurement for each task, of the times of all that measured it."""
        found = {}
        for each in measurements:
            found.setdefault(each.task_spec, []).extend(each.times)
        return [Measurement(1, times, spec) for spec, times in found.items()]


def select_unit(t):
    """Return the unit that a time is shown in: its name and its size in seconds."""
    power = math.log10(t) // 3 if t > 0 else -4
    name = {-3: "ns", -2: "us", -1: "ms"}.get(power, "s")
    return name, UNITS[name][1]


def unit_to_english(u):
    """Return the word for a unit.

    >>> from tensh.utils.benchmark import unit_to_english
    >>> unit_to_english("us")
    'microsecond'
    """
    return UNITS[u][0]


def trim_sigfig(x, n):
    """Round to ``n`` significant digits.

    >>> from tensh.utils.benchmark import trim_sigfig
    >>> trim_sigfig(31415.9, 2)
    31000.0
    """
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    scale = 10.0 ** (math.ceil(math.log10(abs(x))) - n)
    return float(np.float32(np.round(np.float32(x / scale))) * np.float32(scale))


def ordered_unique(elements):
    """Return the elements in order, each once."""
    return list(dict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n):
    """Compute with ``n`` threads inside a ``with`` statement."""
    from tensh import get_num_threads, set_num_threads

    before = get_num_threads()
    set_num_threads(n)
    try:
        yield
    finally:
        set_num_threads(before)
