"""Results of programs with torch.func and with dual tensors in PyTorch."""

from tests.recorded.answers import format_answers
from tests.recorded.transforms.cases import FOLDER, outcome, programs


def record(wanted):
    import torch

    for path in sorted(FOLDER.glob("*.txt")):
        if wanted(path.stem):
            answers = {text: outcome(torch, text) for text in programs(path.stem)}
            yield path.with_suffix(".json"), format_answers(answers)
