"""Messages between two processes, and groups: blocking and not, and collectives in a group."""

import os
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run_blocking(rank, size):
    tensor = torch.zeros(1)
    if rank == 0:
        tensor += 1
        dist.send(tensor=tensor, dst=1)
    elif rank == 1:
        dist.recv(tensor=tensor, src=0)
    if rank < 2:
        assert tensor[0] == 1
    if rank == 0:
        print("Rank ", rank, " has data ", tensor[0], flush=True)


def run_nonblocking(rank, size):
    tensor = torch.zeros(1)
    req = None
    if rank == 0:
        tensor += 1
        req = dist.isend(tensor=tensor, dst=1)
    elif rank == 1:
        req = dist.irecv(tensor=tensor, src=0)
    if req is not None:
        req.wait()
        assert tensor[0] == 1 and req.is_completed()


def run_group(rank, size):
    group = dist.new_group([0, 1])
    tensor = torch.ones(1)
    dist.all_reduce(tensor, op=dist.ReduceOp.SUM, group=group)
    if rank == 0:
        print("Rank ", rank, " has data ", tensor[0], flush=True)
    gathered = [torch.zeros(2) for _ in range(size)] if rank == 0 else None
    dist.gather(torch.full((2,), float(rank)), gather_list=gathered, dst=0)
    scattered = torch.zeros(2)
    dist.scatter(scattered, scatter_list=gathered, src=0)
    assert scattered.tolist() == [rank, rank]
    everyone = [None] * size
    dist.all_gather_object(everyone, {"rank": rank})
    assert [each["rank"] for each in everyone] == list(range(size))


def run_batch(rank, size):
    send, recv = torch.arange(2) + 2 * rank, torch.zeros(2, dtype=torch.int64)
    ops = [dist.P2POp(dist.isend, send, (rank + 1) % size), dist.P2POp(dist.irecv, recv, (rank - 1 + size) % size)]
    for req in dist.batch_isend_irecv(ops):
        req.wait()
    assert recv.tolist() == (torch.arange(2) + 2 * ((rank - 1 + size) % size)).tolist()
    handle = dist.all_reduce(send, async_op=True)
    handle.wait()
    if rank == 0:
        print(send, dist.get_backend(), flush=True)


def init_process(rank, size, fn, backend="gloo"):
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", sys.argv[1] if len(sys.argv) > 1 else "29501")
    dist.init_process_group(backend, rank=rank, world_size=size)
    fn(rank, size)
    dist.destroy_process_group()


def run(rank, size):
    for each in (run_blocking, run_nonblocking, run_group, run_batch):
        each(rank, size)


if __name__ == "__main__":
    if "RANK" in os.environ:
        init_process(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), run)
    else:
        size, processes = 2, []
        mp.set_start_method("spawn")
        for rank in range(size):
            p = mp.Process(target=init_process, args=(rank, size, run))
            p.start()
            processes.append(p)
        for p in processes:
            p.join()
        sys.exit(any(p.exitcode for p in processes))
