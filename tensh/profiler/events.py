"""The measurements of a profile: events, their averages, and the table of both."""

import enum
from functools import cached_property
from typing import NamedTuple

from tensh.profiler.table import format_time, write_table

DeviceType = enum.Enum("DeviceType", "CPU CUDA", start=0)
DeviceType.__doc__ = "The kinds of devices on which events happen: the CPU."


class Interval(NamedTuple):
    """A time range in microseconds since the start of the profile."""

    __module__ = "torch.autograd.profiler_util"

    start: float
    end: float

    def elapsed_us(self):
        """Its length."""
        return self.end - self.start


class OnNoDevice:
    """The times and memory of accelerators: none."""

    device_time = cuda_time = 0.0
    device_time_total = self_device_time_total = cuda_time_total = self_cuda_time_total = 0
    device_memory_usage = self_device_memory_usage = 0
    device_type = DeviceType.CPU
    is_async = is_remote = is_legacy = False
    node_id, use_device, overload_name = -1, None, ""
    cpu_time_str = property(lambda self: format_time(self.cpu_time), doc="``cpu_time`` with its unit.")
    cpu_time_total_str = property(
        lambda self: format_time(self.cpu_time_total), doc="``cpu_time_total`` with its unit."
    )
    self_cpu_time_total_str = property(
        lambda self: format_time(self.self_cpu_time_total), doc="``self_cpu_time_total`` with its unit."
    )


class FunctionEvent(OnNoDevice):
    """One call of an operator, of a derivative, or of a part named by ``record_function``."""

    __module__ = "torch.autograd.profiler_util"
    count = thread = 1

    def __init__(self, number, name, start, category="cpu_op", shapes=(), stack=()):
        self.id, self.name, self.trace_name = number, name, name
        self.key = "ProfilerStep*" if name.startswith("ProfilerStep#") else name
        self.start, self.end, self.category = start, start, category
        self.input_shapes, self.stack = list(shapes), list(stack)
        self.cpu_children, self.cpu_parent, self.kernels = [], None, []
        self.cpu_memory_usage = self.flops = 0
        self.sequence_nr, self.scope, self.fwd_thread = -1, 0, None
        self.is_user_annotation = category == "user_annotation"

    @property
    def time_range(self):
        """Its begin and end."""
        return Interval(self.start, self.end)

    @property
    def cpu_time_total(self):
        """Its time in microseconds."""
        return self.end - self.start

    cpu_time = cpu_time_total

    @property
    def self_cpu_time_total(self):
        """Its time without that of the events inside."""
        return self.cpu_time_total - sum(each.cpu_time_total for each in self.cpu_children)

    @property
    def self_cpu_memory_usage(self):
        """The bytes that it has taken, without those of the events inside."""
        return self.cpu_memory_usage - sum(each.cpu_memory_usage for each in self.cpu_children)

    def __repr__(self):
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} start_us={self.start:.3f} "
            f"end_us={self.end:.3f} cpu_children={[each.id for each in self.cpu_children]} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage}>"
        )


class FunctionEventAvg(OnNoDevice):
    """The number of calls of a part and its time in microseconds, in total and without nested parts."""

    __module__ = "torch.autograd.profiler_util"

    def __init__(self, key=None, shapes=None, stack=()):
        self.key, self.input_shapes, self.stack = key, list(shapes) if shapes is not None else "", list(stack)
        self.count = self.cpu_memory_usage = self.self_cpu_memory_usage = self.flops = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0

    def add(self, other):
        """Add an event, or another average."""
        for name in SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    @property
    def cpu_time(self):
        """The average time of a call in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    def __repr__(self):
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} "
            f" self_cuda_time=0.000us cuda_time=0.000us input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} cuda_memory_usage=0>"
        )


SUMMED = "count cpu_time_total self_cpu_time_total cpu_memory_usage self_cpu_memory_usage flops".split()


class EventList(list):
    """The events of a profile, or their averages."""

    __module__ = "torch.autograd.profiler_util"

    def __init__(self, events=(), profile_memory=False, with_flops=False):
        super().__init__(events)
        self.profile_memory, self.with_flops = profile_memory, with_flops

    @property
    def self_cpu_time_total(self):
        """The time of all events, each counted once."""
        return sum(each.self_cpu_time_total for each in self)

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
        """Return the averages of events with the same name (and shapes, and innermost lines of the stack)."""
        found = {}
        for each in self:
            shapes = str(each.input_shapes) if group_by_input_shapes else ""
            lines = tuple(each.stack[:group_by_stack_n])
            key = each.key, shapes, lines
            if key not in found:
                found[key] = FunctionEventAvg(each.key, each.input_shapes if group_by_input_shapes else None, lines)
            found[key].add(each)
        return EventList(found.values(), self.profile_memory, self.with_flops)

    def total_average(self):
        """Return the average of all events."""
        total = FunctionEventAvg("Total")
        for each in self:
            total.add(each)
        return total

    def table(
        self,
        sort_by=None,
        row_limit=100,
        max_src_column_width=75,
        max_name_column_width=55,
        max_shapes_column_width=80,
        header=None,
        top_level_events_only=False,
        time_unit=None,
    ):
        """Format the events as a table of times and counts, and of memory, shapes and lines where they were recorded."""
        return write_table(
            self, self.profile_memory, self.with_flops, sort_by, header, row_limit,
            (max_name_column_width, max_shapes_column_width, max_src_column_width), top_level_events_only, time_unit,
        )  # fmt: skip

    def __str__(self):
        return self.table()

    def export_chrome_trace(self, path):
        """Write the events as a trace for a browser, compressed if the name ends with ``.gz``."""
        write_trace(self, path, {})

    @cached_property
    def stacks(self):
        """Return the events that have a stack."""
        return [each for each in self if each.stack]

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Write a line for each event: the lines of its stack from the outermost on, and its time as a whole number."""
        from tensh.support.replacing import replace_file

        lines = []
        for each in self.stacks:
            value = int(getattr(each, metric))
            if value > 0:
                names = [line.translate(str.maketrans(" ;\t\n", "____")) for line in reversed(each.stack)]
                lines.append(f"{';'.join(names)} {value}\n")
        with replace_file(path) as file:
            file.write("".join(lines).encode())


def write_trace(events, path, facts):
    """Write events as a trace for a browser, with further entries beside them."""
    import gzip
    import json
    import os

    from tensh.support.replacing import replace_file

    process = os.getpid()
    described = [
        {
            "ph": "X", "cat": each.category, "name": each.name, "pid": process, "tid": process, "ts": round(each.start, 3),
            "dur": round(each.cpu_time_total, 3),
            "args": {"External id": each.id} | ({"Input Dims": each.input_shapes} if each.input_shapes else {})
            | ({"Bytes": each.cpu_memory_usage} if each.cpu_memory_usage else {}),
        }
        for each in events
    ]  # fmt: skip
    named = {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "ts": 0, "args": {"name": "python"}}
    text = json.dumps(
        {"schemaVersion": 1, **facts, "displayTimeUnit": "ms", "traceEvents": [named, *described]}
    ).encode()
    with replace_file(path) as file:
        file.write(gzip.compress(text) if os.fspath(path).endswith(".gz") else text)
