"""Tensors and work handed to other processes: as PyTorch does, without a copy, and with nothing left behind."""

import os
import subprocess
import sys

import pytest

import tensh as torch
from tests.support.project import ROOT

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="memory is shared by descriptors, which POSIX systems hand over"
)
SAME = "handing_over,pool,pipe,spawned,failing,sharing"  # PyTorch's threads keep a forked child from training


def run(start, program, method="fork"):
    """What a program of ``programs`` prints."""
    done = subprocess.run([*start, program, method], capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


TENSH = [sys.executable, "-m", "tensh", "run", "tests/multiprocessing/programs.py"]
TORCH = [sys.executable, "tests/multiprocessing/programs.py"]


@pytest.fixture(scope="module")
def printed():
    return run(TENSH, f"{SAME},many,hogwild")


@pytest.mark.oracle
def test_processes_print_what_pytorchs_print(printed):
    assert printed.splitlines()[:-3] == run(TORCH, SAME).splitlines()


def test_what_a_child_writes_is_seen(printed):
    """Without PyTorch: the lines that matter most."""
    assert (
        "torch.ones(3) ('Tensor', 'torch.float32', (3,), False, 'cpu', (1,), 0, True, 12, [5.0, 5.0, 5.0])" in printed
    )
    assert "None tensor([0., 1., 2.])" in printed
    assert "ValueError: no more data" in printed
    assert printed.endswith("719400 719400\n{5}\n[0, 0] True True\n")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "method, program, expected",
    [("spawn", "pipe", "tensor([0, 2, 4])"), ("forkserver", "spawned", "None tensor([0., 1., 2.])")],
)
def test_start_methods(method, program, expected):
    assert run(TENSH, program, method).splitlines()[0] == expected


KILLED = """
import os, signal, sys
import torch, torch.multiprocessing as mp

def work(place, x, ready):
    ready.put(x)
    x.share_memory_().fill_(place)
    signal.pause()

if __name__ == "__main__":
    queue = mp.get_context("fork").SimpleQueue()
    context = mp.start_processes(work, (torch.zeros(1_000_000), queue), 2, join=False, start_method="fork")
    for _ in range(2):
        queue.get()
    print(*context.pids(), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_killed_processes_leave_nothing(tmp_path):
    """The parent is killed: its children end, and no memory with a name is left."""
    before = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
    (tmp_path / "killed.py").write_text(KILLED)
    start = [sys.executable, "-m", "tensh", "run", str(tmp_path / "killed.py")]
    done = subprocess.run(start, capture_output=True, text=True, cwd=ROOT, timeout=60)  # until all have closed the pipe
    assert len(done.stdout.split()) == 2, done.stderr
    assert before >= (set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set())


def test_a_signal_comes_before_the_failures_that_follow_from_it(tmp_path):
    class Ended:
        """A process that has ended, with an exit code."""

        pid, is_alive = 7, staticmethod(lambda: False)

        def __init__(self, exitcode):
            self.exitcode = exitcode
            self.sentinel, other = os.pipe()
            os.close(other)  # readable from now on, as that of a process that has ended

        def join(self, timeout=None):
            pass

    processes = [Ended(1), Ended(0), Ended(-9), Ended(1)]
    (tmp_path / "0").write_text("Connection closed by peer")
    context = torch.multiprocessing.ProcessContext(processes, [str(tmp_path / str(place)) for place in range(4)])
    with pytest.raises(torch.multiprocessing.ProcessExitedException, match="process 2 terminated with signal SIGKILL"):
        context.join()
    for each in processes:
        os.close(each.sentinel)


def test_a_parameter_moves_to_shared_memory_without_a_search_for_other_tensors(monkeypatch):
    """Its node refers to its memory, too, which is no other tensor: a search looks at every object of the program."""
    from tensh.engine.operators.shapes.composites import sharing

    def search(block):
        raise AssertionError("all objects were looked at")

    monkeypatch.setattr(sharing, "find_holders", search)
    layer = torch.nn.Linear(3, 2)
    layer(torch.ones(1, 3)).sum().backward()
    layer.share_memory()
    assert all(p.is_shared() and p.grad_fn is None for p in layer.parameters())
    node = (layer.weight * 1).grad_fn.next_functions[0][0]
    assert node.variable is layer.weight
