"""PyTorch's results for programs with vmap, and the errors that it raises."""

import warnings
from pathlib import Path

from tests.recorded.answers import format_answers
from tests.recorded.vmap.drawing import MODES, RANDOM, random, random_nested
from tests.recorded.vmap.programs import PROGRAMS
from tests.recorded.vmap.refusals import ERRORS

FILE = Path(__file__).with_name("vmap.json")


def plain(torch, result):
    """A result as plain data: dtypes, shapes and numbers of the tensors in it."""
    if isinstance(result, torch.Tensor):
        return [
            str(result.dtype),
            list(result.shape),
            [round(v, 9) for v in result.detach().to(torch.float64).reshape(-1).tolist()],
        ]
    if isinstance(result, dict):
        return {key: plain(torch, value) for key, value in result.items()}
    return [plain(torch, each) for each in result] if isinstance(result, (list, tuple)) else result


def answer(torch, program, *args):
    """Return the result of a program, or the exception that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(torch, program(torch, *args))
        except Exception as error:
            return [type(error).__name__, str(error)]


def answers(torch):
    """Everything that is recorded."""
    return {
        "programs": {name: answer(torch, program) for name, program in PROGRAMS.items()},
        "errors": {name: answer(torch, program) for name, program in ERRORS.items()},
        "random": {f"{name}, {mode}": answer(torch, random, f, mode) for name, f in RANDOM.items() for mode in MODES},
        "random nested": {f"{one}, {two}": answer(torch, random_nested, one, two) for one in MODES for two in MODES},
    }


def record(wanted):
    import torch

    if wanted(FILE.stem):
        yield FILE, format_answers(answers(torch), depth=2)
