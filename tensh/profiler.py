"""torch.profiler: count and time operations, in PyTorch's table."""

import contextlib
import enum
import sys
from time import perf_counter

from tensh.engine.errors.warnings import warn
from tensh.engine.methods.unsupported import unsupported_lookup

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

ProfilerActivity = enum.Enum("ProfilerActivity", "CPU XPU MTIA CUDA HPU PrivateUse1")
ProfilerActivity.__doc__ = "The kinds of activity that a profile times: the CPU."
ProfilerAction = enum.Enum("ProfilerAction", "NONE WARMUP RECORD RECORD_AND_SAVE", start=0)
ProfilerAction.__doc__ = "The action of a profile in a step, chosen by a ``schedule``."
_running = []


class record_function(contextlib.ContextDecorator):
    """A named part of a program, shown in a profile.

    >>> import tensh as torch
    >>> with torch.profiler.profile() as p:
    ...     with torch.profiler.record_function("twice"):
    ...         x = torch.ones(2) * 2
    >>> [(each.key, each.count) for each in p.key_averages() if each.key == "twice"]
    [('twice', 1)]
    """

    def __init__(self, name, args=None):
        self.name, self.args = name, args

    def _recreate_cm(self):
        return record_function(self.name, self.args)

    def __enter__(self):
        self._before = perf_counter()
        for each in _running:
            each._open.append(0.0)
        return self

    def __exit__(self, *error):
        took = (perf_counter() - self._before) * 1e6
        for each in _running:
            if each._open:
                each._add(self.name, took, took - each._open.pop())


class FunctionEventAvg:
    """The number of calls of a part and its time in µs, in total and without nested parts."""

    def __init__(self, key):
        self.key, self.count, self.cpu_time_total, self.self_cpu_time_total = key, 0, 0.0, 0.0

    @property
    def cpu_time(self):
        """The average time of a call in µs."""
        return self.cpu_time_total / self.count if self.count else 0.0

    cpu_time_str = property(lambda self: _time(self.cpu_time), doc="``cpu_time`` with its unit.")
    device_time_total = self_device_time_total = cuda_time_total = self_cuda_time_total = 0

    def __repr__(self):
        return f"<FunctionEventAvg key={self.key} self_cpu_time={_time(self.self_cpu_time_total)} cpu_time={self.cpu_time_str}>"


def _time(us):
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{us / size:.3f}{unit}"
    return f"{us:.3f}us"


class EventList(list):
    """The parts of a profile."""

    def table(
        self,
        sort_by=None,
        row_limit=100,
        max_src_column_width=75,
        max_name_column_width=55,
        header=None,
        top_level_events_only=False,
    ):
        """Format the parts as a table of times and counts."""
        rows = sorted(self, key=lambda each: -getattr(each, sort_by, 0)) if sort_by else list(self)
        whole = sum(each.self_cpu_time_total for each in self) or 1.0
        heads = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls"]
        lines = [
            [
                each.key[: max_name_column_width - 3] + "..." if len(each.key) > max_name_column_width else each.key,
                f"{100 * each.self_cpu_time_total / whole:.2f}%", _time(each.self_cpu_time_total),
                f"{100 * each.cpu_time_total / whole:.2f}%", _time(each.cpu_time_total), each.cpu_time_str, str(each.count),
            ]
            for each in rows[: row_limit if row_limit >= 0 else None]
        ]  # fmt: skip
        widths = [max(len(row[n]) for row in [heads, *lines]) + 2 for n in range(len(heads))]
        rule = "  ".join("-" * width for width in widths)
        body = ["  ".join(f"{word:>{width}}" for word, width in zip(row, widths)) for row in [heads, *lines]]
        return "\n".join([rule, body[0], rule, *body[1:], rule, f"Self CPU time total: {_time(whole)}", ""])

    def __str__(self):
        return self.table()


