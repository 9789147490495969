"""Jobs in blocks, and how many threads tensh and BLAS take: settings, environment, forks."""

import os
import subprocess
import sys
import threading

import pytest

import tensh as torch
from tensh.engine.arrays import threads
from tensh.support.processors import count_processors
from tests.support.project import ROOT, plain_environment

NUMBERS = 1, 2, 3, 8


@pytest.mark.parametrize("number", NUMBERS)
def test_every_block_is_done_once(number):
    threads.pool.limit = number
    done = []
    threads.run(done.append, 500)
    assert sorted(done) == list(range(500))


def test_the_error_of_the_first_block_is_raised():
    def work(i):
        if i % 3 == 2:
            raise ValueError(i)

    for number in NUMBERS:
        threads.pool.limit = number
        with pytest.raises(ValueError, match="^2$"):
            threads.run(work, 100)


def test_a_job_within_a_job_and_beside_another():
    threads.pool.limit = 3
    done, errors = [], []

    def ask():
        try:
            threads.run(lambda i: threads.run(lambda j: done.append((i, j)), 10), 20)
        except Exception as error:
            errors.append(error)

    askers = [threading.Thread(target=ask) for _ in range(4)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert not errors and sorted(done) == sorted((i, j) for i in range(20) for j in range(10) for _ in range(4))


def test_an_operation_that_fails_changes_nothing():
    x = torch.arange(600_000)
    divisors = torch.ones(600_000, dtype=torch.int64)
    divisors[-1] = 0
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        x.floor_divide_(divisors)
    index = torch.arange(600_000)
    index[-1] = 600_000
    with pytest.raises(RuntimeError, match="index 600000 is out of bounds for dimension 0 with size 600000"):
        x.scatter_add_(0, index, divisors)
    assert torch.equal(x, torch.arange(600_000))


def test_threads_are_a_setting():
    torch.set_num_threads(3)
    assert torch.get_num_threads() == 3
    with pytest.raises(RuntimeError, match="expects a positive integer"):
        torch.set_num_threads(0)
    assert torch.get_num_threads() == 3


def run_alone(code, **variables):
    """The output of a program in a process with these environment variables and none of the test's."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={name: value for name, value in plain_environment().items() if not name.endswith("_NUM_THREADS")}
        | variables,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()


BLAS = "import threadpoolctl; print(*{each['num_threads'] for each in threadpoolctl.threadpool_info()})\n"


@pytest.mark.thorough
@pytest.mark.parametrize("before", ["", "import numpy\n"])
@pytest.mark.parametrize("variables", [{}, {"OPENBLAS_NUM_THREADS": "3"}])
def test_blas_keeps_to_one_thread(before, variables):
    code = (
        before + "import os, tensh as torch; torch.ones(3)\n" + BLAS + "print(os.environ.get('OPENBLAS_NUM_THREADS'))"
    )
    assert run_alone(code, **variables) == ["1", variables.get("OPENBLAS_NUM_THREADS", "None")]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("variables", "number"),
    [
        ({"OMP_NUM_THREADS": "3"}, 3),
        ({"OMP_NUM_THREADS": "5,2"}, 5),
        ({"MKL_NUM_THREADS": "4"}, 4),
        ({"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "4"}, 2),
        ({"OMP_NUM_THREADS": "none", "MKL_NUM_THREADS": "4"}, 4),
        ({"OMP_NUM_THREADS": "0"}, count_processors()),
        ({"OPENBLAS_NUM_THREADS": "7"}, count_processors()),
    ],
)
def test_the_environment_says_how_many_threads(variables, number):
    assert run_alone("import tensh as torch; print(torch.get_num_threads())", **variables) == [str(number)]


@pytest.mark.thorough
@pytest.mark.parametrize("number", ["1", "2"])
def test_products_take_no_more_threads_than_blas_was_given(number):
    code = """
import threading
import tensh as torch
torch.set_num_threads(4)
x = torch.ones(600, 600)
x @ x
print(len([t for t in threading.enumerate() if t.name == "tensh"]))
"""
    assert run_alone(code, OPENBLAS_NUM_THREADS=number) == [str(int(number) - 1)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_has_threads_of_its_own():
    code = """
import os
import tensh as torch
torch.set_num_threads(3)
x = torch.ones(700, 700)
x.exp()
child = os.fork()
if not child:
    os._exit(0 if x.exp().sum() > 0 else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT, env=plain_environment(), capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout == "0\n"
