"""Checkpoints of several processes: written by some number of ranks, read by another, in tensh and in PyTorch."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.support.project import ROOT, plain_environment

pytestmark = pytest.mark.skipif(find_spec("mpi4py") is None, reason="mpi4py is not installed")
PROGRAM = "tests/distributed/checkpoints.py"


def run(action, folder, results, ranks, *options, with_pytorch=False):
    """Run the program; return what each rank found, and how it ended."""
    results.mkdir(exist_ok=True)
    if with_pytorch:
        command = [sys.executable, PROGRAM, action, folder, results, ranks]
    else:
        command = [sys.executable, "-m", "tensh", "launch", "-n", ranks, *options, PROGRAM, action, folder, results]
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, cwd=ROOT, env=plain_environment(), timeout=100
    )
    files = [results / f"{rank}.json" for rank in range(ranks)]
    return [json.loads(file.read_text()) for file in files if file.exists()], done


def check_end(found, done, ranks, with_pytorch):
    """Assert that a program ended well; gloo sometimes aborts a process of PyTorch that has written everything."""
    aborted = with_pytorch and len(found) == ranks and "SIGABRT" in done.stderr
    assert done.returncode == 0 or aborted, done.stderr


def check_load(folder, results, ranks, with_pytorch=False):
    found, done = run("load", folder, results, ranks, with_pytorch=with_pytorch)
    check_end(found, done, ranks, with_pytorch)
    assert len(found) == ranks
    for each in found:
        assert each["found"] == each["expected"]


@pytest.fixture(scope="module", params=[1, 2, 3])
def saved(request, tmp_path_factory):
    """A checkpoint of some number of ranks."""
    folder = tmp_path_factory.mktemp("saved")
    _, done = run("save", folder / "checkpoint", folder / "results", request.param)
    assert done.returncode == 0, done.stderr
    return folder / "checkpoint"


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_any_number_of_ranks_loads(saved, ranks, tmp_path):
    check_load(saved, tmp_path / "results", ranks)


@pytest.mark.oracle
@pytest.mark.parametrize("ranks", [1, 2])
def test_pytorch_loads(saved, ranks, tmp_path):
    check_load(saved, tmp_path / "results", ranks, with_pytorch=True)


@pytest.mark.oracle
@pytest.mark.parametrize("writers", [1, 3])
def test_those_of_pytorch_load(writers, tmp_path):
    found, done = run("save", tmp_path / "checkpoint", tmp_path / "results", writers, with_pytorch=True)
    check_end(found, done, writers, with_pytorch=True)
    for ranks in (1, 2):
        check_load(tmp_path / "checkpoint", tmp_path / f"results{ranks}", ranks)


def test_work_is_shared(saved):
    sizes = [os.path.getsize(file) for file in saved.glob("*.distcp")]
    files = {file.name for file in saved.iterdir()}
    assert files == {".metadata", *(f"__{rank}_0.distcp" for rank in range(len(sizes)))}
    # what all have is written once: the files of three ranks together have little more than that of one
    assert sum(sizes) < 90_000


def test_failures_of_a_rank_are_raised_on_all(tmp_path):
    run("save3", tmp_path / "checkpoint", tmp_path / "results", 1)
    before = sorted(os.listdir(tmp_path / "checkpoint"))
    found, done = run("fail", tmp_path / "checkpoint", tmp_path / "results", 3)
    assert done.returncode == 0, done.stderr
    assert found == 3 * [
        [
            {"2": "'no plan'"},
            {"0": "'no common plan'"},
            {"2": "no room"},
            {"0": "no end"},
            {"2": "Missing key in checkpoint state_dict: missing."},
        ]
    ]
    assert sorted(os.listdir(tmp_path / "checkpoint")) == before
    check_load(tmp_path / "checkpoint", tmp_path / "results", 2)


def test_a_killed_rank_leaves_the_checkpoint(tmp_path):
    run("save3", tmp_path / "checkpoint", tmp_path / "results", 2)
    _, done = run("die", tmp_path / "checkpoint", tmp_path / "killed", 3)
    assert done.returncode != 0 and "SIGKILL" in done.stderr
    check_load(tmp_path / "checkpoint", tmp_path / "results", 2)
    _, done = run("save3", tmp_path / "checkpoint", tmp_path / "results", 1)  # which removes what the killed one left
    assert len(list((tmp_path / "checkpoint").iterdir())) == 2


def test_saves_in_the_background(tmp_path):
    found, done = run("async", tmp_path / "checkpoint", tmp_path / "results", 2)
    assert done.returncode == 0, done.stderr
    assert found == [[True] * 3] * 2
    for number in range(3):
        check_load(tmp_path / f"checkpoint{number}", tmp_path / "results", 1)


def test_restarts_go_on_from_the_last_one(tmp_path):
    found, done = run("train", tmp_path / "checkpoint", tmp_path / "results", 2, "--restarts", "2")
    assert done.returncode == 0, done.stderr
    assert found == [{"begun": 6, "x": [45.0] * 4}] * 2
