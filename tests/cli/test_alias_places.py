"""Names and modules that a program finds where PyTorch has them, though tensh has them elsewhere."""

import subprocess
import sys


def test_private_modules_are_attributes_without_an_import(tmp_path):
    (tmp_path / "program.py").write_text("""
import torch
from tensh.alias.places import LOADED
for path in [*LOADED, "torch._tensor_str", "torch._vmap_internals"]:
    module = torch
    for name in path.split(".")[1:]:
        module = getattr(module, name)
    assert module.__name__ == path, (path, module)
assert torch._lowrank.svd_lowrank is torch.svd_lowrank and torch.optim._functional.adamw is torch.optim.adamw.adamw
""")
    command = [sys.executable, "-m", "tensh", "run", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_names_that_modules_only_import_are_found_in_them(tmp_path):
    """Programs import names from where an editor found them, such as ``torch.functional.Tensor``."""
    (tmp_path / "program.py").write_text("""
import importlib
import torch
from tensh.alias.places import read
for path, names in read("imported.txt").items():
    module = importlib.import_module(path)
    assert [name for name in names if not hasattr(module, name)] == [], path
from torch.functional import Tensor
from torch.optim.lr_scheduler import Optimizer
assert Tensor is torch.Tensor and Optimizer is torch.optim.Optimizer
""")
    command = [sys.executable, "-m", "tensh", "run", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
