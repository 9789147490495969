"""Several processes, with MPI: collectives as PyTorch's with gloo, and a program that is launched."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.distributed.ranks import DISAGREEING
from tests.support.project import ROOT

pytestmark = pytest.mark.skipif(find_spec("mpi4py") is None, reason="mpi4py is not installed")
LAUNCH = [sys.executable, "-m", "tensh", "launch"]


def call(command, **options):
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300, **options)


def shared_memory():
    return [path.name for path in Path("/dev/shm").glob("*") if path.name.startswith(("mpich", "ucx"))]


def is_nothing_left(before):
    """Return True once there is no more shared memory than before; other tests have theirs for a moment."""
    end = time.monotonic() + 10
    while not (gone := before.issuperset(shared_memory())) and time.monotonic() < end:
        time.sleep(0.1)
    return gone


def found_by_ranks(folder, size):
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(size)]


def found_by_pytorch(program, folder, size):
    """What PyTorch's processes write; gloo sometimes aborts one that has written all and is about to end."""
    done = call([sys.executable, f"tests/distributed/{program}", str(folder), str(size)])
    assert done.returncode == 0 or len([*folder.glob("[0-9]*.json")]) == size, done.stderr
    return found_by_ranks(folder, size)


@pytest.fixture(scope="module", params=[1, 2, 3, 4])
def actual(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    done = call([*LAUNCH, "-n", str(request.param), "tests/distributed/ranks.py", str(folder)])
    assert done.returncode == 0, done.stderr
    return found_by_ranks(folder, request.param)


@pytest.mark.oracle
def test_collectives_are_as_pytorchs(actual, tmp_path):
    size = len(actual)
    expected = found_by_pytorch("ranks.py", tmp_path, size)
    differences = [
        (rank, text, expected[rank][text], actual[rank][text])
        for rank in range(size)
        for text in expected[rank]
        if actual[rank][text] != expected[rank][text]
    ]
    assert not differences


def test_processes_of_spawn_are_those_of_the_launcher(actual, tmp_path):
    size = len(actual)
    if size != 3:
        return
    before = set(shared_memory())
    done = call([sys.executable, "-m", "tensh", "run", "tests/distributed/ranks.py", "--", str(tmp_path), str(size)])
    assert done.returncode == 0, done.stderr
    found = found_by_ranks(tmp_path, size)
    assert found == [{text: expected[text] for text in found[0]} for expected in actual]
    assert is_nothing_left(before)


def test_spawn_ends_with_the_first_failure(program):
    done = call([sys.executable, "-m", "tensh", "run", program, "raise", "spawn"])
    assert done.returncode == 1
    assert "ProcessRaisedException" in done.stderr and "ValueError: no more data" in done.stderr


def test_spawned_process_that_does_not_come(program):
    done = call([sys.executable, "-m", "tensh", "run", program, "absent", "spawn"])
    assert "timed out after 2 s: 1 of 2 processes reached init_process_group" in done.stderr


def test_reductions_have_one_result_on_all_ranks(actual):
    text = "d.all_reduce(x := torch.tensor([r + 1, 3 - r, 0]).to(torch.int32), d.ReduceOp.MAX), x"
    assert {each[text] for each in actual} == {f"(None, tensor([{len(actual)}, 3, 0], dtype=torch.int32))"}


def test_disagreement_is_an_error_on_all(actual):
    if len(actual) == 1:
        return
    for text in DISAGREEING:
        said = {each[text].partition(": rank")[0] for each in actual}
        assert all(each.startswith("RuntimeError") for each in said), (text, said)
        assert any("rank" in each[text] for each in actual), text


FAILING = """
import datetime, os, signal, sys, tempfile, time, torch


def work(rank, how, address=None):
    if how == "absent" and rank == 1:
        time.sleep(60)
    waits = datetime.timedelta(seconds=2 if how == "absent" else 60)
    if address:
        torch.distributed.init_process_group("gloo", address, waits, 2, rank)
    else:
        torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    print("begun", rank, sys.argv[1:], os.environ.get("TORCHELASTIC_RESTART_COUNT"), flush=True)
    if rank == 1:
        if how == "raise":
            raise ValueError("no more data")
        if how == "exit":
            sys.exit(7)
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if how.startswith("vanish"):
            os._exit(int(how[-1]))
    if how == "late" and rank == 1:
        time.sleep(3)
    torch.distributed.barrier() if how != "sleep" else time.sleep(60)


if __name__ == "__main__":
    if "spawn" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            torch.multiprocessing.spawn(work, (sys.argv[1], f"file://{folder}/store"), 2)
    else:
        work(None, sys.argv[1])
"""


@pytest.fixture
def program(tmp_path):
    (tmp_path / "failing.py").write_text(FAILING)
    return str(tmp_path / "failing.py")


@pytest.mark.parametrize(
    "how, status, said",
    [
        ("raise", 1, "rank 1 failed with status 1"),
        ("exit", 7, "rank 1 failed with status 7"),
        ("kill", 137, "rank 1 was killed by signal SIGKILL"),
        ("vanish0", 1, "rank 1 ended early, without an error"),
        ("vanish3", 3, "rank 1 failed with status 3"),
    ],
)
def test_one_failure_ends_all(how, status, said, program):
    done = call([*LAUNCH, "-n", "2", program, how, "--lr", "1"])
    assert done.returncode == status
    assert sorted(done.stdout.splitlines()) == [f"[{rank}] begun {rank} ['{how}', '--lr', '1'] 0" for rank in range(2)]
    assert done.stderr.splitlines()[-1] == f"tensh launch: {said}; the others were stopped"
    assert ("ValueError: no more data" in done.stderr) == (how == "raise")


def test_programs_that_fail_are_restarted_as_often_as_asked(program):
    done = call([*LAUNCH, "-n", "2", "--restarts", "1", "--no-prefix", program, "exit"])
    assert done.returncode == 7
    assert sorted(done.stdout.splitlines()) == [
        f"begun {rank} ['exit'] {attempt}" for rank in range(2) for attempt in range(2)
    ]


ENDINGS = [
    (signal.SIGINT, 130),
    (signal.SIGTERM, -signal.SIGTERM),
    (signal.SIGHUP, -signal.SIGHUP),
    (signal.SIGKILL, -9),
]


@pytest.mark.parametrize("sign, status", ENDINGS)
def test_no_process_is_left(sign, status, program, tmp_path):
    process = subprocess.Popen(
        [*LAUNCH, "-n", "2", program, "sleep"], stdout=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    for _ in range(2):
        process.stdout.readline()
    process.send_signal(sign)
    assert process.wait(30) == status
    process.stdout.read()  # until all processes have closed it
    end = time.monotonic() + 10
    while (left := call(["pgrep", "-f", program]).stdout) and time.monotonic() < end:
        time.sleep(0.1)
    assert not left and (sign == signal.SIGKILL or not [*tmp_path.glob("tensh-launch-*")])


KILLED_EARLY = """
import glob, os, signal, threading

def kill_once_memory_is_shared(before=frozenset(glob.glob("/dev/shm/mpich_shm_*"))):
    while before.issuperset(glob.glob("/dev/shm/mpich_shm_*")):
        pass
    os.kill(os.getpid(), signal.SIGKILL)

threading.Thread(target=kill_once_memory_is_shared, daemon=True).start()
import torch
torch.distributed.init_process_group("gloo")
threading.Event().wait(60)
"""


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="memory with names is that of Linux")
def test_a_rank_that_is_killed_while_mpi_begins_leaves_no_memory(tmp_path):
    (tmp_path / "early.py").write_text(KILLED_EARLY)
    before = set(shared_memory())
    done = call([*LAUNCH, "-n", "2", str(tmp_path / "early.py")])
    assert done.returncode == 137 and "was killed by signal SIGKILL" in done.stderr
    assert is_nothing_left(before)


TIMING = """
import datetime, time, torch
d = torch.distributed
d.init_process_group("gloo", timeout=datetime.timedelta(seconds=0.5))
try:
    if d.get_rank() == 0:
        d.all_reduce(torch.ones(2))
    time.sleep(1)
except RuntimeError as error:
    print(type(error).__name__, error, flush=True)
import os; os._exit(0)
"""


def test_time_limit(tmp_path):
    (tmp_path / "timing.py").write_text(TIMING)
    done = call([*LAUNCH, "-n", "2", str(tmp_path / "timing.py")])
    assert "[0] DistBackendError timed out after 0.5 s: not all processes reached all_reduce(shape=[2]" in done.stdout


def test_a_reader_that_goes_away_ends_all(tmp_path):
    (tmp_path / "endless.py").write_text("import time\nwhile True:\n    print(1, flush=True)\n    time.sleep(0.01)\n")
    command = [*LAUNCH, "-n", "2", str(tmp_path / "endless.py")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout.readline()[3:] == " 1\n"
    process.stdout.close()
    assert (process.wait(60), process.stderr.read()) == (141, "")


MESSAGES = """
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
sends = [
    lambda: dist.send(torch.ones(2), 1),
    lambda: dist.send(torch.ones(100_000), 1, tag=7),
    lambda: dist.send_object_list(["a"], 1),
    lambda: dist.send(torch.ones(1), 1),
    lambda: dist.send(torch.ones(2), 1),
    lambda: dist.send(torch.ones(2), 1),
]
receives = [
    lambda x: dist.recv(x.int(), 0),
    lambda x: dist.recv(torch.ones(100_000, dtype=torch.int32), 0, tag=7),
    lambda x: dist.recv(x, 0),
    lambda x: dist.recv_object_list([None], 0),
    lambda x: dist.recv(x.bool()),
    lambda x: dist.recv(x, 0),
]
for send, receive in zip(sends, receives):
    if dist.get_rank() == 0:
        send()
        continue
    try:
        print(receive(x := torch.zeros(2)), x.tolist())
    except RuntimeError as error:
        print(error)
"""


def test_messages_of_another_kind(tmp_path):
    (tmp_path / "messages.py").write_text(MESSAGES)
    done = call([*LAUNCH, "-n", "2", "--no-prefix", str(tmp_path / "messages.py")])
    assert done.stdout.splitlines() == [
        "recv: rank 0 sent a tensor of float32, but a tensor of int32 is expected here",
        "recv: rank 0 sent a tensor of float32, but a tensor of int32 is expected here",
        "recv: rank 0 sent an object, but a tensor of float32 is expected here",
        "recv: rank 0 sent a tensor of float32, but an object is expected here",
        "recv: rank 0 sent a tensor of float32, but a tensor of bool is expected here",
        "0 [1.0, 1.0]",
    ], done.stderr


# ── training ─────────────────────────────────────────────────────────────────
EXACT = 1e-6  # of losses; of sums of gradients relatively


def trained(size, folder):
    done = call(
        [sys.executable, "-m", "tensh", "run", "tests/distributed/training.py", "--", str(folder), "0", str(size)]
    )
    assert done.returncode == 0, done.stderr
    done = call([*LAUNCH, "-n", str(size), "tests/distributed/training.py", str(folder)])
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "whole.json").read_text()), found_by_ranks(folder, size)


