"""A program that saves or loads a checkpoint in several processes, on tensh with MPI and on PyTorch with gloo.

``tensh launch -n N tests/distributed/checkpoints.py ACTION FOLDER RESULTS`` and ``python tests/distributed/checkpoints.py
ACTION FOLDER RESULTS N`` write what each rank finds to a file.
"""

import datetime
import importlib
import json
import os
import signal
import sys
import warnings

import torch

# tensor -> its shape, and placements on a mesh of one dimension (all ranks) or two (all ranks by 1)
SPLITS = {
    "rows": ((7, 3), ["Shard(0)"]),
    "columns": ((2, 5), ["Shard(1)"]),
    "few": ((2, 2), ["Shard(0)"]),  # fewer rows than ranks
    "none": ((0, 2), ["Shard(0)"]),
    "copies": ((3, 2), ["Replicate()"]),
    "last": ((2, 3, 4), ["Shard(-1)"]),
    "first of two": ((5, 4), ["Shard(0)", "Replicate()"]),
    "both of two": ((5, 4), ["Shard(0)", "Shard(1)"]),
    "twice": ((9, 2), ["Shard(0)", "Shard(0)"]),
}


def distribute(whole, text, ranks):
    """Return a tensor with placements on ``ranks`` processes."""
    placed = importlib.import_module("torch.distributed.tensor")
    placements = [eval(each, vars(placed)) for each in text]
    shape = (ranks,) if len(placements) == 1 else (ranks, 1)
    mesh = importlib.import_module("torch.distributed.device_mesh").init_device_mesh("cpu", shape)
    return placed.distribute_tensor(whole, mesh, placements)


def make(number, ranks):
    """A state dict whose tensors are made of a number; 0 for one to be loaded into."""
    torch.manual_seed(number)
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1 + number)
    model(torch.full((1, 3), 1.0 + number)).sum().backward()
    optimizer.step()
    split = {
        name: distribute(number * (1 + torch.arange(float(torch.Size(shape).numel()))).reshape(shape), text, ranks)
        for name, (shape, text) in SPLITS.items()
    }
    whole = {
        f"{dtype}": (torch.arange(5) * number).to(getattr(torch, dtype))
        for dtype in "float64 bfloat16 int8 bool complex64".split()
    }
    plain = {
        "epoch": number,
        "text": "a" * number,
        "list": [number, (number,)],
        "deep": [{"x": torch.ones(1) * number}],
    }
    return {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "split": split, "whole": whole, **plain}


def show(value):
    if isinstance(value, dict):
        return {str(key): show(each) for key, each in value.items()}
    return repr(value.to_local() if hasattr(value, "to_local") else value)


def act(action, folder, rank, ranks):
    """Do what the test asks for; return what is to be compared."""
    dcp = torch.distributed.checkpoint
    if action.startswith("save"):
        dcp.save(make(int(action[4:] or 3), ranks), checkpoint_id=folder)
        return None
    if action == "load":
        found = make(0, ranks)
        dcp.load(found, checkpoint_id=folder)
        expected = make(3, ranks)
        return {"found": show(found), "expected": show(expected)}
    if action == "async":
        state = make(3, ranks)
        futures = [dcp.async_save(state, checkpoint_id=f"{folder}{number}") for number in range(3)]
        for value in state["split"].values():
            value.to_local().zero_()
        for _ in range(20):  # the program's own collectives meanwhile
            torch.distributed.all_reduce(total := torch.ones(1000))
        assert total[0] == ranks
        return [
            sorted(future.result().state_dict_metadata) == sorted(futures[0].result().state_dict_metadata)
            for future in futures
        ]
    if action == "fail":
        return fail(dcp, folder, rank, ranks)
    if action == "die":
        die(dcp, folder, rank, ranks)
    if action == "train":
        return train(dcp, folder, rank)
    raise ValueError(action)


def fail(dcp, folder, rank, ranks):
    """Let each step fail on the last rank; return the failures that each rank is told."""
    last, found = ranks - 1, []

    class Writer(dcp.FileSystemWriter):
        stage = None

        def prepare_local_plan(self, plan):
            if self.stage == "plan" and rank == last:
                raise KeyError("no plan")
            return super().prepare_local_plan(plan)

        def prepare_global_plan(self, plans):
            if self.stage == "all":
                raise KeyError("no common plan")
            return super().prepare_global_plan(plans)

        def write_data(self, plan, planner):
            done = super().write_data(plan, planner)
            if self.stage == "write" and rank == last:
                raise OSError("no room")
            return done

        def finish(self, metadata, results):
            if self.stage == "finish":
                raise OSError("no end")
            super().finish(metadata, results)

    for stage in ("plan", "all", "write", "finish"):
        Writer.stage = stage
        try:
            dcp.save(make(5, ranks), storage_writer=Writer(folder))
        except dcp.CheckpointException as error:
            found.append({number: str(each[0]) for number, each in error.failures.items()})
    wanted = make(0, ranks) | ({"missing": 1} if rank == last else {})
    try:
        dcp.load(wanted, checkpoint_id=folder)
    except dcp.CheckpointException as error:
        found.append({number: str(each[0]) for number, each in error.failures.items()})
    return found


def die(dcp, folder, rank, ranks):
    """Kill the last rank when it has written its data, while the first waits for it."""

    class Writer(dcp.FileSystemWriter):
        def write_data(self, plan, planner):
            done = super().write_data(plan, planner)
            if rank == ranks - 1:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

    dcp.save(make(5, ranks), storage_writer=Writer(folder))


def train(dcp, folder, rank):
    """Train ten steps, with a checkpoint after each; one rank is killed once in the first attempt."""
    state = {"x": torch.zeros(4), "step": 0}
    if os.path.exists(os.path.join(folder, ".metadata")):
        dcp.load(state, checkpoint_id=folder)
    begun = state["step"]
    while state["step"] < 10:
        state["x"] += state["step"]
        state["step"] += 1
        dcp.save(state, checkpoint_id=folder)
        if state["step"] == 6 and begun == 0 and rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
    return {"begun": begun, "x": state["x"].tolist()}


def work(rank, action, folder, results, ranks, address=None):
    warnings.simplefilter("ignore")
    if address:
        torch.distributed.init_process_group("gloo", address, datetime.timedelta(seconds=60), ranks, rank)
    else:
        torch.distributed.init_process_group("gloo")
        rank, ranks = torch.distributed.get_rank(), torch.distributed.get_world_size()
    importlib.import_module("torch.distributed.checkpoint")
    found = act(action, folder, rank, ranks)
    with open(os.path.join(results, f"{rank}.json"), "w") as file:
        json.dump(found, file)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    action, folder, results = sys.argv[1:4]
    if len(sys.argv) > 4:
        address = f"file://{results}/store"
        torch.multiprocessing.spawn(work, (action, folder, results, int(sys.argv[4]), address), nprocs=int(sys.argv[4]))
    else:
        work(0, action, folder, results, 1)
