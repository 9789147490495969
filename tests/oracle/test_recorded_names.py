"""The files of PyTorch's names and signatures are those that their tools write today."""

import subprocess
import sys

import pytest

from tests.support.project import ROOT, plain_environment

oracle = pytest.importorskip("torch")


@pytest.mark.thorough
@pytest.mark.parametrize("tool", ["aten", "places", "pytorch_names", "switched_off"])
def test_recorded_names_are_pytorchs(tool):
    done = subprocess.run(
        [sys.executable, f"tools/{tool}.py", "--check"],
        cwd=ROOT,
        env=plain_environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
