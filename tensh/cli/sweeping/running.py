"""Runs in the process of a worker: one after another, each in a fresh world."""

import gc
import io
import pickle
import threading
from time import perf_counter
from typing import NamedTuple

from tensh.cli.process import status
from tensh.cli.process.environment import Environment
from tensh.cli.programs.isolation import fresh_world
from tensh.cli.programs.limits import TimeLimit
from tensh.cli.programs.options import Options, UsageError
from tensh.cli.programs.run import Run
from tensh.cli.render import failure as failures
from tensh.cli.sweeping.limits import limit_memory, limit_time
from tensh.cli.sweeping.medians import ABOVE, BELOW, Curve
from tensh.cli.sweeping.numbers import number_of
from tensh.support.language import _
from tensh.support.scalars import watching

LONGEST = 2**16  # characters kept of an output or an error: the last ones
TURN = threading.Lock()  # a world belongs to the process: runs of a worker with several threads take turns


class Job(NamedTuple):
    """The data that all runs of a sweep share: the pickled program, and the options of `tensh sweep`."""

    program: bytes
    report: tuple[str, ...] = ()
    time_limit: float | None = None
    memory_limit: float | None = None
    stop_below: str | None = None
    stop_above: str | None = None


def run_batch(job, runs, bounds):
    """Return runs with their results, made one after another; `bounds` are the medians of finished runs by step."""
    with TURN:
        return [run_one(job, run, bounds) for run in runs]


def run_one(job, run, bounds):
    """Return a run with its results."""
    begin = perf_counter()
    curve = Curve(job.stop_below or job.stop_above, BELOW if job.stop_below else ABOVE, bounds)
    recording = Recording(job, run, curve)
    recording.run_script()
    return run._replace(
        state="stopped" if curve.reason else "failed" if recording.error else "done",
        values=recording.values,
        curve=curve.points,
        output=recording.env.stdout.text,
        error=recording.error,
        seconds=perf_counter() - begin,
    )


class Tail(io.TextIOBase):
    """A stream that keeps the last characters written to it."""

    encoding = "utf-8"
    kept = ""

    def write(self, text):
        self.kept += text
        if len(self.kept) > 2 * LONGEST:
            self.kept = self.kept[-LONGEST:]
        return len(text)

    def writable(self):
        return True

    @property
    def text(self):
        """Return a text that can be stored: lone surrogates, which UTF-8 lacks, become escapes."""
        return storable(self.kept)


def storable(text):
    """Return the end of a text, as UTF-8 can hold it."""
    return text[-LONGEST:].encode("utf-8", "backslashreplace").decode()


class Recording(Run):
    """A run that keeps its output, the numbers in it, and its failure."""

    def __init__(self, job, run, curve):
        stream = Tail()
        options = Options(
            settings=[f"{name}={text}" for name, text in run.settings.items()],
            seed=run.seed,
            quiet=True,
            timeout=job.time_limit,
        )
        env = Environment(io.StringIO(), stream, stream, variables={}, color="never")
        super().__init__(env, options, pickle.loads(job.program))
        self.job, self.curve = job, curve
        self.values = {}
        self.error = ""

    def run_script(self):
        """Run all cells within the limits, and take the values at the end; keep the failure."""
        try:
            with (
                fresh_world("tensh"),
                self.env.install(),
                self.world(),
                limit_memory(self.job.memory_limit),
                limit_time(self.job.time_limit),
                watching(self.curve.watch),
            ):
                self.prepare()
                with self.ending():
                    self.run_cells()
                self.take_values()
        except TimeLimit:  # between two statements
            self.fail(_("stopped after {timeout:g} s").format(timeout=self.job.time_limit))
        except UsageError as error:
            self.fail(str(error))
        except MemoryError as error:  # in its limits our own code can lack it, too
            self.fail(str(error) or type(error).__name__)

    def run_cells(self):
        """Run the cells up to the first failure, and wait for the threads that they have started."""
        others = {*threading.enumerate()}
        all(map(self.run_cell, self.program.cells))
        for thread in {*threading.enumerate()} - others:
            if not thread.daemon:
                thread.join()

    def prepare(self):
        super().prepare()
        gc.unfreeze()  # a process of many runs: the garbage of each is collected

    def take_values(self):
        """Take the numbers that were asked for by name."""
        if self.status != status.OK and not self.error:
            self.fail(_("exited with status {status}").format(status=self.status))
        self.error = self.curve.reason or self.error
        last = {self.curve.name: [*self.curve.points.values()][-1]} if self.curve.points else {}
        self.values = last | self.values
        if not self.job.report or self.error:
            return
        self.values = last
        for name in self.job.report:
            if name not in self.session.namespace:
                self.fail(_("--report {name}: the script has no such name when it ends").format(name=name))
                return
            value = number_of(self.session.namespace[name])
            if value is None:
                self.fail(_("--report {name}: it is not a single number").format(name=name))
                return
            self.values[name] = value

    def fail(self, text):
        self.error = self.error or storable(text)

    # ── what happens ─────────────────────────────────────────────────────────

    def show_value(self, value, unit, may_raise):
        found = number_of(value)
        if found is not None:
            self.values[unit.text] = found
        return super().show_value(value, unit, may_raise)

    def show_failure(self, failure, may_raise):
        if not may_raise:
            self.fail("".join(text for _kind, text in failures.render_short(failure)))

    def show_stop(self, failure, words):
        self.fail("".join(text for _kind, text in failures.render_stop(failure, words)))

    def window(self):
        return None
