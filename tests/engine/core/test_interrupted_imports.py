"""^C while the module of an operator is imported at its first use: the operator works afterwards."""

import subprocess
import sys

import pytest

from tests.support.project import ROOT, plain_environment

PROGRAM = """
import tensh as torch
from tests.support.interrupts import interrupt_at

x, moment = torch.ones(2, 2), 1
first = lambda: {call}
while interrupt_at(moment, first):
    moment += 1 + moment // 20
print(first().shape)
"""
CALLS = {
    "x.view(-1)": "[4]",
    "x.flip(0)": "[2, 2]",
    "torch.linalg.inv(x + torch.eye(2))": "[2, 2]",
    "torch.rand(2)": "[2]",
}


@pytest.mark.parametrize("call", CALLS)
def test_an_operator_whose_import_is_interrupted_is_used_again(call):
    command = [sys.executable, "-c", PROGRAM.format(call=call)]
    done = subprocess.run(command, cwd=ROOT, env=plain_environment(), capture_output=True, text=True)
    assert done.stdout == f"torch.Size({CALLS[call]})\n", done.stderr
