"""Programs that are stopped at some moments, as `interrupting.py` does it at thousands."""

import os
import random

import pytest

if not os.path.isdir("/proc/self"):
    pytest.skip("processes are looked for in /proc", allow_module_level=True)

from tests.fuzz.interrupting import INTERRUPT, KILL, SCENARIOS, stop

NAMED = {scenario.name: scenario for scenario in SCENARIOS}


@pytest.mark.parametrize("how", [INTERRUPT, KILL])
@pytest.mark.parametrize("name", ["loader fork python", "loader fork tensh", "saves", "check --update"])
def test_nothing_is_lost_and_nothing_left(name, how):
    moment = random.Random(f"{name} {how}").uniform(0.1, 0.6)
    assert stop(NAMED[name], how, moment)[2] == []
