"""torch.func, dual tensors and what is made of them: programs beside PyTorch's recorded answers."""

import importlib

import pytest

import tensh as torch
from tests.recorded.transforms import cases as transforms

NAMES = sorted(path.stem for path in transforms.FOLDER.glob("*.txt"))
each_program = pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name in NAMES for text in transforms.programs(name)]
)


@each_program
def test_program(name, text):
    """It shows what PyTorch shows."""
    assert transforms.outcome(torch, text) == transforms.answers(name)[text]


@pytest.mark.oracle
@each_program
def test_recorded_transforms_are_what_pytorch_shows(name, text):
    """What is recorded is what PyTorch shows."""
    oracle = pytest.importorskip("torch")
    importlib.import_module("torch.func")
    assert transforms.outcome(oracle, text) == transforms.answers(name)[text]
