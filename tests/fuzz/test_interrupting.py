"""Programs that are stopped at some moments, as `python -m tests.fuzz.interrupting` stops them at thousands."""

import os
import random

import pytest

if not os.path.isdir("/proc/self"):
    pytest.skip("processes are looked for in /proc", allow_module_level=True)

from tests.fuzz.interrupting.scenarios import SCENARIOS
from tests.fuzz.interrupting.trials import INTERRUPT, KILL, is_pythons, stop

pytestmark = pytest.mark.thorough

NAMED = {scenario.name: scenario for scenario in SCENARIOS}


@pytest.mark.parametrize("how", [INTERRUPT, KILL])
@pytest.mark.parametrize("name", ["loader fork python", "loader fork tensh", "saves", "check --update"])
def test_nothing_is_lost_and_nothing_left(name, how):
    moment = random.Random(f"{name} {how}").uniform(0.1, 0.6)
    assert stop(NAMED[name], how, moment)[2] == []


HEAD = 'Traceback (most recent call last):\n  File "/home/x/tensh/engine/tensor.py", line 3, in <module>\n    import numpy\n'
SITES = "Fatal Python error: init_import_site: Failed to import the site module\n"
COMPLAINTS = {
    'Traceback (most recent call last):\n  File "<frozen codecs>", line 1, in <module>\nKeyboardInterrupt\n': True,
    f"{HEAD}ImportError: no numpy\n": False,
    f"{SITES}{HEAD}KeyboardInterrupt\n": True,
    "": False,
}


@pytest.mark.parametrize("error, expected", COMPLAINTS.items())
def test_complaints_of_python_are_told_from_ours(error, expected):
    assert is_pythons(error) is expected
