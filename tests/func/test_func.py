"""torch.func, dual tensors and their uses: programs compared with PyTorch's recorded answers."""

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


def test_libraries_can_ask_whether_a_tensor_is_batched():
    from tensh.switched_off import module

    functorch, seen = module("torch._C._functorch"), []

    def look(x):
        seen.append((functorch.is_batchedtensor(x), functorch.maybe_get_level(x), functorch.maybe_get_bdim(x)))
        return x

    torch.vmap(look)(torch.ones(2, 3))
    torch.vmap(look, 1)(torch.ones(2, 3))
    torch.vmap(torch.vmap(look))(torch.ones(2, 3, 4))
    look(torch.ones(2))
    assert seen == [(True, 1, 0), (True, 1, 1), (True, 2, 0), (False, -1, -1)]
