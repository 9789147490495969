"""The prompt in a terminal: text from files, the history and names brings no escape sequences."""

import os
import re

import pytest

if os.name == "nt":
    pytest.skip("a pseudo-terminal is POSIX's", allow_module_level=True)

from tensh.support.escaping import is_seen
from tests.support.terminal import Terminal

HOSTILE = "\x1b]0;title\x07\x1b[2J\x9b31m\u202eabc\u2066\u200f\u2028\u200b\U000e0041"
ITS_OWN = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[A-HJKhlmqsu]|[=>78])")  # moves, erasing, colours, modes; no titles


def assert_clean(raw):
    """Nothing in what was written but sequences that the editor needs, and text that is seen."""
    rest = ITS_OWN.sub("", raw)
    hidden = {character for character in rest if character not in "\r\n\t\b\x07" and not is_seen(character)}
    assert not hidden, rest
    assert "\x1b[2J" not in raw.replace("\x1b[2J\x1b[H", "")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "history").write_text(f">>> s = 1  # {HOSTILE}\n>>> t = 2\n", newline="")
    (tmp_path / "names.py").write_text(
        f"d = {{{'k' + HOSTILE!r}: 1, {'k' + HOSTILE + 'l'!r}: 2}}\nclass A:\n    def __repr__(self): return {HOSTILE!r}\n"
        f"def f():\n    {HOSTILE!r}\n"
    )
    for name in (HOSTILE, "file"):
        (tmp_path / f"{name}.npy").write_bytes(b"")
    return tmp_path


@pytest.mark.thorough
@pytest.mark.parametrize("options", [(), ("--plain",)], ids=["editor", "plain"])
def test_what_the_prompt_draws(options, folder):
    with Terminal(*options, cwd=folder, TENSH_HISTORY=str(folder / "history"), columns=100) as terminal:
        terminal.ready()
        terminal.enter("from names import *")
        terminal.enter("A()")
        terminal.enter("[A()], {A(): torch.ones(2)}")
        terminal.enter("d")
        terminal.enter("raise ValueError(repr(A()))")
        terminal.enter("f?")
        terminal.enter("%who")
        terminal.enter("m = nn.LazyLinear(3)")  # whose parameters have no memory yet
        assert terminal.enter("1") == "1"
        terminal.enter("%history")
        if not options:
            terminal.type("d['\t")
            terminal.wait("k\\x1b]0;title")
            terminal.press("^C")
            terminal.ready()
            terminal.type("%load \t")
            terminal.wait("file.npy")
            terminal.press("^C")
            terminal.ready()
            terminal.type("s")
            terminal.press("up")
            terminal.wait("s = 1  # ^[]0;title")
            terminal.press("^C")
            terminal.ready()
            terminal.type("s = ")
            terminal.wait("s = 1  # ^[]0;title")
            terminal.press("^C")
            terminal.ready()
        assert_clean(terminal.raw)
