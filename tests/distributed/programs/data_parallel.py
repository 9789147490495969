"""Copies of a model by DistributedDataParallel: a training, a checkpoint through a file, and a sampler."""

import os
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.optim as optim
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def setup(rank, world_size):
    if "MASTER_PORT" not in os.environ:
        os.environ["MASTER_ADDR"] = "localhost"
        os.environ["MASTER_PORT"] = sys.argv[1]
    dist.init_process_group("gloo", rank=rank, world_size=world_size)


def cleanup():
    dist.destroy_process_group()


class ToyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net1 = nn.Linear(10, 10)
        self.relu = nn.ReLU()
        self.net2 = nn.Linear(10, 5)

    def forward(self, x):
        return self.net2(self.relu(self.net1(x)))


def demo_basic(rank):
    torch.manual_seed(rank)
    ddp_model = DDP(ToyModel())
    loss_fn = nn.MSELoss()
    optimizer = optim.SGD(ddp_model.parameters(), lr=0.1)
    optimizer.zero_grad()
    loss_fn(ddp_model(torch.randn(20, 10)), torch.randn(20, 5)).backward()
    optimizer.step()
    same = [torch.empty_like(p) for p in ddp_model.module.net1.parameters()]
    for mine, other in zip(ddp_model.module.net1.parameters(), same):
        other.copy_(mine.detach())
        dist.broadcast(other, src=0)
        assert torch.equal(mine, other)
    if rank == 0:
        print("basic", ddp_model.module.net2.weight.sum().item().__round__(4), flush=True)


def demo_checkpoint(rank):
    torch.manual_seed(rank)
    ddp_model = DDP(ToyModel(), find_unused_parameters=True)
    names = [tempfile.gettempdir() + f"/model-{os.getpid()}.checkpoint"]
    dist.broadcast_object_list(names, src=0)
    checkpoint = names[0]
    if rank == 0:
        torch.save(ddp_model.state_dict(), checkpoint)
    dist.barrier()
    map_location = {"cuda:0": f"cuda:{rank}"}
    ddp_model.load_state_dict(torch.load(checkpoint, map_location=map_location, weights_only=True))
    loss = nn.MSELoss()(ddp_model(torch.ones(20, 10)), torch.ones(20, 5))
    loss.backward()
    dist.barrier()
    if rank == 0:
        os.remove(checkpoint)
        print("checkpoint", sorted(ddp_model.state_dict()), round(loss.item(), 4), flush=True)


def demo_sampler(rank, world_size):
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(30, 10), torch.randn(30, 5))
    sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank, shuffle=True, drop_last=False)
    loader = DataLoader(dataset, batch_size=5, pin_memory=False, num_workers=0, sampler=sampler)
    model = DDP(ToyModel())
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(3):
        loader.sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        total = loss.detach().clone()
        dist.all_reduce(total, op=dist.ReduceOp.SUM)
        if rank == 0:
            print(f"epoch {epoch} loss {total.item() / world_size:.4f}", flush=True)


def demo(rank, world_size):
    setup(rank, world_size)
    demo_basic(rank)
    demo_checkpoint(rank)
    demo_sampler(rank, world_size)
    cleanup()


if __name__ == "__main__":
    if "RANK" in os.environ:
        demo(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    else:
        mp.spawn(demo, args=(2,), nprocs=2, join=True)
