"""torch.distributed.pipelining: models in stages compute what one process does."""

import importlib
import itertools
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

import tensh as torch
from tensh import nn
from tensh.distributed.pipelining import (
    PipelineStage,
    Schedule1F1B,
    ScheduleDualPipeV,
    ScheduleGPipe,
    ScheduleInterleaved1F1B,
    ScheduleInterleavedZeroBubble,
    ScheduleLoopedBFS,
    ScheduleZBVZeroBubble,
    SplitPoint,
    pipeline,
)
from tensh.distributed.pipelining.microbatch import TensorChunkSpec, merge_chunks, split_args_kwargs_into_chunks
from tensh.distributed.pipelining.schedules import get_schedule_class
from tests.distributed.pipelines import alone, loss_of, make_layers
from tests.support.project import ROOT

dist, CPU = torch.distributed, torch.device("cpu")


@pytest.fixture
def group():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.skipif(find_spec("mpi4py") is None, reason="mpi4py is not installed")
@pytest.mark.parametrize("size", [2, 4])
def test_schedules_in_several_processes_equal_one_process(size, tmp_path):
    command = [
        sys.executable,
        "-m",
        "tensh",
        "launch",
        "-n",
        str(size),
        "tests/distributed/pipelines.py",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=100)
    assert done.returncode == 0, done.stderr
    assert [(tmp_path / f"{rank}.txt").read_text() for rank in range(size)] == [""] * size


MULTI = {
    ScheduleLoopedBFS: 3, ScheduleInterleaved1F1B: 3, ScheduleInterleavedZeroBubble: 3, ScheduleZBVZeroBubble: 2, ScheduleDualPipeV: 2,
}  # fmt: skip
"""Schedule -> the number of stages in one process."""


@pytest.mark.parametrize("kind", MULTI)
def test_all_stages_in_one_process(kind, group):
    count = MULTI[kind]
    layers, x, y = make_layers(count), torch.randn(8, 6), torch.randn(8, 6)
    losses, gradients = alone(layers, x, y, 4)
    stages = [PipelineStage(layer, number, count, CPU) for number, layer in enumerate(layers)]
    found = []
    result = kind(stages, 4, loss_fn=loss_of).step(x, target=y, losses=found)
    assert torch.allclose(result, nn.Sequential(*layers)(x)) and torch.allclose(
        torch.stack(found), torch.tensor(losses)
    )
    for expected, p in zip(gradients, nn.Sequential(*layers).parameters(), strict=True):
        assert torch.allclose(p.grad, expected, atol=1e-6)


class Place:
    """What a schedule asks of a stage, for either library."""

    has_backward, group, device, submod = True, None, CPU, None

    def __init__(self, index, count, rank, size):
        self.stage_index, self.num_stages, self.group_rank, self.group_size = index, count, rank, size
        self.is_first, self.is_last = index == 0, index == count - 1


@pytest.mark.parametrize("name", [kind.__name__ for kind in MULTI if kind is not ScheduleLoopedBFS])
def test_orders_of_several_stages_are_pytorchs(oracle, name):
    schedules = importlib.import_module("torch.distributed.pipelining.schedules")
    ours, theirs = getattr(torch.distributed.pipelining, name), getattr(schedules, name)
    tried = 0
    for size, count, each in itertools.product(range(1, 5), range(1, 11), (2, 3)):
        for rank in range(size):
            turns = name in ("ScheduleZBVZeroBubble", "ScheduleDualPipeV")
            own = [rank, 2 * size - 1 - rank] if turns else [rank + size * n for n in range(each)]
            stages = [Place(index, len(own) * size, rank, size) for index in own]
            try:
                wanted = theirs(stages, count, loss_fn=loss_of).pipeline_order[rank]
            except ValueError as error:
                with pytest.raises(ValueError, match=re.escape(str(error))):
                    ours(stages, count, loss_fn=loss_of)
                continue
            found = [(stage.stage_index, kind, number) for stage, number, kind in ours(stages, count, loss_of).order()]
            text = " ".join(str(action) for action in wanted if action is not None)
            assert found == [(int(a), b, int(c)) for a, b, c in re.findall(r"(\d+)([FBIW])(\d+)", text)]
            tried += 1
    assert tried > 50


