"""A checkpoint of several processes: saved and loaded with state, in the background, and by one process as a file."""

import os
import shutil
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.multiprocessing as mp
import torch.nn as nn
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save, torch_save_to_dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.checkpoint.stateful import Stateful
from torch.nn.parallel import DistributedDataParallel


class AppState(Stateful):
    """The state of a model and its optimizer, as one object."""

    def __init__(self, model, optimizer=None):
        self.model = model
        self.optimizer = optimizer

    def state_dict(self):
        model_state_dict, optimizer_state_dict = get_state_dict(self.model, self.optimizer)
        return {"model": model_state_dict, "optim": optimizer_state_dict}

    def load_state_dict(self, state_dict):
        set_state_dict(
            self.model,
            self.optimizer,
            model_state_dict=state_dict["model"],
            optim_state_dict=state_dict["optim"],
        )


class ToyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net1 = nn.Linear(16, 16)
        self.relu = nn.ReLU()
        self.net2 = nn.Linear(16, 8)

    def forward(self, x):
        return self.net2(self.relu(self.net1(x)))


def make(rank):
    torch.manual_seed(rank)
    model = DistributedDataParallel(ToyModel())
    return model, torch.optim.Adam(model.parameters(), lr=0.1)


def step(model, optimizer):
    optimizer.zero_grad()
    loss = model(torch.ones(8, 16)).square().sum()
    loss.backward()
    optimizer.step()
    return round(loss.item(), 2)


def main(rank, world_size):
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(world_size)}
    os.environ.setdefault("MASTER_ADDR", "localhost")
    os.environ.setdefault("MASTER_PORT", sys.argv[1] if len(sys.argv) > 1 else "29501")
    dist.init_process_group("gloo")
    folders = [tempfile.mkdtemp()] if rank == 0 else [None]
    dist.broadcast_object_list(folders)
    folder = folders[0]
    say = lambda *words: rank == 0 and print(*words, flush=True)  # noqa: E731

    model, optimizer = make(0)
    say("saved after", step(model, optimizer))
    dcp.save({"app": AppState(model, optimizer)}, checkpoint_id=f"{folder}/plain")
    beside = dist.new_group(backend="gloo")  # whose collectives do not meet those of the training
    future = dcp.async_save({"app": AppState(model, optimizer)}, checkpoint_id=f"{folder}/async", process_group=beside)
    say("goes on with", step(model, optimizer))
    future.result()
    for name in ("plain", "async"):
        loaded, fresh = make(7)
        dcp.load({"app": AppState(loaded, fresh)}, checkpoint_id=f"{folder}/{name}")
        say(name, "goes on with", step(loaded, fresh))
    dist.barrier()
    if rank == 0:
        dcp_to_torch_save(f"{folder}/plain", f"{folder}/whole.pt")
        whole = torch.load(f"{folder}/whole.pt", weights_only=False)
        print(sorted(whole["app"]), sorted(whole["app"]["model"]), flush=True)
        torch_save_to_dcp(f"{folder}/whole.pt", f"{folder}/again")
        state = {"app": {"model": ToyModel().state_dict()}}
        dcp.load(state, checkpoint_id=f"{folder}/again", no_dist=True)
        assert torch.equal(state["app"]["model"]["net2.bias"], whole["app"]["model"]["net2.bias"])
        shutil.rmtree(folder)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    if "RANK" in os.environ:
        main(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    else:
        mp.spawn(main, args=(2,), nprocs=2)
