"""Programs like PyTorch's tutorials run unchanged: under `tensh launch`, or starting their processes themselves.

What each prints is recorded beside it, ``programs/NAME.txt``, from PyTorch: ``python programs/NAME.py PORT >
programs/NAME.txt``.
"""

import os
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.distributed.test_mpi import LAUNCH, call

PROGRAMS = sorted(Path("tests/distributed/programs").glob("*.py"))
with_mpi = pytest.mark.skipif(find_spec("mpi4py") is None, reason="mpi4py is not installed")
each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)


def free_port():
    with socket.create_server(("localhost", 0)) as server:
        return str(server.getsockname()[1])


def check(program, done):
    assert (done.stdout, done.returncode) == (program.with_suffix(".txt").read_text(), 0), done.stderr


@with_mpi
@each_program
def test_launched_programs_write_what_is_expected(program):
    ranks = "1" if program.stem == "shared_training" else "2"  # which starts processes, whoever starts it
    check(program, call([*LAUNCH, "-n", ranks, "--no-prefix", str(program)]))


@with_mpi
@each_program
def test_processes_of_the_program(program):
    check(program, call([sys.executable, "-m", "tensh", "run", str(program), "--", free_port()]))


@with_mpi
def test_several_programs_at_once():
    program = Path("tests/distributed/programs/messages.py")
    commands = [[sys.executable, "-m", "tensh", "run", str(program), "--", free_port()] for _ in range(3)]
    with ThreadPoolExecutor() as threads:
        for done in threads.map(call, commands):
            check(program, done)


@pytest.mark.thorough
@pytest.mark.oracle
@each_program
def test_on_pytorch(program):
    calm = os.environ | {"OMP_NUM_THREADS": "1"}  # threads of several processes would wait for each other's cores
    done = call([sys.executable, str(program), free_port()], env=calm)
    # gloo may abort a process that has ended
    assert done.stdout == program.with_suffix(".txt").read_text(), done.stderr
