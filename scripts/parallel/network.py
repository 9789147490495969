"""Network parallelism: each process has a part of every layer's weights, here a part of the hidden units.

    tensh launch -n 2 scripts/parallel/network.py     or, with PyTorch: torchrun --nproc-per-node 2 scripts/parallel/network.py

The first layer is cut by outputs and needs no exchange; the second is cut by inputs, and its partial results are added.
"""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()

torch.manual_seed(0)
x = torch.randn(48, 8)
y = x.square().mean(1, keepdim=True)

model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
mesh = init_device_mesh("cpu", (size,))
model = parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(40):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()

    if rank == 0 and step % 10 == 9:
        print(f"step {step + 1}  loss {loss.item():.5f}")

dist.destroy_process_group()
