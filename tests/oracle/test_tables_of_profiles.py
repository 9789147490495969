"""Tables of profiles have PyTorch's layout: PyTorch's function, given the same events, writes the same text."""

import pytest

from tensh.profiler.events import EventList, FunctionEventAvg
from tensh.profiler.table import write_table

profiler_util = pytest.importorskip("torch.autograd.profiler_util")

EVENTS = (  # key, calls, time, time without nested parts, bytes, FLOPs, shapes, stack
    ("aten::addmm", 3, 1234.5, 1000.25, 2048, 4800, [[4, 8], [8, 2], []], ["model.py(12): forward", "x" * 100]),
    ("aten::relu", 1, 20.125, 20.125, -16, 0, [[4, 8]], []),
    ("a part with a name of more than fifty characters, so that it is cut", 1, 2.5e6, 2.4e6, 3 << 30, 0, [], []),
    ("ProfilerStep*", 2, 0.0, 0.0, 0, 64, [[1000] * 30], ["train.py(1): <module>"]),
)
SETTINGS = [
    {},
    {"sort_by": "cpu_time_total", "row_limit": 2},
    {"sort_by": "self_cuda_time_total", "header": "A title"},
    {"time_unit": "ms", "top_level_events_only": True},
    {"max_name_column_width": 12, "max_shapes_column_width": 20, "max_src_column_width": 10},
    {"max_name_column_width": None, "max_shapes_column_width": None, "max_src_column_width": None},
]


def make_events(shapes, stacks):
    events = []
    for key, count, time, own, memory, flops, sizes, stack in EVENTS:
        event = FunctionEventAvg(key, sizes if shapes else None, stack if stacks else ())
        event.count, event.cpu_time_total, event.self_cpu_time_total, event.flops = count, time, own, flops
        event.cpu_memory_usage = event.self_cpu_memory_usage = memory
        event.cpu_parent = None
        events.append(event)
    return events


@pytest.mark.parametrize("stacks", [False, True])
@pytest.mark.parametrize("shapes", [False, True])
@pytest.mark.parametrize("memory, flops", [(False, False), (True, True)])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_tables_are_those_of_pytorch(settings, memory, flops, shapes, stacks):
    events = make_events(shapes, stacks)
    expected = profiler_util._build_table(events, profile_memory=memory, with_flops=flops, **settings)
    assert EventList(events, memory, flops).table(**settings) == expected


def test_no_time():
    events = [FunctionEventAvg("idle")]
    assert write_table(events, False, False, None, None, -1, (55, 80, 75)) == profiler_util._build_table(
        events, row_limit=-1
    )
    assert EventList().table() == profiler_util._build_table([])
