"""Programs of several processes, which run on tensh and on PyTorch: ``python -m tests.multiprocessing.programs NAME METHOD``.

Each prints its findings. The work of a child is a function of this module, so that every start method finds it.
"""

import copy
import sys

MAKERS = """
torch.ones(3)
torch.arange(12.).reshape(3, 4)[1]
torch.arange(12.).reshape(3, 4).t()[1:]
torch.ones(2, dtype=torch.bfloat16)
torch.ones(2, dtype=torch.bool)
torch.ones(2, dtype=torch.complex64)
torch.ones(2, dtype=torch.float16)
torch.ones(0, 3)
torch.ones(4, 3)[:0]
torch.ones(0)
torch.tensor(3)
torch.ones(1).expand(3)
torch.ones(2, requires_grad=True)
torch.nn.Parameter(torch.ones(2))
torch.nn.Parameter(torch.ones(2), requires_grad=False)
torch.nn.Parameter(torch.ones(0))
torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last)
torch.ones(2, 3, device="meta")[:, 1]
torch.nn.Parameter(torch.ones(2, device="meta"))
torch.ones(5).share_memory_()[2:]
torch.zeros(20, 10)
torch.eye(2).to_sparse()
torch.eye(2).to_sparse_csr()
torch.ones(2).untyped_storage()
torch.UntypedStorage(0)
torch.ones(2).storage()
torch.nn.Linear(2, 1)
{"a": torch.ones(2), "b": [torch.zeros(1)]}
""".strip().splitlines()


def describe(thing):
    """What is seen of a tensor or a storage."""
    import torch

    if not isinstance(thing, torch.Tensor):
        return type(thing).__name__, thing.tolist() if hasattr(thing, "tolist") else None
    facts = type(thing).__name__, str(thing.dtype), tuple(thing.shape), thing.requires_grad, thing.device.type
    if thing.layout is not torch.strided:
        return *facts, thing.to_dense().tolist()
    facts += (thing.stride(), thing.storage_offset(), thing.is_shared() and bool(thing.numel()))
    return (*facts, thing.untyped_storage().nbytes()) + (() if thing.is_meta else (thing.float().tolist(),))


def change(thing):
    """Write into the memory of what was received."""
    import torch

    if isinstance(thing, torch.nn.Module):
        thing = dict(thing.named_parameters())
    if isinstance(thing, (dict, list)):
        for each in thing.values() if isinstance(thing, dict) else thing:
            change(each)
    elif not isinstance(thing, torch.Tensor):
        if len(thing):
            thing[0] = 7
    elif thing.layout is not torch.strided:
        thing.values().fill_(5) if thing.layout is torch.sparse_csr else thing._values().fill_(5)
    elif not thing.is_meta:
        with torch.no_grad():
            thing.fill_(5)


def is_same(thing, back):
    """Return True unless a tensor came back in other memory."""
    import torch

    if not isinstance(thing, torch.Tensor) or thing.is_meta or thing.layout is not torch.strided:
        return True
    return thing.data_ptr() == back.data_ptr()


def change_all(taken, given):
    """The child of ``handing_over``: change what comes, and send it back."""
    while (message := taken.get()) is not None:
        change(message)
        given.put(message)


def handing_over(method):
    import torch
    import torch.multiprocessing as mp

    context = mp.get_context(method)
    taken, given = context.SimpleQueue(), context.SimpleQueue()
    process = context.Process(target=change_all, args=(taken, given), daemon=True)
    process.start()
    for text in MAKERS:
        thing = eval(text, {"torch": torch})
        taken.put(thing)
        back = given.get()
        if isinstance(thing, torch.nn.Module):
            thing, back = thing.bias, back.bias
        if isinstance(thing, dict):
            thing, back = thing["b"][0], back["b"][0]
        print(text, describe(thing), describe(back), is_same(thing, back))
    taken.put(None)
    process.join()
    print(process.exitcode)


def add_one(x):
    x += 1
    return x.sum().item(), x


def pool(method):
    import torch
    import torch.multiprocessing as mp

    with mp.get_context(method).Pool(2) as workers:
        data = [torch.full((3,), float(n)) for n in range(4)]
        print(workers.map(add_one, data))
        print(data, [each.is_shared() for each in data])


def send_gradient(end):
    end.send(end.recv() * 2)
    end.recv()  # sent memory exists as long as this process


def pipe(method):
    import torch
    import torch.multiprocessing as mp

    context = mp.get_context(method)
    here, there = context.Pipe()
    process = context.Process(target=send_gradient, args=(there,))
    process.start()
    here.send(torch.arange(3))
    print(here.recv())
    try:
        here.send(torch.ones(1, requires_grad=True) * 2)
    except RuntimeError as error:
        print(error)
    here.send(None)
    process.join()


