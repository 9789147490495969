"""Sweeps on Dask: runs and their records, limits, lost workers, and sweeps that are stopped and resumed."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from tensh.cli.programs.options import UsageError
from tensh.cli.sweeping import cluster, medians
from tensh.cli.sweeping.reading import read
from tensh.cli.sweeping.table import SweptRun
from tests.support.project import plain_environment

TRAIN = """\
rate = 0.1
width = 4
torch.manual_seed
x = torch.rand(width)
x.sum() * rate
print("width", width)
"""
ODD = """\
import os, sys, time
import beside
kind = "fine"
beside.kinds.append(kind)
os.environ["ODD"] = kind
torch.set_default_dtype(torch.float64)
print("kind", kind)
if kind == "raise":
    raise ValueError("no")
if kind == "loop":
    while True:
        pass
if kind == "exit":
    sys.exit(3)
if kind == "text":
    loss = "much"
elif kind != "nothing":
    loss = torch.tensor([len(beside.kinds)])
"""
CRASH = "import os, time\nkind = 0\nif kind == 2:\n    os._exit(1)\nkind\n"
SLOW = "import time\nn = 0\ntime.sleep(1)\nn\n"


def read_runs():
    return read("runs.sqlite")[1]


def test_values_are_those_of_run(script, tensh, scheduler):
    file = script(TRAIN)
    words = ["sweep", file, "--set", "rate=1,2", "--set", "width=2:4:2", "--seeds", "2", "--scheduler", scheduler]
    status, shown, said = tensh(*words)
    assert status == 0 and said.count("\n") == 8 and said.startswith("1/8  ")
    found = read_runs()
    assert [(run.settings["rate"], run.settings["width"], run.seed) for run in found[:3]] == [
        ("1", "2", 0), ("1", "2", 1), ("1", "4", 0),
    ]  # fmt: skip
    assert {run.state for run in found} == {"done"} and found[2].output.endswith("width 4\n")
    best = shown.splitlines()[-1].split()
    assert best[:2] == ["tensh", "run"]
    value = min(run.values["x.sum() * rate"] for run in found)
    assert f"tensor({value:.4f})" in tensh(*best[1:])[1]
    status, _, said = tensh(*words, "--set", "rate=1,2,3")
    assert status == 2 and "twice" in said
    words[3] = "rate=1,2,3"
    status, _, said = tensh(*words)
    assert status == 0 and said.count("\n") == 4 and [run.id for run in read_runs()] == [*range(1, 13)]
    assert read_runs()[:8] == found


def test_runs_fail_one_by_one_and_begin_anew(script, tensh, scheduler):
    script("kinds = []\n", "beside.py")
    kinds = "fine,raise,exit,text,nothing,again"
    status, _, _ = tensh("sweep", script(ODD), "--set", f"kind={kinds}", "--report", "loss", "--scheduler", scheduler)
    found = {run.settings["kind"]: run for run in read_runs()}
    assert status == 1
    assert {kind: run.values for kind, run in found.items() if run.state == "done"} == {
        "fine": {"loss": 1}, "again": {"loss": 1},
    }  # fmt: skip
    said = {kind: run.error.splitlines()[0] for kind, run in found.items() if run.state == "failed"}
    assert said == {
        "raise": "s.tsh:9: ValueError: no",
        "exit": "exited with status 3",
        "text": "--report loss: it is not a single number",
        "nothing": "--report loss: the script has no such name when it ends",
    }
    assert found["raise"].output == "kind raise\n"


def test_a_limit_of_time_ends_one_run(script, tensh, scheduler):
    script("kinds = []\n", "beside.py")
    limited = "--time-limit", "2", "--scheduler", scheduler  # many times what the other run takes
    status, _, _ = tensh("sweep", script(ODD), "--set", "kind=loop,fine", "--report", "loss", *limited)
    endless, other = read_runs()
    assert status == 1 and other.values == {"loss": 1}
    assert endless.error.startswith("s.tsh:1") and endless.error.splitlines()[0].endswith("stopped after 2 s")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a limit of Linux")
def test_a_limit_of_memory_fails_one_run(script, tensh, scheduler):
    file = script("n = 1\nx = torch.ones(n)\nx[0]\n")
    limited = "--memory-limit", "200", "--scheduler", scheduler
    status, _, _ = tensh("sweep", file, "--set", f"n=1,{2**27},2", *limited)
    assert status == 1 and [run.state for run in read_runs()] == ["done", "failed", "done"]
    assert "memory" in read_runs()[1].error


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--set", "rat=1"], "did you mean rate?"),
        (["--set", "width=1,2.5"], "width is of type int"),
        (["--seeds", "0"], "--seeds 0: expected a number"),
        (["--scheduler", "nowhere"], "no scheduler with workers answers"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_runs(script, tensh, scheduler, options, said):
    status, _, error = tensh("sweep", script(TRAIN), *options)
    assert status == 2 and said in error


def test_a_script_that_has_changed_needs_another_file(script, tensh, scheduler):
    tensh("sweep", script(TRAIN), "--scheduler", scheduler)
    status, _, said = tensh("sweep", script(TRAIN + "\n"), "--scheduler", scheduler)
    assert status == 2 and "has changed" in said
    status, _, said = tensh("sweep", "runs.sqlite", "--resume", "--scheduler", scheduler)
    assert status == 2 and "has changed" in said


NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([NAN, 3, 2, 1], 2),
        ([3, NAN, 2, 1, NAN, NAN], 2),
        ([3, NAN, 1], None),
        ([NAN] * 5, None),
        ([INF, INF, 1], INF),
        ([INF, -INF, INF, -INF], None),
        ([INF, -INF, INF, -INF, 1], 1),
    ],
)
def test_a_nan_does_not_count_in_medians(numbers, expected):
    known = medians.Medians()
    for number in numbers:
        known.add([SweptRun(1, {}, 0, "done", curve={0: number})])
    assert known.bounds == ({} if expected is None else {0: expected})


CURVES = """\
from tensh.support.scalars import tell
quality = 1.0
worth = quality or float("nan")
for step in range(3):
    tell("accuracy", worth * step, step)
    tell("other", 0, step)
