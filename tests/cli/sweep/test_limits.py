"""Limits of one run among others in a process."""

import subprocess
import sys

import pytest

from tensh.cli.programs.limits import TimeLimit
from tensh.cli.sweeping import limits
from tests.support.project import ROOT


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


@pytest.mark.parametrize("body", ["for _ in range(10): pass", "while True: pass", "import time; time.sleep(0.2)"])
def test_a_profile_runs_after_a_limit(body):
    """In a separate process, where a limit that was withdrawn kept the profiled function from going on."""
    code = (
        "import contextlib, sys\nfrom tensh.cli.sweeping.limits import TimeLimit, limit_time\n"
        f"with contextlib.suppress(TimeLimit), limit_time(0.1):\n    exec({body!r})\n"
        "sys.setprofile(lambda *_: None)\n(lambda: None)()\nprint('done')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("done\n", "")
