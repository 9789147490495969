"""What is generated is in step with what it is generated from."""

import subprocess
import sys

from conftest import ROOT, plain_environment


def run(*command):
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=plain_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def test_stubs_are_in_step_with_the_functions():
    done = run("scripts/stubs.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_typed_program_runs():
    done = run("tests/typed_program.py")
    assert done.returncode == 0, done.stderr


def test_the_table_of_operators_can_be_printed():
    done = run("scripts/ops.py", "^mul$")
    assert done.returncode == 0, done.stderr
    assert "| `mul` | Product of input and other. | `np.multiply` |" in done.stdout
