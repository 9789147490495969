"""Training in several processes, held against one process on the whole batch, and against PyTorch: what each rank prints.

``tensh launch -n N tests/distributed/training.py FOLDER`` and ``python tests/distributed/training.py FOLDER N`` write a
file for each rank; ``tensh run tests/distributed/training.py FOLDER 0 N`` writes what one process finds on the whole
batch.
"""

import datetime
import json
import sys
from pathlib import Path

STEPS = 12


def compress(torch, x):
    """Sums of gradients that PyTorch's own hooks exchange: those that gloo supports, in PyTorch."""
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks as hooks

    found = []
    for hook in (
        hooks.allreduce_hook, hooks.fp16_compress_hook,
        hooks.fp16_compress_wrapper(hooks.allreduce_hook),
    ):  # fmt: skip
        model = torch.nn.parallel.DistributedDataParallel(mlp(torch))
        model.register_comm_hook(None, hook)
        model(x).square().sum().backward()
        found += [p.grad.double().sum().item() for p in model.parameters()]
    return found


def data(torch, step):
    g = torch.Generator().manual_seed(step)
    return torch.randn(12, 3, 6, 6, generator=g), torch.randint(0, 4, (12,), generator=g)


def network(torch, synchronous=False):
    nn = torch.nn
    torch.manual_seed(0)
    found = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(128, 16), nn.Tanh(), nn.Linear(16, 4)
    )
    return nn.SyncBatchNorm.convert_sync_batchnorm(found) if synchronous else found


def mlp(torch, seed=0):
    nn = torch.nn
    torch.manual_seed(seed)
    return nn.Sequential(nn.Flatten(), nn.Linear(108, 16), nn.Tanh(), nn.Linear(16, 4))


class Branches:
    """Made for a torch: a module of two branches, of which an input takes one."""

    def __new__(cls, torch):
        nn = torch.nn

        class Both(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(1)
                self.left, self.right, self.never = nn.Linear(3, 2), nn.Linear(3, 2), nn.Linear(3, 2)

            def forward(self, x, left):
                return self.left(x) if left else self.right(x)

        return Both()


class Counter:
    """Made for a torch: an object that counts the steps of all processes, and how a process without inputs followed."""

    def __new__(cls, torch):
        from torch.distributed.algorithms.join import Join, Joinable, JoinHook

        class Hook(JoinHook):
            def __init__(self, counter, value):
                self.counter, self.value = counter, value

            def main_hook(self):
                self.counter.followed.append(self.value)
                torch.distributed.all_reduce(torch.zeros(1))

            def post_hook(self, is_last_joiner):
                self.counter.followed.append(is_last_joiner)

        class Counting(Joinable):
            def __init__(self):
                super().__init__()
                self.total, self.followed = 0, []

            def __call__(self):
                Join.notify_join_context(self)
                found = torch.ones(1)
                torch.distributed.all_reduce(found)
                self.total += int(found)

            def join_hook(self, **kwargs):
                return Hook(self, kwargs["value"])

            @property
            def join_device(self):
                return torch.device("cpu")

            @property
            def join_process_group(self):
                return torch.distributed.group.WORLD

        return Counting()


def refuse_incomplete_joinable(torch):
    from torch.distributed.algorithms.join import Join

    class Incomplete:
        pass

    try:
        Join.notify_join_context(Incomplete())
    except AssertionError as error:
        return str(error).split("<class")[0]


def losses(torch, model, part, optimizer=None):
    """The loss of each step, with SGD and momentum."""
    F = torch.nn.functional
    optimizer = optimizer or torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    found = []
    for step in range(STEPS):
        x, y = (each[part] for each in data(torch, step))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def spread(torch, model, **options):
    """SGD whose state is spread over the processes."""
    from torch.distributed.optim import ZeroRedundancyOptimizer

    options = {"lr": 0.1, "momentum": 0.9, **options}
    return ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, **options)


def whole(torch, count):
    """The mean loss of ``count`` parts at each step, in one process."""
    return {
        "mlp": losses(torch, mlp(torch), slice(None)),
        "cnn": losses(torch, network(torch), slice(None)),
    }


