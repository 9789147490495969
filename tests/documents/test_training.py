"""Training programs: the same seed gives PyTorch's losses, step by step, and the models reach their accuracy.

tests/recorded/losses has PyTorch's output; `python scripts/NAME.py > tests/recorded/losses/NAME.txt` records it anew.
"""

import importlib.util
import re
import subprocess
import sys

import pytest

from tests.support.project import RECORDED, ROOT, plain_environment

LOSS = re.compile(r"^step +(\d+)  loss (\S+)$", re.MULTILINE)
LEAST = {"digits": 0.97, "digits_convolutional": 0.97}  # accuracy
COMPARED = 50  # steps; later ones differ in the last digits
LONG = {"characters"}  # programs that end after these steps
NEEDS_DATA = {"digits", "digits_convolutional", "diabetes"}
PROGRAMS = sorted(path.stem for path in (RECORDED / "losses").glob("*.txt"))


def losses(text):
    """step -> loss."""
    return {int(step): float(loss) for step, loss in LOSS.findall(text)}


def printed(*command):
    done = subprocess.run(command, cwd=ROOT, env=plain_environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_losses_are_pytorchs(name):
    if name in NEEDS_DATA and importlib.util.find_spec("sklearn") is None:
        pytest.skip("scikit-learn, whose data it learns from, is not installed")
    settings = ["--set", f"steps={COMPARED}"] if name in LONG else []
    output = printed(sys.executable, "-m", "tensh", "run", f"scripts/{name}.py", *settings)
    found, expected = losses(output), losses((RECORDED / "losses" / f"{name}.txt").read_text(encoding="utf-8"))
    assert found.keys() == {step for step in expected if step < COMPARED or name not in LONG}
    for step in range(COMPARED):
        assert found[step] == pytest.approx(expected[step], rel=1e-4), f"step {step}"
    if name in LEAST:
        assert float(output.rpartition("accuracy ")[2]) >= LEAST[name]
