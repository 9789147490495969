"""Stages of a model in several processes: the gradients and losses of every schedule, as one process finds them.

``tensh launch -n N tests/distributed/pipelines.py FOLDER`` writes a file with what differs; none means that all is equal.
"""

import sys
from pathlib import Path

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
    pipe_split,
    pipeline,
)

dist, loss_of = torch.distributed, nn.functional.mse_loss


class Skipping(nn.Module):
    """Two layers, the second of which also needs the input of the first."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x, scale):
        y = self.a(x).relu()
        pipe_split()
        return self.b(y) * scale + x


def make_layers(count):
    torch.manual_seed(0)
    return [nn.Sequential(nn.Linear(6, 6), nn.Tanh()) for _ in range(count)]


def alone(layers, x, y, parts):
    """Return (losses of the parts, gradients of every parameter) of a single process."""
    whole = nn.Sequential(*layers)
    losses = [loss_of(whole(a), b) for a, b in zip(x.chunk(parts), y.chunk(parts), strict=True)]
    (sum(losses) / parts).backward()
    found = [each.item() for each in losses], [p.grad.clone() for p in whole.parameters()]
    whole.zero_grad()
    return found


def step(schedule, stages, x, y, **named):
    """Return (losses, result) of a batch, where this process has them."""
    losses, given = [], (x,) if stages[0].is_first else ()
    named = named if given else {}
    target = {"target": y} if stages[-1].is_last else {}
    return losses, schedule.step(*given, **named, **target, losses=losses)


def compare(rank, world):
    """Yield what differs from one process."""
    torch.manual_seed(1)
    x, y, parts = torch.randn(16, 6), torch.randn(16, 6), 2 * world
    for kind, each in (
        (ScheduleGPipe, 1),
        (Schedule1F1B, 1),
        (ScheduleLoopedBFS, 2),
        (ScheduleInterleaved1F1B, 2),
        (ScheduleInterleavedZeroBubble, 2),
        (ScheduleInterleavedZeroBubble, 3),
        (ScheduleZBVZeroBubble, 2),
        (ScheduleDualPipeV, 2),
    ):
        layers = make_layers(each * world)
        expected = alone(layers, x, y, parts)
        turns = kind in (ScheduleZBVZeroBubble, ScheduleDualPipeV)
        own = (rank, 2 * world - 1 - rank) if turns else range(rank, each * world, world)
        stages = [PipelineStage(layers[n], n, each * world, torch.device("cpu")) for n in own]
        schedule = kind(stages[0] if each == 1 else stages, parts, loss_fn=loss_of)
        for attempt in range(2):
            losses, result = step(schedule, stages, x, y)
            if stages[-1].is_last and not torch.allclose(torch.tensor(losses), torch.tensor(expected[0])):
                yield kind.__name__, attempt, losses, expected[0]
            if (result is None) == stages[-1].is_last:
                yield kind.__name__, result
            for n in own:
                for k, p in enumerate(layers[n].parameters()):
                    if not torch.allclose(p.grad, expected[1][2 * n + k], atol=1e-6):
                        yield kind.__name__, attempt, n, k
                layers[n].zero_grad()
    if world == 2:
        torch.manual_seed(0)
        model, scale = Skipping(), torch.full((16, 6), 3.0)
        pipe = pipeline(model, (x[:4],), {"scale": scale[:4]})
        expected = model(x, scale)
        loss_of(expected, y).backward()
        gradients = {name: p.grad.clone() for name, p in model.named_parameters()}
        model.zero_grad()
        stage = pipe.build_stage(rank, torch.device("cpu"))
        _, result = step(ScheduleGPipe(stage, 4, loss_fn=loss_of), [stage], x, y, scale=scale)
        for name, p in stage.submod.named_parameters():
            if not torch.allclose(p.grad, gradients[name], atol=1e-6):
                yield "pipeline", name
        if result is not None and not torch.allclose(result, expected):
            yield "pipeline", result
    whole = nn.Sequential(*make_layers(world))
    spec = {str(n): SplitPoint.BEGINNING for n in range(1, world)}
    stage = pipeline(whole, (x[:2],), split_spec=spec).build_stage(rank, torch.device("cpu"))
    schedule = ScheduleGPipe(stage, 8)
    found = schedule.eval(x) if stage.is_first else schedule.eval()
    if found is not None and not torch.allclose(found, whole(x)):
        yield "eval", found
    losses, given = [], (x,) if stage.is_first else ()
    schedule, target = ScheduleGPipe(stage, 8, loss_fn=loss_of), {"target": y} if stage.is_last else {}
    schedule.step(*given, **target, losses=losses, loss_kwargs={"reduction": "sum"})
    expected = [loss_of(whole(a), b, reduction="sum") for a, b in zip(x.chunk(8), y.chunk(8), strict=True)]
    if stage.is_last and not torch.allclose(torch.stack(losses), torch.stack(expected)):
        yield "loss_kwargs", losses


if __name__ == "__main__":
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    differences = list(compare(rank, dist.get_world_size()))
    Path(sys.argv[1], f"{rank}.txt").write_text("\n".join(map(str, differences)))
