"""SIGTERM and SIGHUP end the process by that signal: the terminal is restored, the history complete, no worker is left."""

import os
import signal
import subprocess
import sys

import pytest

if os.name == "nt":
    pytest.skip("a pseudo-terminal is POSIX's", allow_module_level=True)

import termios

from tests.support.project import ROOT, plain_environment
from tests.support.terminal import Terminal

ENDING = [signal.SIGTERM, signal.SIGHUP]


@pytest.mark.thorough
@pytest.mark.parametrize("number", ENDING)
@pytest.mark.parametrize("options", [(), ("--plain",)], ids=["editor", "plain"])
@pytest.mark.parametrize("is_running", [False, True], ids=["typing", "running"])
def test_at_the_prompt(is_running, options, number, tmp_path):
    with Terminal(*options, TENSH_HISTORY=str(tmp_path / "history")) as terminal:
        terminal.ready()
        terminal.enter("x = 1")
        terminal.type("print(6 * 7); import time; time.sleep(60)\r" if is_running else "y = ")
        terminal.wait("\n42\n" if is_running else ">>> y =")
        descriptor = os.dup(terminal.descriptor)
        os.kill(terminal.process, number)
        assert terminal.end() == -number
        modes = termios.tcgetattr(descriptor)[3]
        os.close(descriptor)
        assert modes & termios.ICANON and modes & termios.ECHO
        # pastes are marked, lines wrap, a cursor is there
        for mode, is_on in (("2004", False), ("7", True), ("25", True)):
            on, off = (terminal.raw.rfind(f"\x1b[?{mode}{sign}") for sign in "hl")
            assert on == off == -1 or (on > off) == is_on
    assert (tmp_path / "history").read_text().startswith(">>> x = 1\n")


LOADING = """
import torch
class Data(torch.utils.data.Dataset):
    def __len__(self): return 10**6
    def __getitem__(self, i): return torch.ones(2)
for number, batch in enumerate(torch.utils.data.DataLoader(Data(), num_workers=2)):
    if number == 1: print("loading", flush=True)
"""


@pytest.mark.parametrize("number", ENDING)
def test_a_run_with_workers(number):
    process = subprocess.Popen(
        [sys.executable, "-m", "tensh", "-c", LOADING], env=plain_environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    assert process.stdout.readline() == "loading\n"
    process.send_signal(number)
    output, errors = process.communicate(timeout=60)  # until the last worker has closed the pipes
    assert (process.returncode, output, errors) == (-number, "", "")


SWALLOWED = """
import sys, time, weakref
from tensh.cli import app, start

class Lock:
    pass

def interrupted(reference):
    raise KeyboardInterrupt

def main():
    lock = Lock()
    reference = weakref.ref(lock, interrupted)
    del lock
    for _ in range(600):
        time.sleep(0.1)

app.main = main
sys.exit(start.main())
"""


def test_an_interrupt_that_python_cannot_raise_comes_again():
    done = subprocess.run([sys.executable, "-c", SWALLOWED], capture_output=True, cwd=ROOT, timeout=50)
    assert (done.returncode, done.stderr) == (130, b"")
