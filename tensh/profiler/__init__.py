"""torch.profiler: count and time operations, in PyTorch's table."""

import contextlib
import enum
import sys

from tensh.engine.errors.warnings import warn
from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.profiler.events import EventList, FunctionEventAvg, write_trace  # noqa: F401  libraries import it

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

ProfilerActivity = enum.Enum("ProfilerActivity", "CPU XPU MTIA CUDA HPU PrivateUse1", start=0)
ProfilerActivity.__doc__ = "The kinds of activity that a profile times: the CPU."
ProfilerAction = enum.Enum("ProfilerAction", "NONE WARMUP RECORD RECORD_AND_SAVE DEVICE_STOPPED", start=0)
ProfilerAction.__doc__ = "The action of a profile in a step, chosen by a ``schedule``."
RECORDING = ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE
_running = []
"""Recorders that record, the last of which hears of calls."""


def stop_recorder(recorder):
    """Stop a recorder; the one that was started before it hears of calls again."""
    if recorder in _running:
        _running.remove(recorder)
    sys.setprofile(_running[-1].on_call if _running else None)
    recorder.stop()


def _profiler_enabled():
    """Return True while a profile records."""
    return bool(_running)


def _disable_profiler():
    """Stop the profile that was started last; raise RuntimeError if there is none."""
    if not _running:
        raise RuntimeError("Can't disable Kineto profiler when it's not running")
    stop_recorder(_running[-1])


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
        self._events = [(each, each.enter(self.name, "user_annotation")) for each in list(_running)]
        return self

    def __exit__(self, *error):
        for recorder, event in self._events:
            recorder.leave(event)


class profile:
    """A context that times operations, and parts named by ``record_function``.

    Args:
        schedule: a function from the number of a step to a ``ProfilerAction``; without one, all is recorded.
        on_trace_ready: a function of the profile, called whenever a recording is complete.
        record_shapes, profile_memory, with_stack, with_flops: record the sizes of arguments, the bytes of results, the
            lines of the program, and the operations of matrix products.

    Raise AssertionError for activities that are none.

    >>> import tensh as torch
    >>> x = torch.ones(2, 3)
    >>> with torch.profiler.profile(record_shapes=True) as p:
    ...     y = x + 1
    >>> [(each.name, each.input_shapes) for each in p.events()]
    [('aten::add', [[2, 3], []])]
    """

    def __init__(
        self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
        with_stack=False, with_flops=False, with_modules=False, experimental_config=None,
        execution_trace_observer=None, acc_events=False, use_cuda=None, custom_trace_id_callback=None,
        post_processing_timeout_s=None,
    ):  # fmt: skip
        self.activities = set(activities) if activities else supported_activities()
        if not any(each in ProfilerActivity for each in self.activities if isinstance(each, ProfilerActivity)):
            raise AssertionError("No valid profiler activities found")
        self.on_trace_ready, self.schedule, self.acc_events = on_trace_ready, schedule, acc_events
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.with_flops, self.with_modules, self.metadata = with_flops, with_modules, {}
        self.step_num, self.current_action = 0, self._choose(0)
        self._recorder, self._step, self._kept = None, None, []

    def _choose(self, step):
        return (self.schedule or _default_schedule_fn)(step)

    def _record(self):
        from tensh.profiler.recording import Recorder

        if self._recorder is not None and self.acc_events:
            self._kept += self._recorder.events
        self._recorder = Recorder(self.record_shapes, self.profile_memory, self.with_stack, self.with_flops)
        _running.append(self._recorder)
        self._recorder.start()

    def _end(self):
        stop_recorder(self._recorder)

    def start(self):
        """Start profiling."""
        if self.current_action in RECORDING:
            self._record()
        self._begin_step()

    def stop(self):
        """Stop profiling."""
        self._end_step()
        if self.current_action in RECORDING:
            self._end()
            if self.on_trace_ready:
                self.on_trace_ready(self)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stop()

    def _begin_step(self):
        if self.schedule:
            self._step = record_function(f"ProfilerStep#{self.step_num}").__enter__()

    def _end_step(self):
        if self._step:
            self._step.__exit__()
            self._step = None

    def step(self):
        """Start the next step, which the schedule may begin to record, or no longer record."""
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self._choose(self.step_num)
        if before in RECORDING and (before is ProfilerAction.RECORD_AND_SAVE or self.current_action not in RECORDING):
            self._end()
            if before is ProfilerAction.RECORD_AND_SAVE and self.on_trace_ready:
                self.on_trace_ready(self)
            before = ProfilerAction.NONE
        if before not in RECORDING and self.current_action in RECORDING:
            self._record()
        self._begin_step()

    def _require_events(self, purpose):
        if self._recorder is None:
            raise AssertionError(f"Profiler must be initialized before {purpose}")
        return EventList([*self._kept, *self._recorder.events], self.profile_memory, self.with_flops)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """Return the averages of events with the same name."""
        return self._require_events("getting key averages").key_averages(group_by_input_shape, group_by_stack_n)

    def events(self):
        """Return the events, in the order in which they began."""
        return self._require_events("accessing events")

    function_events = property(events)

    def export_chrome_trace(self, path):
        """Write the events as a trace for a browser, compressed if the name ends with ``.gz``."""
        events = self._require_events("exporting chrome trace")
        facts = {
            name: int(getattr(self, name)) for name in ("record_shapes", "profile_memory", "with_stack", "with_flops")
        }
        write_trace(events, path, facts | self.metadata)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Write the stacks of events with their times, for tools that draw them."""
        self._require_events("exporting stacks").export_stacks(path, metric)

    def add_metadata(self, key, value):
        """Add a text to the trace."""
        self.metadata[key] = value

    def add_metadata_json(self, key, value):
        """Add a value, described by JSON, to the trace."""
        import json

        self.metadata[key] = json.loads(value)

    preset_metadata_json = add_metadata_json

    def toggle_collection_dynamic(self, enable, activities):
        """Continue or pause recording."""
        if self._recorder is not None:
            sys.setprofile(self._recorder.on_call if enable else None)


def _default_schedule_fn(step):
    """Record every step."""
    return ProfilerAction.RECORD


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

    def schedule_fn(step):
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

    return schedule_fn


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
    """Return True: profiles have everything that programs expect of PyTorch's, which a library of this name measures."""
    return True


__getattr__ = unsupported_lookup("torch.profiler")
