"""Record what PyTorch's optimisers and schedulers do, for machines without it:  python -m tests.recorded.optim.record"""

import json
import warnings
from pathlib import Path

from tests.recorded.optim import optimizers as optimizer_cases
from tests.recorded.optim import schedulers as scheduler_cases

FILE = Path(__file__).with_name("optim.json")


def training(torch):
    """case -> parameters after some steps, one after another, to nine digits."""
    results = {}
    for name, options, dtype in optimizer_cases.CASES:
        if dtype == "float64":
            params, _ = optimizer_cases.trained(torch, name, options, dtype)
            numbers = [value for p in params for value in p.detach().reshape(-1).tolist()]
            results[f"{name} {options}"] = [float(f"{value:.9g}") for value in numbers]
    return results


def rates(torch):
    """case -> the rates of each step, to nine digits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            case: [[float(f"{lr:.9g}") for lr in each["last"]] for each in scheduler_cases.steps(torch, case, "SGD")]
            for case in scheduler_cases.CASES
        }


if __name__ == "__main__":
    import torch

    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in (training(torch) | rates(torch)).items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