@pytest.fixture(scope="module", params=[2, 3])
def training(request, tmp_path_factory):
    return trained(request.param, tmp_path_factory.mktemp("training"))


def test_training_is_that_of_one_process_on_the_whole_batch(training):
    whole, ranks = training
    for found in ranks:
        for name, values in whole.items():
            assert found[name] == pytest.approx(values, abs=EXACT), name
        for name in ("views", "zero", "zero views"):
            assert found[name] == pytest.approx(whole["mlp"], abs=EXACT), name


@pytest.mark.oracle
def test_training_is_as_pytorchs(training, tmp_path):
    size = len(training[1])
    for found, expected in zip(training[1], found_by_pytorch("training.py", tmp_path, size), strict=True):
        for name, value in expected.items():
            exact = isinstance(value, str) or name.endswith("shares")
            if exact or name in ("functional", "unused", "unfinished"):
                assert found[name] == value, name
            else:
                least = 5e-3 if name == "hooks" else EXACT  # hooks round gradients to 16 bits
                assert found[name] == pytest.approx(value, rel=1e-5, abs=least), name


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="children are looked up in /proc")
# mpiexec, its helper on the machine, the process that supervises a rank
@pytest.mark.parametrize("generation", [1, 2, 3])
def test_what_holds_the_ranks_is_killed(generation, program):
    process = subprocess.Popen(
        [*LAUNCH, "-n", "2", program, "sleep"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    for _ in range(2):
        process.stdout.readline()
    victim = process.pid
    for _ in range(generation):
        victim = int(call(["pgrep", "-P", str(victim)]).stdout.split()[0])
    os.kill(victim, signal.SIGKILL)
    assert process.wait(60) in (137, 255) and "the others were stopped" in process.stderr.read()
    end = time.monotonic() + 10
    while (left := call(["pgrep", "-f", program]).stdout) and time.monotonic() < end:
        time.sleep(0.1)
    assert not left


def test_as_many_processes_as_the_machines_take(program):
    done = call([*LAUNCH, "--hosts", "localhost:2", program, "exit"])
    assert done.returncode == 7 and {line[:3] for line in done.stdout.splitlines()} == {"[0]", "[1]"}


def test_an_mpiexec_that_starts_nothing(program):
    done = call([*LAUNCH, "--hosts", "there-is-no-such-machine.invalid", program, "exit"])
    assert done.returncode and "started no process, and exited with status" in done.stderr
