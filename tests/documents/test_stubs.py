"""Generated files are up to date with their sources."""

import re
import subprocess
import sys

import pytest

import tensh.engine  # noqa: F401  (fills the table)
from tensh.engine.codegen.vocabulary import OPS
from tests.support.project import ROOT, plain_environment


def run(*command):
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=plain_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


@pytest.mark.thorough
def test_stubs_are_in_step_with_the_functions():
    done = run("tools/stubs.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_typed_program_runs():
    done = run("tests/documents/typed_program.py")
    assert done.returncode == 0, done.stderr


@pytest.mark.thorough
def test_the_table_of_operators_is_whole():
    done = run("tools/ops.py")
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("| `")]
    assert {re.match(r"\| `(\w+)` \|", row)[1] for row in rows} == set(OPS)
    assert [row for row in rows if len(re.findall(r"(?<!\\)\|", row)) != 7] == []
    assert f"# The {len(OPS)} operators" in done.stdout


@pytest.mark.thorough
def test_a_row_of_the_table_of_operators():
    done = run("tools/ops.py", "^(mul|sum_dim|cat)$")
    rows = {re.match(r"\| `(\w+)`", row)[1]: row for row in done.stdout.splitlines() if row.startswith("| `")}
    assert rows.keys() == {"mul", "sum_dim", "cat"}
    cells = rows["mul"].strip("| ").split(" | ")
    assert cells[1:] == [
        "Product of input and other.",
        "`mul`, `multiply`, `Tensor.mul`, `Tensor.mul_`, `Tensor.multiply`, `Tensor.multiply_`, `out=`",
        "`np.multiply`",
        "`MulBackward0`",
        "`input: g * conj(other)`<br>`other: g * conj(input)`",
    ]
    assert "a part of" in rows["sum_dim"] and "`SumBackward1`" in rows["sum_dim"]
