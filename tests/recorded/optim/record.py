"""Parameters after steps of PyTorch's optimizers, and learning rates after steps of its schedulers."""

import warnings
from pathlib import Path

from tests.recorded.answers import format_answers
from tests.recorded.optim import optimizers, schedulers

FILE = Path(__file__).with_name("optim.json")


def training(torch):
    """case -> parameters after some steps, one after another, to nine digits."""
    results = {}
    for name, options, dtype in optimizers.CASES:
        if dtype == "float64":
            params, _ = optimizers.trained(torch, name, options, dtype)
            numbers = [value for p in params for value in p.detach().reshape(-1).tolist()]
            results[f"{name} {options}"] = [float(f"{value:.9g}") for value in numbers]
    return results


def rates(torch):
    """case -> the rates of each step, to nine digits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            case: [[float(f"{lr:.9g}") for lr in each["last"]] for each in schedulers.steps(torch, case, "SGD")]
            for case in schedulers.CASES
        }


def record(wanted):
    import torch

    if wanted(FILE.stem):
        yield FILE, format_answers(training(torch) | rates(torch))
