"""Schedulers of learning rates do what PyTorch's do: rates, momenta and states of thirty steps."""

import warnings

import pytest

import tensh
from tests.recorded.optim.schedulers import CASES, steps


def test_every_scheduler_has_a_case():
    names = {*tensh.optim.lr_scheduler.__all__} - {"LRScheduler"}
    assert names and {name for name in names if not any(f"s.{name}(" in case for case in CASES)} == set()


@pytest.mark.parametrize(("optimizer", "is_tensor"), [("SGD", False), ("Adam", False), ("SGD", True)])
@pytest.mark.parametrize("case", CASES)
def test_thirty_steps_are_pytorchs(oracle, case, optimizer, is_tensor):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = (steps(torch, case, optimizer, is_tensor) for torch in (tensh, oracle))
        for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            assert repr(one) == repr(other), number
