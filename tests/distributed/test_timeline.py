"""The picture of `tensh launch --timeline`, of ranks that run, fail or are killed."""

import re
from importlib.util import find_spec

import pytest

from tests.distributed.test_mpi import LAUNCH, call

pytestmark = pytest.mark.skipif(find_spec("mpi4py") is None, reason="mpi4py is not installed")

EXCHANGES = """
import os, time, torch
import torch.distributed as dist
dist.init_process_group("gloo")
time.sleep(0.1 * dist.get_rank())
dist.all_reduce(torch.ones(3))
if dist.get_rank():
    dist.recv(torch.ones(3), 0)
else:
    dist.send(torch.ones(3), 1)
"""


def test_a_timeline_names_exchanges_and_the_times_that_they_took(tmp_path):
    (tmp_path / "exchanges.py").write_text(EXCHANGES)
    done = call([*LAUNCH, "-n", "2", "--timeline", str(tmp_path / "out.html"), str(tmp_path / "exchanges.py")])
    assert done.returncode == 0 and "out.html: 2 ranks" in done.stderr, done.stderr
    titles = re.findall("<title>(.*?) ([0-9.e+-]+) ms</title>", (tmp_path / "out.html").read_text())
    assert {"all_reduce", "send", "recv"} <= {part for names, _ in titles for part in names.split(", ")}
    assert max(float(time) for names, time in titles if "all_reduce" in names) > 50  # rank 0 waits for rank 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["exchanges.py", "out.html"]
    done = call([*LAUNCH, "-n", "2", "--timeline", str(tmp_path / "no" / "out.html"), str(tmp_path / "exchanges.py")])
    assert done.returncode == 2 and done.stderr.endswith("No such file or directory\n")


def test_timeline_of_a_rank_that_is_killed(tmp_path):
    (tmp_path / "killed.py").write_text(
        EXCHANGES + "time.sleep(1)\nif dist.get_rank():\n    os.kill(os.getpid(), 9)\ntime.sleep(60)\n"
    )
    done = call([*LAUNCH, "-n", "2", "--timeline", str(tmp_path / "out.html"), str(tmp_path / "killed.py")])
    assert done.returncode == 137 and "out.html: 2 ranks" in done.stderr, done.stderr
    assert "recv" in (tmp_path / "out.html").read_text()


@pytest.mark.parametrize("name", ["folder", "", "long" * 100])
def test_a_timeline_that_cannot_be_written_is_refused_before_the_program_runs(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "runs.py").write_text("print('it runs')")
    done = call([*LAUNCH, "-n", "2", "--timeline", name and str(tmp_path / name), str(tmp_path / "runs.py")])
    assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith("--timeline ")
