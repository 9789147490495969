"""Measure what several processes, many runs and event files cost, beside mpi4py and PyTorch where they are installed.

    python tools/parallel_costs.py [all_reduce] [one_rank] [sweep] [events]

Contenders run in one session, in turns, so that a change of the machine's speed affects all of them; a figure is the
median of the ratios within a round. A line has the figure and its budget; the exit status is 1 if one is exceeded. What
is not installed is left out, and said. The environment needs the extras ``mpi``, ``sweep`` and ``tensorboard``.

all_reduce   10 MB on 2 ranks, in multiples of mpi4py's Allreduce and of PyTorch's with gloo
one_rank     steps of training with DistributedDataParallel in a group of one, in multiples of those without
sweep        milliseconds that each of 1,000 runs takes beyond its script's 10, on a warm worker
events       100,000 numbers by SummaryWriter, in multiples of PyTorch's time; TensorBoard's own reader must find them all
"""

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
BUDGETS = {
    "all_reduce of 10 MB on 2 ranks / mpi4py": 1.3,
    "all_reduce of 10 MB on 2 ranks / PyTorch's gloo": 1.0,
    "a step of DistributedDataParallel on one rank / without, MLP": 1.05,
    "a step of DistributedDataParallel on one rank / without, LeNet": 1.05,
    "1,000 runs of 10 ms: milliseconds of each beyond its script": 5.0,
    "100,000 numbers by SummaryWriter / PyTorch's": 1.2,
}


exceeded = []


def tell(name, figure):
    """Print a figure beside its budget."""
    if figure > BUDGETS[name]:
        exceeded.append(name)
    verdict = "   OVER" if name in exceeded else ""
    print(f"{figure:8.3f}  at most {BUDGETS[name]:<4g}  {name}{verdict}", flush=True)


