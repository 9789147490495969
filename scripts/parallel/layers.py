"""Layer-wise parallelism: each process has some layers, and passes what they compute to the next process.

    tensh launch -n 2 scripts/parallel/layers.py      or, with PyTorch: torchrun --nproc-per-node 2 scripts/parallel/layers.py

The batch is cut into four parts, so that a process computes one part while others compute the parts before and after it.
"""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()

torch.manual_seed(0)
x = torch.randn(48, 8)
y = x.square().mean(1, keepdim=True)
layers = [nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1)]
begin, end = rank * len(layers) // size, (rank + 1) * len(layers) // size

model = nn.Sequential(*layers[begin:end])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
stage = PipelineStage(model, rank, size, torch.device("cpu"))
schedule = ScheduleGPipe(stage, n_microbatches=4, loss_fn=nn.functional.mse_loss)
for step in range(40):
    optimizer.zero_grad()
    inputs = (x,) if rank == 0 else ()
    losses = []  # of the four parts, in the last process
    schedule.step(*inputs, **({"target": y, "losses": losses} if rank == size - 1 else {}))
    optimizer.step()

    if rank == size - 1 and step % 10 == 9:
        print(f"step {step + 1}  loss {torch.stack(losses).mean().item():.5f}")

dist.destroy_process_group()
