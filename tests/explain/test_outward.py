"""What reaches beyond the process is not called again by the search for advice."""

import types

import pytest

import tensh as torch
from tensh.explain.trials.trusted import is_tensh_value

SPACES = [
    "distributed", "distributed.checkpoint", "distributed.device_mesh", "distributed.nn.functional", "distributed.tensor",
    "hub", "multiprocessing", "onnx",
]  # fmt: skip


def public_functions(space):
    owner = torch
    for name in space.split("."):
        owner = getattr(owner, name)
    for name in owner.__all__ if hasattr(owner, "__all__") else dir(owner):
        value = getattr(owner, name, None)
        if callable(value) and not isinstance(value, types.ModuleType) and name[0] != "_":
            yield name, value


@pytest.mark.parametrize("space", SPACES)
def test_functions_that_reach_other_processes_or_files(space):
    found = dict(public_functions(space))
    assert found and [name for name, value in found.items() if is_tensh_value(value)] == []


def test_modules_that_wait_for_other_processes():
    assert is_tensh_value(torch.nn.BatchNorm2d) and is_tensh_value(torch.relu)
    for kind in (torch.nn.SyncBatchNorm, torch.nn.parallel.DistributedDataParallel):
        assert not is_tensh_value(kind)


@pytest.mark.parametrize("register", ["register_state_dict_pre_hook", "register_state_dict_post_hook"])
def test_hooks_of_a_state_are_not_called_again(register):
    net = torch.nn.Sequential(torch.nn.Linear(1, 1))
    assert is_tensh_value(net.state_dict) and is_tensh_value(net.parameters)
    getattr(net[0], register)(lambda *facts: None)
    assert not is_tensh_value(net.state_dict) and is_tensh_value(net.parameters)
