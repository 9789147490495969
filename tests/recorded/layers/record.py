"""Results of layers in PyTorch, and its errors for wrong ones."""

import warnings

from tests.recorded.answers import format_answers
from tests.recorded.layers.cases import CASES, FIGURES, MISTAKES, REFUSALS, figures, refusal


def record(wanted):
    import torch

    warnings.simplefilter("ignore")
    for path, lines, answer in ((FIGURES, CASES, figures), (REFUSALS, MISTAKES, refusal)):
        if wanted(path.stem):
            answers = {f"{layer} <- {inputs}": answer(torch, layer, inputs) for layer, inputs in lines}
            yield path, format_answers(answers)
