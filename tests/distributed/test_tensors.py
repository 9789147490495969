"""Distributed tensors and parallel layers on 2, 3 and 4 processes, with MPI, beside PyTorch's with gloo."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.distributed.test_mpi import LAUNCH, call, found_by_ranks

pytestmark = pytest.mark.skipif(find_spec("mpi4py") is None, reason="mpi4py is not installed")
PROGRAM = "tests/distributed/tensors.py"
EXAMPLES = sorted(Path("scripts/parallel").glob("*.py"))


@pytest.fixture(scope="module", params=[2, 3, 4])
def actual(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tensors")
    done = call([*LAUNCH, "-n", str(request.param), PROGRAM, str(folder)])
    assert done.returncode == 0, done.stderr
    return found_by_ranks(folder, request.param)


@pytest.mark.oracle
def test_tensors_are_pytorchs(actual, tmp_path):
    size = len(actual)
    done = call([sys.executable, PROGRAM, str(tmp_path), str(size)])
    assert done.returncode == 0, done.stderr
    for found, expected in zip(actual, found_by_ranks(tmp_path, size), strict=True):
        found, expected = flatten(found), flatten(expected)
        words = {path: each for path, each in expected.items() if isinstance(each, str)}
        assert {path: found.get(path) for path in words} == words
        found = {path: each for path, each in found.items() if path not in words}
        expected = {path: each for path, each in expected.items() if path not in words}
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)


def flatten(value, path=""):
    """The numbers and words of nested containers, by path."""
    if isinstance(value, dict):
        value = value.items()
    elif isinstance(value, list):
        value = enumerate(value)
    else:
        return {path: value}
    return {name: each for key, part in value for name, each in flatten(part, f"{path}/{key}").items()}


def test_layers_that_are_cut_learn_as_whole_ones(actual):
    if "one" not in actual[0]["train"]:
        return
    for found in (each["train"] for each in actual):
        assert found["many"] == pytest.approx(found["one"], rel=1e-5) and found["sequence"] == pytest.approx(
            found["one"], rel=1e-5
        )
        assert (
            found["placements"]["block.up.weight"] == "(Shard(dim=0),)"
            and found["placements"]["table.weight"] == "(Shard(dim=0),)"
        )


@pytest.mark.parametrize("program", EXAMPLES[:-1], ids=lambda path: path.stem)
def test_examples_print_the_losses_of_one_process(program):
    one, two = (call([*LAUNCH, "-n", str(n), "--no-prefix", str(program)]) for n in (1, 2))
    assert one.stdout == two.stdout and one.stdout.count("loss") == 4, two.stderr


@pytest.mark.oracle
@pytest.mark.parametrize("program", EXAMPLES[:-1], ids=lambda path: path.stem)
def test_examples_print_what_pytorch_prints(program):
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", str(program)]
    assert call([*LAUNCH, "-n", "2", "--no-prefix", str(program)]).stdout == call(launch).stdout


def test_processes_share_a_model():
    done = call([sys.executable, "-m", "tensh", "run", "scripts/parallel/processes.py"])
    assert done.stdout == "loss before 1.341, smaller after 600 steps\n", done.stderr


def test_one_process_needs_no_mpi(tmp_path):
    (tmp_path / "alone.py").write_text(
        """
import torch.distributed as dist
from torch.distributed.tensor import Shard, distribute_tensor, init_device_mesh
import torch
mesh = init_device_mesh("cpu", (1,))
x = distribute_tensor(torch.arange(4.0), mesh, [Shard(0)]).requires_grad_()
(x * x).sum().backward()
print(x.grad.full_tensor().tolist(), json.dumps(list(x.shape)))
""".replace(
            "import torch\nmesh",
            "import json, torch\ndist.init_process_group('gloo', store=dist.HashStore(), rank=0, world_size=1)\nmesh",
        )
    )
    done = call([sys.executable, "-m", "tensh", "run", str(tmp_path / "alone.py")])
    assert done.stdout == "[0.0, 2.0, 4.0, 6.0] [4]\n", done.stderr
    assert json.loads(done.stdout.split("] ")[1]) == [4]
