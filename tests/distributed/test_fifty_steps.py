"""Models of the zoo train in several processes as in one, by each kind of parallelism."""

import json
from importlib.util import find_spec

import pytest

from tests.distributed.test_mpi import LAUNCH, call

pytestmark = pytest.mark.skipif(find_spec("mpi4py") is None, reason="mpi4py is not installed")


@pytest.mark.parametrize("size", [2, pytest.param(3, marks=pytest.mark.thorough)])
def test_losses_are_those_of_one_process(size, tmp_path):
    file = tmp_path / "differences.json"
    done = call([*LAUNCH, "-n", str(size), "tests/distributed/fifty_steps.py", "float64", str(file)])
    assert done.returncode == 0, done.stderr
    found = json.loads(file.read_text())
    assert len(found) == (12 if size == 2 else 6)
    assert all(difference < 1e-12 for *_, difference in found), done.stdout
