"""Loaders with worker processes: what comes back, what goes wrong, and how workers end.

PyTorch's answers are in sessions/data.md; these tests are about cases that it leaves undefined, or in which it hangs.
"""

import multiprocessing
import os
import signal
import subprocess
import sys

import pytest

import tensh as torch
from tensh.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info
from tensh.utils.data.transport import LARGE, pack, unpack
from tests.support.project import ROOT, plain_environment

pytestmark = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="data sets are not pickled"
)


class Calls(Dataset):
    """Ten samples that a function gives."""

    def __init__(self, function):
        self.function = function

    def __len__(self):
        return 10

    def __getitem__(self, i):
        return self.function(i)


def loader(function, num_workers=1, **options):
    return DataLoader(Calls(function), None, num_workers=num_workers, multiprocessing_context="fork", **options)


def ended(iterator):
    """Have the workers ended, and is nothing left of them?"""
    crew = iterator._crew
    return crew.is_closed and not any(worker.process.is_alive() for worker in crew.workers)


# ── what comes back ──────────────────────────────────────────────────────────
@pytest.mark.parametrize("rows", [10, LARGE])
def test_batches_are_those_of_one_process(rows):
    data = TensorDataset(torch.arange(4 * rows).reshape(4, rows), torch.ones(4, rows, dtype=torch.bfloat16))
    for here, there in zip(DataLoader(data, 2), DataLoader(data, 2, num_workers=2), strict=True):
        for expected, got in zip(here, there, strict=True):
            assert torch.equal(expected, got) and got.dtype is expected.dtype
            got.add_(1)  # the memory is ours


def test_a_row_travels_without_the_tensor_that_it_is_a_row_of():
    packed = pack(torch.ones(100, LARGE)[3, :5])
    assert packed.descriptor is None and len(packed.pickled) < 1000
    assert unpack(packed).tolist() == [1] * 5


def test_a_large_array_lies_in_memory_that_is_mapped():
    sent = {"x": torch.randn(LARGE), "y": torch.randn(3, LARGE).T, "z": [1, "a"]}
    packed = pack(sent)
    assert len(packed.pickled) < 1000 and packed.descriptor is not None
    got = unpack(packed)
    assert packed.descriptor is None
    assert torch.equal(got["x"], sent["x"]) and torch.equal(got["y"], sent["y"]) and got["z"] == sent["z"]
    assert got["y"].stride() == sent["y"].stride()
    got["x"][0] = 5.0  # separate memory
    assert got["x"][0] == 5.0


@pytest.mark.skipif(sys.platform != "linux", reason="a file in memory is Linux's")
def test_without_room_for_a_file_all_goes_through_the_pipe(monkeypatch):
    def nothing(name):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "memfd_create", nothing)
    sent = torch.randn(LARGE)
    packed = pack(sent)
    assert packed.descriptor is None
    assert torch.equal(unpack(packed), sent)


def test_more_large_batches_are_kept_than_files_can_be_open():
    script = """
import resource, torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 400
    def __getitem__(self, i):
        return torch.full((20_000,), float(i))

resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300))
batches = list(DataLoader(Rows(), None, num_workers=2))
print([int(batch[-1]) for batch in batches] == list(range(400)))
"""
    assert run_script(script) == ("True\n", "")


def run_script(script):
    """What a program writes."""
    command = [sys.executable, "-m", "tensh", "-c", script]
    done = subprocess.run(
        command, cwd=ROOT, env=plain_environment(), capture_output=True, encoding="utf-8", timeout=120
    )
    return done.stdout, done.stderr


def test_long_lists_of_indices_and_large_batches_do_not_wait_for_each_other():
    batches = list(DataLoader(range(200_000), 50_000, num_workers=1, prefetch_factor=4))
    assert torch.equal(torch.cat(batches), torch.arange(200_000))


def test_the_parts_of_a_stream_come_in_turn():
    class Stream(IterableDataset):
        def __iter__(self):
            worker = get_worker_info()
            return iter([10 * worker.id + i for i in range(3 - worker.id)])

    options = {"num_workers": 2, "persistent_workers": True}
    each = DataLoader(Stream(), None, **options)
    assert list(each) == list(each) == [0, 10, 1, 11, 2]
    assert [batch.tolist() for batch in DataLoader(Stream(), 2, **options)] == [[0, 1], [10, 11], [2]]


def test_batches_out_of_order_are_all_there():
    go = multiprocessing.Event()
    iterator = iter(loader(lambda i: go.wait() and i if i == 0 else i, 2, in_order=False))
    assert next(iterator) == 1
    go.set()
    assert sorted(iterator) == [0, *range(2, 10)]


# ── what goes wrong ──────────────────────────────────────────────────────────
def raises(error):
    def sample(i):
        raise error

    return sample


class Picky(Exception):
    def __init__(self, first, second):
        super().__init__(first, second)


class Local(ValueError):
    __qualname__ = "somewhere.<locals>.Local"


@pytest.mark.parametrize(
    "function, kind, name, last",
    [
        (raises(KeyError("k")), KeyError, "KeyError", "KeyError: 'k'"),
        (raises(OSError(2, "no")), OSError, "FileNotFoundError", "FileNotFoundError: [Errno 2] no"),
        (raises(Picky(1, 2)), RuntimeError, "Picky", "test_data.Picky: (1, 2)"),
        (raises(Local("x")), RuntimeError, "Local", "test_data.somewhere.<locals>.Local: x"),
        (raises(StopIteration()), StopIteration, "StopIteration", "StopIteration"),
        (lambda i: lambda: 0, Exception, "AttributeError|PicklingError", "local object"),
        (
            lambda i: torch.ones(1, requires_grad=True) * 2,
            RuntimeError,
            "RuntimeError",
            "Cowardly refusing to serialize",
        ),
    ],
)
def test_an_exception_of_a_worker_is_raised_here(function, kind, name, last):
    iterator = iter(loader(function, collate_fn=lambda sample: sample))
    with pytest.raises(kind, match=rf"^Caught ({name}) in DataLoader worker process 0\.\nOriginal Traceback") as caught:
        next(iterator)
    assert last in str(caught.value).splitlines()[-1]


