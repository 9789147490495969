"""Memory is given back: after many steps of training a process is as large as after a few."""

import subprocess
import sys

import pytest

from tests.support.project import ROOT, plain_environment

pytestmark = pytest.mark.thorough

STEPS = """
import os, sys
import tensh as torch

torch.manual_seed(0)
data, target = torch.randn(16, 8), torch.randn(16, 4)
parameters = [torch.randn(8, 16), torch.zeros(16), torch.randn(16, 4), torch.zeros(4)]
for p in parameters:
    p.requires_grad_()

def step():
    w1, b1, w2, b2 = parameters
    loss = ((torch.tanh(data @ w1 + b1) @ w2 + b2 - target) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for p in parameters:
            p -= 0.01 * p.grad
            p.grad = None

def count_pages():
    return int(open("/proc/self/statm").read().split()[1])

for _ in range(1000):
    step()
before = count_pages()
for _ in range(9000):
    step()
print((count_pages() - before) * os.sysconf("SC_PAGE_SIZE") / 2**20)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_ten_thousand_steps_leave_no_memory_behind():
    done = subprocess.run(
        [sys.executable, "-c", STEPS],
        cwd=ROOT,
        env=plain_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    assert float(done.stdout) < 1.0  # MiB
