"""torch.utils.benchmark: how long statements take, and tables that compare them."""

import math
import statistics
import sys
import timeit
from typing import NamedTuple

from tensh.engine.methods.unsupported import unsupported_lookup

LEAST_INTERVAL = 25e-9  # of confidence, in seconds
MOST_DIGITS = 4


class TaskSpec(NamedTuple):
    """The description of a measurement: statement, setup and labels."""

    stmt: str
    setup: str = "pass"
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self):
        """The label, or the statement."""
        name = self.label or self.stmt
        return f"{name}: {self.sub_label}" if self.sub_label else name


def select_unit(t):
    """(name, size in seconds) of the unit that a time is shown in."""
    return next(((name, size) for name, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)) if t >= size), ("ns", 1e-9))


class Measurement:
    """The times of a statement, in seconds for one run."""

    def __init__(self, number_per_run, raw_times, task_spec, metadata=None):
        self.number_per_run, self.raw_times, self.task_spec, self.metadata = (
            number_per_run,
            raw_times,
            task_spec,
            metadata,
        )

    def __getattr__(self, name):
        if name.startswith("__") or name not in TaskSpec._fields:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(self.task_spec, name)

    times = property(lambda self: [t / self.number_per_run for t in self.raw_times])
    median = property(lambda self: statistics.median(self.times))
    mean = property(lambda self: statistics.fmean(self.times))
    title = property(lambda self: self.task_spec.title)

    @property
    def iqr(self):
        """The distance between the quartiles."""
        if len(self.times) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.times, n=4, method="inclusive")
        return high - low

    @property
    def significant_figures(self):
        """An estimate of the number of digits that are known, from the times between the quartiles."""
        times, n = sorted(self.times), len(self.times)
        middle = times[n // 4 : math.ceil(3 * n / 4)]
        interval = max(1.645 * statistics.pstdev(middle) / math.sqrt(len(middle)), LEAST_INTERVAL)
        return min(max(math.floor(math.log10(self.median / interval)), 1), MOST_DIGITS)

    def meets_confidence(self, threshold=0.1):
        """True if the quartiles are nearer to one another than a share of the median."""
        return self.iqr / self.median < threshold

    has_warnings = property(lambda self: not self.meets_confidence())
    as_row_name = property(lambda self: self.sub_label or self.stmt or "[Unknown]")

    def __repr__(self):
        name, size = select_unit(self.median)
        spread = f"  IQR: {self.iqr / size:.2f} {name}\n" if len(self.times) > 3 else ""
        head = "Median" if len(self.times) > 1 else ""
        runs = "measurement" if len(self.times) == 1 else "measurements"
        setup = f"setup: {self.setup}\n" if self.setup not in ("pass", "") else ""
        threads = "thread" if self.num_threads == 1 else "threads"
        return (
            f"<{__name__.replace('tensh', 'torch', 1)}.Measurement object at {hex(id(self))}>\n{self.title}\n{setup}  "
            f"{head + ': ' if head else ''}{self.median / size:.2f} {name}\n{spread}  {len(self.times)} {runs}, "
            f"{self.number_per_run} runs {'per measurement, ' if len(self.times) > 1 else ', '}{self.num_threads} {threads}"
        )

    @staticmethod
    def merge(measurements):
        """One measurement for each task, of the times of all that measured it."""
        found = {}
        for each in measurements:
            found.setdefault(each.task_spec, []).append(each)
        return [Measurement(1, [t for each in group for t in each.times], spec) for spec, group in found.items()]


class Timer:
    """A timer of a statement.

    >>> import tensh as torch
    >>> from tensh.utils.benchmark import Timer
    >>> found = Timer("x + 1", globals={"x": torch.ones(4)}, label="add").timeit(10)
    >>> found.label, len(found.times), found.number_per_run
    ('add', 1, 10)
    """

    def __init__(self, stmt="pass", setup="pass", global_setup="", timer=timeit.default_timer, globals=None, label=None, sub_label=None, description=None, env=None, num_threads=1, language=None):  # fmt: skip
        if global_setup or language not in (None, "py", "python", 0):
            raise NotImplementedError("tensh measures only Python statements")
        self._spec = TaskSpec(stmt, setup, "", label, sub_label, description, env, num_threads)
        names = {"torch": sys.modules["tensh"], **(globals or {})}
        self._timer = timeit.Timer(stmt, setup, timer, names)

    def _measure(self, number, raw_times):
        return Measurement(number, raw_times, self._spec)

    def _run(self, number):
        from tensh import get_num_threads, set_num_threads

        before = get_num_threads()
        set_num_threads(self._spec.num_threads)
        try:
            return max(self._timer.timeit(number), 1e-9)
        finally:
            set_num_threads(before)

    def timeit(self, number=1000000):
        """One measurement of ``number`` runs."""
        self._run(max(number // 100, 1))
        return self._measure(number, [self._run(number)])

    def _block(self, min_run_time):
        number = 1
        while (took := self._run(number)) < min(min_run_time / 1000, 0.01) or took < 1e-5:
            number *= 10
        return number

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Measurements of so many runs that the clock does not matter, until a time has passed."""
        number, times = self._block(min_run_time), []
        while not times or sum(times) < min_run_time:
            times.append(self._run(number))
            if callback:
                callback(number, times[-1])
        return self._measure(number, times)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        """Measurements until their quartiles are near to one another, or a time has passed."""
        number, times = self._block(min_run_time), []
        while True:
            times.append(self._run(number))
            if callback:
                callback(number, times[-1])
            found = self._measure(number, times)
            settled = len(times) > 3 and found.iqr / found.median < threshold and sum(times) >= min_run_time
            if settled or sum(times) >= max_run_time:
                return found

    def collect_callgrind(self, *args, **options):
        """Refuse: there is no machine code of tensh's to count instructions of."""
        raise NotImplementedError("tensh has no callgrind: use timeit, blocked_autorange or adaptive_autorange")


class Compare:
    """A table of measurements: a row for each sub-label, a column for each description."""

    def __init__(self, results):
        self._results = list(results)
        self._trimmed = self._colored = self._highlight = False

    def extend_results(self, results):
        """Add measurements."""
        self._results.extend(results)

    def trim_significant_figures(self):
        """Show two digits."""
        self._trimmed = True

    def colorize(self, rowwise=False):
        """Do nothing: tables are plain text."""

    def highlight_warnings(self):
        """Do nothing: tables are plain text."""

    def __str__(self):
        merged = Measurement.merge(self._results)
        if not merged:
            return ""
        name, size = select_unit(min(each.median for each in merged))
        tables = []
        for label in dict.fromkeys(each.label or "" for each in merged):
            mine = [each for each in merged if (each.label or "") == label]
            columns = list(dict.fromkeys(each.description or "" for each in mine))
            first = max(len(each.sub_label or each.stmt) for each in mine) + 6
            widths = [max(len(c), 8) for c in columns]
            lines = [" " * first + "".join(f"  |  {c:>{w}}" for c, w in zip(columns, widths))]
            for threads in dict.fromkeys(each.num_threads for each in mine):
                lines.append(f"{threads} threads: ".ljust(len(lines[0]), "-"))
                for row in dict.fromkeys(each.sub_label or each.stmt for each in mine):
                    cells = {
                        e.description or "": e for e in mine if (e.sub_label or e.stmt, e.num_threads) == (row, threads)
                    }
                    digits = ".2g" if self._trimmed else ".1f"
                    shown = [f"{cells[c].median / size:{digits}}" if c in cells else "" for c in columns]
                    lines.append(f"      {row:<{first - 6}}" + "".join(f"  |  {v:>{w}}" for v, w in zip(shown, widths)))
            width = max(map(len, lines))
            title = f" {label} " if label else ""
            unit = {"s": "seconds (s)", "ms": "milliseconds (ms)", "us": "microseconds (us)", "ns": "nanoseconds (ns)"}[
                name
            ]
            tables.append("\n".join([f"[{title:-^{width - 2}}]", *lines, f"\nTimes are in {unit}.\n"]))
        return "\n".join(tables)

    def print(self):
        """Print the table."""
        print(self)


__getattr__ = unsupported_lookup("torch.utils.benchmark")
