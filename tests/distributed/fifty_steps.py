"""Fifty steps of the zoo's models in several processes: how far the losses are from those of one process on the whole batch.

``tensh launch -n N tests/distributed/fifty_steps.py DTYPE [FILE]`` trains each model with copies
(``DistributedDataParallel``), cut (``parallelize_module``) and, in two processes, in stages (``GPipe``, ``1F1B``). Rank
0 prints the greatest difference of each, and writes them as JSON. With float64 they show whether the same is computed;
with float32, how rounding adds up, on PyTorch (by ``torchrun``) as here.
"""

import json
import sys

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe, SplitPoint, pipeline
from torch.distributed.tensor import Replicate
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

from tests.support.zoo import make_models

dist = torch.distributed
STEPS, BATCH, PARTS = 50, 12, 4

COLUMN, ROW = ColwiseParallel(), RowwiseParallel()
MODELS = {  # name -> (where its second stage begins, its layers that are cut)
    "MLP": ("3", {"0": COLUMN, "3": ROW}),
    "LeNet": ("fc1", {"fc1": COLUMN, "fc2": ROW}),
    "GPT": (
        "blocks.1",
        {
            "words": RowwiseParallel(input_layouts=Replicate()),
            "blocks.*.mlp.0": COLUMN,
            "blocks.*.mlp.2": ROW,
            "head": ColwiseParallel(output_layouts=Replicate()),
        },
    ),
}


def make(name):
    return make_models(torch)[name][0]


def batches(name):
    """Yield (input, target) of each step."""
    generator = torch.Generator().manual_seed(1)
    for _ in range(STEPS):
        if name == "GPT":
            x = torch.randint(11, (BATCH, 6), generator=generator)
            yield x, x.roll(1, 1)
        else:
            size = (4,) if name == "MLP" else (1, 28, 28)
            x = torch.randn(BATCH, *size, generator=generator)
            yield x, x.flatten(1)[:, :3].argmax(1)


def loss_of(result, target):
    return nn.functional.cross_entropy(result.flatten(0, -2), target.flatten())


def optimizer_of(model):
    return torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def train(model, name, part=slice(None)):
    """The loss of each step on a part of each batch."""
    optimizer, found = optimizer_of(model), []
    for x, y in batches(name):
        optimizer.zero_grad()
        loss = loss_of(model(x[part]), y[part])
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def copies(name):
    """Losses with a copy of the model in each process, as the mean over processes."""
    part = slice(dist.get_rank(), None, dist.get_world_size())
    found = torch.tensor(train(DistributedDataParallel(make(name)), name, part), dtype=torch.float64)
    dist.all_reduce(found, dist.ReduceOp.AVG)
    return found.tolist()


def stages(name, kind):
    """Losses with the first layers in rank 0 and the others in rank 1; known to rank 1, and sent to all."""
    x = next(batches(name))[0]
    pipe = pipeline(make(name), (x[: BATCH // PARTS],), split_spec={MODELS[name][0]: SplitPoint.BEGINNING})
    stage: PipelineStage = pipe.build_stage(dist.get_rank(), torch.device("cpu"))
    schedule, optimizer, found = kind(stage, PARTS, loss_fn=loss_of), optimizer_of(stage.submod), []
    for x, y in batches(name):
        optimizer.zero_grad()
        losses = []
        if stage.is_first:
            schedule.step(x)
        else:
            schedule.step(target=y, losses=losses)
            found.append(torch.stack(losses).mean().item())
        optimizer.step()
    sent = [found]
    dist.broadcast_object_list(sent, src=1)
    return sent[0]


def cut(name):
    """Losses with a part of each layer's weights in each process."""
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    return train(parallelize_module(make(name), mesh, MODELS[name][1]), name)


def differences():
    """Yield (model, way, the greatest difference of a loss)."""
    for name in MODELS:
        expected = train(make(name), name)
        ways = {"copies": copies, "cut": cut}
        if dist.get_world_size() == 2:
            ways |= {
                "stages, GPipe": lambda name: stages(name, ScheduleGPipe),
                "stages, 1F1B": lambda name: stages(name, Schedule1F1B),
            }
        for way, losses in ways.items():
            found = losses(name)
            assert len(found) == len(expected) == STEPS and expected[-1] < 0.9 * expected[0]
            yield name, way, max(abs(a - b) for a, b in zip(found, expected, strict=True))


if __name__ == "__main__":
    dist.init_process_group("gloo")
    torch.set_num_threads(1)
    torch.set_default_dtype(getattr(torch, sys.argv[1]))
    found = list(differences())
    if dist.get_rank() == 0:
        for name, way, difference in found:
            print(f"{name:6} {way:14} {difference:.1e}")
        if len(sys.argv) > 2:
            with open(sys.argv[2], "w") as file:
                json.dump(found, file)
    dist.destroy_process_group()
