"""The dtypes in which PyTorch computes for each pair of operands."""

from tests.recorded.answers import format_answers
from tests.recorded.promotion.cases import DEFAULTS, FILE, FUNCTIONS, answers


def record(wanted):
    import torch

    if wanted(FILE.stem):
        found = {}
        for default in DEFAULTS:
            torch.set_default_dtype(getattr(torch, default))
            found[default] = {name: answers(torch, name) for name in FUNCTIONS}
        torch.set_default_dtype(torch.float32)
        yield FILE, format_answers(found, depth=4)
