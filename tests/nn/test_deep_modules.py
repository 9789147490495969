"""Modules nested as deeply as Python's recursion limit allows in PyTorch."""

import pytest

from tensh import nn

DEPTH = 300
CALLS = {
    "repr": lambda model: repr(model).count("Sequential") == DEPTH,
    "to": lambda model: model.double() is model,
    "requires_grad_": lambda model: model.requires_grad_(False) is model,
    "state_dict": lambda model: len(model.state_dict()) == 2,
    "load_state_dict": lambda model: not model.load_state_dict(model.state_dict()).missing_keys,
    "apply": lambda model: model.apply(lambda module: None) is model,
}


@pytest.mark.parametrize("name", CALLS)
def test_modules_within_modules(name):
    model = nn.Linear(1, 1)
    for _ in range(DEPTH):
        model = nn.Sequential(model)
    assert CALLS[name](model)