class profile:
    """A context that times operations, and parts named by ``record_function``."""

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False, with_stack=False, with_flops=False, with_modules=False, experimental_config=None, execution_trace_observer=None, acc_events=False, use_cuda=None, custom_trace_id_callback=None, **options):  # fmt: skip
        self.on_trace_ready, self.schedule, self.step_num = on_trace_ready, schedule, 0
        self._parts, self._open, self._calls = {}, [], []

    def _on_event(self, frame, event, argument):
        """Time the operations, which are generated functions; called by Python for every call."""
        code = frame.f_code
        if (
            event[:2] == "c_"
            or not code.co_filename.startswith("<tensh")
            or code.co_filename.startswith("<tensh guard")
            or code.co_name[0] == "<"
        ):
            return
        if event == "call":
            self._calls.append(perf_counter())
            self._open.append(0.0)
        elif event == "return" and self._calls and self._open:
            took = (perf_counter() - self._calls.pop()) * 1e6
            self._add(f"aten::{code.co_name.removesuffix('_operator')}", took, took - self._open.pop())

    def _add(self, name, total, own):
        part = self._parts.setdefault(name, FunctionEventAvg(name))
        part.count += 1
        part.cpu_time_total += total
        part.self_cpu_time_total += own
        if self._open:
            self._open[-1] += total

    def start(self):
        """Start profiling."""
        _running.append(self)
        sys.setprofile(self._on_event)

    def stop(self):
        """Stop profiling."""
        _running.remove(self)
        sys.setprofile(_running[-1]._on_event if _running else None)
        self._calls.clear()
        if self.on_trace_ready:
            self.on_trace_ready(self)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stop()

    def step(self):
        """Start the next step."""
        self.step_num += 1

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """Return the parts with their counts and times."""
        return EventList(self._parts.values())

    def events(self):
        """Return the parts."""
        return self.key_averages()

    function_events = property(events)

    def export_chrome_trace(self, path):
        """Write the parts as a trace for a browser, compressed if the name ends with ``.gz``."""
        import gzip
        import json
        import os

        from tensh.support.replacing import replace_file

        parts = [
            {"name": p.key, "ph": "X", "ts": 0, "dur": p.cpu_time_total, "pid": 0, "tid": 0}
            for p in self._parts.values()
        ]
        with replace_file(path) as file:
            text = json.dumps({"traceEvents": parts}).encode()
            file.write(gzip.compress(text) if os.fspath(path).endswith(".gz") else text)


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0, acc_events=False):
    """Return a function from the number of a step to what a profile does in it.

    After ``skip_first`` steps it waits ``wait`` steps, warms up ``warmup`` and records ``active``, ``repeat`` times, 0 for
    always; ``skip_first_wait`` leaves out the first wait.  Raise AssertionError for negative numbers, or none to record.

    >>> import tensh as torch
    >>> action = torch.profiler.schedule(wait=1, warmup=1, active=1)
    >>> [action(step).name for step in range(3)]
    ['NONE', 'WARMUP', 'RECORD_AND_SAVE']
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        warn("Profiler won't be using warmup, this can skew profiler results")

    def action(step):
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        step += (wait if skip_first_wait and step >= skip_first else 0) - skip_first
        length = wait + warmup + active
        if step < 0 or (repeat and step // length >= repeat) or step % length < wait:
            return ProfilerAction.NONE
        place = step % length
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False, use_python_export=False):
    """Return a function that writes a complete profile to a folder, creating it if necessary.

    The file is named after the worker (by default the machine and the process) and the time; ``use_gzip`` compresses it.
    """
    import os
    import socket
    import time

    def write(prof):
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        path = os.path.join(dir_name, f"{worker}.{time.time_ns()}.pt.trace.json")
        prof.export_chrome_trace(f"{path}.gz" if use_gzip else path)

    return write


def supported_activities():
    """Return the kinds of activity that can be profiled: the CPU."""
    return {ProfilerActivity.CPU}


def kineto_available():
    """Return False: tensh measures times itself."""
    return False


__getattr__ = unsupported_lookup("torch.profiler")