quality
"""


@pytest.mark.parametrize(
    ("option", "qualities", "stopped"),
    [
        ("--stop-below", "5,4,6,1,7,0", {4: (1, 1, 5), 6: ("nan", 0, 0)}),
        ("--stop-above", "5,4,6,1,7", {5: (7, 1, 4.5)}),
        ("--stop-below", "2,1", {}),
    ],
)
def test_a_run_worse_than_the_median_of_others_is_stopped(
    script, tensh, scheduler, monkeypatch, option, qualities, stopped
):
    monkeypatch.setattr("tensh.cli.sweeping.cluster.LARGEST", 1)  # each run knows those before it
    words = ["sweep", script(CURVES), "--set", f"quality={qualities}", option, "accuracy", "--scheduler", scheduler]
    assert tensh(*words)[0] == 0
    found = {run.id: run for run in read_runs()}
    assert {number for number, run in found.items() if run.state == "stopped"} == {*stopped}
    lines = tensh("sweep", "runs.sqlite", "--json")[1].splitlines()
    assert all("curve" not in line for line in lines)
    last = [json.loads(line)["values"]["accuracy"] for line in lines]
    told = [value for value in last if type(value) in (int, float)]
    assert told == sorted(told, reverse=option == "--stop-below")  # the best run comes first
    for number, (value, step, bound) in stopped.items():
        relation = "where the median is" if value == "nan" else f"{option.removeprefix('--stop-')} the median"
        assert found[number].error == f"accuracy is {value} at step {step}, {relation} {bound}"
        assert str(found[number].values["accuracy"] / 1) == str(float(value) * (step or 1))
    done = [run for run in found.values() if run.state == "done"]
    assert all(run.values == {"accuracy": 2 * run.values["quality"], "quality": run.values["quality"]} for run in done)
    status, _, said = tensh(*words, "--stop-above", "x", "--stop-below", "x")
    assert status == 2 and "only one of them" in said


def test_numbers_of_summary_writers_are_compared(script, tensh, scheduler, tmp_path):
    pytest.importorskip("tensorboard")
    code = f"from torch.utils.tensorboard import SummaryWriter\nrate = 1\nwith SummaryWriter({str(tmp_path)!r}) as writer:\n    writer.add_scalar('loss', torch.tensor(2.0) * rate)\n"
    tensh("sweep", script(code), "--set", "rate=1,2", "--stop-above", "loss", "--scheduler", scheduler)
    assert [run.values for run in read_runs()] == [{"loss": 2}, {"loss": 4}]


def test_two_sweeps_do_not_write_one_file(script, tensh, scheduler):
    process = begin(script(SLOW), "--set", "n=1:4:1", "--workers", "1")
    assert process.stdout.readline().startswith("1/4")
    before = read_runs()
    for words in (["sweep", "script.tsh", "--set", "n=9"], ["sweep", "runs.sqlite", "--resume"]):
        words[1] = script(SLOW) if "--set" in words else words[1]
        status, _, said = tensh(*words, "--scheduler", scheduler)
        assert (status, said) == (2, "runs.sqlite: another sweep is writing this file: choose another file with -o\n")
    assert len(read_runs()) == len(before)
    assert tensh("sweep", "runs.sqlite")[0] == 0  # to look is allowed
    process.communicate(timeout=60)
    assert process.returncode == 0 and [run.state for run in read_runs()] == ["done"] * 4


def test_an_empty_name_of_a_file_is_refused(script, tensh):
    assert tensh("sweep", script(TRAIN), "-o", "")[::2] == (2, "-o: expected the name of a file\n")


def test_without_dask_a_line_says_what_to_install(script, tensh, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    status, _, said = tensh("sweep", script(TRAIN))
    assert (status, said) == (2, "tensh sweep: the library distributed is not installed: pip install 'tensh[sweep]'\n")
    assert not os.path.exists("runs.sqlite")


def begin(*arguments):
    """Begin a sweep in a separate process group."""
    return subprocess.Popen(
        [sys.executable, "-m", "tensh", "sweep", *arguments], start_new_session=True, env=plain_environment(),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def is_empty(group):
    """Return True if all processes of a group end, which takes those that outlive the first one a moment."""
    for _ in range(100):
        found = subprocess.run(["ps", "-o", "stat=", "-s", str(group)], capture_output=True, text=True).stdout.split()
        if all(state.startswith("Z") for state in found):
            return True
        time.sleep(0.1)
    return False


def test_a_lost_process_costs_one_run(script, scheduler):
    process = begin(script(CRASH), "--set", "kind=0:4:1", "--workers", "1")
    process.communicate(timeout=120)
    found = read_runs()
    assert process.returncode == 1 and is_empty(process.pid)
    assert [run.state for run in found] == ["done", "done", "failed", "done", "done"]
    assert found[2].error == "its process was lost twice"


@pytest.mark.parametrize(("failing", "said"), [(2, ""), (3, "the workers do not start (Nanny failed to start.)")])
def test_workers_that_are_lost_while_they_start_are_started_again(failing, said):
    attempts = []

    class Distributed:
        def LocalCluster(**options):
            attempts.append(options["n_workers"])
            if len(attempts) <= failing:
                raise RuntimeError("Nanny failed to start.")
            return "cluster"

    if said:
        with pytest.raises(UsageError, match=re.escape(said)):
            cluster.start_local(Distributed, 2)
    else:
        assert cluster.start_local(Distributed, 2) == "cluster"
    assert attempts == [2, 2, 2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_sweep_that_is_ended_goes_on(script, tensh, scheduler, number):
    process = begin(script(SLOW), "--set", "n=1:4:1", "--workers", "1")
    assert process.stdout.readline().startswith("1/4")
    begun = time.monotonic()
    os.killpg(process.pid, number) if number == signal.SIGINT else os.kill(process.pid, number)
    process.communicate(timeout=60)
    assert process.returncode == (130 if number == signal.SIGINT else -number)
    while not is_empty(process.pid):
        assert time.monotonic() - begun < 20
        time.sleep(0.1)
    before = read_runs()
    assert [run.state for run in before] == ["done", "running", "waiting", "waiting"]
    status, _, said = tensh("sweep", "runs.sqlite", "--resume", "--scheduler", scheduler)
    assert status == 0 and said.count("\n") == 3
    assert [run.values for run in read_runs()] == [{"n": 1}, {"n": 2}, {"n": 3}, {"n": 4}] and read_runs()[0] == before[
        0
    ]
