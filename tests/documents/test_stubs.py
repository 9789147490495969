"""Generated files are up to date with their sources."""

import re
import subprocess
import sys

import pytest

import tensh.engine  # fills the table
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


def test_the_types_are_those_of_functions_that_there_are():
    code = "import stubs; print(*(stubs.TYPE_RETURNED | stubs.TYPE_OF_PROPERTY))"
    named = run("-c", f"import sys; sys.path.insert(0, 'tools'); {code}").stdout.split()
    assert len(named) > 150
    assert [name for name in named if not hasattr(tensh, name) and not hasattr(tensh.Tensor, name)] == []


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