def add_to(place, tensor, other):
    tensor[place] += other[place]


def spawned(method):
    import torch
    import torch.multiprocessing as mp

    x = torch.zeros(3).share_memory_()
    print(mp.start_processes(add_to, (x, torch.arange(3)), nprocs=3, start_method=method), x)


def fail(place, how):
    import os
    import signal
    import time

    if place == 1:
        if how == "raise":
            raise ValueError("no more data")
        if how == "exit":
            sys.exit(3)
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def failing(method):
    import pickle

    import torch.multiprocessing as mp

    for how in ("raise", "exit", "kill"):
        context = mp.start_processes(fail, (how,), nprocs=2, join=False, start_method=method)
        try:
            while not context.join():
                pass
        except (mp.ProcessRaisedException, mp.ProcessExitedException) as error:
            again = pickle.loads(pickle.dumps(error))
            lines = [line for line in str(error).splitlines() if "    " not in line and "File" not in line]
            print(type(error).__name__, lines, error.error_index, error.error_pid == context.pids()[1])
            print(str(again) == str(error), again.error_pid == error.error_pid, getattr(error, "exit_code", 0))
        print([process.is_alive() for process in context.processes])


def sharing(method):
    import torch

    base = torch.arange(6.0)
    row, copied = base.view(2, 3)[1], copy.deepcopy(base)
    base.add_(1)
    print(row.share_memory_() is row, base.is_shared(), base.detach().is_shared(), copied.is_shared())
    base[4] = 9
    print(row, base._version, row.clone().is_shared())
    model = torch.nn.Linear(2, 1)
    loss = model(torch.ones(1, 2)).sum()
    print(model.share_memory() is model, [p.is_shared() for p in model.parameters()])
    loss.backward()
    print(model.weight.grad, model.weight.grad.is_shared())
    optimizer = torch.optim.Adagrad(model.parameters())
    optimizer.share_memory()
    sums = [state["sum"] for state in optimizer.state.values()]
    before = [each.data_ptr() for each in sums]
    optimizer.step()
    print([each.is_shared() for each in sums], before == [each.data_ptr() for each in sums], sums)
    for text in (
        "torch.ones(0).share_memory_().is_shared()",
        "torch.ones(2, device='meta').share_memory_()",
        "torch.eye(2).to_sparse().share_memory_()",
        "torch.eye(2).to_sparse().is_shared()",
        "torch.eye(2).to_sparse_csr().is_shared()",
        "torch.ones(2).storage().share_memory_().is_shared()",
        "torch.ones(2).untyped_storage().share_memory_().is_shared()",
        "torch.multiprocessing.get_sharing_strategy()",
        "sorted(torch.multiprocessing.get_all_sharing_strategies())",
        "torch.multiprocessing.set_sharing_strategy('file_system')",
        "torch.multiprocessing.get_sharing_strategy()",
        "torch.multiprocessing.set_sharing_strategy('names')",
    ):
        try:
            print(eval(text, {"torch": torch}))
        except Exception as error:
            print(type(error).__name__, str(error).split("{")[0])


def add_up(tensors, answer):
    answer.put(sum(t.item() for t in tensors))


def many(method):
    """More tensors than the usual number of open files."""
    import resource

    import torch
    import torch.multiprocessing as mp

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    context = mp.get_context(method)
    tensors, answer = [torch.tensor(n).share_memory_() for n in range(1200)], context.SimpleQueue()
    process = context.Process(target=add_up, args=(tensors, answer))
    process.start()
    print(answer.get(), sum(range(1200)))
    process.join()
    taken, given = context.SimpleQueue(), context.SimpleQueue()
    process = context.Process(target=change_all, args=(taken, given), daemon=True)
    process.start()
    taken.put(tensors)
    given.get()
    print({t.item() for t in tensors})


def train(place, model):
    import torch
    from torch.nn import functional as F

    torch.manual_seed(place)
    steps = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(60):
        data = torch.randn(16, 4)
        steps.zero_grad()
        F.nll_loss(F.log_softmax(model(data), 1), data[:, :3].argmax(1)).backward()
        steps.step()


def hogwild(method):
    import torch
    import torch.multiprocessing as mp

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
    model.share_memory()
    processes = [mp.get_context(method).Process(target=train, args=(place, model)) for place in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    data = torch.randn(200, 4)
    right = (model(data).argmax(1) == data[:, :3].argmax(1)).float().mean()
    print([process.exitcode for process in processes], bool(right > 0.7), model[0].weight.is_shared())


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    for each in sys.argv[1].split(","):
        globals()[each](sys.argv[2])
