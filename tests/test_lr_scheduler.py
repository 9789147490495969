"""Schedulers of learning rates do what PyTorch's do: rates, momenta and states of thirty steps."""

import warnings

import pytest
from scheduler_cases import CASES, OPTIMIZERS, steps

import tensh


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("case", CASES)
def test_thirty_steps_are_pytorchs(oracle, case, optimizer):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, (one, other) in enumerate(zip(steps(tensh, case, optimizer), steps(oracle, case, optimizer))):
            assert repr(one) == repr(other), number