def together(torch, rank, size):
    d, DDP = torch.distributed, torch.nn.parallel.DistributedDataParallel
    found = {}
    part = slice(rank, None, size)

    def mean(values):
        values = torch.tensor(values, dtype=torch.float64)
        d.all_reduce(values)
        return (values / size).tolist()

    found["mlp"] = mean(losses(torch, DDP(mlp(torch, rank), bucket_cap_mb=0.001), part))
    found["views"] = mean(losses(torch, DDP(mlp(torch, rank), gradient_as_bucket_view=True), part))
    if Path(torch.__file__).parent.name == "tensh":  # PyTorch's layer runs on GPUs alone
        found["cnn"] = mean(losses(torch, DDP(network(torch, True)), part))
    found["unsynchronous"] = losses(torch, DDP(network(torch)), part)

    for name, options in (("zero", {}), ("zero views", {"parameters_as_bucket_view": True})):
        model = DDP(mlp(torch))
        optimizer = spread(torch, model, **options)
        found[name] = mean(losses(torch, model, part, optimizer))
        found[f"{name} shares"] = [
            [p.numel() for group in groups for p in group["params"]] for groups in optimizer._partition_parameters()
        ]
        try:
            optimizer.state_dict()
        except RuntimeError as error:
            found[f"{name} refused"] = str(error)
        optimizer.consolidate_state_dict(to=size - 1)
        states = [optimizer.state_dict()] if rank == size - 1 else [None]
        d.broadcast_object_list(states, src=size - 1)
        found[f"{name} state"] = [each["momentum_buffer"].sum().item() for each in states[0]["state"].values()]
        loaded = spread(torch, model, lr=0.5, **options)
        loaded.load_state_dict(states[0])
        loaded.step()
        found[f"{name} loaded"] = [loaded.param_groups[0]["lr"], *(p.sum().item() for p in model.parameters())]

    model = DDP(mlp(torch))
    x, y = (each[part] for each in data(torch, 0))
    with model.no_sync():
        model(x).sum().backward()
    found["local"] = model.module[1].weight.grad.sum().item()
    model(2 * x).sum().backward()
    found["after no_sync"] = model.module[1].weight.grad.sum().item()

    model = DDP(Branches(torch), find_unused_parameters=True)
    model(torch.ones(1, 3), rank == 0).sum().backward()
    found["unused"] = [None if p.grad is None else p.grad.tolist() for p in model.parameters()]

    model = DDP(mlp(torch))
    with model.join():
        for _ in range(rank + 1):
            model(x).sum().backward()
    found["join"] = model.module[3].weight.grad.sum().item()
    from torch.distributed.algorithms.join import Join

    for options in (
        {},
        {"divide_by_initial_world_size": False},
        {"enable": size == 1},
        {"throw_on_early_termination": True},
    ):
        model, count = DDP(mlp(torch)), 0
        steps = rank + 1 if options.get("enable", True) else 1
        try:
            with Join([model], **options):
                for count in range(1, steps + 1):  # noqa: B007
                    model(x).sum().backward()
        except RuntimeError as error:
            found["join refused"] = str(error)[:60]
        found[f"Join {options}"] = count, model.module[3].weight.grad.sum().item()

    model = DDP(mlp(torch))
    optimizer = spread(torch, model)
    with Join([model, optimizer]):
        for _ in range(rank + 1):
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()
    found["Join with an optimizer"] = [p.sum().item() for p in model.parameters()]
    for throws in (False, True):
        counter = Counter(torch)
        try:
            with Join([counter], throw_on_early_termination=throws, value=10):
                for _ in range(3 * rank + 1):
                    counter()
        except RuntimeError as error:
            found["counting refused"] = str(error)
        found[f"counted, {throws}"] = [counter.total, *counter.followed]
    found["without a constructor"] = refuse_incomplete_joinable(torch)

    model = DDP(Branches(torch))
    try:
        for _ in range(2):
            model(torch.ones(1, 3), True).sum().backward()
    except RuntimeError as error:
        found["unfinished"] = str(error)[:60]

    def halve(state, bucket):
        return d.all_reduce(bucket.buffer().div_(2 * size), async_op=True).get_future().then(lambda f: f.value()[0])

    model = DDP(mlp(torch))
    model.register_comm_hook(None, halve)
    model(x).sum().backward()
    found["hook"] = model.module[1].weight.grad.sum().item()
    found["hooks"] = compress(torch, x)

    from torch.distributed.nn import functional as collective

    leaf = torch.full((2,), rank + 1.0, requires_grad=True)
    out = collective.all_reduce(leaf) * (rank + 1)
    gathered = torch.stack(collective.all_gather(leaf)).sum() * (rank + 2)
    sent = torch.stack(
        collective.all_to_all([torch.zeros(2) for _ in range(size)], [leaf * k for k in range(size)])
    ).sum()
    (out.sum() + gathered + collective.broadcast(leaf, 0).sum() * (rank + 1) + sent).backward()
    found["functional"] = [out.tolist(), gathered.item(), sent.item(), leaf.grad.tolist()]
    return found


def work(rank, folder, size, address=None):
    import torch

    torch.set_num_threads(1)
    if address:
        torch.distributed.init_process_group("gloo", address, datetime.timedelta(seconds=20), size, rank)
    else:
        torch.distributed.init_process_group("gloo")
        rank, size = torch.distributed.get_rank(), torch.distributed.get_world_size()
    found = together(torch, rank, size)
    with open(f"{folder}/{rank}.json", "w") as file:
        json.dump(found, file)
    torch.distributed.barrier()  # gloo ends a process whose peer leaves before it
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    import warnings

    import torch

    warnings.simplefilter("ignore")
    if len(sys.argv) > 3:
        with open(f"{sys.argv[1]}/whole.json", "w") as file:
            json.dump(whole(torch, int(sys.argv[3])), file)
    elif len(sys.argv) > 2:
        import torch.multiprocessing

        size, address = int(sys.argv[2]), f"file://{sys.argv[1]}/store"
        torch.multiprocessing.start_processes(work, (sys.argv[1], size, address), size, start_method="spawn")
    else:
        work(None, sys.argv[1], 1)
