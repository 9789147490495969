"""Names of modules in programs whose torch is tensh."""

import subprocess
import sys

import pytest

import tensh
import tensh.alias
from tests.support.project import ROOT

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


DECLARED = """
import tensh, tensh.autograd.forward_ad, tensh.optim
from tensh.alias import torch_is_tensh
def tell(torch):
    print(torch.autograd.forward_ad.dual_level.__module__, torch.optim.SGD.__module__, torch.nn.attention.SDPBackend.__module__)
with torch_is_tensh():
    import torch.nn.attention
    tell(torch)
tell(tensh)
"""


def test_classes_that_declare_a_module_of_torch_keep_it():
    """Also those that are loaded while the module has that very name; others are named after tensh again."""
    done = subprocess.run([sys.executable, "-c", DECLARED], cwd=ROOT, capture_output=True, text=True, check=True)
    inside, after = (line.split() for line in done.stdout.splitlines())
    assert inside == ["torch.autograd.forward_ad", "torch.optim.sgd", "torch.nn.attention"]
    assert after == [inside[0], "tensh.optim.sgd", inside[2]]


def test_overridable_functions_are_listed_under_the_module_of_the_program():
    with tensh.alias.torch_is_tensh():
        import torch

        listed = torch.overrides.get_overridable_functions()
        assert torch.add in listed[torch]
        assert tensh not in listed
    assert tensh.add in tensh.overrides.get_overridable_functions()[tensh]
