"""Ranks that end while others wait for them."""

import sys
from importlib.util import find_spec

import pytest

from tests.distributed.test_mpi import LAUNCH, call

pytestmark = pytest.mark.skipif(find_spec("mpi4py") is None, reason="mpi4py is not installed")

UNEVEN = """
import sys, time, torch
import torch.distributed as dist


def work(rank, how, address=None):
    dist.init_process_group("gloo", address, world_size=-1 if address is None else 2, rank=-1 if rank is None else rank)
    rank = dist.get_rank()
    group = dist.new_group([0, 2]) if how == "group" else None
    for _ in range(2 if rank == 1 else 3):
        if how == "all":
            dist.all_reduce(torch.ones(3))
        elif how == "group" and rank != 1:
            dist.all_reduce(torch.ones(3), group=group)
            time.sleep(2 * rank)
        elif how in ("message", "long", "object") and rank == 0:
            dist.recv_object_list([None], 1) if how == "object" else dist.recv(torch.ones(3 if how == "message" else 10**6), 1)
        elif how in ("message", "long"):
            dist.send(torch.ones(3 if how == "message" else 10**6), 0)
        elif how == "object":
            dist.send_object_list([1], 0)
    print("done", rank)


if __name__ == "__main__":
    torch.multiprocessing.spawn(work, ("all", sys.argv[2]), 2) if sys.argv[1] == "spawn" else work(None, sys.argv[1])
"""


@pytest.mark.parametrize("how", ["all", "message", "long", "object", "spawn"])
def test_waiting_for_a_rank_that_has_ended_is_an_error(how, tmp_path):
    (tmp_path / "uneven.py").write_text(UNEVEN)
    given = [str(tmp_path / "uneven.py"), how, f"file://{tmp_path}/store"]
    done = call([*LAUNCH, "-n", "2", *given] if how != "spawn" else [sys.executable, "-m", "tensh", "run", *given])
    assert done.returncode == 1 and "done 1" in done.stdout
    assert done.stderr.count("DistBackendError: rank 1 has ended: ") == 1, done.stderr


def test_a_rank_that_has_ended_does_not_disturb_other_groups(tmp_path):
    (tmp_path / "uneven.py").write_text(UNEVEN)
    done = call([*LAUNCH, "-n", "3", str(tmp_path / "uneven.py"), "group"])
    assert done.returncode == 0 and done.stdout.count("done") == 3, done.stderr