@pytest.mark.parametrize(
    "end, how",
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), r"is killed by signal: Killed\. "),
        (lambda: os._exit(3), "exited unexpectedly with exit code 3"),
    ],
)
def test_a_worker_that_dies_is_an_error(end, how):
    options = {"persistent_workers": True}
    with_death = loader(lambda i: end() if i == 3 else i, 2, **options)
    for _ in range(2):  # the next pass has new workers
        iterator = iter(with_death)
        assert [next(iterator) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(RuntimeError, match=r"^DataLoader worker \(pid\(s\) \d+\) exited unexpectedly$") as caught:
            next(iterator)
        assert caught.value.__cause__.args[0].partition(") ")[2].startswith(how.replace("\\", ""))
        assert ended(iterator) and list(iterator) == []


def test_a_loader_in_a_worker_is_refused_as_one_error_of_that_worker(capfd):
    nested = loader(lambda i: [*torch.utils.data.DataLoader([i], num_workers=1)], collate_fn=lambda sample: sample)
    with pytest.raises(AssertionError, match=r"^Caught AssertionError in DataLoader worker process 0\.\n") as caught:
        next(iter(nested))
    assert str(caught.value).endswith("\nAssertionError: daemonic processes are not allowed to have children\n")
    assert caught.value.__cause__ is None and "During handling" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_a_batch_that_comes_too_late_can_still_be_had():
    go = multiprocessing.Event()
    iterator = iter(loader(lambda i: go.wait() and i, timeout=0.01))
    with pytest.raises(RuntimeError, match=r"^DataLoader timed out after 0\.01 seconds$"):
        next(iterator)
    go.set()
    iterator._timeout = 60
    assert list(iterator) == list(range(10))


def test_interrupted_while_it_waits_the_loader_goes_on():
    begin, go = os.pipe(), os.pipe()

    def sample(i):
        if i == 0:
            os.read(begin[0], 1)
            os.kill(os.getpid(), signal.SIGINT)  # ^C reaches the workers as well
            os.kill(os.getppid(), signal.SIGINT)
            os.read(go[0], 1)
        return i

    iterator = iter(loader(sample))
    with pytest.raises(KeyboardInterrupt):
        os.write(begin[1], b"x")
        next(iterator)
    os.write(go[1], b"x")
    assert list(iterator) == list(range(10))
    for end in (*begin, *go):
        os.close(end)


# ── how workers end ──────────────────────────────────────────────────────────
def test_workers_end_with_the_pass():
    iterator = iter(loader(lambda i: i, 2))
    assert not ended(iterator)
    assert list(iterator) == list(range(10)) and list(iterator) == []
    assert ended(iterator)


def test_workers_end_with_an_iterator_that_is_given_up():
    iterator = iter(loader(lambda i: torch.ones(LARGE), 2))
    next(iterator)
    workers = iterator._crew.workers.copy()
    processes = [worker.process for worker in workers]
    del iterator, workers
    assert all(process.join(60) is None and process.exitcode == 0 for process in processes)


def test_persistent_workers_end_with_the_loader():
    here = loader(lambda i: (i, os.getpid()), 2, persistent_workers=True)
    iterator = iter(here)
    first = list(iterator)
    next(iter(here))  # a pass that stays unfinished
    again = list(here)
    assert first == again and len({pid for _, pid in first}) == 2
    processes = [worker.process for worker in iterator._crew.workers]
    del iterator, here
    assert all(process.join(60) is None and process.exitcode == 0 for process in processes)


PROGRAM = """
import os, signal
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 6
    def __getitem__(self, i):
        return torch.full((20_000,), float(i))

if __name__ == "__main__":
    iterator = iter(DataLoader(Rows(), 2, num_workers=2, multiprocessing_context="{method}"))
    print(torch.cat([next(iterator) for _ in range(2)])[:, 0].tolist(), flush=True)
    {end}
"""


@pytest.mark.thorough
@pytest.mark.parametrize("method, end", [("fork", "os.kill(os.getpid(), signal.SIGKILL)"), ("spawn", ""), ("fork", "")])
def test_workers_end_with_a_program(method, end, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format(method=method, end=end))
    command = [sys.executable, "-m", "tensh", "run", str(file)]
    # The pipe ends when the last of the processes has ended.
    done = subprocess.run(
        command, cwd=ROOT, env=plain_environment(), capture_output=True, encoding="utf-8", timeout=120
    )
    assert (done.stdout, done.stderr) == ("[0.0, 1.0, 2.0, 3.0]\n", "")


INTERRUPTED_AT_THE_END = """
    from tensh.utils.data.workers import Crew
    close = Crew.close
    Crew.close = lambda self: [os.kill(os.getpid(), signal.SIGINT), close(self)]
"""


def test_a_plain_python_program_that_is_over_is_not_interrupted(tmp_path):
    file = tmp_path / "program.py"
    program = PROGRAM.format(method="fork", end=INTERRUPTED_AT_THE_END.strip())
    file.write_text(program.replace("import torch", "import tensh as torch").replace("torch.utils", "tensh.utils"))
    done = subprocess.run(
        [sys.executable, str(file)], env=plain_environment(), capture_output=True, encoding="utf-8", timeout=120
    )
    assert (done.stdout, done.stderr, done.returncode) == ("[0.0, 1.0, 2.0, 3.0]\n", "", 0)
