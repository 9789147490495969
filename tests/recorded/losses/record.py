"""Output of the training programs in scripts/ with PyTorch: the loss of each step, and accuracies."""

import subprocess
import sys

from tests.support.project import RECORDED, ROOT

FOLDER = RECORDED / "losses"


def record(wanted):
    for path in sorted(FOLDER.glob("*.txt")):
        if wanted(path.stem):
            command = [sys.executable, f"scripts/{path.stem}.py"]
            yield path, subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
