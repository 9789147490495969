"""Groups of processes by hand, and the same from a mesh of two dimensions; copies of a model along one of them."""

import os
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_module, distribute_tensor
from torch.nn.parallel import DistributedDataParallel


def main(rank, world_size):
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(world_size)}
    os.environ.setdefault("MASTER_ADDR", "localhost")
    os.environ.setdefault("MASTER_PORT", sys.argv[1] if len(sys.argv) > 1 else "29501")
    dist.init_process_group("gloo")
    say = lambda *words: rank == 0 and print(*words, flush=True)  # noqa: E731

    current_rank = int(os.environ["RANK"])
    shard_groups = (list(range(world_size)),)
    for ranks in shard_groups:
        group = dist.new_group(ranks)
        if current_rank in ranks:
            current_shard_group = group
    replicate_groups = [dist.new_group([r]) for r in range(world_size)]
    assert dist.get_world_size(current_shard_group) == world_size
    assert dist.get_rank(replicate_groups[rank]) == 0

    mesh_2d = init_device_mesh("cpu", (1, world_size), mesh_dim_names=("replicate", "shard"))
    replicate_group = mesh_2d.get_group(mesh_dim="replicate")
    shard_group = mesh_2d.get_group(mesh_dim="shard")
    say(mesh_2d, dist.get_world_size(replicate_group), dist.get_process_group_ranks(shard_group))
    say(mesh_2d["shard"], mesh_2d["replicate", "shard"].shape, mesh_2d.get_coordinate(), mesh_2d["shard"].size())
    say(DeviceMesh("cpu", list(range(world_size))) == init_device_mesh("cpu", (world_size,)))

    mesh = mesh_2d["shard"]
    big_tensor = torch.arange(24.0).reshape(6, 4)
    my_dtensor = distribute_tensor(big_tensor, mesh, [Shard(dim=0)])
    say(my_dtensor.to_local(), my_dtensor.placements, my_dtensor.device_mesh == mesh)
    column = my_dtensor.redistribute(mesh, [Shard(dim=1)])
    say(column.to_local().shape, (my_dtensor + 1).full_tensor().sum(), my_dtensor.sum())
    partial = DTensor.from_local(torch.ones(2, 3), mesh, [Partial()])
    say(partial.redistribute(placements=[Replicate()]).to_local(), (partial * 2).full_tensor())

    def shard_params(name, mod, device_mesh):
        for key, param in list(mod.named_parameters(recurse=False)):
            mod.register_parameter(key, torch.nn.Parameter(distribute_tensor(param, device_mesh, [Shard(0)])))

    torch.manual_seed(0)
    sharded = distribute_module(
        torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4)),
        mesh,
        partition_fn=shard_params,
    )
    out = sharded(distribute_tensor(torch.ones(3, 4), mesh, [Replicate()]))
    say(f"{out.sum().full_tensor().item():.4f}", [tuple(p.to_local().shape) for p in sharded.parameters()])

    torch.manual_seed(rank)
    model = DistributedDataParallel(torch.nn.Linear(4, 1), process_group=shard_group)
    model(torch.full((2, 4), 1.0 + rank)).sum().backward()
    say(model.module.weight.grad)
    dist.destroy_process_group()


if __name__ == "__main__":
    if "RANK" in os.environ:
        main(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    else:
        mp.spawn(main, args=(2,), nprocs=2)
