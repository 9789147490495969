"""Collectives of several processes, as expressions: what each rank finds, on tensh with MPI and on PyTorch with gloo.

``tensh launch -n N tests/distributed/ranks.py FOLDER`` and ``python tests/distributed/ranks.py FOLDER N`` write a file
for each rank.
"""

import datetime
import importlib
import json
import re
import sys
import warnings

DTYPES = "float32 float64 float16 bfloat16 int8 uint8 int32 int64 bool".split()
OPS = "SUM PRODUCT MIN MAX BAND BOR BXOR".split()

CASES = [
    f"d.all_reduce(x := torch.tensor([r + 1, 3 - r, 0]).to(torch.{dtype}), d.ReduceOp.{op}), x"
    for dtype in DTYPES
    for op in OPS
    if op[0] != "B" or "int" in dtype
]
CASES += """
d.all_reduce(x := torch.arange(3.) + 1j * r), x
d.all_reduce(x := torch.full((2, 3), float(r)).t()), x
d.all_reduce(x := torch.arange(6.).reshape(2, 3)[:, 1] + r), x
d.all_reduce(x := torch.ones(2, requires_grad=True)), x, x.grad_fn
d.all_reduce(x := torch.tensor(float(r))), x
d.all_reduce(x := torch.zeros(0)), x
d.all_reduce_coalesced(x := [torch.full((2,), float(r)), torch.ones(3)]), x
d.all_reduce(x := torch.ones(4), async_op=True).wait(), x
[w.wait() for w in [d.all_reduce(x, async_op=True) for x in (lists := [torch.ones(2) * r, torch.ones(3)])]], lists
d.all_reduce(x := torch.ones(2), async_op=True).get_future().wait(), x
d.broadcast(x := torch.arange(3) * r, n - 1), x
d.broadcast(x := torch.full((2,), r).bool(), 0), x
d.broadcast(x := torch.full((2, 2), float(r)).bfloat16().t(), n - 1), x
d.reduce(x := torch.ones(2) * (r + 1), n - 1), (x if r == n - 1 else None)
d.reduce(x := torch.ones(2) * (r + 1), 0, d.ReduceOp.PRODUCT), (x if r == 0 else None)
d.all_gather(many := [torch.zeros(2) for _ in range(n)], torch.full((2,), float(r))), many
d.all_gather(many := [torch.zeros(3, 2).t() for _ in range(n)], torch.full((2, 3), float(r))), many
d.all_gather(many := [torch.zeros(2, dtype=torch.complex64) for _ in range(n)], torch.full((2,), r + 1j)), many
d.all_gather(many := [torch.zeros((), dtype=torch.bool) for _ in range(n)], torch.tensor(r == 1)), many
d.all_gather_single(x := torch.zeros(2 * n), torch.full((2,), float(r))), x
d.gather(torch.full((2,), float(r)), many := [torch.zeros(2) for _ in range(n)] if r == 0 else None), many
d.gather(torch.full((2,), r), many := [torch.zeros(2).long() for _ in range(n)] if r == n - 1 else None, dst=n - 1), many
d.scatter(x := torch.zeros(2), [torch.full((2,), float(k)) for k in range(n)] if r == 0 else None), x
d.scatter(x := torch.zeros(2).half(), [torch.full((2,), float(k)).half() for k in range(n)] if r == n - 1 else None, src=n - 1), x
d.reduce_scatter(x := torch.zeros(2), [torch.full((2,), float(k + r)) for k in range(n)]), x
d.reduce_scatter_single(x := torch.zeros(2), torch.arange(2. * n) + r), x
d.all_to_all_single(x := torch.zeros(n), torch.arange(float(n)) + 10 * r), x
d.all_to_all_single(x := torch.zeros(2 * n, 3).long(), torch.arange(6 * n).reshape(2 * n, 3) + 100 * r), x
d.all_to_all_single(x := torch.zeros(n * (r + 1)), torch.full((n * (n + 1) // 2,), float(r)), [r + 1] * n, list(range(1, n + 1))), x
d.barrier()
d.barrier(async_op=True).wait()
d.monitored_barrier()
d.all_gather_object(many := [None] * n, {"rank": r, "x": torch.ones(2) * r}), many
d.gather_object(("r", r), many := [None] * n if r == 0 else None), many
d.broadcast_object_list(many := [r, "a" * r, {r}], n - 1), many
d.scatter_object_list(many := [None], [[k, k] for k in range(n)] if r == 0 else None), many
d.all_reduce(x := torch.ones(2) * r, group=g) if r in ranks else None, x, d.get_rank(g), d.get_world_size(g)
d.broadcast(x := torch.ones(2) * r, n - 1, group=g) if r in ranks else None, x
d.get_process_group_ranks(g) if r in ranks else None, g == d.GroupMember.NON_GROUP_MEMBER
d.get_rank(d.new_group()), len(d.new_subgroups(1)[1])
d.get_global_rank(g, 1), d.get_group_rank(g, n - 1)
d.send(torch.arange(3.), 1) if r == 0 else [d.recv(x := torch.zeros(3), 0), x] if r == 1 else None
d.send(torch.arange(3), 0, tag=5) if r == 1 else [d.recv(x := torch.zeros(3).long(), tag=5), x] if r == 0 else None
d.isend(torch.arange(4.).reshape(2, 2), 1).wait() if r == 0 else [d.irecv(x := torch.zeros(2, 2), 0).wait(), x][1] if r == 1 else None
[w.wait() is None for w in d.batch_isend_irecv([d.P2POp(d.isend, torch.ones(2) * r, (r + 1) % n), d.P2POp(d.irecv, x := torch.zeros(2), (r - 1) % n)])], x
d.send_object_list([1, "b"], 1) if r == 0 else [d.recv_object_list(many := [None, None], 0), many] if r == 1 else None
d.send(torch.ones(1), r)
d.broadcast(torch.ones(1), n)
d.all_reduce(torch.ones(1), d.ReduceOp.BAND)
d.all_gather([torch.zeros(2)], torch.zeros(2))
d.new_group([0, n])
d.new_subgroups(n + 1)
list(torch.utils.data.DistributedSampler(range(7), shuffle=False)), len(torch.utils.data.DistributedSampler(range(7), drop_last=True))
list(torch.utils.data.DistributedSampler(range(7), seed=3))
d.get_backend(), d.is_initialized(), d.get_world_size()
f.wait_tensor(f.all_reduce(x := torch.ones(2) * (r + 1), "sum", w)), x
f.wait_tensor(f.all_reduce(torch.ones(2) * (r + 1), "MAX", w.group_name))
f.wait_tensor(f.all_reduce(torch.ones(2) * (r + 1), "nothing", w))
f.wait_tensor(f.all_reduce(torch.ones(2), "sum", None))
f.wait_tensor(f.all_reduce(torch.ones(2) * r, "sum", ranks)) if r in ranks else None
f.wait_tensor(f.broadcast(torch.ones(2) * r, n - 1, w))
f.wait_tensor(f.all_gather_single(torch.ones(2, 3) * r, 0, w))
f.wait_tensor(f.all_gather_single(torch.ones(2, 3) * r, 1, w))
f.wait_tensor(f.all_gather_tensor(torch.ones(3).t() * r, 0, w))
f.wait_tensor(f.reduce_scatter_single(torch.arange(6. * n).reshape(2 * n, 3) + r, "sum", 0, w))
f.wait_tensor(f.reduce_scatter_single(torch.arange(6. * n).reshape(3, 2 * n) + r, "sum", 1, w))
f.wait_tensor(f.reduce_scatter_single(torch.ones(2 * n + 1), "sum", 0, w)) if n > 1 else None
f.wait_tensor(f.all_to_all_single(torch.arange(2. * n) + 10 * r, None, None, w))
f.wait_tensor(f.all_to_all_single(torch.full((n * (n + 1) // 2,), float(r)), [r + 1] * n, list(range(1, n + 1)), w))
f.wait_tensor(f.all_to_all_single(torch.ones(n), None, [1] * n, w))
f.wait_tensor(f.permute_tensor(torch.arange(3.) + r, [(k + 1) % n for k in range(n)], w))
[f.wait_tensor(x) for x in f.all_reduce_coalesced([torch.ones(2) * r, torch.ones(3)], "sum", w)]
[f.wait_tensor(x) for x in f.all_gather_single_coalesced([torch.ones(2) * r, torch.ones(3)], w)]
[f.wait_tensor(x) for x in f.reduce_scatter_single_coalesced([torch.ones(2 * n) * r, torch.ones(3, n)], "sum", [0, 1], w)]
(f.all_reduce(x := torch.ones(2, requires_grad=True), "sum", w) * (r + 1)).sum().backward(), x.grad
(f.all_reduce(x := torch.ones(2, requires_grad=True), "max", w) * (r + 1)).sum().backward(), x.grad
(f.all_gather_single_autograd(x := torch.ones(2, 3, requires_grad=True), 1, w) * (r + 1)).sum().backward(), x.grad
(f.reduce_scatter_single_autograd(x := torch.ones(3, n, requires_grad=True), "sum", 1, w) * (r + 1)).sum().backward(), x.grad
(f.all_to_all_single_autograd(x := torch.ones(n, requires_grad=True), None, None, w) * (r + 1)).sum().backward(), x.grad
""".strip().splitlines()

