"""Data parallelism: each process has the whole model and a part of the batch, and gradients are averaged.

    tensh launch -n 2 scripts/parallel/data.py        or, with PyTorch: torchrun --nproc-per-node 2 scripts/parallel/data.py

Any number of processes prints the losses of one.  Gradients are exchanged while the backward pass continues.
"""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()

torch.manual_seed(0)
x = torch.randn(48, 8)
y = x.square().mean(1, keepdim=True)
part = slice(rank, None, size)  # of the batch

model = DistributedDataParallel(nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(40):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x[part]), y[part])
    loss.backward()
    optimizer.step()

    mean = loss.detach() / size
    dist.all_reduce(mean)
    if rank == 0 and step % 10 == 9:
        print(f"step {step + 1}  loss {mean.item():.5f}")

dist.destroy_process_group()
