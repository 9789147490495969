"""Profiles, as programs use them; counts and shapes are PyTorch's."""

import json

import pytest

import tensh as torch
from tensh.profiler import ProfilerActivity, profile, record_function, schedule

STEP = {
    "forward": 1, "aten::linear": 2, "aten::addmm": 2, "aten::relu": 1, "AddmmBackward0": 2, "ReluBackward0": 1,
    "SumBackward0": 1, "TBackward0": 2, "autograd::engine::evaluate_function: AddmmBackward0": 2,
    "torch::autograd::AccumulateGrad": 4, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad": 4,
    "Optimizer.step#SGD.step": 1, "Optimizer.zero_grad#SGD.zero_grad": 1,
}  # fmt: skip
SHAPES = {
    ("aten::linear", "[[8, 10], [20, 10], [20]]"),
    ("aten::linear", "[[8, 20], [5, 20], [5]]"),
    ("aten::relu", "[[8, 20]]"),
}


@pytest.fixture
def step():
    model = torch.nn.Sequential(torch.nn.Linear(10, 20), torch.nn.ReLU(), torch.nn.Linear(20, 5))
    optimizer, x = torch.optim.SGD(model.parameters(), 0.1), torch.randn(8, 10)

    def run():
        with record_function("forward"):
            y = model(x).sum()
        y.backward()
        optimizer.step()
        optimizer.zero_grad()

    run()
    return run


@pytest.mark.parametrize("cast", [False, True])
def test_events_of_a_training_step(step, cast):
    if cast:  # the region leaves functions around operators, which are no events
        with torch.autocast("cpu"):
            torch.nn.functional.linear(torch.ones(2, 2), torch.ones(2, 2))
    with profile(record_shapes=True, profile_memory=True, with_flops=True) as prof:
        step()
    counts = {each.key: each.count for each in prof.key_averages()}
    assert counts | STEP == counts
    averages = prof.key_averages(group_by_input_shape=True)
    assert {(each.key, str(each.input_shapes)) for each in averages} >= SHAPES
    whole = {each.key: each for each in prof.key_averages()}
    assert whole["aten::addmm"].cpu_memory_usage == 800 and whole["aten::addmm"].flops == 4800
    assert whole["aten::linear"].self_cpu_memory_usage == 0 < whole["aten::linear"].self_cpu_time_total
    event = next(each for each in prof.events() if each.name == "aten::addmm")
    assert event.cpu_parent.name == "aten::linear" and event in event.cpu_parent.cpu_children
    assert event.time_range.elapsed_us() == pytest.approx(event.cpu_time)
    table = averages.table(sort_by="self_cpu_memory_usage", row_limit=3)
    assert all(
        head in table for head in ("CPU Mem", "Self CPU Mem", "# of Calls", "Input Shapes", "Total KFLOPs", "640 B")
    )


def test_a_schedule_records_some_steps(step):
    ready = []
    with profile(
        schedule=schedule(wait=1, warmup=1, active=2, repeat=2),
        on_trace_ready=lambda prof: ready.append(
            (prof.step_num, [each.count for each in prof.key_averages() if each.key == "ProfilerStep*"])
        ),
    ) as prof:
        for _ in range(10):
            step()
            prof.step()
    assert ready == [(4, [2]), (8, [2])]


def test_traces_and_stacks_are_written(step, tmp_path):
    with profile(activities=[ProfilerActivity.CPU], with_stack=True) as prof:
        step()
    prof.add_metadata("run", "seven")
    prof.export_chrome_trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    event = next(each for each in trace["traceEvents"] if each["name"] == "aten::addmm")
    assert trace["run"] == "seven" and event["ph"] == "X" and event["cat"] == "cpu_op" and event["dur"] >= 0
    prof.export_stacks(tmp_path / "stacks.txt")
    assert "run" in (tmp_path / "stacks.txt").read_text()


MISTAKES = [
    (TypeError, "not iterable", lambda: profile(activities=3)),
    (AssertionError, "No valid profiler activities found", lambda: profile(activities=["cpu"])),
    (AssertionError, "Profiler must be initialized before getting key averages", lambda: profile().key_averages()),
    (AssertionError, "Profiler must be initialized before accessing events", lambda: profile().events()),
    (AssertionError, "before exporting chrome trace", lambda: profile().export_chrome_trace("x")),
    (TypeError, "unexpected keyword argument 'foo'", lambda: profile(foo=1)),
]


@pytest.mark.parametrize("kind, message, call", MISTAKES)
def test_invalid_settings_are_refused_with_pytorchs_words(kind, message, call):
    with pytest.raises(kind, match=message):
        call()


def test_a_column_that_is_none(step):
    with profile() as prof:
        step()
    with pytest.raises(AttributeError, match="'FunctionEventAvg' object has no attribute 'foo'"):
        prof.key_averages().table(sort_by="foo")