def has(*names):
    """Return True if packages are installed; otherwise say so."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        print(f"left out, without {' and '.join(missing)}", flush=True)
    return not missing


def time_call(function):
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def ratios(first, second, rounds):
    """Return the median of first / second over rounds in which both take a turn, alternately first."""
    found = []
    for number in range(rounds):
        if number % 2:
            two, one = time_call(second), time_call(first)
        else:
            one, two = time_call(first), time_call(second)
        found.append(one / two)
    return statistics.median(found)


# ── collectives ──────────────────────────────────────────────────────────────
def all_reduce():
    """Measure in two processes that MPI starts."""
    if not has("mpi4py"):
        return
    from tensh.cli.launching.launcher import find_mpiexec

    with tempfile.TemporaryDirectory() as folder:
        command = [find_mpiexec(), "-n", "2", sys.executable, __file__, "rank", folder]
        if subprocess.run(command, env=os.environ | {"OMP_NUM_THREADS": "1"}).returncode:
            exceeded.append("all_reduce")


def rank(folder):
    """Take turns with another process: tensh, mpi4py, PyTorch."""
    import numpy as np
    from mpi4py import MPI

    import tensh

    world, d, size = MPI.COMM_WORLD, tensh.distributed, 10_000_000 // 4
    d.init_process_group("mpi")
    ours, array = tensh.zeros(size), np.zeros(size, np.float32)
    contenders = {
        "tensh": lambda: d.all_reduce(ours),
        "mpi4py": lambda: world.Allreduce(MPI.IN_PLACE, array),
    }
    if has_pytorch():
        import torch

        torch.set_num_threads(1)
        store = torch.distributed.FileStore(f"{folder}/store", 2)
        torch.distributed.init_process_group("gloo", store=store, rank=world.rank, world_size=2)
        theirs = torch.zeros(size)
        contenders["PyTorch's gloo"] = lambda: torch.distributed.all_reduce(theirs)
    times = {name: [] for name in contenders}
    for number in range(61):
        names = list(contenders)
        for name in names if number % 2 else names[::-1]:
            world.Barrier()
            time.sleep(0.001)  # both have left the barrier, and neither waits for the other's last turn
            times[name].append(time_call(contenders[name]))
    if world.rank == 0:
        for name in list(contenders)[1:]:
            pairs = zip(times["tensh"][1:], times[name][1:], strict=True)
            tell(f"all_reduce of 10 MB on 2 ranks / {name}", statistics.median(one / two for one, two in pairs))
        print(
            "          milliseconds:", {name: round(1e3 * statistics.median(each), 2) for name, each in times.items()}
        )
    world.Barrier()


def has_pytorch():
    return importlib.util.find_spec("torch") is not None


# ── data parallelism ─────────────────────────────────────────────────────────
def one_rank():
    """Measure steps of two models with DistributedDataParallel and without."""
    import tensh as torch

    nn, d = torch.nn, torch.distributed
    d.init_process_group("gloo", store=d.HashStore(), rank=0, world_size=1)
    torch.set_num_threads(1)

    def make_mlp():
        return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))

    def make_cnn():
        first = nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU()
        return nn.Sequential(*first, nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 10))

    def make_steps(model, shape):
        x, y = torch.randn(64, *shape), torch.randint(0, 10, (64,))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

        def steps():
            for _ in range(10):
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(x), y).backward()
                optimizer.step()

        return steps

    for name, make, shape in (("MLP", make_mlp, (784,)), ("LeNet", make_cnn, (1, 28, 28))):
        alone, together = make_steps(make(), shape), make_steps(nn.parallel.DistributedDataParallel(make()), shape)
        alone(), together()
        tell(f"a step of DistributedDataParallel on one rank / without, {name}", ratios(together, alone, 41))
    d.destroy_process_group()


# ── many runs ────────────────────────────────────────────────────────────────
def sweep(runs=1000):
    """Measure a sweep whose runs sleep 10 ms, beyond one of a single run, which includes the start of the worker."""
    if not has("distributed"):
        return
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sleeping.py").write_text("import time\nn = 0\ntime.sleep(0.01)\nn\n")

        def run(values, file):
            command = [
                sys.executable,
                "-m",
                "tensh",
                "sweep",
                "sleeping.py",
                "--set",
                f"n={values}",
                "--workers",
                "1",
                "-o",
                file,
            ]
            environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
            subprocess.run(
                command, cwd=folder, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )

        run("1", "warm.sqlite")  # its bytecode
        one = time_call(lambda: run("1", "one.sqlite"))
        many = time_call(lambda: run(f"1:{runs}:1", "many.sqlite"))
        tell("1,000 runs of 10 ms: milliseconds of each beyond its script", 1e3 * (many - one) / (runs - 1) - 10)


# ── event files ──────────────────────────────────────────────────────────────
def events(count=100_000):
    """Measure numbers written by tensh and by PyTorch, and read them."""
    if not has("tensorboard"):
        return
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    def write(module, folder):
        with module.SummaryWriter(folder) as writer:
            for step in range(count):
                writer.add_scalar("loss", step / 7, step)

    with tempfile.TemporaryDirectory() as folder:
        import tensh.utils.tensorboard as ours

        write(ours, f"{folder}/warm")
        accumulator = EventAccumulator(f"{folder}/warm", size_guidance={"scalars": 0, "tensors": 0}).Reload()
        import numpy as np

        found = [(event.step, event.value) for event in accumulator.Scalars("loss")]
        assert found == [(step, float(np.float32(step / 7))) for step in range(count)], "not every number is read back"
        print(f"          {len(found):,} numbers are read back as they were written")
        if not has("torch"):
            return
        import torch.utils.tensorboard as theirs

        figure = ratios(lambda: write(ours, f"{folder}/ours"), lambda: write(theirs, f"{folder}/theirs"), 5)
        tell("100,000 numbers by SummaryWriter / PyTorch's", figure)


if __name__ == "__main__":
    if sys.argv[1:2] == ["rank"]:
        rank(sys.argv[2])
    else:
        for part in (all_reduce, one_rank, sweep, events):
            if part.__name__ in sys.argv[1:] or not sys.argv[1:]:
                part()
    sys.exit(bool(exceeded))
