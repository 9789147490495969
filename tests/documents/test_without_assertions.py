"""Python's options -O and -OO remove assertions and docstrings, on which nothing in tensh depends."""

import ast
import subprocess
import sys

import pytest

from tests.support.project import ROOT, plain_environment

PROGRAM = """
import pkgutil, sys
import tensh as torch

for module in pkgutil.walk_packages(torch.__path__, "tensh.", onerror=lambda name: None):
    if not module.name.endswith((".__main__", ".start")):
        try:
            __import__(module.name)
        except ImportError:  # of packages that are not there
            pass

model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Conv1d(1, 2, 2))
optimizer = torch.optim.Adam(model.parameters())
x = torch.ones(4, 1, 2)
torch.nn.functional.mse_loss(model(x), torch.ones(4, 2, 2)).backward()
optimizer.step()
assert False, "assertions are on"
double = torch.compile(lambda x: (x * 2).sin().sum())
torch.func.vmap(torch.func.grad(double))(x)
torch.return_types.max(torch.ones(2, 2).max(0))
torch.ones(2, 2, device="meta").exp()
torch.jit.trace(model, x)(x)
torch.fx.symbolic_trace(model)(x)
torch.distributions.Normal(0.0, 1.0).log_prob(x)
try:
    torch._assert(1 > 2, "the order is wrong")
except AssertionError as error:
    print(error)
"""


def test_no_module_asserts():
    """An assertion with a side effect would be lost with -O."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "tensh").rglob("*.py"))
        if "assert " in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Assert)
    ]
    assert found == []


@pytest.mark.thorough
@pytest.mark.parametrize("option", ["-O", "-OO"])
def test_a_program_without_assertions_and_docstrings(option):
    done = subprocess.run(
        [sys.executable, option, "-W", "ignore", "-c", PROGRAM],
        cwd=ROOT,
        env=plain_environment(),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "the order is wrong\n", "")
    for command in ["doc", "mm", "--source"], ["doc", "Linear"], ["--help"], ["check", "scripts/tensors.tsh"]:
        done = subprocess.run(
            [sys.executable, option, "-m", "tensh", *command], cwd=ROOT, env=plain_environment(), capture_output=True
        )
        assert (done.returncode, done.stderr) == (0, b"")
