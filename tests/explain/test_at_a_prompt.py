"""Explanations at a prompt, whose lines are typed one by one, are those of a script, apart from line numbers."""

import os
import re

import pytest

from tensh.alias import torch_is_tensh
from tensh.cli.render.failure import render_short
from tensh.cli.repl.loop import TypedSource
from tensh.cli.session.events import Failed
from tensh.cli.session.session import Session
from tensh.cli.session.sources.source import Source
from tests.recorded.mistakes.cases import SCRIPTS, expected

LINE = re.compile(r"(an )?earlier line|line \d+")
OF_ONE_LINE = re.compile(
    r"^( +\S+: +)(earlier line|line \d+): "
)  # a prompt leaves the number out where a line is typed alone
OF_PLACES = re.compile(r" (was made|failed in iteration) ")  # sentences for which a prompt has no numbers


def blocks(text):
    """The pieces of a script as they would be typed: statements, those on one line together."""
    lines, ends = text.split("\n"), []
    for unit in Source(text, "<script>").units():
        if not ends or unit.first > ends[-1][1]:
            ends.append([unit.first, unit.last])
        ends[-1][1] = max(ends[-1][1], unit.last)
    return ["\n".join(lines[first - 1 : last]) for first, last in ends]


def type_in(text):
    """The first failure of a script that is typed, as text."""
    return "".join(part for _, part in render_short(next(failures(blocks(text)))))


def failures(typed):
    """The failures of blocks that are typed one after the other."""
    with torch_is_tensh():
        session = Session()
        session.preload()
        session.run_in_shell = os.system
        for number, block in enumerate(typed, 1):
            for event in session.run(TypedSource(block, f"<input {number}>")):
                if isinstance(event, Failed):
                    yield event.failure


def sentences(text):
    """Return the text below the failing code, without places and without the notes before the failure."""
    said = text.partition("Error")[2].split("\n")
    return [
        LINE.sub("line", OF_ONE_LINE.sub(r"\1", line))
        for line in said
        if line.startswith(" " * 8) and line[8:9] != "|" and not OF_PLACES.search(line)
    ]


def is_whole(script):
    """Return True if a script can be read, and fails without a note that comes before."""
    try:
        Source(script.read_text(encoding="utf-8"), "<script>").units()
    except SyntaxError:
        return False
    said = expected(script).read_text(encoding="utf-8")
    return said.startswith(f"{script.name}:") and ": note: " not in said


WHOLE = [script for script in SCRIPTS if is_whole(script)]
CASES = [pytest.param(s, id=s.stem, marks=[pytest.mark.thorough] if n % 10 else []) for n, s in enumerate(WHOLE)]


@pytest.mark.filterwarnings("ignore")  # warnings of the scripts beside their failures
@pytest.mark.parametrize("script", CASES)
def test_a_prompt_says_what_a_script_says(script, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)  # some scripts write files
    said = type_in(script.read_text(encoding="utf-8"))
    assert sentences(said) == sentences(expected(script).read_text(encoding="utf-8"))


def test_a_change_of_an_earlier_line_is_called_so():
    said = type_in("w = torch.ones(3)\nloss = (w * 2).sum()\nloss.backward()")
    assert said.endswith("        fits:  earlier line: w = torch.ones(3, requires_grad=True)\n")


def test_what_failed_before_is_no_cause():
    typed = "w = torch.ones(3)", "w = torch.zeros(3).nothing", "loss = w.sum()", "loss.backward()"
    *_, last = failures(typed)
    assert [fit.text for fit in last.explanation.fits] == ["w = torch.ones(3, requires_grad=True)"]
