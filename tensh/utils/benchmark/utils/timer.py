"""Timers of statements."""

import statistics
import sys
import textwrap
import timeit

from tensh.utils.benchmark.utils.common import Measurement, TaskSpec, set_torch_threads

__all__ = ["Timer", "timer"]

MOST_RUNS = 2147483647

timer = timeit.default_timer


class Timer:
    """A timer of a statement.

    >>> import tensh as torch
    >>> from tensh.utils.benchmark import Timer
    >>> found = Timer("x + 1", globals={"x": torch.ones(4)}, label="add").timeit(10)
    >>> found.label, len(found.times), found.number_per_run
    ('add', 1, 10)
    """

    _timer_cls = timeit.Timer

    def __init__(
        self, stmt="pass", setup="pass", global_setup="", timer=timer, globals=None, label=None, sub_label=None,
        description=None, env=None, num_threads=1, language="py",
    ):  # fmt: skip
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        names = dict(globals or {})
        if language in ("cpp", "c++"):
            raise NotImplementedError("tensh measures only Python statements")
        if language not in ("py", "python", 0):
            raise ValueError(f"Invalid language `{language}`.")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`."
            )
        names.setdefault("torch", sys.modules["tensh"])
        stmt, setup = outdent(stmt), outdent(setup)
        self._timer = self._timer_cls(stmt=stmt, setup=setup, timer=timer, globals=names)
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def _timeit(self, number):
        return max(self._timer.timeit(number), 1e-9)

    def timeit(self, number=1000000):
        """Return one measurement of ``number`` runs."""
        with set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(int(number // 100), 2))
            return Measurement(number, [self._timeit(number)], self._task_spec)

    def repeat(self, repeat=-1, number=-1):
        """Refuse: ``blocked_autorange`` repeats."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    autorange = repeat

    def _estimate_block_size(self, min_run_time):
        """Return so many runs that the clock does not matter."""
        with set_torch_threads(self._task_spec.num_threads):
            overhead, number = statistics.median(self._timeit(0) for _ in range(5)), 1
            while number * 10 <= MOST_RUNS:
                took = self._timeit(number)
                if took > min_run_time or overhead / took <= 1e-4 and took >= min_run_time / 1000:
                    break
                number *= 10
        return number

    def _measure(self, number, least, most, settled, callback):
        """Return measurements of ``number`` runs that take at least and at most so many seconds, until they are settled."""
        found = Measurement(number, [], self._task_spec)
        with set_torch_threads(self._task_spec.num_threads):
            while True:
                found.raw_times.append(self._timeit(number))
                if callback:
                    callback(number, found.raw_times[-1])
                total = sum(found.raw_times)
                if total > most or total >= least and settled(found):
                    return found

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Return measurements of so many runs that the clock does not matter, until a time has passed."""
        number = self._estimate_block_size(min_run_time)
        return self._measure(number, min_run_time, float("inf"), lambda found: True, callback)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        """Return measurements until their quartiles are near to one another, or a time has passed."""

        def settled(found):
            return len(found.raw_times) > 3 and found.meets_confidence(threshold)

        return self._measure(self._estimate_block_size(0.05), min_run_time, max_run_time, settled, callback)

    def collect_callgrind(self, *args, **options):
        """Refuse: there is no machine code of tensh's to count instructions of."""
        raise NotImplementedError("tensh has no callgrind: use timeit, blocked_autorange or adaptive_autorange")


def outdent(code):
    """Return code without common indentation and the line break at its start."""
    code = textwrap.dedent(code)
    return (code[1:] if code.startswith("\n") else code).rstrip()