def test_orders_of_passes(group):
    stage = PipelineStage(nn.Identity(), 0, 1, CPU)
    stage.num_stages = 3
    orders = {
        kind: "".join(f"{one.lower()}{number}" for _, number, one in kind(stage, 4, loss_of).order())
        for kind in (ScheduleGPipe, Schedule1F1B)
    }
    assert orders == {ScheduleGPipe: "f0f1f2f3b0b1b2b3", Schedule1F1B: "f0f1f2b0f3b1b2b3"}
    with pytest.raises(ValueError, match="Number of microbatches \\(2\\) must be greater"):
        Schedule1F1B(stage, 2, loss_of)


def test_a_model_is_taken_apart_where_it_says(group):
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ReLU(), nn.Linear(3, 1)).eval()
    x = torch.randn(4, 2)
    pipe = pipeline(model, (x[:2],), split_spec={"0": SplitPoint.END, "3": SplitPoint.BEGINNING})
    names = [[name for name, _ in pipe.get_stage_module(n).named_parameters()] for n in range(pipe.num_stages)]
    assert names == [["0.weight", "0.bias"], ["1.weight", "1.bias"], ["3.weight", "3.bias"]]
    assert pipe.get_stage_module(0).get_parameter("0.weight") is model[0].weight
    assert torch.allclose(pipe(x[:2]), model(x[:2]))
    with pytest.raises(AttributeError, match="nope"):
        pipeline(model, (x[:2],), split_spec={"nope": SplitPoint.END})
    with pytest.raises(ValueError, match="Invalid stage index 3"):
        pipe.get_stage_module(3)


def test_wrong_stages_and_batches_are_refused(group):
    layer, x = nn.Linear(2, 2), torch.ones(4, 2)
    with pytest.raises(ValueError, match="Stage index 5 is out of range of 3"):
        PipelineStage(layer, 5, 3, CPU)
    schedule = ScheduleGPipe(PipelineStage(layer, 0, 1, CPU), 2, loss_fn=loss_of)
    with pytest.raises(RuntimeError, match="step\\(\\) requires gradients to be enabled"), torch.no_grad():
        schedule.step(x, target=x)
    with pytest.raises(ValueError, match="Expecting 2 arg_mbs but got 1"):
        schedule.step(x[:1], target=x)
    with pytest.raises(ValueError, match="needs a target"):
        schedule.step(x)
    for kind, text in ((ScheduleZBVZeroBubble, "ZBV"), (ScheduleDualPipeV, "DualPipeV")):
        with pytest.raises(ValueError, match=f"{text} requires exactly 2 stages per rank, but got 1"):
            kind([PipelineStage(layer, 0, 1, CPU)], 2, loss_fn=loss_of)
    with pytest.raises(ValueError, match="Unknown schedule name 'none'. The valid options are"):
        get_schedule_class("none")


def test_gradients_are_means_over_the_parts_unless_they_are_sums(group):
    found = {}
    for mean in (True, False):
        layer = nn.Linear(1, 1, bias=False)
        schedule = ScheduleGPipe(
            PipelineStage(layer, 0, 1, CPU), 2, loss_fn=lambda a, b: (a * b).sum(), scale_grads=mean
        )
        schedule.step(torch.ones(4, 1), target=torch.ones(4, 1))
        found[mean] = layer.weight.grad.item()
    assert found == {True: 2, False: 4}


def test_batches_are_split_and_merged():
    x = torch.arange(6).reshape(2, 3)
    args, kwargs = split_args_kwargs_into_chunks((x, 7), {"k": x}, 2, (TensorChunkSpec(1), None))
    assert [part[0].tolist() for part in args] == [[[0, 1], [3, 4]], [[2], [5]]] and [part[1] for part in args] == [
        7,
        7,
    ]
    assert [part["k"].tolist() for part in kwargs] == [[[0, 1, 2]], [[3, 4, 5]]]
    assert merge_chunks([part[0] for part in args], TensorChunkSpec(1)).equal(x)
    assert len(split_args_kwargs_into_chunks((x,), {}, 5)[0]) == 2
