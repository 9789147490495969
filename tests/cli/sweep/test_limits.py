"""Limits of one run among others in a process."""

import pytest

from tensh.cli.programs.limits import TimeLimit
from tensh.cli.sweeping import limits


def test_code_that_takes_too_long_is_interrupted(monkeypatch):
    monkeypatch.setattr(limits, "GRACE", 600.0)  # otherwise the process would be ended
    with pytest.raises(TimeLimit), limits.limit_time(0.01):
        for _ in range(10**8):
            pass


def test_nothing_is_interrupted_after_the_code_has_ended():
    with limits.limit_time(0.01):
        pass
    for _ in range(10**6):
        pass
