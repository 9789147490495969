"""The prompt where its streams are taken: by the program, or with the window that they led to."""

import os
import signal
import time

import pytest

if os.name == "nt":
    pytest.skip("a pseudo-terminal is POSIX's", allow_module_level=True)

from tests.support.terminal import Terminal

pytestmark = pytest.mark.thorough

EDITORS = pytest.mark.parametrize("options", [(), ("--plain",)], ids=["editor", "plain"])


@EDITORS
def test_a_program_may_close_and_replace_streams(options):
    with Terminal(*options) as terminal:
        terminal.ready()
        terminal.enter("import sys; sys.stdout.close(); sys.stderr.close()")
        assert "ZeroDivisionError" in terminal.enter("1 / 0")
        assert terminal.enter("before = sys.stdout; sys.stdout = sys.stdin = None") == ""
        assert terminal.enter("sys.stdout = 5") == ""
        terminal.enter("sys.stdout = before")
        assert terminal.enter("print(6 * 7)") == "42"
        terminal.type("sys.__stdin__.close()\r")
        assert terminal.end() == 0


@EDITORS
@pytest.mark.parametrize("code", ["os.close(1)", "os.dup2(os.open('/dev/full', 1), 1)"])
def test_where_nothing_can_be_written_the_prompt_ends(options, code):
    with Terminal(*options) as terminal:
        terminal.ready()
        terminal.enter("import os")
        terminal.type(f"{code}\r")
        assert terminal.end() == 74
        assert "tensh: stdout cannot be written: " in terminal.raw and "fault" not in terminal.raw


LINES = {
    "nothing runs": "x = 1",
    "the block prints": "while True: print('x' * 1000)\r",
    "a thread prints": "import threading, time; "
    "threading.Thread(target=lambda: [print('x' * 1000) for _ in iter(int, 1)]).start(); time.sleep(1); print()",
}


@EDITORS
@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_window_that_is_closed_ends_the_prompt_in_silence(options, line, tmp_path):
    """SIGHUP ends it before that, unless the process was begun with it ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        terminal = Terminal(*options, errors=str(tmp_path / "errors"))
    finally:
        signal.signal(signal.SIGHUP, before)
    terminal.ready()
    terminal.type(f"{line}\r")
    terminal.read(0.2)
    os.close(terminal.descriptor)
    end = time.monotonic() + 60
    while not (found := os.waitpid(terminal.process, os.WNOHANG))[0]:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert os.waitstatus_to_exitcode(found[1]) == 141
    assert (tmp_path / "errors").read_text().count("\n") == 1  # the greeting


def test_colours_that_are_pasted_unmarked_are_passed_over():
    """They begin as what a mouse says."""
    with Terminal() as terminal:
        terminal.ready().enter("\x1b[31mx = 1\x1b[0m\x1b[<1;2m")
        assert terminal.enter("x + 41") == "42"
