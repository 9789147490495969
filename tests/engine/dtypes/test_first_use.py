"""Warnings at the first use of a dtype in a program: each case runs in a process of its own."""

import subprocess
import sys

import pytest

EXPERIMENTAL = "ComplexHalf support is experimental and many operators don't support it yet."
CASES = {
    "torch.zeros(2, dtype=torch.complex32)": 1,
    "torch.ones(2).chalf(), torch.ones(2).chalf()": 1,
    "torch.ones(2).half() * 1j": 1,
    "torch.tensor(1j, dtype=torch.complex32)": 1,
    "torch.complex(torch.ones(2).half(), torch.ones(2).half())": 1,
    "torch.ones(2).half() * 2": 0,
    "torch.promote_types(torch.complex32, torch.float32), torch.finfo(torch.complex32)": 0,
    "torch.ones(2, dtype=torch.bfloat16) * 1j": 0,
}
PROGRAM = """
import warnings
import tensh as torch
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    {}
print([str(each.message) for each in caught])
"""


@pytest.mark.parametrize("code", CASES)
def test_complex32_warns_once_where_its_tensors_are_made(code):
    command = [sys.executable, "-c", PROGRAM.format(code)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == str([EXPERIMENTAL] * CASES[code])
