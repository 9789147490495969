"""Samples and results of distributions in PyTorch, and its errors for wrong ones."""

from tests.recorded.answers import format_answers
from tests.recorded.distributions.cases import CASES, FILE, REFUSED, figures


def rounded(value):
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def record(wanted):
    import torch

    if wanted(FILE.stem):
        yield FILE, format_answers({code: rounded(figures(code, torch)) for code in [*CASES, *REFUSED]})
