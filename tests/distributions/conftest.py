"""Distributions of both libraries check their arguments in every test."""

import sys

import pytest


@pytest.fixture(autouse=True)
def validation_is_on():
    """Turn PyTorch's checks on again: torch.compile turns them off for the rest of a process."""
    if "torch.distributions" in sys.modules:
        sys.modules["torch.distributions"].Distribution.set_default_validate_args(True)
