"""Names of modules in programs whose torch is tensh."""

import subprocess
import sys

import pytest

import tensh
import tensh.alias

LATE = """nn.modules.conv nn.modules.rnn nn.modules.utils nn.modules.linear_cross_entropy_options nn.parameter nn.utils.rnn torch_version
    optim.swa_utils distributions.kl autograd.functional utils.checkpoint fft special""".split()
"""Modules that a program loads after torch."""


@pytest.mark.parametrize("by_import", [True, False], ids=["import", "attribute"])
def test_modules_that_are_loaded_late_are_named_after_torch(by_import, tmp_path):
    found = "importlib.import_module(path)" if by_import else "operator.attrgetter(path[6:])(torch)"
    (tmp_path / "program.py").write_text(f"""
import importlib, operator
import torch
for path in {[f"torch.{name}" for name in LATE]}:
    module = {found}
    assert module.__name__ == path, (path, module.__name__)
assert torch.nn.Conv2d is torch.nn.modules.conv.Conv2d
""")
    command = [sys.executable, "-m", "tensh", "run", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_modules_have_their_own_names_again_afterwards():
    import tensh.nn.modules.conv as conv

    with tensh.alias.torch_is_tensh():
        assert conv.__name__ == "torch.nn.modules.conv"
    assert conv.__name__ == "tensh.nn.modules.conv"