ONLY_SEVERAL = re.compile(r"\b(send|recv|isend|irecv|send_object_list|recv_object_list)\(|P2POp|get_global_rank")

DISAGREEING = """
d.all_reduce(torch.ones(2 + r))
d.all_reduce(torch.ones(2, dtype=torch.float64 if r else torch.float32))
d.all_reduce(torch.ones(2), d.ReduceOp.MAX if r else d.ReduceOp.SUM)
d.all_reduce(torch.ones(2 + r), async_op=True).wait()
d.broadcast(torch.ones(2), r)
d.broadcast(torch.ones(2 + r), 0)
d.all_gather([torch.ones(2 + r)] * n, torch.ones(2 + r))
d.all_reduce(torch.ones(2)) if r else d.barrier()
d.all_to_all_single(torch.zeros(n + (r == 1)), torch.zeros(n), [1] * (n - 1) + [1 + (r == 1)], [1] * n)
d.scatter(torch.zeros(2 + r), [torch.zeros(2)] * n if r == 0 else None)
""".strip().splitlines()


def evaluate(text, names):
    """What an expression gives, or refuses, as text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(eval(text, names))
        except Exception as error:
            return f"{type(error).__name__}: {error}"


def work(rank, folder, size, address=None):
    """What a rank finds, written to its file."""
    import torch

    d = torch.distributed
    if address:
        d.init_process_group("gloo", address, datetime.timedelta(seconds=20), size, rank)
    else:
        d.init_process_group("gloo")
        rank = d.get_rank()
    ranks = sorted({0, size - 1})
    g = d.new_group(ranks)
    names = {"torch": torch, "d": d, "r": rank, "n": d.get_world_size(), "g": g, "ranks": ranks, "w": d.group.WORLD}
    names["f"] = importlib.import_module("torch.distributed._functional_collectives")
    cases = [text for text in CASES if size > 1 or not ONLY_SEVERAL.search(text)]
    found = {text: evaluate(text, dict(names)) for text in cases}
    if not address:
        found |= {text: evaluate(text, dict(names)) for text in DISAGREEING}
    with open(f"{folder}/{rank}.json", "w") as file:
        json.dump(found, file)
    d.barrier()  # gloo ends a process whose peer leaves before it
    d.destroy_process_group()


if __name__ == "__main__":
    if len(sys.argv) > 2:
        import torch.multiprocessing

        size = int(sys.argv[2])
        address = f"file://{sys.argv[1]}/store"
        torch.multiprocessing.start_processes(work, (sys.argv[1], size, address), size, start_method="fork")
    else:
        import os

        work(None, sys.argv[1], int(os.environ["WORLD_SIZE"]))
